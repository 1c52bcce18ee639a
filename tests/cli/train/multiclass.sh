# --multiclass: what is written, what is predicted from it, and what is refused.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -g 0.5 --multiclass softmax "$DATA/iris" softmax || fail "softmax fails"
"$BIN/rvm-train" -q -g 0.5 "$DATA/iris" plain || fail "fails"
cmp softmax plain || fail "softmax is not the default"
! grep -q '^multiclass' plain || fail "a softmax model says so"

"$BIN/rvm-train" -q -g 0.5 --multiclass ovr "$DATA/iris" ovr || fail "ovr fails"
[ "$(sed '/^class /,$d' ovr | awk '{ print $1 }' | tr '\n' ' ')" = \
    'rvm_model task kernel_type gamma nr_class label multiclass total_rv examples rows class_rows log_evidence converged probability ' ] ||
    fail "keys: $(sed '/^class /,$d' ovr)"
grep -qx 'multiclass ovr' ovr || fail "the model does not say so"

# Probabilities sum to 1, and the label is that of the largest.
"$BIN/rvm-predict" -b 1 "$DATA/iris" ovr out >text 2>err || fail "prediction fails: $(cat err)"
sed 1d out | awk '
    NF != 4 || $2 + $3 + $4 < 0.99999 || $2 + $3 + $4 > 1.00001 { print; bad = 1 }
    $($1 + 1) < $2 || $($1 + 1) < $3 || $($1 + 1) < $4 { print; bad = 1 }
    END { exit bad || NR != 150 }' || fail "not the most probable class, or no probabilities"
awk '{ exit !($3 + 0 >= 94) }' text || fail "of the training rows: $(cat text)"

# A class is trained as it would be alone: its probability, before all are brought to sum to 1, is
# that of the model of class 1 against the rest at its own functions' mode; the flowers of class 1
# stand apart, so both say so of every row.
awk '{ $1 = $1 == 1 ? 1 : -1; print }' "$DATA/iris" >first
"$BIN/rvm-train" -q -g 0.5 first two || fail "two classes fail"
"$BIN/rvm-predict" -q first two wanted || fail "two classes: prediction fails"
sed 1d out | awk '{ print $1 == 1 ? 1 : -1 }' | cmp - wanted || fail "another class 1"

# Two classes are one model, whatever the option.
"$BIN/rvm-train" -q -g 0.5 --multiclass ovr first again || fail "ovr of two classes fails"
cmp two again || fail "ovr changes two classes"

"$BIN/rvm-train" -q --multiclass pairs "$DATA/iris" none 2>err >out && fail "pairs is accepted"
grep -q 'softmax and ovr' err || fail "says: $(cat err)"
[ ! -e none ] || fail "a model is written"

# The formula of the manual page, at a row where the functions are 1, -2 and 0 and certain enough.
cat >model <<'EOF'
rvm_model 1
task classification
kernel_type linear
nr_class 3
label 5 -2 9
multiclass ovr
total_rv 1
examples 9
log_evidence -4.5
converged 1
probability 0
class 5 1
factor 1e8
class -2 1
factor 1e8
class 9 0
RV
1 1 -2 1 0 0 1:1
end
EOF
# 1 / (1 + e^-1), 1 / (1 + e^2) and 1/2, over their sum.
printf '5 1:1\n' >row
"$BIN/rvm-predict" -q -b 1 row model got || fail "the model is refused"
awk 'NR == 2 {
    a = 1 / (1 + exp(-1)); b = 1 / (1 + exp(2)); c = 0.5; s = a + b + c
    d = ($2 - a / s)^2 + ($3 - b / s)^2 + ($4 - c / s)^2
    exit !($1 == 5 && d < 1e-10) }' got || fail "predicts $(cat got)"

# Three classes: trained, predicted with a probability of each class, cross-validated.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q "$DATA/iris" model || fail "fails"
grep -qx 'nr_class 3' model || fail "$(grep nr_class model)"
grep -qx 'label 1 2 3' model || fail "$(grep label model)"
[ "$(sed -n 's/^class \(.*\) .*/\1/p' model | tr '\n' ' ')" = '1 2 3 ' ] ||
    fail "classes: $(grep class model)"

"$BIN/rvm-predict" -b 1 "$DATA/iris" model out >text 2>err || fail "prediction fails"
[ "$(head -n 1 out)" = 'labels 1 2 3' ] || fail "heading: $(head -n 1 out)"
sed 1d out | awk '
    NF != 4 || $2 + $3 + $4 < 0.99999 || $2 + $3 + $4 > 1.00001 { print; bad = 1 }
    $($1 + 1) < $2 || $($1 + 1) < $3 || $($1 + 1) < $4 { print; bad = 1 }
    END { exit bad || NR != 150 }' || fail "not the most probable class, or no probabilities"
grep -Eqx 'Accuracy = [0-9.]+% \([0-9]+/150\) \(classification\)' text || fail "$(cat text)"
awk '{ exit !($3 + 0 >= 95) }' text || fail "of the training rows: $(cat text)"

# Accuracy and mean log loss are those of the file.
sed 1d out | paste -d ' ' "$DATA/iris" - | awk -v told="$(sed -n 's/^Mean log loss = //p' err)" '
    { loss -= log($(NF - 3 + $1)) }
    END { d = loss / NR - told; exit !(d < 1e-4 && d > -1e-4) }' || fail "log loss: $(cat err)"
right=$(sed 1d out | paste -d ' ' "$DATA/iris" - | awk '{ n += $1 == $(NF - 3) } END { print n }')
grep -qF "($right/150)" text || fail "$right are right, not: $(cat text)"

# Without -b 1 the same classes; at the mode the probabilities are more extreme.
"$BIN/rvm-predict" -q "$DATA/iris" model plain || fail "prediction fails"
sed 1d out | awk '{ print $1 }' | cmp - plain || fail "-b 1 changes the classes"
"$BIN/rvm-predict" -q -b 1 --mode "$DATA/iris" model mode || fail "--mode fails"
largest() { sed 1d "$1" | awk '{ s += $($1 + 1) } END { print s / NR }'; }
awk -v a="$(largest mode)" -v b="$(largest out)" 'BEGIN { exit !(a > b) }' ||
    fail "--mode is not more extreme"

# Guessing is right in a third of the rows.
"$BIN/rvm-train" -q -v 5 "$DATA/iris" >out 2>err || fail "-v fails: $(cat err)"
grep -Eqx 'Cross Validation Accuracy = [0-9.]+%' out || fail "reads: $(cat out)"
awk '{ exit !($NF + 0 >= 90) }' out || fail "$(cat out)"

# Labels stand in the order of their first rows, and a model of them is read again.
printf '30 1:1\n-7 1:5\n0 1:9\n30 1:1.5\n-7 1:5.5\n0 1:9.5\n30 1:0.5\n-7 1:4.5\n0 1:8.5\n' >data
"$BIN/rvm-train" -q -g 1 data model || fail "fails"
"$BIN/rvm-predict" -b 1 data model out >text 2>err || fail "prediction fails"
[ "$(head -n 1 out)" = 'labels 30 -7 0' ] || fail "heading: $(head -n 1 out)"
grep -qxF 'Accuracy = 100% (9/9) (classification)' text || fail "$(cat text)"
"$BIN/rvm-train" -q -g 1 -w0 100 data model || fail "fails with a weight"

# The model file follows rvm-model(5), whose awk program predicts from it what rvm-predict does.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
sed '/^RV/,$d' model | awk '{ print $1 }' | uniq | tr '\n' ' ' >keys
[ "$(cat keys)" = 'rvm_model task kernel_type gamma nr_class total_rv examples rows noise_variance noise_fixed log_evidence converged bias factor ' ] ||
    fail "keys of a regression: $(cat keys)"
[ "$(tail -n 1 model)" = end ] || fail "the last line is not end"
vectors=$(sed -n 's/^total_rv //p' model)
[ "$(sed '1,/^RV$/d; /^end$/d' model | wc -l)" -eq "$vectors" ] || fail "not $vectors vectors"
[ "$(grep -c '^factor ' model)" -eq $((vectors + 1)) ] || fail "not $vectors + 1 factors"
[ "$(grep '^factor ' model | awk '{ n += NF - 1 } END { print n }')" -eq \
    $(((vectors + 1) * (vectors + 2) / 2)) ] || fail "the factor is no triangle"
grep -qx 'examples 133' model || fail "not 133 examples"
# Relevance vectors are training rows, those that the line `rows` names.
awk '
    { value = $0; sub(/.*1:/, "", value) }
    FILENAME != "model" { at[FNR] = value + 0; next }
    $1 == "rows" { rows = NF - 1; for (k = 2; k <= NF; k++) row[k - 1] = $k }
    $1 == "end" { vectors = 0 }
    vectors > 0 && value + 0 != at[row[vectors++]] { print "no such row: " $0; bad = 1 }
    $1 == "RV" { vectors = 1 }
    END { exit bad || rows < 3 }' "$DATA/mcycle" model >&2 || fail "vectors are not rows"

"$BIN/rvm-train" -q -t 1 -r 1 -g 0.5 -b 1 --no-bias "$DATA/ripley.train" classes || fail "fails"
sed '/^RV/,$d' classes | awk '{ print $1 }' | uniq | tr '\n' ' ' >keys
[ "$(cat keys)" = 'rvm_model task kernel_type degree gamma coef0 nr_class label total_rv examples rows class_rows log_evidence converged probability calibration_rows temperature held_out_loss held_out_error factor ' ] ||
    fail "keys of a classification: $(cat keys)"
grep -qx 'label 1 -1' classes || fail "labels: $(grep label classes)"
grep -qx 'probability 1' classes || fail "-b 1 is not kept"

# The program of the manual page, against the tool.
sed -n '/^\.\\" .*: begin$/,/^\.\\" end$/p' "$SRC/man/rvm-model.5" |
    sed '/^\./d; s/\\-/-/g; s/\\(ha/^/g' >predict.awk
[ "$(wc -l <predict.awk)" -gt 40 ] || fail "the manual page has no program"
"$BIN/rvm-predict" -q --variance "$DATA/mcycle" model wanted || fail "rvm-predict fails"
awk -v OFMT=%.17g -f predict.awk model "$DATA/mcycle" >got || fail "the program fails"
paste wanted got | awk '
    function near(a, b) { return a - b < 1e-6 * (1 + b * b) && b - a < 1e-6 * (1 + b * b) }
    NF != 4 || !near($1, $3) || !near($2, $4) { print "row " NR ": " $0; bad = 1 }
    END { exit bad || NR != 133 }' || fail "the program of the manual page differs"

# The example of three classes in the manual page: means 1.25, -6.75 and 0 of variances 25/64, 5/2 and
# 0 by hand, and the average of the softmax over them by a sum over a grid of 801 x 801 points.
sed -n '/^The model of three classes/,/^\.fi/p' "$SRC/man/rvm-model.5" |
    sed '1,/^\.nf/d; /^\./d; s/\\-/-/g' >three
printf '0 1:1 2:2\n' >row
"$BIN/rvm-predict" -q -b 1 row three got || fail "the model of the manual page is refused"
[ "$(cat got)" = 'labels 5 -2 9
5 0.759659 0.000966885 0.239374' ] || fail "the model of the manual page predicts $(cat got)"

# The example of a linear regression, at x1 = 3 and x3 = 2: 2.25 + 3 - 12; its variance by hand:
# R'v = (1, 2, 6) gives v = (1/2, 3/8, 7/16), and 1/4 + 9/64 + 49/256 + 0.25 = 213/256.
sed -n '/^The model of a linear regression/,/^\.fi/p' "$SRC/man/rvm-model.5" |
    sed '1,/^\.nf/d; /^\./d; s/\\-/-/g' >terms
printf '0 1:3 3:2 7:1\n' >row
"$BIN/rvm-predict" -q --variance row terms got || fail "the model of the manual page is refused"
[ "$(cat got)" = '-6.75 0.83203125' ] || fail "the model of the manual page predicts $(cat got)"

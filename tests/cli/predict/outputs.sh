# A model of several outputs: a column for each kind of number, commas between the outputs.
set -u
fail() { echo "$*" >&2; exit 1; }

. "$SRC/tests/cli/two_outputs.inc" # 1 + 2x and 3 - x; variances x^2 / 4 + 0.25 and x^2 / 16 + 4
"$BIN/rvm-predict" --variance rows model out >text 2>err || fail "fails: $(cat err)"
printf '1,3 0.25,4\n5,1 1.25,4.25\n9,-1 4.25,5\n' | cmp - out || fail "predicts: $(cat out)"

# Errors 0, 1, 0 and 0, 0, 1: the mean squared errors are 1/3 both.  Squared correlations of 1, 5, 9
# with 1, 6, 9 and of 3, 1, -1 with 3, 1, 0 are 48/49 and 27/28.
printf '%s\n' 'Mean squared error = 0.333333 (regression)' \
    'Squared correlation coefficient = 0.971939 (regression)' | diff - text || fail "scores"
grep -q '^Output 1: mean squared error = 0.333333, squared correlation coefficient = 0.979592, ' err ||
    fail "output 1: $(cat err)"
grep -q '^Output 2: mean squared error = 0.333333, squared correlation coefficient = 0.964286, ' err ||
    fail "output 2: $(cat err)"
awk -F '= ' '
    /^Output/ { sum += $NF / 2 }
    /^Mean/ { d = $NF - sum; bad = d > 1e-5 || d < -1e-5; seen++ }
    END { exit bad || seen != 1 }' err || fail "density: $(cat err)"
awk 'BEGIN {
    pi = 3.141592653589793
    printf "%.3f", (log(2 * pi * 0.25) + log(2 * pi * 1.25) + 1 / 1.25 + log(2 * pi * 4.25)) / 6
}' >want
sed -n 's/^Output 1:.* = //p' err | awk '{ printf "%.3f", $1 }' | cmp - want ||
    fail "density of output 1: $(cat err want)"

# Residuals 0, 1, 0 and 0, 0, 1 in units of the deviations above: 0.89 of that in the first output lies
# beyond the quartile of a normal distribution, 0.67, the others within.
sed -n 's/.*ntervals of 50, 90 and 95 % hold //p' err >held
printf '%s %% of the targets\n' '83.3, 100 and 100' '66.7, 100 and 100' '100, 100 and 100' |
    cmp - held || fail "intervals hold: $(cat held)"

# 0.6826894921370859 is one standard deviation to each side.
"$BIN/rvm-predict" -q --interval 0.6826894921370859 rows model out || fail "--interval fails"
sed 's/[, ]/ /g' out | awk '
    NF != 6 { bad = 1 }
    NR == 1 { bad = bad || ($3 - 0.5) ^ 2 + ($4 - 1) ^ 2 + ($5 - 1.5) ^ 2 + ($6 - 5) ^ 2 > 1e-12 }
    END { exit bad || NR != 3 }' || fail "intervals: $(cat out)"
awk 'NF != 3 { exit 1 }' out || fail "columns: $(cat out)"
"$BIN/rvm-predict" -b 1 rows model out 2>err | grep -q 'sigma=0.5,2$' || fail "-b 1 has no sigmas"

# Predictions are labels that the tools read again.
"$BIN/rvm-predict" -q rows model out || fail "fails"
sed 's/.* //' rows | paste -d ' ' out - >labelled
"$BIN/rvm-predict" labelled model out 2>err | grep -qx 'Mean squared error = 0 (regression)' ||
    fail "its own predictions are not right"

# One label alone is that of unlabelled rows: predictions, and no scores.
sed 's/^[^ ]*/0/' rows >unlabelled
cp out wanted
"$BIN/rvm-predict" unlabelled model out >text 2>err || fail "fails without labels: $(cat err)"
cmp out wanted || fail "the labels matter"
[ ! -s text ] || fail "scores of nothing: $(cat text)"
grep -q 'no scores: the rows have one label and the model has 2 outputs' err || fail "$(cat err)"
"$BIN/rvm-predict" -q unlabelled model out 2>err && [ ! -s err ] || fail "-q says: $(cat err)"

# Another number of labels is an error; so are several for a model of one output, or of classes.
sed 's/^/7,/' rows >three
"$BIN/rvm-predict" three model new >text 2>err && fail "three labels pass"
grep -q '^rvm-predict: three:1:1: 3 labels where the model has 2 outputs' err || fail "$(cat err)"
printf '1,3 1:0\n6 1:2\n' >mixed
"$BIN/rvm-predict" mixed model new >text 2>err && fail "rows of different labels pass"
grep -q '^rvm-predict: mixed:2:1: 1 label where the first row has 2' err || fail "$(cat err)"
"$BIN/rvm-train" -q -s 3 -g 1 "$DATA/mcycle" one || fail "fails"
"$BIN/rvm-predict" rows one new >text 2>err && fail "two labels for a model of one output pass"
grep -q "^rvm-predict: rows:1:1: more than one label: '1,3'" err || fail "$(cat err)"
[ ! -e new ] || fail "an output file is left"

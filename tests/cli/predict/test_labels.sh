# Labels of the test file may be anything; only equal numbers are right.
set -u
fail() { echo "$*" >&2; exit 1; }

printf '1 1:1\n-1 1:-1\n1 1:1.1\n-1 1:-1.2\n1 1:0.9\n-1 1:-0.8\n' >data
"$BIN/rvm-train" -q data model || fail "fails"
printf '1 1:1\n1.5 1:1\n0 1:-1\n-1 1:-1\n-1 1:1\n' >rows
"$BIN/rvm-predict" rows model predicted >out 2>err || fail "fails: $(cat err)"
[ "$(tr '\n' ' ' <predicted)" = '1 1 -1 -1 1 ' ] || fail "predictions: $(cat predicted)"
grep -qxF 'Accuracy = 40% (2/5) (classification)' out || fail "scores: $(cat out)"
grep -q '^Mean log loss = .* (3 rows; ' err || fail "log loss: $(cat err)"
grep -q '^Mean Brier score = .* (3 rows; ' err || fail "Brier score: $(cat err)"
printf '7 1:1\n' >rows
"$BIN/rvm-predict" rows model predicted >out 2>err || fail "fails: $(cat err)"
grep -qxF 'Accuracy = 0% (0/1) (classification)' out || fail "scores: $(cat out)"
! grep -q nan out err || fail "nan: $(cat out err)"

# One row of a regression has no correlation.
"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
"$BIN/rvm-predict" rows model predicted >out 2>err || fail "fails: $(cat err)"
grep -qxF 'Squared correlation coefficient = nan (regression)' out || fail "scores: $(cat out)"

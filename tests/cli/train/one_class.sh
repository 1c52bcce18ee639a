# Data of one class: libsvm's warning, a model that always says so, with probability 1.
set -u
fail() { echo "$*" >&2; exit 1; }

printf '7 1:1\n7 1:2\n7 1:3\n' >data
"$BIN/rvm-train" -q -b 1 data model >out 2>err || fail "fails: $(cat err)"
grep -qxF 'rvm-train: WARNING: training data in only one class: every prediction will be 7' err ||
    fail "the warning reads: $(cat err)"
[ ! -s out ] || fail "stdout with -q: $(cat out)"
grep -qx 'nr_class 1' model || fail "not one class"
grep -qx 'label 7' model || fail "not class 7"
printf '7 1:9\n3 1:-2\n' >rows
"$BIN/rvm-predict" -b 1 rows model predictions >out 2>err || fail "prediction fails: $(cat err)"
[ "$(cat predictions)" = 'labels 7
7 1
7 1' ] || fail "predictions: $(cat predictions)"
grep -qxF 'Accuracy = 50% (1/2) (classification)' out || fail "scores: $(cat out)"
"$BIN/rvm-train" -q -v 3 data >out 2>err || fail "-v fails: $(cat err)"
grep -qxF 'Cross Validation Accuracy = 100%' out || fail "-v: $(cat out)"

# Rows without a label, or with ? in its place: predicted with --unlabelled, and no part of any score.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -g 1 "$DATA/iris" model || fail "training fails"
"$BIN/rvm-predict" -q "$DATA/iris" model all || fail "prediction fails"
# Line by line: a label, `?`, none.
awk 'NR % 3 == 2 { $1 = "?" } NR % 3 == 0 { $1 = "" } { print }' "$DATA/iris" >rows
"$BIN/rvm-predict" --unlabelled rows model out >text 2>err || fail "fails: $(cat err)"
cmp all out || fail "other predictions"
right=$(paste -d ' ' "$DATA/iris" all | awk 'NR % 3 == 1 && $1 == $NF' | wc -l)
grep -qx "Accuracy = .*% ($((right))/50) (classification)" text || fail "$(cat text)"

# None at all: no score.
sed 's/^[^ ]*//' "$DATA/iris" >rows
"$BIN/rvm-predict" --unlabelled rows model out >text 2>err || fail "fails: $(cat err)"
cmp all out || fail "other predictions"
[ ! -s text ] || fail "says: $(cat text)"
[ "$(cat err)" = 'rvm-predict: no scores: no row has a label' ] || fail "says: $(cat err)"

# Regression: the error is that of the rows with a label alone; several outputs alike.
"$BIN/rvm-train" -q -s 3 -t 6 "$DATA/sinc.train" model || fail "training fails"
head -n 100 "$DATA/sinc.test" >first
"$BIN/rvm-predict" first model out >want 2>err || fail "fails: $(cat err)"
{ cat first; sed 's/^[^ ]*/?/' "$DATA/sinc.test"; } >rows
"$BIN/rvm-predict" --unlabelled rows model out >text 2>err || fail "fails: $(cat err)"
cmp want text || fail "scores differ: $(cat text)"
[ "$(wc -l <out)" -eq 1100 ] || fail "$(wc -l <out) predictions"
"$BIN/rvm-train" -q -s 3 -g 0.3 "$DATA/linnerud" model || fail "training fails"
sed '1s/^[^ ]*/?/' "$DATA/linnerud" >rows
"$BIN/rvm-predict" --unlabelled rows model out >text 2>err || fail "fails: $(cat err)"
head -n 1 out | grep -Eqx '[^,]+,[^,]+,[^,]+' || fail "predicts $(head -n 1 out)"

# Without the option they are an error that names it.
"$BIN/rvm-predict" rows model none 2>err
[ $? = 1 ] || fail "exit is not 1"
grep -q '^rvm-predict: rows:1:1: label is not a number: .*--unlabelled' err || fail "$(cat err)"
[ ! -e none ] || fail "a file is left"

# Rows that are cut and predicted side by side, as rvm-train-mpi(1) shows it, have the predictions that
# they have together.
set -eu

"$BIN/rvm-train" -q -s 3 "$DATA/friedman1.train" big.model
cp "$DATA/friedman1.test" rows
"$BIN/rvm-predict" -q rows big.model alone

sed -n '/^split/,/^cat/p' "$SRC/man/rvm-train-mpi.1" | sed 's/\\-/-/g; s/250000/300/' >commands
[ "$(wc -l <commands)" = 3 ] || { echo "no commands in the page"; exit 1; }
PATH=$BIN:$PATH
. ./commands
[ "$(ls part.?? | wc -l)" -gt 2 ] || { echo "not cut"; exit 1; }
cmp alone predictions

# OMP_NUM_THREADS may say anything: what no machine has counts as nothing said.
set -eu

"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" wanted
for threads in 1 100000 2147483648 99999999999999999999 -1 0 many; do
    OMP_NUM_THREADS=$threads "$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" model 2>err ||
        { echo "$threads threads: exit $?: $(cat err)"; exit 1; }
    cmp wanted model
    OMP_NUM_THREADS=$threads "$BIN/rvm-predict" -q "$DATA/ripley.train" model out 2>err ||
        { echo "$threads threads: exit $?: $(cat err)"; exit 1; }
done

# OMP_NUM_THREADS may say anything: what no machine has counts as nothing said.
set -eu

head -n 60 "$DATA/ripley.train" >rows

"$BIN/rvm-train" -q -g 4 rows wanted
for threads in 100000 2147483648 -1 many; do
    OMP_NUM_THREADS=$threads "$BIN/rvm-train" -q -g 4 rows model 2>err ||
        { echo "$threads threads: exit $?: $(cat err)"; exit 1; }
    cmp wanted model
    OMP_NUM_THREADS=$threads "$BIN/rvm-predict" -q rows model out 2>err ||
        { echo "$threads threads: exit $?: $(cat err)"; exit 1; }
done

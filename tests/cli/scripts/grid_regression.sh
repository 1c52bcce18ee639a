# For regression grid.py ends too, but takes the largest error for the best: a fault of its own, with
# any trainer.
set -u
fail() { echo "$*" >&2; exit 1; }

grid=$(command -v svm-grid) || { echo "libsvm's scripts are not installed"; exit 77; }
for data in mcycle tiny; do
    awk -v f="$(if [ $data = tiny ]; then echo 1e-9; else echo 1; fi)" \
        '{ $1 = $1 * f; print }' CONVFMT=%.17g "$DATA/mcycle" >$data
    timeout 120 python3 "$grid" -s 3 -v 2 -log2c null -log2g -6,-2,2 -gnuplot null \
        -svmtrain "$BIN/rvm-train" $data >out 2>err || fail "$data: exit $?: $(cat err)"
    [ ! -s err ] || fail "$data: $(cat err)"
    [ "$(wc -l <$data.out)" -eq 3 ] || fail "$data: not three rates: $(cat $data.out)"
    worst=$(sed 's/.*rate=//' $data.out | sort -g | tail -n 1)
    [ "$(awk 'END { print $2 }' out)" = "$worst" ] || fail "$data: not the largest error: $(cat out)"
done

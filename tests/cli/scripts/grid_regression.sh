# For regression grid.py ends too, but takes the largest error for the best (a fault of its own,
# with any trainer).  What the manual page offers in its place works as it stands there.
set -u
fail() { echo "$*" >&2; exit 1; }

# The loop of rvm-train(1), word for word but for the names of the data and the tool.
sed -n '/^for g in/,/^done/p' "$SRC/man/rvm-train.1" | sed 's/\\e$/\\/; s/\\-/-/g' >loop
[ -s loop ] || fail "no loop in the manual page"
cp "$DATA/mcycle" boston.scaled
mkdir bin && ln -s "$BIN/rvm-train" bin/rvm-train
PATH=$PWD/bin:$PATH sh ./loop >out 2>err || fail "the loop fails: $(cat err)"
[ ! -s err ] || fail "the loop writes: $(cat err)"
sort -g out | cmp - out || fail "the loop does not sort: $(cat out)"
# The last line holds the largest score and its width.
for g in $(awk '{ print $2 }' out); do
    "$BIN/rvm-train" -s 3 -g "$g" "$DATA/mcycle" model | awk -v g="$g" '
        /^Relevance/ { vectors = $NF } /^Log/ { print $NF - vectors, g }'
done | sort -g >again
cmp out again || fail "the loop gives $(cat out), not $(cat again)"

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

# libsvm's grid.py over widths, with and without its axis of C: it ends, and finds the width that
# cross-validation by hand finds; of equal rates it takes the smallest C.
set -u
fail() { echo "$*" >&2; exit 1; }

grid=$(command -v svm-grid) || { echo "libsvm's scripts are not installed"; exit 77; }
python3 "$grid" >/dev/null 2>&1
[ $? = 1 ] || { echo "svm-grid does not run here"; exit 77; }
search() { # OPTION...; a worker that cannot read a rate would wait for ever
    timeout 120 python3 "$grid" "$@" -gnuplot null -svmtrain "$BIN/rvm-train" data >out 2>err ||
        fail "grid.py $*: exit $?: $(cat err)"
    [ ! -s err ] || fail "grid.py $*: $(cat err)"
}

# Two noisy rings, which neither very wide nor very narrow kernels tell apart.
awk 'BEGIN {
    srand(3)
    for (i = 0; i < 80; i++) {
        a = 6.2832 * rand(); r = 1 + i % 2 + 0.9 * (rand() - 0.5)
        printf "%d 1:%.4f 2:%.4f\n", i % 2 ? 1 : -1, r * cos(a), r * sin(a)
    } }' >data

# By hand: the rate of each width, in the words of grid.py.
for log2g in -5 -3 -1 1 3 5; do
    g=$(awk -v e=$log2g 'BEGIN { printf "%.17g", 2 ^ e }')
    rate=$("$BIN/rvm-train" -g "$g" -v 5 data | sed -n 's/^Cross.* = \(.*\)%$/\1/p')
    echo "log2g=$log2g rate=$rate"
done | sort >wanted
best=$(sed 's/.*rate=//' wanted | sort -rn | head -n 1)
worst=$(sed 's/.*rate=//' wanted | sort -n | head -n 1)
awk -v b="$best" -v w="$worst" 'BEGIN { exit !(b > w + 5) }' || fail "the widths are all the same"

search -log2c null -log2g -5,5,2
sed 's/=\(-*[0-9]*\)\.0 /=\1 /; s/\.0$//' data.out | sort >got
cmp wanted got || fail "rates: $(cat got), not $(cat wanted)"
# shellcheck disable=SC2046 # names of our own, three words
# shellcheck disable=SC2046 # its words
set -- $(tail -n 1 out)
[ $# = 2 ] || fail "the last line is: $*"
awk -v r="$2" -v b="$best" 'BEGIN { exit !(r == b) }' || fail "best rate $2, not $best"
grep -q "^log2g=$(awk -v g="$1" 'BEGIN { printf "%d", log(g) / log(2) }') rate=$best\$" wanted ||
    fail "best width $1, not one of $(grep "rate=$best" wanted)"

search -log2c -1,3,2 -log2g -3,3,6
# shellcheck disable=SC2046 # names of our own, three words
# shellcheck disable=SC2046 # its words
set -- $(tail -n 1 out)
[ $# = 3 ] || fail "the last line is: $*"
[ "$1" = 0.5 ] || fail "C = $1, not the smallest one, 0.5"
left=$(sed -n 's/^log2g=-3 rate=//p' wanted)
right=$(sed -n 's/^log2g=3 rate=//p' wanted)
awk -v g="$2" -v r="$3" -v a="$left" -v b="$right" 'BEGIN {
    exit !(g == (a > b ? 0.125 : 8) && r == (a > b ? a : b)) }' ||
    fail "width $2 of rate $3; the rates are $left and $right"
[ "$(wc -l <data.out)" -eq 6 ] || fail "not six rates: $(cat data.out)"

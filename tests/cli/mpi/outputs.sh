# Several outputs: rows enough for all processes to train on their shares, and the same bytes for any
# number of them as rvm-train's.
. "$SRC/tests/cli/mpi/setup.inc"

awk 'BEGIN { srand(3); for (i = 0; i < 5200; i++) {
    a = 6 * rand(); b = rand()
    printf "%.4f,%.4f,%.4f 1:%.3f 2:%.3f\n",
           sin(a) + 0.2 * rand(), 30 * cos(a) + 9 * b + rand(), 4, a, b } }' >rows

same() { # P WORD...
    processes=$1
    shift
    [ "$*" = "$(cat alone.words 2>/dev/null)" ] || "$BIN/rvm-train" "$@" rows alone >alone.out ||
        fail "$*: rvm-train fails"
    echo "$*" >alone.words
    train_mpi "$processes" "$@" rows model >out 2>err || fail "$*, $processes: $(cat err)"
    cmp alone model || fail "$*: another model of $processes"
    grep -v '^Seconds' alone.out >alone.said
    grep -v '^Seconds' out | cmp alone.said - || fail "$*, $processes: says $(cat out)"
}
same 1 -s 3 -g 0.3 -m 20
same 2 -s 3 -g 0.3 -m 20
same 3 -s 3 -g 0.3 -m 20
same 2 -s 3 -g 0.3 -m 20 --shared-noise --standardize
same 2 -s 3 -g 0.3 -m 20 --prior kernel
same 2 -s 3 -m 20 --ard

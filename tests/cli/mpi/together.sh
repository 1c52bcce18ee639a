# Rows enough for all processes to train on their shares: the model has the same bytes for any number of
# them, and those of rvm-train.
. "$SRC/tests/cli/mpi/setup.inc"

# Three inputs, one of them a whole number, and rows that are there twice.
awk 'BEGIN { srand(1); for (i = 0; i < 5200; i++) {
    if (i % 10 > 0) { a = 6 * rand(); b = rand(); c = int(4 * rand()) }
    f = sin(a) + b * c / 2
    printf "%.4f 1:%.3f 2:%.3f 3:%d\n", f + 0.2 * rand(), a, b, c >"values"
    printf "%d 1:%.3f 2:%.3f 3:%d\n", (f + 0.4 * rand() > 0.9), a, b, c >"two"
    printf "%d 1:%.3f 2:%.3f 3:%d\n", 0.9 * (f + 1 + 0.2 * rand()), a, b, c >"four" } }'

same() { # DATA P WORD...
    file=$1 processes=$2
    shift 2
    [ "$*" = "$(cat alone.words 2>/dev/null)" ] || "$BIN/rvm-train" "$@" "$file" alone >alone.out ||
        fail "$*: rvm-train fails"
    echo "$*" >alone.words
    train_mpi "$processes" "$@" "$file" model >out 2>err || fail "$*, $processes: $(cat err)"
    cmp alone model || fail "$*: another model of $processes"
    grep -v '^Seconds' alone.out >alone.said
    grep -v '^Seconds' out | cmp alone.said - || fail "$*, $processes: says $(cat out)"
}
same values 1 -s 3 -g 0.3
same values 2 -s 3 -g 0.3
same values 3 -s 3 -g 0.3
same values 2 -s 3 -g 0.3 -b 1 -e 5
same two 2 -g 0.2
same four 2 -g 0.1

# Rows that are there more than once, dealt out as they come through a pipe.
awk 'BEGIN { for (i = 0; i < 9000; i++)
    printf "%d 1:%d 2:%d\n", i * i % 3, i * 7919 % 61, i * 104729 % 83 }' >twice
"$BIN/rvm-train" -q -s 3 -g 0.1 -e 1 twice alone || fail "twice: rvm-train fails"
train_mpi 3 -q -s 3 -g 0.1 -e 1 - model <twice || fail "twice: rvm-train-mpi fails"
cmp alone model || fail "twice: another model"

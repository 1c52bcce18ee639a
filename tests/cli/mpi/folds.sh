# Cross-validation of many rows, by processes that share them: the lines of rvm-train for any number of
# them, on standard output and on standard error.
. "$SRC/tests/cli/mpi/setup.inc"

# Two inputs, one of them a whole number, and rows that are there twice.
awk 'BEGIN { srand(1); for (i = 0; i < 6000; i++) {
    if (i % 7 > 0) { a = 6 * rand(); b = int(4 * rand()); e = rand() }
    f = sin(a) + b / 3
    printf "%.4f 1:%.4f 2:%d\n", f + 0.4 * e, a, b >"values"
    printf "%d 1:%.4f 2:%d\n", (f + 0.4 * e > 0) + (f > 1.2), a, b >"three" } }'

same() { # DATA P WORD...
    file=$1 processes=$2
    shift 2
    [ "$file $*" = "$(cat alone.words 2>/dev/null)" ] || "$BIN/rvm-train" "$@" "$file" >alone 2>alone.err ||
        fail "$*: rvm-train fails"
    echo "$file $*" >alone.words
    train_mpi "$processes" "$@" "$file" >out 2>err || fail "$*, $processes: $(cat err)"
    cmp alone out || fail "$file, $*, $processes: says $(cat out), and not $(cat alone)"
    sed 's/^rvm-train:/rvm-train-mpi:/' alone.err | cmp - err ||
        fail "$file, $*, $processes: $(cat err), and not $(cat alone.err)"
}
same values 2 -s 3 -g 0.2 -e 5 -v 3
same values 3 -s 3 -g 0.2 -e 5 -v 3 # one without rows
same three 2 -g 0.1 -e 20 -v 2
grep -q '^Cross Validation Accuracy = [89]' out || fail "three: $(cat out)"
head -n 2000 values >few # one process has them all
same few 2 -q -s 3 -g 0.2 -e 5 -v 2
[ ! -e values.model ] || fail "a model is written"

# A row that is out of range, and the file in another order.
awk '{ if (NR == 4000) $2 = "1:1e150"; print }' values >data
"$BIN/rvm-train" -s 3 -t 1 -v 2 data >out 2>alone.err
[ $? = 1 ] || fail "a value that is out of range is taken"
train_mpi 3 -s 3 -t 1 -v 2 data >out 2>err
[ $? = 1 ] || fail "a value that is out of range: exit is not 1"
sed 's/^rvm-train:/rvm-train-mpi:/' alone.err | cmp - err || fail "out of range: $(cat err)"
awk '{ line[NR] = $0 } END { for (i = NR; i > 0; i--) print line[i] }' values >turned
"$BIN/rvm-train" -q -s 3 -g 0.2 -e 50 -v 2 values >alone || fail "rvm-train fails"
"$BIN/rvm-train" -q -s 3 -g 0.2 -e 50 -v 2 turned | cmp - alone || fail "the order of the rows counts"

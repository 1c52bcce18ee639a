# Where the rows come from is the same to the model: a file that all read, the pieces of a file, a pipe,
# a kernel matrix.
. "$SRC/tests/cli/mpi/setup.inc"

"$BIN/rvm-train" -q -s 3 "$DATA/friedman1.train" alone || fail "rvm-train fails"
train_mpi 3 -q -s 3 "$DATA/friedman1.train" model && cmp alone model || fail "one file"
train_mpi 3 -q -s 3 - model <"$DATA/friedman1.train" && cmp alone model || fail "standard input"
mkfifo pipe
cat "$DATA/friedman1.train" >pipe &
train_mpi 2 -q -s 3 pipe model && cmp alone model || fail "a pipe"
wait

# Cut in pieces of unequal size, one of them with nothing in it.
head -n 7 "$DATA/friedman1.train" >piece.0
: >piece.1
tail -n +8 "$DATA/friedman1.train" >piece.2
train_mpi 3 -q -s 3 piece.%r model && cmp alone model || fail "pieces"
train_mpi 2 -q -s 3 piece.%r model 2>err
[ $? = 1 ] || fail "a piece more than processes is taken"
[ "$(cat err)" = 'rvm-train-mpi: piece.%r: more pieces than the 2 processes, which would read 0 to 1' ] ||
    fail "a piece more: says $(cat err)"
train_mpi 4 -q -s 3 piece.%r model 2>err
[ $? = 1 ] || fail "a piece less than processes is taken"
[ "$(cat err)" = "rvm-train-mpi: can't open input file piece.3: No such file or directory" ] ||
    fail "a piece less: says $(cat err)"
printf '1 1:1\n2 x\n' >piece.1
train_mpi 3 -q -s 3 piece.%r model 2>err
[ $? = 1 ] || fail "a faulty piece is taken"
[ "$(head -n 1 err)" = "rvm-train-mpi: piece.1:2:3: expected INDEX:VALUE: 'x'" ] ||
    fail "a faulty piece: says $(cat err)"
train_mpi 3 -q -s 3 piece.%r piece.2 2>err
[ $? = 1 ] || fail "a piece is overwritten"
[ "$(cat err)" = 'rvm-train-mpi: piece.2: input and output are the same file' ] ||
    fail "a piece as output: says $(cat err)"
cmp alone model || fail "a model is written in spite of all this"

printf '1 0:1 1:1 2:0\n2 0:2 1:0 2:1\n' >matrix
"$BIN/rvm-train" -q -s 3 -t 4 matrix alone || fail "rvm-train -t 4 fails"
train_mpi 2 -q -s 3 -t 4 matrix model && cmp alone model || fail "a kernel matrix"

# A disk that is not the same everywhere.
elsewhere() { # MESSAGE
    mkdir -p here there
    cp "$DATA/iris" here/data
    $launch -n 2 sh -c 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
        if [ "$rank" = 0 ]; then cd here; else cd there; fi
        exec "$@"' sh "$BIN/rvm-train-mpi" -q data model 2>err
    [ $? = 1 ] || fail "$1: exit is not 1"
    [ "$(cat err)" = "rvm-train-mpi: $1" ] || fail "says $(cat err)"
    [ ! -e here/model ] && [ ! -e there/model ] || fail "$1: a model is written"
}
elsewhere "can't open input file data in process 1: No such file or directory"
bytes=$(($(wc -c <"$DATA/iris")))
tr 1 2 <"$DATA/iris" >there/data
elsewhere "data is another file in process 1 ($bytes bytes) than in process 0 ($bytes bytes)"
echo "1 1:1" >there/data
elsewhere "data is another file in process 1 (6 bytes) than in process 0 ($bytes bytes)"

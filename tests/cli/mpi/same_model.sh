# Any number of processes trains the model of rvm-train, byte for byte, and says what it says, once.
. "$SRC/tests/cli/mpi/setup.inc"

same() { # NAME P WORD...
    name=$1 processes=$2
    shift 2
    "$BIN/rvm-train" "$@" data alone >alone.out 2>alone.err || fail "$name: rvm-train: $(cat alone.err)"
    train_mpi "$processes" "$@" data model >out 2>err || fail "$name, $processes: $(cat err)"
    cmp alone model || fail "$name: another model of $processes"
    grep -v '^Seconds' alone.out >alone.said
    grep -v '^Seconds' out | cmp alone.said - || fail "$name, $processes: says $(cat out)"
    sed 's/^rvm-train:/rvm-train-mpi:/' alone.err >alone.said
    cmp alone.said err || fail "$name, $processes: $(cat err)"
}

cp "$DATA/ripley.train" data
same 'two classes' 2 -g 4
same 'class weights' 3 -g 4 -w1 2 -c 3
cp "$DATA/iris" data
same 'three classes' 4 -b 1
cp "$DATA/sinc.train" data
same regression 1 -s 3 -t 6
same '-g auto' 2 -s 3 -g auto
head -n 5 "$DATA/sinc.train" >data
same 'more processes than rows' 7 -s 3 -t 6

# Where the model goes to standard output it is nothing but the model.
train_mpi 2 -q -s 3 -t 6 data - >out || fail "to standard output"
cmp alone out || fail "another model on standard output"

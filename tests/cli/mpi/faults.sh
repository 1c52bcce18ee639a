# What is wrong is said once, with exit status 1 of all, and the old model stays.
. "$SRC/tests/cli/mpi/setup.inc"

refused() { # MESSAGE P WORD...
    message=$1 processes=$2
    shift 2
    echo old >model
    train_mpi "$processes" "$@" >out 2>err
    [ $? = 1 ] || fail "$*: exit is not 1"
    [ ! -s out ] || fail "$*: stdout: $(cat out)"
    [ "$(cat err)" = "rvm-train-mpi: $message" ] || fail "$*: says $(cat err)"
    [ "$(cat model)" = old ] || fail "$*: a model is written"
}

refused "can't open input file absent: No such file or directory" 3 absent model
refused 'Unknown option: --nothing (try rvm-train-mpi --help)' 2 --nothing "$DATA/iris" model
refused 'ERROR: C <= 0' 2 -c 0 "$DATA/iris" model
refused 'data from standard input need a model_file (try rvm-train-mpi --help)' 2 -
[ "$(train_mpi 3 --version | wc -l)" = "$("$BIN/rvm-train" --version | wc -l)" ] ||
    fail "the version more than once"

# A fault in the data: the earliest one of all shares, in the words of one process.
same_fault() { # P WORD...: of the file data
    processes=$1
    shift
    "$BIN/rvm-train" "$@" data one 2>alone
    [ $? = 1 ] || fail "$*: rvm-train takes the data"
    echo old >model
    train_mpi "$processes" "$@" data model >out 2>err
    [ $? = 1 ] || fail "$*: exit is not 1"
    sed 's/^rvm-train:/rvm-train-mpi:/' alone | cmp - err || fail "$*, $processes: says $(cat err)"
    [ "$(cat model)" = old ] || fail "$*: a model is written"
}
awk '{ if (NR == 200) $2 = "1:x"; if (NR == 130) $3 = "2:y"; print }' "$DATA/ripley.train" >data
same_fault 2
same_fault 4
awk 'NR == 90 { print "1,2 1:3"; next } { print }' "$DATA/sinc.train" >data
same_fault 3 -s 3
printf '1 1:1\n' >data && truncate -s 1000000 data
same_fault 4 -s 3
: >data
same_fault 2
printf '1 0:1 1:1 2:0\n1 0:2 1:0.5 2:1\n' >data
same_fault 2 -t 4

# The same through a pipe, which names itself -.
awk '{ if (NR == 200) $2 = "1:x"; print }' "$DATA/ripley.train" >data
"$BIN/rvm-train" - one <data 2>alone
train_mpi 3 - model <data >out 2>err
[ $? = 1 ] || fail "pipe: exit is not 1"
sed 's/^rvm-train:/rvm-train-mpi:/' alone | cmp - err || fail "pipe: says $(cat err)"
cp "$DATA/iris" data
refused 'data: input and output are the same file' 2 data data

# A value beyond the finite numbers, of a row that one process of three has, in rows that they share.
awk 'BEGIN { for (i = 0; i < 6000; i++)
    printf "%d 1:%s 2:%d\n", i % 7, i == 3000 ? "1e150" : i % 91, i * 7919 % 6007 }' >data
same_fault 3 -s 3 -t 1 -d 3

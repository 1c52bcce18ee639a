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

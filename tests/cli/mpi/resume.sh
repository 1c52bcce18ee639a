# A checkpoint of some processes is one for any other number of them, and for rvm-train; what is wrong
# with one is told once.
. "$SRC/tests/cli/mpi/setup.inc"

go_on() { # WORD...
    "$BIN/rvm-train" -q "$@" data alone || fail "$*: rvm-train"
    rm -f ck
    train_mpi 2 -q --checkpoint ck "$@" data model || fail "$*: 2 processes"
    cmp alone model || fail "$*: another model of 2 processes"
    [ -s ck ] || fail "$*: no checkpoint"
    train_mpi 3 -q --resume ck "$@" data again || fail "$*: 3 processes"
    cmp alone again || fail "$*: another model of 3 processes"
    "$BIN/rvm-train" -q --resume ck "$@" data again || fail "$*: one process"
    cmp alone again || fail "$*: another model of one process"
}

head -n 40 "$DATA/friedman1.train" >data
go_on -s 3 -g auto
refuse() { # PATTERN WORD...
    pattern=$1
    shift
    train_mpi 2 -q -s 3 "$@" data model >out 2>err
    [ $? = 1 ] || fail "$*: exit is not 1"
    [ "$(grep -c . err)" = 1 ] && grep -q "$pattern" err || fail "$*: says $(cat err)"
}
refuse 'another -g' -g 0.3 --resume ck
refuse ' data:1:1: this is no checkpoint' -g auto --resume data
refuse ' nowhere: No such file' -g auto --resume nowhere

awk 'BEGIN { srand(7)
    for (i = 0; i < 21000; i++) {
        x = 4 * rand() - 2
        printf "%.5f 1:%.5f\n", sin(2 * x) + rand() + rand(), x
    } }' >data
go_on -s 3 -g 1 -e 20

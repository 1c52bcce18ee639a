# A process that is out of memory where the others are not: it says so, and all end within seconds with
# exit status 1.
# shellcheck disable=SC3045 # a shell without ulimit -v skips the case
. "$SRC/tests/cli/mpi/setup.inc"

[ "$FLAVOUR" != asan ] || { echo "the sanitizer needs all address space"; exit 77; }
(ulimit -v 1000000) 2>/dev/null || { echo "no ulimit -v here"; exit 77; }
awk 'BEGIN { srand(1); for (i = 0; i < 600000; i++) print i " 1:" rand() }' >data

# How much is too little for the rows but enough for MPI depends on the machine; and with too little of
# it many an MPI waits for ever.
said=no
for limit in 290000 320000; do
    echo old >model
    from=$(date +%s)
    timeout 60 $launch -n 2 sh -c 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
        [ "$rank" = 0 ] || ulimit -v '$limit'
        exec "$@"' sh "$BIN/rvm-train-mpi" -q -s 3 -c 0 data model >out 2>err
    status=$?
    [ "$(cat model)" = old ] || fail "$limit: a model is written"
    if grep -q '^rvm-train-mpi: out of memory' err; then
        said=yes
        [ $status = 1 ] || fail "$limit: exit $status"
        [ "$(grep -c rvm-train-mpi: err)" = 1 ] || fail "$limit: says $(cat err)"
        [ $(($(date +%s) - from)) -le 30 ] || fail "$limit: not over within 30 seconds"
    fi
done
[ $said = yes ] || { echo "no such limit here"; exit 77; }

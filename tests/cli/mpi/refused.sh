# Processes that mpirun has started and that do not find one another train nothing: each of them
# would write the same model.
. "$SRC/tests/cli/mpi/setup.inc"

echo old >model
for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE; do
    env $variable=2 "$BIN/rvm-train" -q "$DATA/iris" model >out 2>err
    [ $? = 1 ] || fail "$variable: not refused"
    [ "$(cat err)" = 'rvm-train: one of 2 that mpirun has started; rvm-train-mpi is for that' ] ||
        fail "$variable: says $(cat err)"
    env $variable=1 "$BIN/rvm-train" -q "$DATA/iris" one || fail "$variable=1 is refused"
done
env OMPI_COMM_WORLD_SIZE=2 "$BIN/rvm-train-mpi" -q "$DATA/iris" model >out 2>err
[ $? = 1 ] || fail "rvm-train-mpi: not refused"
grep -q '^rvm-train-mpi: one of 2 that mpirun has started, but none' err || fail "says $(cat err)"
[ "$(cat model)" = old ] || fail "a model is written"
$launch -n 2 "$BIN/rvm-train" -q "$DATA/iris" model >out 2>err
[ $? = 1 ] || fail "rvm-train under mpirun: not refused"
[ "$(cat model)" = old ] || fail "a model is written under mpirun"
$launch -n 1 "$BIN/rvm-train" -q "$DATA/iris" model || fail "rvm-train under mpirun -n 1 is refused"
"$BIN/rvm-train-mpi" -q "$DATA/iris" alone || fail "rvm-train-mpi without mpirun fails"
cmp model alone

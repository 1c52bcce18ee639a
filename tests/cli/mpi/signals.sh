# SIGUSR1 to mpirun: the best model so far, exit status 138 or so. A process that is killed ends all
# of them within seconds, and no model is broken.
. "$SRC/tests/cli/mpi/setup.inc"

awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) {
    y = rand()
    for (f = 1; f <= 8; f++) { x[f] = rand(); y += sin(5 * x[f]) }
    printf "%.6f", y + rand()
    for (f = 1; f <= 8; f++) printf " %d:%.6f", f, x[f]
    print "" } }' >data
head -n 3 data >few

# Starts a training of three processes as $job, whose mpirun has the number $mpirun.
begin() {
    rm -f tools.* err
    echo old >model
    $launch -n 3 sh -c 'echo $$ >"tools.$$" && exec "$@"' sh "$BIN/rvm-train-mpi" -q -s 3 -e 1e-9 \
        data model 2>err &
    mpirun=$!
    tries=0
    while [ "$(cat tools.* 2>/dev/null | wc -l)" -lt 3 ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -lt 100 ] || fail "three processes do not start: $(cat err)"
}

usr1=$(for n in 10 30 16; do [ "$(kill -l $n)" != USR1 ] || echo $n; done)
for delay in 1 2 4 8; do
    begin
    sleep $delay
    kill -USR1 $mpirun
    wait $mpirun
    status=$?
    grep -q '^rvm-train-mpi: interrupted; .* model$' err && break # else it came before the training
done
[ $status = $((128 + usr1)) ] || fail "exit $status after SIGUSR1: $(cat err)"
[ "$(grep -c rvm-train-mpi err)" = 1 ] || fail "says more than once: $(cat err)"
grep -qx 'converged 0' model || fail "the model claims to have converged"

for delay in 0.2 1; do
    for victim in 1 3; do
        begin
        sleep $delay
        kill -9 "$(cat tools.* | sed -n "${victim}p")"
        from=$(date +%s)
        wait $mpirun
        [ $? != 0 ] || fail "exit 0 though a process has been killed"
        [ $(($(date +%s) - from)) -le 10 ] || fail "not over within ten seconds"
        # mpirun sends SIGTERM to those that are left: the old model, or a whole one.
        [ "$(cat model)" = old ] || "$BIN/rvm-predict" -q few model out ||
            fail "process $victim killed: no whole model"
        [ "$(grep -c rvm-train-mpi: err)" -le 1 ] || fail "process $victim killed: says $(cat err)"
    done
done
rm -f out tools.*
[ "$(ls -A)" = "data
err
few
model" ] || fail "files are left: $(ls -A)"

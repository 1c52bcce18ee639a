# Ctrl-C: the best model so far is saved, and is valid; exit 130. In -v there is no result.
set -u
fail() { echo "$*" >&2; exit 1; }

timeout -s INT 5 true 2>/dev/null || { echo "no timeout here"; exit 77; }

# Rows enough that the interrupt comes before the end; how long that is depends on the machine.
rows=1000
while :; do
    awk -v n=$rows 'BEGIN {
        srand(1)
        for (i = 0; i < n; i++) {
            y = rand()
            for (f = 1; f <= 8; f++) { x[f] = rand(); y += sin(5 * x[f]) }
            printf "%.6f", y + rand()
            for (f = 1; f <= 8; f++) printf " %d:%.6f", f, x[f]
            print ""
        } }' >data
    echo old >model
    timeout --preserve-status -s INT 1 "$BIN/rvm-train" -q -s 3 -e 1e-9 data model >out 2>err
    status=$?
    [ $status != 0 ] && break
    [ $rows -lt 500000 ] || fail "no interrupt in $rows rows"
    rows=$((rows * 4))
done
[ $status = 130 ] || fail "exit $status, not 130: $(cat err)"
grep -q '^rvm-train: interrupted; .* model' err || fail "says: $(cat err)"
[ ! -s out ] || fail "stdout with -q: $(cat out)"
[ "$(head -n 1 model)" = 'rvm_model 1' ] || fail "no model"
grep -qx 'converged 0' model || fail "the model claims to have converged"
head -n 5 data >few
"$BIN/rvm-predict" -q few model out || fail "the model cannot be used"

timeout --preserve-status -s INT 1 "$BIN/rvm-train" -s 3 -e 1e-9 -v 10 data >out 2>err
status=$?
[ $status = 130 ] || fail "-v: exit $status, not 130: $(cat err)"
! grep -q Cross out || fail "-v: a result: $(cat out)"
[ "$(ls)" = "data
err
few
model
out" ] || fail "files are left: $(ls)"

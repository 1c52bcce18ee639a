# Ctrl-C: the best model so far is saved, and is valid; exit 130. In -v there is no result.
# (--foreground, since timeout would else send the signal twice.)
set -u
fail() { echo "$*" >&2; exit 1; }

timeout --foreground --preserve-status -s INT 5 true 2>/dev/null || { echo "no timeout here"; exit 77; }

# Rows enough that the interrupt comes before the end; how long that is depends on the machine.
rows=1000
for try in 1 2 3 4 5 6 7 8; do
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
    timeout --foreground --preserve-status -s INT 0.4 "$BIN/rvm-train" -q -s 3 -e 1e-9 data model >out 2>err
    status=$?
    # Without a message it came before the training did.
    grep -q '^rvm-train: interrupted' err && break
    [ $status = 0 ] && rows=$((rows * 4))
done
[ "$try" -lt 8 ] || fail "no interrupt within 8 runs"
[ $status = 130 ] || fail "exit $status, not 130: $(cat err)"
grep -q '^rvm-train: interrupted; .* model' err || fail "says: $(cat err)"
[ ! -s out ] || fail "stdout with -q: $(cat out)"
[ "$(head -n 1 model)" = 'rvm_model 1' ] || fail "no model"
grep -qx 'converged 0' model || fail "the model claims to have converged"
head -n 5 data >few
"$BIN/rvm-predict" -q few model out || fail "the model cannot be used"

timeout --foreground --preserve-status -s INT 0.4 "$BIN/rvm-train" -s 3 -e 1e-9 -v 10 data >out 2>err
status=$?
[ $status = 130 ] || fail "-v: exit $status, not 130: $(cat err)"
! grep -q Cross out || fail "-v: a result: $(cat out)"
[ "$(ls)" = "data
err
few
model
out" ] || fail "files are left: $(ls)"

# Interrupts `rvm-train WORD...` as soon as it heeds one; what it says is in err.
interrupt() {
    for delay in 0.4 1 2 4 8 16; do
        timeout --foreground --preserve-status -s INT $delay "$BIN/rvm-train" "$@" >out 2>err
        status=$?
        grep -q '^rvm-train: interrupted' err && break
    done
    [ $status = 130 ] || fail "$*: exit $status, not 130: $(cat err)"
    grep -q '^rvm-train: interrupted' err || fail "$*: no word of the interrupt"
}

# While a width is being chosen: the model has not converged, however fast the rest of it was.
interrupt -s 3 -g auto data model
grep -qx 'converged 0' model || fail "the model of an interrupted choice claims to have converged"
grep -q '^Gamma = [0-9.e+-]* (' out || fail "-g auto: no width in $(cat out)"
! grep -q 'too narrow\|scale the data\|free of noise' err || fail "-g auto judges: $(cat err)"

# Starts that have not been are not counted.
awk 'NR % 3 == 1' "$DATA/friedman1.train" >third
interrupt -s 3 -g 0.3 --restarts 1000000 third model
grep -q '^Log evidence = ' out || fail "no summary: $(cat out)"
! grep -q '^Best of' out || fail "the best of starts that have not been: $(cat out)"

# Their number may be the largest of all, where problems are trained in rounds, too.
awk 'BEGIN { srand(4); for (i = 0; i < 1300; i++) {
    x = rand(); print sin(9 * x) + rand() / 9 " 1:" x } }' >wavy
interrupt -q -s 3 -g 20 --restarts 2147483647 wavy model

# Where no two kernels were compared none is called chosen.
printf '1 1:1\n2 1:2\n4 1:3\n' >three
"$BIN/rvm-train" -s 3 -g auto three model >out 2>err || fail "three rows: $(cat err)"
grep -q '^Gamma = [0-9.e+-]* (not compared with any other)$' out || fail "chosen of none: $(cat out)"

# Before there is a model the old one stays: one of 26 classes would be no model of all of them.
awk 'BEGIN { srand(2); for (i = 0; i < 20000; i++) printf "%d 1:%.4f 2:%.4f 3:%.4f\n", i % 26,
    i % 26 + rand(), (i * i) % 26 + rand(), 9 * rand() }' >letters
echo old >model
interrupt -q --ard letters model
[ "$(cat model)" = old ] || grep -qx 'converged 0' model || fail "26 classes: $(head -n 3 model)"

# --auto: Ctrl-C and SIGTERM keep the best so far, whenever they come.
set -u
fail() { echo "$*" >&2; exit 1; }
timeout --foreground --preserve-status -s INT 5.5 true 2>/dev/null || { echo "no timeout here"; exit 77; }

awk 'BEGIN { seed = 9; for (i = 0; i < 1400; i++) { y = 0; row = ""
    for (k = 1; k <= 8; k++) { seed = seed * 16807 % 2147483647; x = seed / 2147483647
        y += k < 5 ? sin(4 * x) : 0; row = row sprintf(" %d:%.4f", k, x) }
    printf "%.4f%s\n", y + i % 7 / 9, row } }' >data
head -n 5 data >few

cut=0
for signal in INT TERM; do
    case $signal in INT) code=130 ;; *) code=143 ;; esac
    for after in 0.05 0.3 1 2; do
        rm -f model
        timeout --foreground --preserve-status -s $signal $after "$BIN/rvm-train" -s 3 --auto data \
            model >out 2>err
        status=$?
        [ $status != $code ] || [ -s err ] || [ -e model ] || continue # before the program was ready
        [ $status != 0 ] || continue                                  # a fast machine
        [ $status = $code ] || fail "SIG$signal after $after s: exit $status: $(cat err)"
        [ "$(grep -c '^rvm-train: interrupted; the best model so far is in model$' err)" = 1 ] ||
            fail "SIG$signal after $after s: says $(cat err)"
        "$BIN/rvm-predict" -q few model predicted || fail "no valid model"
        grep -qx 'converged 0' model || fail "the model claims to have converged"
        grep -q '^Chosen = ' out || fail "no summary: $(cat out)"
        ! grep -q '^Same model' out || fail "a command for a model that was cut short: $(cat out)"
        ! grep -qw -e nan -e inf out || fail "no number: $(cat out)"
        cut=$((cut + 1))
    done
done
[ $cut -gt 1 ] || { echo "no interrupt came in time"; exit 77; }
# In folds there is no result.
timeout --foreground --preserve-status -s TERM 1 "$BIN/rvm-train" -q -s 3 --auto -v 5 data >out 2>err
status=$?
[ $status = 143 ] || fail "-v: exit $status: $(cat err)"
[ ! -s out ] || fail "-v: a result: $(cat out)"

# Each row explained by itself: what is said of such a model, and that --auto does not take it.
set -u
fail() { echo "$*" >&2; exit 1; }

# Targets that are rounded, of noise alone, and most rows are there twice.
awk 'BEGIN {
    seed = 5
    for (i = 0; i < 30; i++) {
        for (k = 0; k < 3; k++) { seed = seed * 16807 % 2147483647; u[k] = seed / 2147483647 }
        for (k = 0; k < 2 - (i % 6 == 0); k++) printf "%d 1:%.4f 2:%.4f\n", 5 * u[2], u[0], u[1]
    } }' >rounded
# Two inputs whose ranges are .001 and 4, and a target that both of them make.
awk 'BEGIN {
    seed = 3
    for (i = 0; i < 80; i++) {
        for (k = 0; k < 3; k++) { seed = seed * 16807 % 2147483647; u[k] = seed / 2147483647 }
        printf "%.6f 1:%.8f 2:%.6f\n", u[0] + sin(6 * u[1]) + 0.2 * u[2], u[0] / 1000, 4 * u[1]
    } }' >uneven

said() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" "$@" model >out 2>err || fail "$* fails: $(cat err)"
    grep -q "^rvm-train: $words" err
}
vectors() { sed -n 's/^Relevance vectors = //p' out; }

said 'WARNING: [0-9]* of 30 different rows are vectors, and no noise is left: .*; -g auto finds' -s 3 -g 1000 rounded ||
    fail "narrow: $(cat out err)"
said 'WARNING' -q -s 3 -g 1000 rounded && fail "quiet: $(cat err)"
# A kernel without a width: each row has a feature of its own.
awk '{ print NR % 3 - 1, NR ":1" }' rounded >unit
said '[0-9]* of 55 rows are vectors' -s 3 -t 0 --noise-variance 1e-4 unit || fail "linear: $(cat out err)"
# The race prefers a candidate that has not collapsed.
said 'WARNING' -s 3 --auto rounded && fail "--auto: $(cat out err)"
[ "$(vectors)" -le 20 ] || fail "--auto collapses: $(cat out)"

# Unequal ranges are nothing to speak of where --auto has made them alike.
said 'the ranges of the features go from' -s 3 -g 0.3 uneven || fail "uneven: $(cat err)"
said 'the ranges of the features go from' -s 3 --auto uneven && fail "--auto: $(cat err)"
grep -q '^Features standardized = 2' out || fail "--auto does not standardise: $(cat out)"
exit 0

# Noise of standard deviation 0.001 on targets of 0 to 500 is found, and not called none; a single row
# leaves all of its target to the noise.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN {
    srand(3)
    for (i = 0; i < 300; i++) {
        x = rand(); e = 0
        for (k = 0; k < 12; k++) e += (rand() - 0.5) * 0.001
        printf "%.9f 1:%.6f\n", 500 * x + e, x
    } }' >data
"$BIN/rvm-train" -s 3 -t 0 data model >out 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "says: $(cat err)"
# Of 300 rows the estimate has a standard error of 4 %.
sed -n 's/^Noise standard deviation = //p' out |
    awk '{ n++; bad = !($1 > 0.00085 && $1 < 0.00115) } END { exit n != 1 || bad }' || fail "$(cat out)"

echo '1.5 1:3' >one
"$BIN/rvm-train" -q -s 3 one model || fail "one row fails"
grep -qx 'noise_variance 2.25' model || fail "one row: $(grep noise_variance model)"

# Weights of features and their standard deviations in the summary, against the closed formula of one
# feature with known noise V: variance 1 / (alpha + sum x^2 / V), mean variance * sum x t / V.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN { srand(5); for (i = 0; i < 50; i++) { x = 4 * rand() - 2
    printf "%.6f 1:%.6f\n", 1.7 * x + 2 * (rand() - 0.5), x } }' >data
"$BIN/rvm-train" -s 3 --kernel none --basis linear --noise-variance 0.33 data model >out || fail "fails"
alpha=$(sed -n 's/^basis x1 [^ ]* //p' model)
awk -v alpha="$alpha" '
    FILENAME == "data" { split($2, p, ":"); xx += p[2]^2; xt += p[2] * $1 }
    FILENAME == "out" && $1 == "x1" { mean = $2; sd = $3; lines++ }
    function near(a, b) { return a - b < 1e-5 * b && b - a < 1e-5 * b }
    END {
        variance = 1 / (alpha + xx / 0.33)
        if (lines != 1 || !near(sd, sqrt(variance)) || !near(mean, variance * xt / 0.33)) {
            print "mean " mean " sd " sd ", wanted " variance * xt / 0.33 " and " sqrt(variance)
            exit 1
        }
    }' data out || exit 1

# One table for each class of several; at most 20 lines and how many are left out; none without
# features among the functions, and none with -q.
"$BIN/rvm-train" --kernel none --basis bias,linear "$DATA/iris" model >out || fail "fails"
[ "$(grep -c '^class [123]: weight  *mean  *sd$' out)" -ge 2 ] || fail "no tables: $(cat out)"
awk 'BEGIN { srand(2); for (i = 0; i < 60; i++) { t = 0; line = ""
    for (j = 1; j <= 25; j++) { x = rand() - 0.5; t += (j % 5 + 1) * x; line = line sprintf(" %d:%.6f", j, x) }
    printf "%.6f%s\n", t + 0.01 * rand(), line } }' >wide
"$BIN/rvm-train" -s 3 --kernel none --basis linear wide model >out || fail "fails"
[ "$(grep -c '^x' out)" = 20 ] && grep -qx 'and 5 nearer to 0' out || fail "wide: $(cat out)"
"$BIN/rvm-train" -s 3 -g 0.1 "$DATA/mcycle" model >out || fail "fails"
! grep -q '^weight' out || fail "a table without features: $(cat out)"
"$BIN/rvm-train" -q -s 3 --kernel none --basis linear wide model >out || fail "fails"
[ ! -s out ] || fail "-q: $(cat out)"

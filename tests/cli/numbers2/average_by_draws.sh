# The averaged probabilities of many classes against draws of all weights from the posterior that the
# model file holds, by awk alone: of 5,000 draws a mean has a standard error of at most 0.0071. A
# formula that takes the classes in pairs (MacKay's, brought to sum to 1) is off by 0.14 here.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN {
    srand(2)
    for (k = 0; k < 8; k++)
        for (i = 0; i < 4; i++) {
            a = 6.2831853 * k / 8
            printf "%d 1:%.3f 2:%.3f\n", k, 10 * cos(a) + 0.6 * (rand() - 0.5), 10 * sin(a) + 0.6 * (rand() - 0.5)
        }
}' >data
printf '0 1:4 2:0\n0 1:-3 2:2\n0 1:0 2:0\n0 1:9 2:9\n0 1:10 2:0\n' >rows
"$BIN/rvm-train" -q -g 0.3 --restarts 1 data model || fail "training fails"
"$BIN/rvm-predict" -q -b 1 rows model out || fail "prediction fails"
sed 1d out | cut -d ' ' -f 2- >ours
awk -v draws=5000 -f "$SRC/tests/cli/numbers2/average_by_draws.awk" model rows >draws
paste -d ' ' ours draws | awk '
    NF != 16 { print "columns: " NF; exit 1 }
    { for (k = 1; k <= 8; k++) { d = $k - $(8 + k); if (!(d * d <= 0.03 ^ 2)) { print "off by " d; exit 1 } } }' || {
    cat ours draws; fail "the average is not that of the draws"; }

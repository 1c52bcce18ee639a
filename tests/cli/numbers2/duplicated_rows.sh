# Thousands of rows at a few points: predictions are the means, probabilities the shares of the rows
# at each point, the noise that within the points; no vector stands twice.
set -u
fail() { echo "$*" >&2; exit 1; }
within() { # WHAT VALUE WANTED TOLERANCE
    awk -v a="$2" -v b="$3" -v e="$4" 'BEGIN { exit !(a - b <= e && b - a <= e) }' ||
        fail "$1 is $2, not $3 within $4"
}
distinct() { sed '1,/^RV$/d; /^end$/d' model | cut -d ' ' -f 3- | sort | uniq -d; }

# Targets -1 and 1, half each, around 0 at x = 0, and around 3 at x = 1.
awk 'BEGIN { for (i = 0; i < 4000; i++) { x = i % 2; print 3 * x + (i % 4 < 2 ? 1 : -1) " 1:" x } }' >data
"$BIN/rvm-train" -s 3 -g 1 data model >out || fail "training fails"
[ -z "$(distinct)" ] || fail "vectors stand twice: $(distinct)"
within 'the noise' "$(sed -n 's/^Noise.* = //p' out)" 1 0.01
printf '0 1:0\n0 1:1\n' >points
"$BIN/rvm-predict" -q points model got || fail "prediction fails"
within 'the mean at 0' "$(sed -n 1p got)" 0 0.02
within 'the mean at 1' "$(sed -n 2p got)" 3 0.02

# Class 1 has 90 % of the rows at x = 0, and 20 % of those at x = 1.
awk 'BEGIN { for (i = 0; i < 4000; i++) {
    x = i % 2; k = int(i / 2) % 10
    print (k < (x ? 2 : 9) ? 1 : -1) " 1:" x } }' >data
"$BIN/rvm-train" -q -g 1 data model || fail "training fails"
[ -z "$(distinct)" ] || fail "vectors stand twice: $(distinct)"
"$BIN/rvm-predict" -q -b 1 points model got || fail "prediction fails"
within 'the share at 0' "$(sed -n 2p got | cut -d ' ' -f 2)" 0.9 0.02
within 'the share at 1' "$(sed -n 3p got | cut -d ' ' -f 2)" 0.2 0.02

# Real data, each row ten times: the noise is as before, within what so few vectors can change.
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$DATA/mcycle"; done >data
"$BIN/rvm-train" -s 3 -g 0.1 "$DATA/mcycle" model >once || fail "training fails"
"$BIN/rvm-train" -s 3 -g 0.1 data model >out || fail "training fails"
[ -z "$(distinct)" ] || fail "vectors stand twice: $(distinct)"
within 'the noise' "$(sed -n 's/^Noise.* = //p' out)" "$(sed -n 's/^Noise.* = //p' once)" 2

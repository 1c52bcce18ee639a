# grid.py reads the last word of the first line with `Cross`, less its last character, as a number:
# never a single digit, never an exponent, never nan.
set -u
fail() { echo "$*" >&2; exit 1; }

# $1: factor of the targets. What remains for grid.py is printed.
search() {
    awk -v f="$1" '{ $1 = $1 * f; print }' OFMT=%.17g CONVFMT=%.17g "$DATA/mcycle" >scaled
    "$BIN/rvm-train" -q -s 3 -v 3 -g 0.1 scaled >out 2>err || fail "fails: $(cat err)"
    word=$(grep Cross out | head -n 1 | awk '{ print $NF }')
    case $word in *[!0-9.]* | '' | ?) fail "grid.py cannot read '$word' at factor $1" ;; esac
    echo "${word%?}"
}
small=$(search 1e-6) || exit 1
large=$(search 1e6) || exit 1

# Both are the plain mean squared error times the square of the factor, within the digit lost.
plain=$(search 1) || exit 1
awk -v a="$small" -v b="$plain" 'BEGIN { exit !(a * 1e12 / b > 0.99 && a * 1e12 / b < 1.01) }' ||
    fail "small: $small, not $plain times 1e-12"
awk -v a="$large" -v b="$plain" 'BEGIN { exit !(a * 10 / 1e12 / b > 0.99 && a * 10 / 1e12 / b < 1.01) }' ||
    fail "large: $large, not $plain times 1e12"

# A constant target has no error and no correlation.
printf '3 1:1\n3 1:2\n3 1:3\n3 1:4\n' >constant
"$BIN/rvm-train" -q -s 3 -v 2 constant >out 2>err || fail "fails: $(cat err)"
word=$(awk 'NR == 1 { print $NF }' out)
case $word in *[!0-9.]* | '' | ?) fail "grid.py cannot read '$word'" ;; esac
grep -qx 'Cross Validation Squared correlation coefficient = nan' out || fail "reads: $(cat out)"

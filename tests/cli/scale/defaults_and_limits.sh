# Scaled rows, byte for byte. By hand: feature 1 is 2, 6, 0 (absent), so 0 to 6; 2 is 0, 0, 4;
# 3 is 5, 5, 0; value = lower + (upper - lower) * (v - min) / (max - min).

fail() { echo "$*" >&2; exit 1; }

# expect OPTIONS: its output must be the bytes in `want`.
expect() {
    "$BIN/rvm-scale" "$@" data >got 2>messages || fail "rvm-scale $*: exit $?: $(cat messages)"
    cmp -s got want || fail "rvm-scale $* gave: $(cat got)"
}

printf '+1 1:2 3:5\n2.5 1:6 3:5\n-3 2:4\n' >data

printf '1 1:-0.333333 2:-1 3:1 \n2.5 1:1 2:-1 3:1 \n-3 1:-1 2:1 3:-1 \n' >want
expect
expect -l -1 -u 1
expect --lower=-1 --upper 1

printf '1 1:0.333333 3:1 \n2.5 1:1 3:1 \n-3 2:1 \n' >want
expect -l 0
expect -l 0 -u 1

# 0.1 + 0.8 * 2 / 6 = 0.3666..; the limits keep double precision.
printf '1 1:0.366667 2:0.1 3:0.9 \n2.5 1:0.9 2:0.1 3:0.9 \n-3 1:0.1 2:0.9 3:0.1 \n' >want
expect -l 0.1 -u 0.9
expect -u 0.9 -l 1e-1 -s range
printf 'x\n0.10000000000000001 0.90000000000000002\n1 0 6\n2 0 4\n3 0 5\n' >want
cmp -s range want || fail "range file: $(cat range)"

# The product is evaluated before the division: from the left there is a residue of 2^-52.
printf '1 1:0.9\n2 1:2.1\n3 1:3.3\n' >data
printf '1 1:-1 \n2 1:2.22045e-16 \n3 1:1 \n' >want
expect

# One row, a constant feature, explicit zeros: nothing varies, nothing is left but the label.
printf '7 1:3 2:0\n' >data
printf '7 \n' >want
expect
printf '1 1:3 2:0 4:1\n2 1:3 2:0 4:3\n' >data
printf '1 4:-1 \n2 4:1 \n' >want
expect
exit 0

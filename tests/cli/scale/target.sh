# -y scales the label: -1 + 5 * (2 - 1) / (3 - 1) = 1.5.

fail() { echo "$*" >&2; exit 1; }

printf '1 1:1\n3 1:2\n2 1:1\n' >data
"$BIN/rvm-scale" -l 0 -y -1 4 -s range data >got || fail "exit $?"
printf '%s \n' '-1' '4 1:1' '1.5' >want
cmp -s got want || fail "gave: $(cat got)"
printf 'y\n-1 4\n1 3\nx\n0 1\n1 1 2\n' >want
cmp -s range want || fail "range file: $(cat range)"

# The file's limits win over those of the command line, and reach beyond the range: 5 gives 9.
printf '5 1:1.5\n' >other
"$BIN/rvm-scale" -l 5 -u 6 -y 7 8 -r range other >got || fail "exit $?"
printf '9 1:0.5 \n' >want
cmp -s got want || fail "restored: $(cat got)"

# A constant target becomes the lower limit.
printf '2 1:1\n2 1:2\n' >data
"$BIN/rvm-scale" -l 0 -y 7 8 data >got || fail "exit $?"
printf '%s \n' '7' '7 1:1' >want
cmp -s got want || fail "constant target: $(cat got)"

# -y and a file without a y block: this file's own smallest and largest target, and a warning.
printf 'x\n0 1\n1 0 4\n' >range
printf '1 1:1\n5 1:2\n2 1:4\n' >data
"$BIN/rvm-scale" -y 7 8 -r range data >got 2>messages || fail "exit $?"
printf '%s \n' '7 1:0.25' '8 1:0.5' '7.25 1:1' >want
cmp -s got want || fail "no y block: $(cat got)"
grep -q '^rvm-scale: WARNING: range holds no range of the target' messages || fail "no warning of the target"
exit 0

# Memory goes with the features that occur, not with the largest index: 400 MB are plenty here.

fail() { echo "$*" >&2; exit 1; }

printf '1 1:2 2147483647:3\n2 1:1 5:1 2147483646:1\n' >data
printf '1 1:1 5:-1 2147483646:-1 2147483647:1 \n2 1:-1 5:1 2147483646:1 2147483647:-1 \n' >want

# The sanitizers reserve address space by the terabyte.
# shellcheck disable=SC3045 # a shell without ulimit -v goes on without the limit
[ "${FLAVOUR:-release}" = release ] && ulimit -v 400000 2>/dev/null
"$BIN/rvm-scale" -s range data >got 2>messages || fail "exit $?: $(cat messages)"
cmp -s got want || fail "gave: $(cat got)"
printf 'x\n-1 1\n1 1 2\n5 0 1\n2147483646 0 1\n2147483647 0 3\n' >range_want
cmp -s range range_want || fail "range file: $(cat range)"
"$BIN/rvm-scale" -r range data >got 2>messages || fail "-r: exit $?: $(cat messages)"
cmp -s got want || fail "-r gave: $(cat got)"

# One line of a million pairs.
awk 'BEGIN { printf "1"; for (i = 1; i <= 1000000; i++) printf " %d:1", i; print "\n2" }' >data
"$BIN/rvm-scale" -l 0 data >got || fail "long line: exit $?"
[ "$(head -n 1 got | wc -w)" -eq 1000001 ] || fail "long line: $(head -n 1 got | wc -w) words"
[ "$(tail -n 1 got)" = '2 ' ] || fail "long line: second row"
exit 0

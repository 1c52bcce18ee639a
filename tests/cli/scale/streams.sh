# Standard input, pipes, a reader that stops early.

fail() { echo "$*" >&2; exit 1; }

printf '1 1:2\n2 1:6\n' >data
printf '1 1:-1 \n2 1:1 \n' >want

"$BIN/rvm-scale" - <data >got || fail "-: exit $?"
cmp -s got want || fail "- gave: $(cat got)"
cat data | "$BIN/rvm-scale" -s range - >got || fail "pipe: exit $?"
cmp -s got want || fail "a pipe gave: $(cat got)"
cat data | "$BIN/rvm-scale" /dev/stdin >got || fail "/dev/stdin: exit $?"
cmp -s got want || fail "/dev/stdin gave: $(cat got)"
mkfifo queue && { cat data >queue & }
"$BIN/rvm-scale" -r range queue >got || fail "fifo: exit $?"
cmp -s got want || fail "a fifo gave: $(cat got)"

printf '1 2\n' | "$BIN/rvm-scale" - >got 2>messages && fail "bad rows in a pipe: exit 0"
grep -q '^rvm-scale: -:1:3: ' messages || fail "said: $(cat messages)"

# Much more than a pipe holds; whoever reads one row wants no message about the rest.
awk 'BEGIN { for (i = 0; i < 30000; i++) print i, "1:" i, "2:" i * i }' >many
"$BIN/rvm-scale" many 2>messages | head -n 1 >got
[ "$(cat got)" = '0 1:-1 2:-1 ' ] || fail "first row: $(cat got)"
[ ! -s messages ] || fail "said: $(cat messages)"
exit 0

# A range file on data with other features: libsvm's warnings word for word.

fail() { echo "$*" >&2; exit 1; }

printf 'x\n-1 1\n1 0 4\n5 -2 2\n7 3 3\n50 1 2\n' >range

# 2 and 6 vary and have no range; 3 is constant and dropped without a word; 7 has min = max;
# 5 and 50 are absent: 0 gives 0 and is left out, 0 gives -3. 8 lies beyond and is not clipped.
printf '1 1:1 2:1 3:9 6:1 7:5\n2 1:8 2:2 3:9\n' >data
"$BIN/rvm-scale" -r range data >got 2>messages || fail "exit $?"
printf '1 1:-0.5 50:-3 \n2 1:3 50:-3 \n' >want
cmp -s got want || fail "gave: $(cat got)"
for index in 2 6; do
    printf 'rvm-scale: WARNING: feature index %d appeared in file data was not seen in the scaling ' $index
    printf 'factor file range. The feature is scaled to 0.\n'
done >want
cmp -s messages want || fail "said: $(cat messages)"

# Written by other hands: CRLF, blanks, an empty line, no final newline.
printf 'x\r\n 0\t1 \r\n\r\n+1 1 2\r\n2 1 3' >range
printf '1 1:1.5\n' >data
"$BIN/rvm-scale" -r range data >got 2>messages || fail "exit $?"
printf '1 1:0.5 2:-0.5 \n' >want
cmp -s got want || fail "CRLF range file gave: $(cat got)"

# The same through pipes.
cat range | "$BIN/rvm-scale" -r - data >got 2>messages || fail "-r -: exit $?"
cmp -s got want || fail "-r - gave: $(cat got)"
exit 0

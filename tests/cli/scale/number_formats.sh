# Labels are written with 17 significant digits, values with 6; line ends, blanks, comments vanish.

fail() { echo "$*" >&2; exit 1; }

printf '+1 1:0\r\n0.1 1:3 # note: 4:4\r\n' >data
printf '\t007  1:1\t\n-0 01:+2.\n1e300 1:.5\n3.0 #\n123456789.125 1:25e-1' >>data
printf '%s \n' '1' '0.10000000000000001 1:1' '7 1:0.333333' '-0 1:0.666667' \
    '1.0000000000000001e+300 1:0.166667' '3' '123456789.125 1:0.833333' >want
"$BIN/rvm-scale" -l 0 data >got || fail "exit $?"
cmp -s got want || fail "gave: $(cat got)"

# 1234567 and a part of a millionth do not fit in 6 digits.
printf '1 1:1234567 2:0\n2 1:0 2:1\n3 2:1e-6\n4 1:1234566.5\n' >data
printf '1 1:1.23457e+06 \n2 2:1.23457e+06 \n3 2:1.23457 \n4 1:1.23457e+06 \n' >want
"$BIN/rvm-scale" -l 0 -u 1234567 data >got || fail "exit $?"
cmp -s got want || fail "gave: $(cat got)"

# The locale is nothing to the tools.
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$BIN/rvm-scale" -l 0 -u 1234567 data >got || fail "exit $?"
cmp -s got want || fail "with a decimal comma gave: $(cat got)"
exit 0

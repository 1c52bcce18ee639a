# Numbers at the end of the range: a finite value by another order of operations, or an error.

fail() { echo "$*" >&2; exit 1; }

# max - min overflows: 0 lies in the middle. The product overflows: a quarter of the way.
printf '1 1:-1.7e308\n2 1:0\n3 1:1.7e308\n' >data
printf '%s \n' '1 1:-1' '2' '3 1:1' >want
"$BIN/rvm-scale" data >got || fail "exit $?"
cmp -s got want || fail "gave: $(cat got)"
printf '1 1:0\n2 1:0.25e308\n3 1:1e308\n' >data
printf '%s \n' '1 1:-10' '2 1:-5' '3 1:10' >want
"$BIN/rvm-scale" -l -10 -u 10 data >got || fail "exit $?"
cmp -s got want || fail "gave: $(cat got)"

# Far beyond a restored range there is no finite value: nothing is written at all.
printf 'x\n-1e308 1e308\n1 0 1\n' >range
printf '1 1:0.5\n1 1:9\n' >data
"$BIN/rvm-scale" -r range data >got 2>messages && fail "exit 0"
[ ! -s got ] || fail "wrote: $(cat got)"
[ "$(cat messages)" = 'rvm-scale: data:2:1: feature 1 cannot be scaled to a finite number' ] ||
    fail "said: $(cat messages)"

# What is too small for data files is 0.
printf 'x\n0 1e-300\n1 0 1\n2 0 1\n' >range
printf '1 1:1e-8 2:1e-7\n' >data
"$BIN/rvm-scale" -r range data >got || fail "exit $?"
[ "$(cat got)" = '1 2:1e-307 ' ] || fail "gave: $(cat got)"
exit 0

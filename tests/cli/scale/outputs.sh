# -y scales each of several targets by itself; with --outputs they pass.
set -u
fail() { echo "$*" >&2; exit 1; }

printf '1,-4 1:1\n3,4 1:2\n2,0 1:1\n' >data
"$BIN/rvm-scale" -l 0 -y -1 1 -s range data >got || fail "exit $?"
printf '%s \n' '-1,-1' '1,1 1:1' '0,0' | cmp - got || fail "gave: $(cat got)"
printf 'y\n-1 1\n1 3\n-4 4\nx\n0 1\n1 1 2\n' | cmp - range || fail "range file: $(cat range)"

printf '5,-8 1:1.5\n' >other
"$BIN/rvm-scale" -r range other >got || fail "exit $?"
printf '3,-2 1:0.5 \n' | cmp - got || fail "restored: $(cat got)"
"$BIN/rvm-scale" -l 0 --outputs other >got || fail "exit $?"
printf '5,-8 \n' | cmp - got || fail "without -y: $(cat got)"

# A range file for another number of targets is an error, unless the targets are left alone.
printf '5 1:1.5\n' >one
"$BIN/rvm-scale" -r range one >got 2>err && fail "one target passes"
grep -qx 'rvm-scale: ERROR: ranges for 2 labels in a row, but the data have 1' err || fail "$(cat err)"
[ ! -s got ] || fail "wrote: $(cat got)"
sed '1,4d' range >features
"$BIN/rvm-scale" -r features one >got || fail "exit $?"
printf '5 1:0.5 \n' | cmp - got || fail "features alone: $(cat got)"

printf '1,2 1:1\n1 1:1\n' >bad
"$BIN/rvm-scale" --outputs bad >got 2>err && fail "rows of different labels pass"
grep -q '^rvm-scale: bad:2:1: 1 label where the first row has 2' err || fail "$(cat err)"

# A comma is no decimal point, and commas between all numbers are another format.
printf '1,5 1:0.5\n2,5 1:0.7\n' >bad
"$BIN/rvm-scale" bad >got 2>err && fail "a comma for a decimal point passes"
grep -q '^rvm-scale: bad:1:1: more than one label' err || fail "$(cat err)"

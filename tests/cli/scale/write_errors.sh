# A write that fails is exit 1 with one line, and a range file appears whole or not at all.

fail() { echo "$*" >&2; exit 1; }

printf '1 1:2\n2 1:6\n' >data

"$BIN/rvm-scale" -s no_folder/range data >got 2>messages && fail "no folder: exit 0"
[ ! -s got ] || fail "no folder: wrote rows"
[ "$(cat messages)" = "rvm-scale: can't open file no_folder/range: No such file or directory" ] ||
    fail "no folder: said $(cat messages)"

# An old range file outlives a run that fails, and is replaced by one that does not.
echo old >range
printf '1 x\n' >bad
"$BIN/rvm-scale" -s range bad >got 2>messages && fail "bad data: exit 0"
[ "$(cat range)" = old ] || fail "bad data: the range file was touched"
chmod 600 range
"$BIN/rvm-scale" -s range data >got || fail "exit $?"
printf 'x\n-1 1\n1 2 6\n' >want
cmp -s range want || fail "range file: $(cat range)"
case $(ls -l range) in -rw-------*) ;; *) fail "mode was not kept: $(ls -l range)" ;; esac
[ "$(ls -A)" = "$(printf 'bad\ndata\ngot\nmessages\nrange\nwant')" ] || fail "left: $(ls -A)"

# The range file may go to standard output.
"$BIN/rvm-scale" -s - data >got || fail "-s -: exit $?"
printf '1 1:-1 \n2 1:1 \n' >>want
cmp -s got want || fail "-s - gave: $(cat got)"

[ -c /dev/full ] || exit 0
"$BIN/rvm-scale" data >/dev/full 2>messages && fail "full disk: exit 0"
[ "$(cat messages)" = 'rvm-scale: standard output: No space left on device' ] ||
    fail "full disk: said $(cat messages)"
"$BIN/rvm-scale" --help >/dev/full 2>messages && fail "help on a full disk: exit 0"
"$BIN/rvm-scale" -s /dev/full data >got 2>messages && fail "-s /dev/full: exit 0"
[ ! -s got ] || fail "-s /dev/full: wrote rows"
[ "$(cat messages)" = "rvm-scale: can't write file /dev/full: No space left on device" ] ||
    fail "-s /dev/full: said $(cat messages)"

# Standard output is closed.
"$BIN/rvm-scale" -s range data >&- 2>messages && fail "closed output: exit 0"
cmp -s range want && fail "rows went into the range file"
exit 0

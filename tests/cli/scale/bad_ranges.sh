# A range file that is none: the place and the reason, exit 1, nothing on standard output.

fail() { echo "$*" >&2; exit 1; }

printf '1 1:1 2:5\n2 1:2 2:7\n' >data

# refuse PLACE TEXT: TEXT, through printf, is refused at LINE:COLUMN.
refuse() {
    # shellcheck disable=SC2059 # TEXT holds escapes
    printf "$2" >range
    "$BIN/rvm-scale" -r range data >got 2>messages
    [ $? = 1 ] || fail "$2: exit is not 1"
    [ ! -s got ] || fail "$2: wrote $(cat got)"
    grep -q "^rvm-scale: range:$1: ." messages || fail "$2: said $(cat messages)"
    [ "$(wc -l <messages)" = 1 ] || fail "$2: said $(cat messages)"
}

refuse 1:1 ''
refuse 1:1 'junk\n'
refuse 1:1 '1 1:1 2:5\n'
refuse 2:1 'x\n'
refuse 2:1 'x\n-1\n'
refuse 2:4 'x\n-1 y\n'
refuse 2:1 'x\n1 -1\n1 1 2\n'
refuse 2:1 'x\nnan 1\n'
refuse 3:1 'y\n0 1\n'
refuse 3:1 'y\n0 1\nx\n-1 1\n'
refuse 4:1 'y\n0 1\n1 2\n'
refuse 2:1 'y\n1 0\n1 2\nx\n-1 1\n'
refuse 4:1 'x\n-1 1\n1 1 2\nand so on\n'
refuse 3:5 'x\n-1 1\n1 1 2:7\n'
refuse 3:7 'x\n-1 1\n1 1 2 2\n'
refuse 3:5 'x\n-1 1\n1 1 inf\n'
refuse 4:1 'x\n-1 1\n2 1 2\n1 1 2\n'
refuse 4:1 'x\n-1 1\n1 1 2\n1 1 2\n'
refuse 3:1 'x\n-1 1\n-1 1 2\n'
refuse 3:1 'x\n-1 1\n2147483648 1 2\n'
refuse 3:1 'x\n-1 1\n1.5 1 2\n'

"$BIN/rvm-scale" -r no_such data >got 2>messages
[ $? = 1 ] || fail "no such file: exit is not 1"
[ "$(cat messages)" = "rvm-scale: can't open file no_such: No such file or directory" ] ||
    fail "said $(cat messages)"
"$BIN/rvm-scale" -r . data >got 2>messages
[ $? = 1 ] || fail "folder: exit is not 1"
[ "$(cat messages)" = "rvm-scale: can't open file .: Is a directory" ] || fail "said $(cat messages)"
exit 0

# A fault in the data: FILE:LINE:COLUMN, libsvm's line below it, exit 1, nothing written.

fail() { echo "$*" >&2; exit 1; }

# refuse PLACE TEXT: TEXT comes after two thousand good rows, which must not be written either.
i=0
while [ $i -lt 2000 ]; do
    echo "$i 1:$i 2:3.25"
    i=$((i + 1))
done >good
refuse() {
    line=$((2000 + ${1%:*})) column=${1#*:}
    # shellcheck disable=SC2059 # TEXT holds escapes
    { cat good && printf "$2"; } >data
    "$BIN/rvm-scale" -s range data >got 2>messages
    [ $? = 1 ] || fail "$2: exit is not 1"
    [ ! -s got ] || fail "$2: wrote rows"
    [ ! -e range ] || fail "$2: wrote the range file"
    head -n 1 messages | grep -q "^rvm-scale: data:$line:$column: ." ||
        fail "$2: said $(cat messages)"
    [ "$(tail -n +2 messages)" = "rvm-scale: Wrong input format at line $line" ] ||
        fail "$2: said $(cat messages)"
}

refuse 1:1 '\n'
refuse 2:1 '1\n\n'
refuse 1:1 'cat 1:1\n'
refuse 1:1 '1:1 2:1\n'
refuse 1:1 '1,2 1:1\n'
refuse 1:1 '# nothing\n'
refuse 1:7 '1 2:1 1:1\n'
refuse 1:7 '1 2:1 2:1\n'
refuse 1:3 '1 -1:1\n'
refuse 1:3 '1 2147483648:1\n'
refuse 1:3 '1 1:nan\n'
refuse 1:3 '1 1:inf\n'
refuse 1:3 '1 1:1,2:5 3:1\n'
refuse 1:3 '1 1:1e400\n'
refuse 1:7 '1 1:1 7\n'
refuse 1:7 '1 1:1 2:'

: >data
"$BIN/rvm-scale" data >got 2>messages
[ $? = 1 ] || fail "empty file: exit is not 1"
grep -q '^rvm-scale: data:1:1: no rows' messages || fail "empty file: said $(cat messages)"

"$BIN/rvm-scale" no_such >got 2>messages
[ $? = 1 ] || fail "no such file: exit is not 1"
[ "$(cat messages)" = "rvm-scale: can't open file no_such: No such file or directory" ] ||
    fail "said $(cat messages)"
"$BIN/rvm-scale" . >got 2>messages
[ $? = 1 ] || fail "folder: exit is not 1"
[ "$(cat messages)" = "rvm-scale: can't open file .: Is a directory" ] || fail "said $(cat messages)"
exit 0

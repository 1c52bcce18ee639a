# --auto on a terminal: a line with what is tried, the best so far and the time that is left, which is
# gone before anything else is written; none with -q, and none in a file.
set -u
fail() { echo "$*" >&2; exit 1; }
script -qec true /dev/null </dev/null >/dev/null 2>&1 || { echo "no script of util-linux here"; exit 77; }

awk 'NR % 4 == 1' "$DATA/friedman1.train" >rows
on_terminal() { script -qec "$BIN/rvm-train $*" /dev/null </dev/null | tr '\r' '\n' >seen; }

on_terminal -s 3 --auto=600 rows model
grep -Eq '^screen: rbf +about (600|5[0-9][0-9]) s left' seen || fail "no line of the screen: $(cat seen)"
awk '/^candidate / { table = 1 } table && /^(screen|race): / { exit 1 } END { exit !table }' seen ||
    fail "the line goes on below the table: $(cat seen)"
awk 'length > 160 && !/^Same model/ { exit 1 }' seen || fail "the line is too long: $(cat seen)"
on_terminal -q -s 3 --auto -t 0 rows model
! grep -q '[a-z]' seen || fail "-q talks: $(cat seen)"
"$BIN/rvm-train" -s 3 --auto -t 0 rows model >out 2>err || fail "--auto fails"
! grep -q 's left' out err || fail "a line in a file: $(cat out err)"

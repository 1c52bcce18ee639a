# A file that shrinks, grows or ends in the middle while it is read: what was there is judged, in one
# piece or by an error; nothing hangs, and no output is a part of one.
set -u
fail() { echo "$*" >&2; exit 1; }

cp "$DATA/ripley.train" data
"$BIN/rvm-train" -q data model || fail "training fails"
mkfifo pipe || { echo "no named pipes here"; exit 77; }

# A writer that dies in the middle of a row; the row is whole enough, or it is not.
cut_off() { # WORDS BYTES TOOL WORD...
    words=$1
    head -c "$2" "$DATA/ripley.train" >pipe &
    shift 2
    tool=$1
    shift
    "$BIN/$tool" "$@" >out 2>err
    status=$?
    wait
    [ $status = 1 ] || fail "$tool: exit $status"
    [ "$(sed "2s/^$tool/TOOL/" err)" = "$tool: pipe:$words" ] || fail "$tool: says: $(cat err)"
    [ ! -s out ] || fail "$tool: writes: $(cat out)"
    [ ! -e new ] || fail "$tool: leaves a file"
}
# The second row is cut behind its first colon.
first=$(sed -n 1p data)
label=$(sed -n '2s/ .*//p' data)
bytes=$((${#first} + 1 + ${#label} + 3))
message="2:$((${#label} + 2)): missing value: '1:'
TOOL: Wrong input format at line 2"
cut_off "$message" $bytes rvm-train -q pipe new
cut_off "$message" $bytes rvm-predict -q pipe model new
cut_off "$message" $bytes rvm-scale -s new pipe
message='1:1: no rows
TOOL: Wrong input format at line 1'
cut_off "$message" 0 rvm-train -q pipe new
cut_off "$message" 0 rvm-predict -q pipe model new
cut_off "$message" 0 rvm-scale -s new pipe
head -c 300 model >pipe &
"$BIN/rvm-predict" -q data pipe new 2>err && fail "a model that is cut passes"
wait
grep -Eq '^rvm-predict: pipe:[0-9]+:[0-9]+: ' err || fail "says: $(cat err)"
[ ! -e new ] || fail "a file is left"

# A file is cut when its first blocks have been read: rvm-predict stands still while nobody takes
# its answers.  The rows that were read are predicted; the rest is an error or absent.
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$DATA/ripley.test"; done >long
for _ in 1 2 3 4 5 6 7 8 9 10; do cat long; done >longer
"$BIN/rvm-predict" -q -b 1 longer model wanted || fail "prediction fails"
"$BIN/rvm-predict" -q -b 1 longer model - >pipe 2>err &
tool=$!
exec 3<pipe
read -r line <&3
: >longer
{ echo "$line"; cat <&3; } >got
exec 3<&-
wait $tool
status=$?
rows=$(wc -l <got)
[ "$rows" -ge 512 ] && [ "$rows" -lt 100001 ] || fail "$rows lines"
[ $status = 0 ] || grep -q '^rvm-predict: longer:' err || fail "exit $status says: $(cat err)"
head -n $((rows - 1)) got >most
head -n $((rows - 1)) wanted | cmp - most || fail "other predictions"

# A file that grows while it is read ends where it ends then.
cp long longer
(for _ in 1 2 3 4 5 6 7 8; do cat long >>longer; done) &
"$BIN/rvm-scale" longer >out || fail "a growing file: exit $?"
wait
[ "$(wc -l <out)" -ge 10000 ] || fail "rows are missing"
exit 0

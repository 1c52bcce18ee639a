# Predictions come out before the next row goes in, and do not depend on how rows are grouped.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
"$BIN/rvm-predict" -q "$DATA/mcycle" model wanted || fail "fails"

mkfifo rows answers || { echo "no named pipes here"; exit 77; }
"$BIN/rvm-predict" -q - model <rows >answers &
tool=$!
exec 3>rows
exec 4<answers
: >got
while read -r row; do
    printf '%s\n' "$row" >&3
    read -r answer <&4 || fail "no answer to: $row"
    printf '%s\n' "$answer" >>got
done <"$DATA/mcycle"
exec 3>&-
wait $tool || fail "the tool fails"
cmp got wanted || fail "row by row the predictions differ"

# Blocks end elsewhere in a longer file.
repeat() { cat "$1" "$1" "$1" "$1" "$1" "$1" "$1"; }
repeat "$DATA/mcycle" >long
repeat wanted >long.wanted
"$BIN/rvm-predict" -q long model got || fail "fails"
cmp got long.wanted || fail "in a long file the predictions differ"
cat long | "$BIN/rvm-predict" -q - model >got || fail "fails"
cmp got long.wanted || fail "through a pipe the predictions differ"

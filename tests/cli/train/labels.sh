# Labels are any two integers, in order of appearance; of -1 and +1, +1 comes first.
set -u
fail() { echo "$*" >&2; exit 1; }

check() { # LABEL OF THE FIRST ROWS, OF THE OTHERS, ORDER
    awk -v a="$1" -v b="$2" '{ print (NR % 2 ? a : b) " 1:" (NR % 2 ? 1 : -1) * (1 + NR / 20) }' \
        "$DATA/mcycle" >data
    "$BIN/rvm-train" -q data model || fail "labels $1 and $2 fail"
    grep -qx "label $3" model || fail "$1 and $2: $(grep label model)"
    "$BIN/rvm-predict" -b 1 data model predictions >out 2>err || fail "prediction fails"
    [ "$(head -n 1 predictions)" = "labels $3" ] || fail "heading: $(head -n 1 predictions)"
    grep -qxF 'Accuracy = 100% (133/133) (classification)' out || fail "$1 and $2: $(cat out)"
}
check 42 7 '42 7'
check 7 42 '7 42'
check -1 +1 '1 -1'
check 1 -1 '1 -1'
check -1 0 '-1 0'
check -0 1 '0 1'
check 1234567 2147483647 '1234567 2147483647'

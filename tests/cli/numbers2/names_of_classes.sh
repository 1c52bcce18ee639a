# 0/1, 1/2, 7/42 and numbers written in other ways: names, which change nothing but themselves.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -g 4 "$DATA/ripley.train" model | sed '/^Seconds/d' >wanted
first=$(sed -n '1s/ .*//p' "$DATA/ripley.train")
check() { # FOR THE FIRST CLASS, FOR THE OTHER, LABELS IN THE MODEL
    awk -v f="$first" -v a="$1" -v b="$2" '{ $1 = $1 == f ? a : b; print }' "$DATA/ripley.train" >data
    "$BIN/rvm-train" -g 4 data model >out || fail "$1 and $2 fail"
    sed '/^Seconds/d' out | cmp - wanted || fail "$1 and $2: $(cat out)"
    grep -qx "label $3" model || fail "$1 and $2: $(grep label model)"
    "$BIN/rvm-predict" data model got >out 2>err || fail "$1 and $2: prediction fails"
    sort -u got | paste -s -d ' ' - >labels
    echo "$3" | tr ' ' '\n' | sort | paste -s -d ' ' - | cmp - labels || fail "predicts $(cat labels)"
}
check 0 1 '0 1'
check 1 2 '1 2'
check 7 42 '7 42'
check -0.0 1.0 '0 1'
check 1e3 +5. '1000 5'

# -0.0 and 0 are one class.
printf '0 1:1\n-0.0 1:1.1\n1 1:3\n-0 1:0.9\n1 1:3.1\n0.0 1:1.2\n' >data
"$BIN/rvm-train" -q data model || fail "zeros fail"
grep -qx 'label 0 1' model || fail "zeros: $(grep label model)"

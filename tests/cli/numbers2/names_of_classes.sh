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

# Three classes: the order of their names is none of training's business. Rows that differ by their
# labels alone are in the file too.
{ cat "$DATA/iris"; sed -n '60,64p' "$DATA/iris" | sed 's/^2/3/'; } >iris
"$BIN/rvm-train" -g 0.3 --restarts 1 iris model | sed '/^Seconds/d' >wanted
"$BIN/rvm-predict" -b 1 iris model predicted >out 2>err || fail "prediction fails"
sed 1d predicted | cut -d ' ' -f 2- >probabilities
for names in '2 3 1' '3 1 2' '7 -4 0'; do
    awk -v names="$names" 'BEGIN { split(names, to) } { $1 = to[$1]; print }' iris >data
    "$BIN/rvm-train" -g 0.3 --restarts 1 data model | sed '/^Seconds/d' >out
    cmp -s out wanted || fail "1 2 3 as $names: $(cat out)"
    grep -qx "label $names" model || fail "$names: $(grep label model)"
    "$BIN/rvm-predict" -b 1 data model got >out 2>err || fail "$names: prediction fails"
    sed 1d got | cut -d ' ' -f 2- | cmp - probabilities || fail "$names: other probabilities"
done

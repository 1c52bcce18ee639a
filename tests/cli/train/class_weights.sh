# -wI: more weight on a class makes it more probable; absent classes are warned of once.
set -u
fail() { echo "$*" >&2; exit 1; }

# Mean probability of class 1, the first column.
mean() {
    "$BIN/rvm-train" -q -g 2 "$@" "$DATA/ripley.train" model 2>err || fail "$*: $(cat err)"
    "$BIN/rvm-predict" -q -b 1 "$DATA/ripley.test" model out || fail "prediction fails"
    awk 'NR > 1 { s += $2 } END { print s / (NR - 1) }' out
}
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b + 0.02) }'; }
plain=$(mean) || exit 1
up=$(mean -w1 5) || exit 1
down=$(mean -w-1 5) || exit 1
above "$up" "$plain" || fail "-w1 5 gives $up, without $plain"
above "$plain" "$down" || fail "-w-1 5 gives $down, without $plain"

# Repeated weights are multiplied, as in libsvm, and a plus sign is read.
mean -w1 6 >one && cp model six
mean -w1 2 -w+1 3 >two
cmp model six || fail "2 times 3 is not 6"

# A product that is no number, or nothing, is a mistake; one that only looks large is none.
for w in 1e-200 1e200; do
    "$BIN/rvm-train" -q -w-1 $w -w-1 $w "$DATA/ripley.train" new 2>err
    [ $? = 1 ] || fail "-w-1 $w twice: exit is not 1"
    grep -q '^rvm-train: ERROR: the weights of class -1 multiply to' err || fail "$w twice: $(cat err)"
done
[ ! -e new ] || fail "a model of no weights"
mean -w-1 1e200 -w-1 1e-200 >one && mean >two
cmp one two || fail "1e200 times 1e-200 is not 1"

"$BIN/rvm-train" -q -w9 2 -v 5 "$DATA/ripley.train" >out 2>err || fail "fails: $(cat err)"
[ "$(cat err)" = 'rvm-train: WARNING: class label 9 specified in weight is not found' ] ||
    fail "the warning reads: $(cat err)"
"$BIN/rvm-train" -q -s 3 -w9 2 "$DATA/mcycle" model 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "a regression warns of weights: $(cat err)"

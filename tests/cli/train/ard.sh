# --ard: a weight for each input in the model, the inputs in the summary, and better predictions.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -s 3 --ard "$DATA/friedman1.train" model >out 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "says: $(cat err)"
[ "$(head -n 1 model)" = 'rvm_model 1' ] || fail "version: $(head -n 1 model)"
grep -qx 'gamma 1' model || fail "gamma: $(grep gamma model)"
grep -q '^eta 1:[^ ]* 2:[^ ]* 3:[^ ]* 4:[^ ]* 5:' model || fail "$(grep eta model)"

# Friedman's first function has five inputs, of which the first two go together; the others are noise.
# One of these may fit by chance.
line=$(sed -n '/^Inputs by relevance = /s/ ([0-9.e+-]*)//gp' out) || fail "no line of inputs: $(cat out)"
first=$(echo "$line" | sed 's/^[^=]*= //; s/;.*//; s/,//g' | cut -d' ' -f1-5 | tr ' ' '\n' | sort | tr '\n' ' ')
[ "$first" = '1 2 3 4 5 ' ] || fail "$line"
echo "$line" | grep -q 'of no use: ' || fail "$line"

# Noise of variance 1 on the test rows; one width for all comes to 3.8 (Tipping 2000), and 0.27 beside
# the noise is Tipping's (2001) with a width for each.
"$BIN/rvm-predict" -q "$DATA/friedman1.test" model values || fail "cannot be used"
paste -d ' ' values "$DATA/friedman1.test" | awk '
    { d = $1 - $2; sum += d * d }
    END { print "mean squared error", sum / NR; exit !(NR == 1000 && sum / NR < 1.7) }' || exit 1

# Neither threads nor the order of the rows matter, nor, but for the units of the weights, the scale.
"$BIN/rvm-train" -q -s 3 --ard --threads 1 "$DATA/friedman1.train" other && cmp model other ||
    fail "threads matter"
sort -r "$DATA/friedman1.train" | "$BIN/rvm-train" -q -s 3 --ard --threads 3 - other || fail "--ard fails"
grep -v '^rows ' model >a
grep -v '^rows ' other >b
cmp a b || fail "the order of the rows matters"
[ "$(grep -c . model)" -gt 20 ] || fail "no functions: $(cat model)"

# Classes: only the second input tells them apart.
awk 'BEGIN {
    srand(3)
    for (i = 0; i < 150; i++) {
        for (f = 1; f <= 5; f++) x[f] = 2 * rand() - 1
        printf "%d", (x[2] + 0.3 * (rand() - 0.5) > 0) ? 1 : -1
        for (f = 1; f <= 5; f++) printf " %d:%.6f", f, x[f]
        print ""
    } }' >classes
"$BIN/rvm-train" --ard classes model >out || fail "classes"
sed 's, ([0-9.e+-]*),,g' out | grep -qx 'Inputs by relevance = 2\(, [0-9]\)*; of no use: .*' || fail "classes: $(cat out)"
"$BIN/rvm-predict" classes model values >out || fail "classes cannot be predicted"
sed -n 's/^Accuracy = \([0-9.]*\)%.*/\1/p' out | awk '{ exit !($1 > 88) }' || fail "$(cat out)"

# With nothing to tell them apart nothing is left; with -v there is no list.
awk '{ $1 = NR % 2; print }' classes >coins
"$BIN/rvm-train" --ard coins model >out 2>/dev/null || fail "coins"
"$BIN/rvm-train" --ard -q -v 3 classes >out || fail "-v"
[ "$(wc -l <out)" = 1 ] || fail "-v: $(cat out)"

refuse() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" -s 3 --ard "$@" classes nothing >out 2>err && fail "$* is accepted"
    [ "$(wc -l <err)" = 1 ] && grep -q -e "$words" err || fail "$*: $(cat err)"
    [ ! -e nothing ] || fail "$*: a model"
}
refuse 'the spline kernel has no weights of inputs' -t 6
refuse 'no covariance' -t 3
refuse 'no covariance' -t 1 -r -1

# What a linear function explains is nothing that its input needs a weight for, and it stays a
# candidate when the input has none: y = sin(x1) / x1 + 0.1 x2.
awk 'BEGIN {
    seed = 11
    for (i = 0; i < 100; i++) {
        for (k = 0; k < 3; k++) {
            seed = seed * 16807 % 2147483647; u[k] = 2 * seed / 2147483647 - 1
        }
        x = 10 * u[0]
        printf "%.6f 1:%.6f 2:%.6f\n", sin(x) / x + u[1] + 0.17 * u[2], x, 10 * u[1]
    }
}' >trend
"$BIN/rvm-train" -s 3 --ard --basis bias,linear trend model >out 2>err || fail "--basis: $(cat err)"
sed 's, ([0-9.e+-]*),,g' out | grep -qx 'Inputs by relevance = 1; of no use: 2' || fail "--basis: $(cat out)"
awk '$1 == "basis" && $2 == "x2" { found = $3 > 0.09 && $3 < 0.11 } END { exit !found }' model ||
    fail "x2 is no linear function of the model: $(grep '^basis' model)"

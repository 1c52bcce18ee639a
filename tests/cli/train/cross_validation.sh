# -v prints libsvm's lines on stdout, those alone, also with -q, and leaves no model; what libsvm does
# not tell is on stderr, unless -q.
set -u
fail() { echo "$*" >&2; exit 1; }

for quiet in '' -q; do
    "$BIN/rvm-train" $quiet -v 5 -g 2 "$DATA/ripley.train" >out 2>err || fail "fails: $(cat err)"
    [ "$(wc -l <out)" -eq 1 ] || fail "not one line: $(cat out)"
    grep -Eqx 'Cross Validation Accuracy = [0-9]+(\.[0-9]+)?%' out || fail "reads: $(cat out)"
    if [ -n "$quiet" ]; then
        [ ! -s err ] || fail "stderr: $(cat err)"
    else
        [ "$(wc -l <err)" -eq 1 ] && grep -Eqx 'Mean log loss = 0\.[0-9]+' err ||
            fail "stderr: $(cat err)"
    fi
    mv out plain
    "$BIN/rvm-train" $quiet -v 5 -b 1 -g 2 "$DATA/ripley.train" >out 2>/dev/null || fail "-b 1 fails"
    cmp plain out || fail "-b 1 changes the accuracy: $(cat out)"
    rm plain

    "$BIN/rvm-train" $quiet -s 3 -v 5 -g 0.1 "$DATA/mcycle" >out 2>err || fail "fails: $(cat err)"
    [ "$(wc -l <out)" -eq 2 ] || fail "not two lines: $(cat out)"
    sed 1q out | grep -Eqx 'Cross Validation Mean squared error = [0-9]+(\.[0-9]+)?' ||
        fail "line 1 reads: $(cat out)"
    if [ -n "$quiet" ]; then
        [ ! -s err ] || fail "stderr: $(cat err)"
    else
        sed -n 1p err | grep -Eqx 'Mean negative log predictive density = [0-9.]+' &&
            sed -n 2p err | grep -Eqx '90 % intervals hold [0-9.]+ % of the targets' &&
            [ "$(wc -l <err)" -eq 2 ] || fail "stderr: $(cat err)"
    fi
    sed 1d out | grep -Eqx 'Cross Validation Squared correlation coefficient = 0\.[0-9]+' ||
        fail "line 2 reads: $(cat out)"
done
[ "$(ls)" = "err
out" ] || fail "files are left: $(ls)"

# Useful numbers: guessing the larger class of ripley gives 50%, the mean of mcycle about 2300.
accuracy=$("$BIN/rvm-train" -v 5 -g 2 "$DATA/ripley.train" | sed 's/.* = //; s/%$//')
awk -v a="$accuracy" 'BEGIN { exit !(a > 80) }' || fail "the accuracy is poor: $accuracy"
awk 'NR == 1 { exit !($NF < 1000) }' out || fail "mean squared error is poor: $(cat out)"

# The same folds each time, others for another seed, the same for any number of threads.
result() { "$BIN/rvm-train" -s 3 -v 3 -g 0.1 "$@" "$DATA/mcycle"; }
first=$(result)
[ "$(result)" = "$first" ] || fail "the second run differs"
[ "$(result --threads 1)" = "$first" ] || fail "one thread differs"
[ "$(result --threads 2)" = "$first" ] || fail "two threads differ"
[ "$(result --seed 2)" != "$first" ] || fail "the seed changes nothing"

# More folds than rows: that many, and libsvm's warning.
printf '1 1:1\n-1 1:-1\n1 1:1.1\n-1 1:-1.2\n1 1:0.9\n-1 1:-0.8\n' >six
"$BIN/rvm-train" -q -v 100 six >out 2>err || fail "fails: $(cat err)"
grep -qxF 'rvm-train: WARNING: # folds (100) > # data (6). Will use # folds = # data instead (i.e., leave-one-out cross validation)' err ||
    fail "the warning reads: $(cat err)"
grep -qx 'Cross Validation Accuracy = 100%' out || fail "separable rows: $(cat out)"

# Some training parts have one class only.
printf '1 1:1\n-1 1:-1\n-1 1:-1.2\n-1 1:-0.8\n' >rare
"$BIN/rvm-train" -q -v 2 rare >out 2>err || fail "fails: $(cat err)"
grep -Eqx 'Cross Validation Accuracy = [0-9.]+%' out || fail "reads: $(cat out)"

# Three rows of three classes: two folds, each of which lacks the classes of the other.
printf '1 1:0\n2 1:1\n3 1:2\n' >three
"$BIN/rvm-train" -v 2 three >out 2>err || fail "three rows of three classes: $(cat err)"
[ "$(cat out)" = 'Cross Validation Accuracy = 0%' ] || fail "three rows: $(cat out)"
! grep -q -e inf -e nan err || fail "no number: $(cat err)"
for options in '-g auto' '--select rbf,linear'; do
    # shellcheck disable=SC2086 # two words
    "$BIN/rvm-train" -q $options three three.model || fail "$options: three rows of three classes"
    awk '{ print; print $1 + 3, $2 }' three >six
    # shellcheck disable=SC2086 # two words
    "$BIN/rvm-train" -q $options six six.model || fail "$options: six rows of six classes"
done

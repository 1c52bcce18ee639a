# Sizes beyond the usual: indices of eight and ten digits, rows of 200,000 pairs,
# counts that a model file makes up.
set -u
fail() { echo "$*" >&2; exit 1; }

# Memory goes with the pairs, not with the indices: the same rows with other indices give the same
# kernel, but for the width, which is 1 / the largest index by default.
awk 'BEGIN { srand(2); for (i = 0; i < 60; i++) { x = rand(); y = rand(); z = rand()
    print sin(6 * x) + y * z " 1:" x " 2:" y " 3:" z } }' >near
sed 's/ 2:/ 9999999:/; s/ 3:/ 10000000:/' near >far
sed 's/ 2:/ 2147483646:/; s/ 3:/ 2147483647:/' near >farthest
for t in 0 1 2 3 5 6; do
    "$BIN/rvm-train" -q -s 3 -t $t -g 0.5 near model || fail "-t $t fails"
    "$BIN/rvm-predict" -q near model wanted || fail "-t $t: prediction fails"
    for data in far farthest; do
        "$BIN/rvm-train" -q -s 3 -t $t -g 0.5 $data $data.model || fail "-t $t $data fails"
        "$BIN/rvm-predict" -q $data $data.model got || fail "-t $t $data: prediction fails"
        paste wanted got | awk '{ d = $1 - $2; if (d * d > 1e-12) exit 1 }' ||
            fail "-t $t $data: other predictions"
    done
done
"$BIN/rvm-train" -q -s 3 -v 3 farthest >out || fail "-v: exit $?"
"$BIN/rvm-train" -q -s 3 farthest model || fail "the default width fails"
awk '$1 == "gamma" { exit !($2 * 2147483647 > 0.999999 && $2 * 2147483647 < 1.000001) }' model ||
    fail "the default width: $(grep gamma model)"

# 10,000,000 columns, each in use once.
awk 'BEGIN { for (i = 0; i < 200; i++) {
    printf "%d", i % 2
    for (k = 0; k < 500; k++) printf " %d:%d", 1 + i * 100 + k * 20000, 1 + k % 3
    print "" } }' >scattered
"$BIN/rvm-train" -q -g 0.001 scattered model || fail "ten million columns fail"
"$BIN/rvm-predict" -q scattered model got || fail "ten million columns: prediction fails"
[ "$(wc -l <got)" -eq 200 ] || fail "predictions are missing"

# Rows of 200,000 pairs, which the model keeps when it is a relevance vector.
awk 'BEGIN { for (i = 0; i < 3; i++) { printf "%d", i; for (k = 1; k <= 200000; k++) printf " %d:%d", k, (k * (i + 1)) % 7
    print "" } }' >wide
"$BIN/rvm-train" -q -s 3 wide model || fail "wide rows fail"
"$BIN/rvm-predict" -q wide model got || fail "wide rows: prediction fails"
[ "$(wc -l <got)" -eq 3 ] || fail "predictions are missing"

# A model file that claims more than there is ends at its first lie, without memory for the rest.
# shellcheck disable=SC3045 # a shell without ulimit -v goes on without the limit
case $FLAVOUR in asan | fuzz) ;; *) ulimit -v 400000 2>/dev/null ;; esac
"$BIN/rvm-train" --threads 1 -q -s 3 -g 0.5 near good || fail "training fails"
claim() { # KEY VALUE WORDS
    sed "s/^$1 .*/$1 $2/" good >bad
    cmp -s good bad && fail "$1 is not in the model"
    "$BIN/rvm-predict" -q near bad got >out 2>err
    [ $? = 1 ] || fail "$1 $2: exit is not 1"
    [ "$(wc -l <err)" -eq 1 ] || fail "$1 $2 says: $(cat err)"
    grep -q "$3" err || fail "$1 $2 says: $(cat err)"
}
rm -f got
claim total_rv 1000000000000000 'bad:[0-9]*:10: .*whole number.*found "1000000000000000"'
claim total_rv 99999999999999999999999999 'bad:[0-9]*:10: '
claim total_rv 2147483647 'bad:[0-9]*:'
claim examples 1000000000000000 'bad:[0-9]*:10: '
claim nr_class 1000000000000000 'bad:[0-9]*:10: '
[ ! -e got ] || fail "predictions of a bad model"

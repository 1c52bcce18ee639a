# 50,000 features, 20 of which are there in a row, as in counts of words: the class goes by one word.
set -u
fail() { echo "$*" >&2; exit 1; }

rows() { awk -v seed="$1" 'BEGIN { srand(seed)
    for (i = 0; i < 300; i++) {
        c = i % 2
        printf "%d %d:%.2f", c, 1 + c, 1 + rand()
        for (k = 0; k < 19; k++) printf " %d:%d", 10 + 2600 * k + int(2600 * rand()), 1 + 3 * rand()
        print "" } }'; }
rows 1 >data
rows 2 >others
for options in '-t 0' '-g 0.01' '-t 5 -g 0.01'; do
    # shellcheck disable=SC2086 # several words
    timeout 200 "$BIN/rvm-train" -q $options data model || fail "$options fails"
    "$BIN/rvm-predict" -b 1 others model got >out 2>err || fail "$options: prediction fails"
    awk '/^Accuracy/ { sub(/%/, "", $3); exit !($3 + 0 > '"$([ "$options" = '-t 0' ] && echo 75 || echo 55)"') }' out ||
        fail "$options: $(cat out)"
    ! grep -qi nan got || fail "$options: nan"
done

# The options that rvm-train(1) names for text do what it says.  Documents of 60 words, one in five
# of them from the 150 words of the document's own topic, the others from all 3000; each word once,
# unit norm.  A rule that knows the topics is hardly ever wrong.
set -u
fail() { echo "$*" >&2; exit 1; }

documents() {
    awk -v n="$1" -v seed="$2" '
        function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
        BEGIN {
            for (i = 0; i < n; i++) {
                topic = i % 2
                own = count = 0
                split("", has)
                for (k = 0; k < 60; k++) {
                    w = 1 + int(uniform() < 0.2 ? 150 * (topic + uniform()) : 3000 * uniform())
                    if (!(w in has)) {
                        has[w] = 1
                        count++
                        own += w <= 150 ? -1 : w <= 300
                    }
                }
                right += (own > 0) == topic
                row = topic ? 1 : -1
                for (w = 1; w <= 3000; w++)
                    if (w in has)
                        row = row " " w ":" 1 / sqrt(count)
                print row
            }
            exit right < 0.99 * n
        }'
}
documents 150 3 >train || fail 'the topics are not told apart'
documents 400 4 >others || fail 'the topics are not told apart'

# Per cent right of a model with those options.
right() {
    "$BIN/rvm-train" -q "$@" train model 2>err || fail "fails: $(cat err)"
    "$BIN/rvm-predict" others model out | sed 's/^Accuracy = \([0-9.]*\)%.*/\1/;q'
}
sparse=$(right -t 0) || exit 1
all=$(right --method em -t 1 -d 3 -g 1 -r 1 -e 10) || exit 1
awk -v sparse="$sparse" -v all="$all" 'BEGIN { exit !(all > 95 && all > sparse + 3) }' ||
    fail "-t 0 has $sparse % right, all rows $all %"

# -wI moves the decision and buys no functions.  Rows of ten features of 0 or 1 whose log-odds are
# known, a tenth of them of class 1: with a weight W the rows to call 1 are those with p W > 1 - p,
# and a model is to find as many of class 1 as that rule does.
set -u
fail() { echo "$*" >&2; exit 1; }

# The rows, and the p of each in the file p.
rows() {
    awk -v n="$1" -v seed="$2" '
        function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
        BEGIN {
            split("1.8 -1.35 1.2 -1.05 0.9 -0.75 0.6 -0.45 0.3 0.15", c)
            for (i = 0; i < n; i++) {
                f = -3.4
                row = ""
                for (j = 1; j <= 10; j++)
                    if (uniform() < 0.5) {
                        f += c[j]
                        row = row " " j ":1"
                    }
                print 1 / (1 + exp(-f)) >"p"
                print (uniform() * (1 + exp(-f)) < 1 ? 1 : -1) row
            }
        }'
}
rows 400 11 >train
rows 2000 12 >others

few=$("$BIN/rvm-train" -q -g 0.1 train plain && awk '$1 == "total_rv" { print $2 }' plain)
before=0
for w in 3 10 30; do
    "$BIN/rvm-train" -q -g 0.1 -w1 "$w" train model 2>err || fail "fails: $(cat err)"
    awk -v few="$few" '$1 == "total_rv" { exit !($2 <= 2 * few) }' model ||
        fail "weight $w: $(grep total_rv model), without weights $few"
    "$BIN/rvm-predict" -q others model out || fail "prediction fails"
    # Recall of the model, and of the rule.
    paste -d " " others out p | awk -v w="$w" '
        $1 == 1 { n++; found += $(NF - 1) == 1; best += $NF * w > 1 - $NF }
        END { print found / n, best / n }' >recall
    awk -v before="$before" '{ exit !($1 > before + 0.05 && $1 > $2 - 0.1 && $1 < $2 + 0.1) }' recall ||
        fail "weight $w finds and should find: $(cat recall), less weight found $before"
    before=$(cut -d ' ' -f 1 recall)
done

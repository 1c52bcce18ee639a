# --variance and --interval add columns; the interval is mean -+ z times the standard deviation.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -t 6 -s 3 "$DATA/sinc.train" model || fail "fails"
"$BIN/rvm-predict" -q "$DATA/sinc.test" model plain || fail "fails"
"$BIN/rvm-predict" -q --variance --interval 0.9 "$DATA/sinc.test" model both || fail "fails"
"$BIN/rvm-predict" -q --interval 0.9 "$DATA/sinc.test" model interval || fail "fails"
"$BIN/rvm-predict" -q --variance "$DATA/sinc.test" model variance || fail "fails"
awk '{ print $1 }' both | cmp - plain || fail "the mean is not the first column"
awk '{ print $1, $2 }' both | cmp - variance || fail "the variance is not the second column"
awk '{ print $1, $3, $4 }' both | cmp - interval || fail "the bounds are not the last columns"

# The normal distribution has 5% above 1.6448536269514722 standard deviations.
noise=$(awk '$1 == "noise_variance" { print $2 }' model)
awk -v noise="$noise" '
    function near(a, b) { return a - b < 1e-9 && b - a < 1e-9 }
    {
        half = 1.6448536269514722 * sqrt($2)
        if (NF != 4 || !near($3, $1 - half) || !near($4, $1 + half) || $2 < noise) {
            print
            bad = 1
        }
    }
    END { exit bad || NR != 1000 }' both || fail "the bounds are not those of 90%"

# About 90% of the training targets are inside.
"$BIN/rvm-predict" -q --interval 0.9 "$DATA/sinc.train" model interval || fail "fails"
paste -d ' ' "$DATA/sinc.train" interval | awk '
    $1 > $4 && $1 < $5 { inside++ }
    END { exit !(inside >= 80 && inside <= 98) }' || fail "the interval does not hold 90%"

# The summary has the shares that the intervals of 50, 90 and 95 % hold.
"$BIN/rvm-predict" "$DATA/sinc.train" model out 2>said >text || fail "fails"
for p in 0.5 0.9 0.95; do
    "$BIN/rvm-predict" -q --interval $p "$DATA/sinc.train" model interval || fail "fails"
    paste -d ' ' "$DATA/sinc.train" interval |
        awk '$1 > $4 && $1 < $5 { n++ } END { printf "%s%.3g", "=", 100 * n / NR }'
done | awk -F = '{ printf "Intervals of 50, 90 and 95 %% hold %s, %s and %s %% of the targets\n", $2, $3, $4 }' >want
tail -n 1 said | cmp - want || fail "the summary: $(cat said want)"

refuse() { # WORDS OPTION... FILES
    words=$1
    shift
    "$BIN/rvm-predict" "$@" output >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    grep -q "^rvm-predict: ERROR: .*$words" err || fail "$*: $(cat err)"
    [ ! -e output ] || fail "$* leaves an output file"
}
for p in 0 1 -0.5 2 nan inf; do
    refuse 'between 0 and 1' --interval $p "$DATA/sinc.test" model
done
refuse 'classification' --mode "$DATA/sinc.test" model
"$BIN/rvm-train" -q -g 2 "$DATA/ripley.train" classes || fail "fails"
refuse 'regression' --variance "$DATA/ripley.test" classes
refuse 'regression' --interval 0.9 "$DATA/ripley.test" classes
refuse 'probability' -b 2 "$DATA/ripley.test" classes
refuse 'standard input' - -

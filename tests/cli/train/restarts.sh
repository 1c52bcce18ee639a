# What decides between starts is printed, and does not fall with more of them: the log evidence with
# half a nat for each function (vectors and bias) in regression, the log evidence with two classes.
set -eu

summary() { "$BIN/rvm-train" "$@" model | sed 's/ (.*//' >summary; }
value() { sed -n "s/^$1 = //p" summary; }
at_least() { awk -v now="$1" -v before="$2" 'BEGIN { exit !(now >= before - 1e-3) }'; }

best=-1e300
for starts in 2 6 12; do
    summary -s 3 -g 0.3 --restarts $starts "$DATA/friedman1.train"
    now=$(value "Best of $starts starts")
    functions=$(($(value 'Relevance vectors') + 1))
    awk -v sum="$now" -v L="$(value 'Log evidence')" -v K="$functions" \
        'BEGIN { d = sum - (L + K / 2); exit !(d < 0.01 && d > -0.01) }'
    at_least "$now" $best
    best=$now
done

# With a prior it is the sum of both that the half nats come to.
summary -s 3 -g 0.3 --restarts 2 --prior student:1 "$DATA/friedman1.train"
awk -v sum="$(value 'Best of 2 starts')" -v L="$(value 'Log evidence + log prior')" \
    -v K=$(($(value 'Relevance vectors') + 1)) 'BEGIN { d = sum - (L + K / 2); exit !(d < 0.01 && d > -0.01) }'
"$BIN/rvm-train" -s 3 -g 0.3 --restarts 2 --prior student:1 "$DATA/friedman1.train" model |
    grep -q '^Best of 2 starts = .* (log evidence + log prior +0.5 for each of [0-9]* functions)$'

best=-1e300
for starts in 1 4 8; do
    summary -g 4 --restarts $starts "$DATA/ripley.train"
    if grep '^Best of' summary; then exit 1; fi
    at_least "$(value 'Log evidence')" $best
    best=$(value 'Log evidence')
done

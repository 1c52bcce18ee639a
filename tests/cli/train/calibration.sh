# -b 1: predictions are fitted to rows that cross-validation leaves out, and the summary, the model and
# the next prediction say so.

# Classes: weights and vectors are as without.
"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" plain || fail "fails"
"$BIN/rvm-train" -g 4 -b 1 "$DATA/ripley.train" model >out 2>err || fail "-b 1 fails: $(cat err)"
grep -Eq '^Held-out log loss = [0-9.]+ \(error [0-9.]+%, temperature [0-9.]+\)$' out ||
    fail "the summary says: $(cat out)"
grep -q '^calibration_rows 250$' model || fail "not 250 rows: $(grep calibration model)"
grep -Ev '^(probability|calibration_rows|temperature|held_out)' model >without
grep -v '^probability' plain | cmp - without || fail "the model itself is another one"

# What the folds come to is what -v 5 says of them, with the same folds, but for the temperature.
"$BIN/rvm-train" -g 4 -v 5 "$DATA/ripley.train" 2>scores >/dev/null || fail "-v fails"
awk -v all="$(cat out scores)" 'BEGIN {
    n = split(all, w, /[ \n]+/)
    for (i = 1; i <= n; i++) {
        if (w[i] == "Held-out") held = w[i + 4]
        if (w[i] == "Mean" && w[i + 1] == "log") plain = w[i + 4]
    }
    exit !(held > 0 && held <= plain + 1e-9 && held > 0.5 * plain) }' ||
    fail "held out: $(grep Held-out out), by -v: $(cat scores)"

# With -g auto nothing more is trained, and the loss is that of its folds.
"$BIN/rvm-train" -g auto -b 1 "$DATA/iris" found >out 2>err || fail "-g auto -b 1 fails: $(cat err)"
grep -q '^calibration_rows 150$' found || fail "-g auto: not 150 rows"

# A regression: a line for each output; its 90 % interval is what --interval writes, Student's t.
"$BIN/rvm-train" -s 3 -g 0.3 -b 1 "$DATA/friedman1.train" regression >out 2>err || fail "-s 3 fails"
grep -Eq '^Held-out targets in 50, 90, 95 % intervals = [0-9.]+, [0-9.]+, [0-9.]+ %$' out ||
    fail "the summary says: $(cat out)"
[ "$(grep -c '^spread ' regression)" = 1 ] || fail "not one line spread"
"$BIN/rvm-predict" "$DATA/friedman1.test" regression predicted 2>err >/dev/null || fail "prediction fails"
held=$(sed -n 's/^Intervals of .* hold [0-9.]*, \([0-9.]*\) and .*/\1/p' err)
"$BIN/rvm-predict" -q --interval 0.9 "$DATA/friedman1.test" regression rows || fail "--interval fails"
awk -v held="$held" 'NR == FNR { t[NR] = $1; next }
    { n++; inside += t[FNR] >= $2 && t[FNR] <= $3 }
    END { d = 100 * inside / n - held; exit !(held > 85 && d < 0.06 && d > -0.06) }' \
    "$DATA/friedman1.test" rows || fail "--interval and the summary differ: $held"

# Too few rows: a model without it.
sed 9q "$DATA/friedman1.train" >few
"$BIN/rvm-train" -q -s 3 -b 1 few small || fail "few rows fail"
grep -q '^calibration_rows' small && fail "nine rows were calibrated"

# A file that lies is refused.
sed 's/^temperature .*/temperature 0/' model >lie
"$BIN/rvm-predict" "$DATA/ripley.test" lie rows 2>err && fail "temperature 0 is accepted"
grep -q '^rvm-predict: lie:[0-9]*:13: ' err || fail "says: $(cat err)"
sed '/^class_rows/d' model >lie
"$BIN/rvm-predict" "$DATA/ripley.test" lie rows 2>err && fail "a model without class_rows is accepted"
sed 's/^spread \(.*\) [0-9.]*$/spread \1 1.5/' regression >lie
"$BIN/rvm-predict" "$DATA/friedman1.test" lie rows 2>err && fail "1.5 degrees of freedom are accepted"
true

# --method gibbs: a model of draws, its trace, what it says of itself and what it predicts.
set -u
fail() { echo "$*" >&2; exit 1; }
gibbs() { "$BIN/rvm-train" --method gibbs --samples 60 --burn-in 40 --chains 3 "$@"; }

# Three times x and a little noise, in no order.
awk 'BEGIN {
    seed = 5
    for (i = 0; i < 60; i++) {
        seed = seed * 16807 % 2147483647; x = seed / 2147483647
        seed = seed * 16807 % 2147483647; e = seed / 2147483647
        printf "%.6f 1:%.6f\n", 5 + 3 * x + 0.2 * (e - 0.5), x
    }
}' >line
gibbs -s 3 -t 0 --trace trace line model >out 2>err || fail "gibbs fails: $(cat err)"

# The trace: a line for each draw; the summary is that of its columns.
[ "$(wc -l <trace)" = 181 ] || fail "the trace has $(wc -l <trace) lines"
head -n 1 trace | grep -q '^chain draw log_likelihood sigma w[0-9]* w' || fail "names: $(head -n 1 trace)"
awk 'NR > 1 && ($1 != int((NR - 2) / 60) + 1 || $2 != (NR - 2) % 60 + 1) { exit 1 }' trace ||
    fail "chains and draws are not counted"
grep -q '^Draws = 60 of each of 3 chains' out || fail "no draws in the summary: $(cat out)"
mean=$(awk 'NR > 1 { s += $3 } END { printf "%.4f", s / (NR - 1) }' trace)
sed -n 's/^Log likelihood = \([^ ]*\) .*/\1/p' out |
    awk -v m="$mean" '{ d = $1 - m; exit !(d < 0.001 && d > -0.001) }' ||
    fail "the log likelihood is not $mean: $(cat out)"
grep -A 1 '^weight' out | awk 'FILENAME == "-" { if ($1 != "weight") { name = $1; mean = $2 } next }
    FNR == 1 { for (k = 1; k <= NF; k++) if ($k == name) at = k; next }
    { s += $at }
    END { m = s / (FNR - 1); d = m - mean; exit !(at > 0 && d * d <= 1e-8 * m * m) }' - trace ||
    fail "the mean of a weight is not that of its column: $(cat out)"

# Predictions are averages over the draws that are kept; the kernel is x z.
printf '0 1:0.25\n' >one
"$BIN/rvm-predict" -q --variance one model predicted || fail "prediction fails"
awk 'FILENAME == "predicted" { mean = $1; variance = $2; next }
    $1 == "draws" { D = $2 }
    $1 == "noise_sd" { for (d = 1; d <= D; d++) sd[d] = $(d + 1) }
    $1 == "bias" { for (d = 1; d <= D; d++) f[d] += $2 + $(d + 2) }
    rv && $1 != "end" { split($(D + 1), x, ":"); for (d = 1; d <= D; d++) f[d] += $d * 0.25 * x[2] }
    $1 == "RV" { rv = 1 }
    END {
        for (d = 1; d <= D; d++) m += f[d] / D
        for (d = 1; d <= D; d++) v += ((f[d] - m) ^ 2 + sd[d] ^ 2) / D
        if (D != 180 || (m - mean) ^ 2 > 1e-18 || (v / variance - 1) ^ 2 > 1e-16) {
            print D, m, mean, v, variance; exit 1
        }
        exit (m - 5.75) ^ 2 > 0.01
    }' predicted model >wrong || fail "not the average of the draws: $(cat wrong)"
"$BIN/rvm-predict" -q --interval 0.5 one model inner && "$BIN/rvm-predict" -q --interval 0.9 one model outer
paste inner outer | awk '{ exit !($5 < $2 && $2 < $1 && $1 < $3 && $3 < $6) }' ||
    fail "intervals: $(cat inner outer)"

# All of them lie on a line, so a vector beside the bias says what 60 do.
grep -qx 'total_rv 1' model || fail "$(grep total_rv model) on a line"
gibbs -q -s 3 -t 0 --keep 7 line few >out || fail "--keep fails"
grep -qx 'draws 7' few || fail "--keep does not count"
[ ! -s out ] || fail "-q talks: $(cat out)"

# Neither threads nor the order of the rows change a model, the seed does.
awk 'NR % 3 == 1' "$DATA/ripley.train" >third
for how in "--threads 1" "--threads 3"; do
    # shellcheck disable=SC2086 # two words
    gibbs -q -g 4 $how third "model.${how#* }" || fail "two classes fail with $how"
done
cmp model.1 model.3 || fail "threads change the model"
sort third >sorted
gibbs -q -g 4 sorted model.sorted 2>err || fail "sorted rows fail"
sed -n '/^draws/,$p' model.1 >draws.1
sed -n '/^draws/,$p' model.sorted >draws.sorted
cmp draws.1 draws.sorted || fail "the order of the rows changes the draws"
gibbs -q -g 4 --seed 2 sorted model.other || fail "another seed fails"
cmp -s model.sorted model.other && fail "the seed changes nothing"

# Probabilities sum to 1, in libsvm's format; errors near those of the plain model (10 %).
gibbs -q -g 4 "$DATA/ripley.train" all.model 2>err || fail "two classes fail"
"$BIN/rvm-predict" -b 1 "$DATA/ripley.test" all.model predicted >out || fail "-b 1 fails"
awk 'NR > 1 { d = $2 + $3 - 1; if (d > 2e-6 || d < -2e-6) exit 1 }' predicted || fail "sums"
sed -n 's/^Accuracy = \([0-9.]*\)%.*/\1/p' out | awk '{ exit !($1 > 88) }' || fail "$(cat out)"

# The mixture, few functions, other bounds, no bias, cross-validation.
gibbs -q --prior mixture -g 4 sorted model || fail "the mixture fails"
gibbs -g 4 --gibbs-basis active sorted model >out || fail "active functions fail"
grep -q '^Draws = .*, 85 functions' out || fail "fewer than 300 functions are not all: $(cat out)"
gibbs -q -s 3 --no-bias --alpha-min 1e-6 --alpha-max 1e5 --prior gamma:1,0 line model || fail "bounds"
gibbs -q -v 3 -g 4 sorted >out || fail "-v fails"
grep -q '^Cross Validation Accuracy = [89]' out || fail "-v: $(cat out)"
gibbs -s 3 --ard --kernel rbf line model >out || fail "--ard fails"
grep -q '^Inputs by relevance = 1' out || fail "--ard: $(cat out)"

# Nothing to draw: the constant alone.
printf '1 1:1\n1 1:2\n1 1:3\n' >constant
gibbs -q -s 3 --trace none constant model 2>err || fail "a constant fails: $(cat err)"

refuse() { # WORDS FILE OPTION...
    words=$1 file=$2
    shift 2
    gibbs "$@" "$file" none >out 2>err && fail "$* is accepted"
    cat out >>err
    grep -q -e "$words" err || fail "$*: $(cat err)"
    [ ! -e none ] || fail "$* leaves a model"
}
refuse 'knows two classes; there are 3' "$DATA/iris"
refuse 'number of samples is 2' line -s 3 --samples 2
refuse 'weights of classes' sorted -w1 2
refuse 'knows one output' "$DATA/linnerud" -s 3
refuse 'need -m' "$DATA/ripley.train" -m 1
refuse 'all and active' line -s 3 --gibbs-basis some
refuse 'is not below' line -s 3 --alpha-min 2 --alpha-max 1
refuse "can't save trace" line -s 3 --trace folder/trace
refuse 'write to the model' line -s 3 --trace none
refuse 'for a model' line -s 3 --trace none -v 2
refuse 'for --method gibbs' line -s 3 --method auto
cp line data
gibbs -q -s 3 -t 0 line kept || fail "training fails"
gibbs -q -s 3 -t 0 --trace ./kept line kept 2>err && fail "./kept replaces kept"
head -n 1 kept | grep -qx 'rvm_model 1' || fail "the model is gone: $(head -n 1 kept)"
gibbs -q -s 3 -t 0 --trace line.model line 2>err && fail "the trace replaces the model"
grep -q 'would write to the model' err || fail "no word: $(cat err)"
# Of inputs in other units it is the same model.
awk '{ split($2, x, ":"); printf "%s 1:%.12g\n", $1, x[2] / 1000 }' line >small
for basis in line small; do
    gibbs -q -s 3 --kernel none --basis bias,linear --samples 400 $basis unit.model || fail "$basis fails"
    "$BIN/rvm-predict" $basis unit.model predicted 2>/dev/null | sed -n 's/^Mean.* = \([^ ]*\) .*/\1/p'
done >errors
awk '{ e[NR] = $1 } END { exit !(NR == 2 && e[1] < 0.01 && e[2] < 1.05 * e[1] && e[1] < 1.05 * e[2]) }' errors ||
    fail "units of inputs matter: $(cat errors)"
# A target far from 0, and an interval that is all but certain.
awk '{ $1 += 1e9; print }' line >offset
gibbs -q -s 3 -t 0 offset far || fail "an offset fails"
"$BIN/rvm-predict" -q --interval 0.9999999999999999 offset far predicted || fail "a wide interval fails"
awk '$2 == $2 + 0 && $3 == $3 + 0 && $2 < $1 && $1 < $3 { good++ } END { exit good != 60 }' predicted ||
    fail "a wide interval: $(head -n 2 predicted)"
gibbs -s 3 --trace data data none >out 2>err && fail "the trace replaces the data"
cmp line data || fail "the data are gone"

# Two weights: those of a line by least squares (5 and 3), noise uniform on 0.2 (0.2 / sqrt(12)).
line_of() { gibbs -q -s 3 --kernel none --basis bias,linear "$@" line model || fail "$* fails"; }
line_of --trace plain
awk 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { x += $at["x1"]; sigma += $4; if ($1 == 1) one[$2] = $at["x1"]; else if ($1 == 2) same += one[$2] == $at["x1"] }
    END {
        x /= NR - 1; sigma /= NR - 1
        exit !(x > 2.9 && x < 3.1 && sigma > 0.045 && sigma < 0.075 && same == 0)
    }' plain || fail "not the line, or chains that are one"
# Weights of two classes are told as the model has them, whose draws d are used as Phi(sum d phi): in the
# table, whose means they have, and in the trace.
gibbs -g 4 --kernel none --basis bias,linear --keep 1000 --trace told "$DATA/ripley.train" drawn >table 2>/dev/null ||
    fail "a linear model fails"
[ "$(grep -c '^b' drawn)" = 3 ] || fail "functions are missing: $(grep '^b' drawn)"
awk 'function same(a, b, share) { return (a - b) ^ 2 <= (share * b) ^ 2 }
    FILENAME == "drawn" && $1 == "basis" { n = NF - 2; for (d = 1; d <= n; d++) { draw[$2, d] = $(d + 2); sum[$2] += $(d + 2) } }
    FILENAME == "told" && FNR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    FILENAME == "told" { row++
        for (x in sum) { rows++; if (!same($at[x], draw[x, row], 1e-4)) { bad = 1; exit } } }
    FILENAME == "table" && $1 in sum { means++; if (!same($2, sum[$1] / n, 1e-3)) { bad = 1; exit } }
    END { if (bad || rows != 2 * n || means != 2) exit 1 }' drawn told table ||
    fail "another scale in the table or in the trace than in the model"

# Every second draw, and those behind a longer burn-in, are draws of the same chains.
line_of --thin 2 --samples 30 --trace thin
awk 'FNR == 1 { next } FILENAME == "plain" { if ($2 % 2 == 0) row[$1, $2 / 2] = $3 " " $4; next }
    row[$1, $2] != $3 " " $4 { exit 1 }' plain thin || fail "--thin takes other draws"
line_of --burn-in 50 --samples 50 --trace late
awk 'FNR == 1 { next } FILENAME == "plain" { if ($2 > 10) row[$1, $2 - 10] = $3 " " $4; next }
    row[$1, $2] != $3 " " $4 { exit 1 }' plain late || fail "--burn-in takes other draws"
# A prior that knows the precisions: 1 and 1 / 0.25.
line_of --prior gamma:1e6,1e6 --noise-prior 4e6,1e6 --trace known
awk 'NR > 1 && ($4 < 0.49 || $4 > 0.51) { exit 1 }' known || fail "--noise-prior does not count"
# A name is that of the row in the file, whatever its order.
awk '{ row[NR] = $0 } END { for (n = NR; n > 0; n--) print row[n] }' line >turned
for file in line turned; do
    gibbs -s 3 -g 5 $file model 2>/dev/null | awk 'table && $1 != "w0" { print substr($1, 2); exit } $1 == "weight" { table = 1 }'
done >places
awk '{ sum += $1 } END { exit !(NR == 2 && sum == 61) }' places || fail "names of rows: $(cat places)"
# So few draws from anywhere do not agree.
gibbs -q -g 4 --samples 4 --burn-in 0 sorted model 2>err
grep -q 'have not come together' err && grep -qx 'converged 0' model || fail "four draws are enough?"

# An interrupt: a whole model and trace of the draws so far, or before them the model of the search.
timeout --foreground --preserve-status -s INT 5.5 true 2>/dev/null || exit 0
for after in 0.05 0.5 2 8; do
    rm -f model trace
    timeout --foreground --preserve-status -s INT $after "$BIN/rvm-train" --method gibbs -g 4 \
        --burn-in 10 --thin 20 --samples 20000 --trace trace sorted model >out 2>err
    code=$?
    [ $code = 130 ] || fail "an interrupt ends with $code: $(cat err)"
    [ ! -e model ] || "$BIN/rvm-predict" -q sorted model predicted || fail "a broken model"
    [ ! -e trace ] || awk 'NR == 1 { n = NF } NF != n { exit 1 }' trace || fail "a broken trace"
    [ -e trace ] && [ "$(wc -l <trace)" -gt 20 ] && break # how soon depends on the machine
done
grep -q '^draws' model && [ "$(wc -l <trace)" -gt 20 ] || fail "the draws so far are lost"

# --standardize: as by hand in awk, without any other tool at prediction, whatever the blocks.
set -u
fail() { echo "$*" >&2; exit 1; }

# Five inputs of very different units, the fourth constant; two of them absent in some rows, where they
# are 0. The rows of `others` have a feature that training has not seen.
uniform='function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }'
awk "$uniform"'BEGIN {
    seed = 5
    for (n = 0; n < 90; n++) {
        for (i = 1; i <= 5; i++) x[i] = 2 * uniform() - 1
        line = sprintf("%.6f", sin(3 * x[1]) + x[2] * x[3] + 0.1 * uniform())
        line = line sprintf(" 1:%.9g 2:%.9g", 1e-6 * x[1], 1e6 * (x[2] + 3))
        if (x[3] > -0.5) line = line sprintf(" 3:%.9g", 20 + x[3])
        line = line " 4:17"
        if (x[5] > -0.5) line = line sprintf(" 5:%.9g", x[5])
        print line (n >= 60 && n % 2 ? " 8:1e5" : "") >(n < 60 ? "data" : "others")
    }
}' || fail "no data"

# Means and standard deviations of the first file, rows of the second.
cat >standard.awk <<'END'
function take(k) { split("", x); for (k = 2; k <= NF; k++) { split($k, pair, ":"); x[pair[1]] = pair[2] } }
pass == 1 { n++; take(); for (j = 1; j <= 5; j++) sum[j] += x[j] }
pass == 2 { take(); for (j = 1; j <= 5; j++) square[j] += (x[j] - sum[j] / n) ^ 2 }
pass == 3 {
    take()
    printf "%s", $1
    for (j = 1; j <= 5; j++)
        if (square[j] > 0) printf " %d:%.17g", j, (x[j] - sum[j] / n) / sqrt(square[j] / n)
    print ""
}
END
by_hand() { awk -f standard.awk pass=1 data pass=2 data pass=3 "$1"; }
by_hand data >data.std && by_hand others >others.std || fail "awk fails"
[ "$(head -n 1 data.std | tr ' ' '\n' | grep -c :)" = 4 ] || fail "$(head -n 1 data.std)"

# agree OPTIONS: the same predictions, and their variances, to rounding.
agree() {
    "$BIN/rvm-train" -q -s 3 -e 1e-7 "$@" data.std hand || fail "$*: by hand fails"
    "$BIN/rvm-train" -q -s 3 -e 1e-7 "$@" --standardize data model || fail "$*: fails"
    for file in data others; do
        "$BIN/rvm-predict" -q --variance $file.std hand want || fail "$*: by hand cannot be used"
        "$BIN/rvm-predict" -q --variance $file model got || fail "$*: cannot be used"
        paste -d ' ' want got | awk '
            function differ(a, b) { d = a > b ? a - b : b - a; return d > 1e-5 * (1 + (a > 0 ? a : -a)) }
            NF != 4 || differ($1, $3) || differ($2, $4) { exit 1 }' ||
            fail "$* $file: $(paste want got | head -n 3)"
    done
}
agree -g 0.3
agree -t 5 -g 0.2
agree -t 0
agree -t 1 -d 2 -r 1 -g 0.5
agree -t 6
agree -t 7 --basis bias,linear,quadratic
agree -g 0.3 --prior kernel
agree -g 0.3 -b 1
agree -g 0.3 --vectors 4

# The summary and the model say so; vectors are rows of the file.
"$BIN/rvm-train" -s 3 -g 0.3 --standardize data model >out 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "says: $(cat err)"
grep -qx 'Features standardized = 4 (mean 0, standard deviation 1)' out || fail "$(cat out)"
grep -qx 'standardized 4 1' model || fail "$(head -n 12 model)"
[ "$(grep -c '^feature ' model)" = 4 ] || fail "$(head -n 12 model)"
pairs='{ for (k = first; k <= NF; k++) { split($k, pair, ":"); printf " %d:%.8g", pair[1], pair[2] } print "" }'
sed -n '/^RV$/,/^end$/p' model | sed '1d;$d' | awk -v first=3 "$pairs" | sort >vectors
awk -v first=2 "$pairs" data | sort >rows
[ -s vectors ] && [ -z "$(comm -23 vectors rows)" ] || fail "vectors: $(cat vectors)"

# A row's bytes are its own: in a stream, alone, by any number of threads.
"$BIN/rvm-predict" -q others model all || fail "cannot be used"
while read -r row; do echo "$row" | "$BIN/rvm-predict" -q - model -; done <others >each
cmp all each || fail "rows by themselves differ"
"$BIN/rvm-predict" -q --threads 3 - model - <others | cmp - all || fail "streams differ"

# Neither the order of the rows matters nor the threads.
sort -r data | "$BIN/rvm-train" -q -s 3 -g 0.3 --threads 3 --standardize - other || fail "fails"
grep -v '^rows ' model >a
grep -v '^rows ' other >b
cmp a b || fail "the order of the rows matters"

# With what chooses and what draws; in folds.
train() {
    "$BIN/rvm-train" -q --standardize "$@" model || fail "$* fails"
    "$BIN/rvm-predict" -q others model got || fail "$*: cannot be used"
}
train -s 3 -g auto data
train -s 3 --ard data
train -s 3 --select rbf,linear data
train -s 3 -g 0.3 --method gibbs --samples 400 --burn-in 100 --chains 2 data
awk '{ $1 = $1 > 0.4 ? 2 : $1 > -0.4 ? 1 : 0; print }' data >classes
train -g 0.3 classes
train -g 0.3 --multiclass ovr classes
awk '{ $1 = $1 "," 2 * $1; print }' data >outputs
train -s 3 -g 0.3 outputs
"$BIN/rvm-train" -q -s 3 -g 0.3 --standardize -v 5 data >out || fail "-v fails"
"$BIN/rvm-train" -q -s 3 -g 0.3 -v 5 data.std >hand || fail "-v by hand fails"
# Not to the digit: each fold has means of its own.
paste -d' ' out hand | awk '/squared error/ { d = $7 / $14; exit !(d != 1 && d > 0.8 && d < 1.25) }' ||
    fail "folds: $(cat out hand)"

# Sparse rows keep their zeros, and rows of a kernel have no features.
awk "$uniform"'BEGIN {
    seed = 2
    for (n = 0; n < 80; n++) {
        printf "%d", n % 2
        for (j = n % 2 + 1; j <= 60; j += 2)
            if (uniform() < 0.2) printf " %d:%d", j, 5 * j
        print ""
    }
}' >sparse
"$BIN/rvm-train" -t 0 --standardize sparse model >out || fail "sparse rows: fails"
grep -qx 'Features standardized = 60 (standard deviation 1; sparse rows keep their zeros)' out || fail "$(cat out)"
grep -qx 'standardized 60 0' model || fail "$(head model)"
printf '1 0:1 1:1 2:0\n-1 0:2 1:0 2:1\n' >matrix
"$BIN/rvm-train" -q -t 4 --standardize matrix model 2>err && fail "a kernel matrix passes"
[ "$(cat err)" = 'rvm-train: ERROR: --standardize is not for a precomputed kernel, whose rows have no features' ] ||
    fail "$(cat err)"

# The hint, where nothing makes unequal features alike.
note='rvm-train: the ranges of the features go from [0-9.]*e-06 to [0-9.]*e+06: --standardize makes them alike'
told() { "$BIN/rvm-train" -s 3 -g 0.3 "$@" model 2>err >out || fail "$* fails"; grep -q "^$note\$" err; }
told data || fail "no hint: $(cat err)"
told --ard data && fail "a hint with --ard: $(cat err)"
told --standardize data && fail "a hint with --standardize: $(cat err)"
told -q data && fail "quiet: $(cat err)"
told data.std && fail "a hint where features are alike: $(cat err)"
exit 0

# Several targets in a row: one model, a line for each output with -v, and faults with their place.
set -u
fail() { echo "$*" >&2; exit 1; }

# Two waves of one input, with noise of a standard deviation of 0.05 and 0.4.
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 150; i++) {
        x = 8 * i / 150
        a = sqrt(-2 * log(1 - rand()))
        b = 6.283185307179586 * rand()
        printf "%.6f,%.6f 1:%.6f\n", sin(x) + 0.05 * a * cos(b), 10 - cos(x) + 0.4 * a * sin(b), x
    }
}' >data

"$BIN/rvm-train" -s 3 -g 0.5 data model >out 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "says: $(cat err)"
grep -qx 'Outputs = 2' out || fail "no number of outputs: $(cat out)"
sed -n 's/^Noise standard deviation = //p' out | awk -F , '
    NF != 2 || $1 < 0.04 || $1 > 0.06 || $2 < 0.32 || $2 > 0.48 { exit 1 }
    END { exit NR != 1 }' || fail "noise: $(cat out)"
[ "$(head -n 1 model)" = 'rvm_model 1' ] || fail "version: $(head -n 1 model)"
grep -qx 'nr_output 2' model || fail "$(head -n 12 model)"
[ "$(sed -n 's/^output \([0-9]*\) [0-9]*$/\1/p' model | tr '\n' ' ')" = '1 2 ' ] ||
    fail "outputs: $(grep output model)"
[ "$(awk '/^noise_variance/ { print NF }' model)" = 3 ] || fail "$(grep noise_v model)"

# -s 4 is the same, and the order of the rows and the number of threads do not matter.
"$BIN/rvm-train" -q -s 4 -g 0.5 --threads 1 data other && cmp model other || fail "-s 4 differs"
sort -r data | "$BIN/rvm-train" -q -s 3 -g 0.5 --threads 3 - other || fail "-s 3 fails"
grep -v '^rows ' model >a
grep -v '^rows ' other >b
cmp a b || fail "the order of the rows matters"

# With shared noise both have the same share of their variance.
"$BIN/rvm-train" -q -s 3 -g 0.5 --shared-noise data shared || fail "--shared-noise fails"
noise=$(sed -n 's/^noise_variance //p' shared)
sed 's/[, ]/ /g' data | awk -v noise="$noise" '
    { for (j = 1; j <= 2; j++) { s[j] += $j; ss[j] += $j * $j } }
    END {
        split(noise, v, " ")
        for (j = 1; j <= 2; j++)
            share[j] = v[j] / (ss[j] / NR - (s[j] / NR) ^ 2)
        exit !(share[1] / share[2] > 0.999 && share[1] / share[2] < 1.001)
    }' || fail "shares differ: $noise"
"$BIN/rvm-train" -q -s 3 --noise-variance 0.25 data given || fail "--noise-variance fails"
grep -qx 'noise_variance 0.25 0.25' given || fail "not held: $(grep noise given)"

# Cross-validation: libsvm's two lines with the means; a line for each output on standard error.
"$BIN/rvm-train" -s 3 -g 0.5 -v 5 data >out 2>err || fail "-v fails: $(cat err)"
[ "$(wc -l <out)" = 2 ] || fail "-v prints: $(cat out)"
[ "$(grep -c '^Output [12]: mean squared error = ' err)" = 2 ] || fail "no outputs: $(cat err)"
awk -F '[ =,]+' '
    /^Output/ { e += $6 / 2; r += $10 / 2 }
    /Mean squared/ { d = $NF - e; bad += d > 1e-5 || d < -1e-5 }
    /Squared corr/ { d = $NF - r; bad += d > 1e-5 || d < -1e-5 }
    END { exit bad || e == 0 || r < 0.5 }' err out || fail "no means: $(cat err out)"
"$BIN/rvm-train" -q -s 3 -g 0.5 -v 5 data >quiet 2>err || fail "-q -v fails"
cmp out quiet || fail "-q changes the result"
[ ! -s err ] || fail "-q says: $(cat err)"

refuse() { # PLACE TEXT OPTION...
    printf "$2" >bad
    place=$1
    shift 2
    "$BIN/rvm-train" "$@" bad new >out 2>err
    [ $? = 1 ] || fail "no exit 1 for $(cat bad)"
    grep -q "^rvm-train: bad:$place: ." err || fail "not at $place: $(cat err)"
    [ ! -e new ] || fail "a model of bad data"
}
refuse 2:1 '1,2 1:1\n1 1:2\n' -s 3
grep -q '1 label where the first row has 2' err || fail "$(cat err)"
refuse 2:2 '1 1:1\n 1,2 1:2\n' -s 4
refuse 1:3 '1,x 1:1\n' -s 3
refuse 1:3 '1, 2 1:1\n' -s 3
refuse 1:1 '1,2 1:1\n' -s 0
grep -q 'more than one label, which is for regression only' err || fail "$(cat err)"
refuse 1:1 '1,2 1:1\n'
"$BIN/rvm-train" --shared-noise "$DATA/ripley.train" new 2>err && fail "shared noise of classes"
grep -qx 'rvm-train: ERROR: shared noise is a setting of regression only' err || fail "$(cat err)"
exit 0

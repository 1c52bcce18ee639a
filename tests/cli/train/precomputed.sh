# -t 4: the matrix of inner products gives what -t 0 gives, in training, prediction and -v.
set -u
fail() { echo "$*" >&2; exit 1; }

# products TRAIN FILE: the rows of FILE as rows of inner products with those of TRAIN.
products() {
    awk '
        file != FILENAME { file = FILENAME; part++; row = 0 }
        part == 1 { n++ }
        { row++; for (k = 2; k <= NF; k++) { split($k, p, ":"); x[part, row, p[1]] = p[2] } }
        part == 2 { label[row] = $1; rows = row }
        END {
            for (i = 1; i <= rows; i++) {
                line = label[i] " 0:" i
                for (j = 1; j <= n; j++) {
                    s = 0
                    for (f = 1; f <= 2; f++)
                        s += x[2, i, f] * x[1, j, f]
                    line = line " " j ":" s
                }
                print line
            }
        }' CONVFMT=%.17g OFMT=%.17g "$1" "$2"
}
head -n 60 "$DATA/ripley.train" >first
tail -n 60 "$DATA/ripley.train" >last
cat first last >rows
head -n 100 "$DATA/ripley.test" >others
cp rows again
products rows again >rows.matrix
products rows others >others.matrix

"$BIN/rvm-train" -q -t 0 rows linear || fail "-t 0 fails"
"$BIN/rvm-train" -q -t 4 rows.matrix matrix || fail "-t 4 fails"
grep -qx 'kernel_type precomputed' matrix || fail "not a precomputed kernel"
sed '1,/^RV$/d; /^end$/d' matrix | grep -Eqv '^[^ ]+ [^ ]+ 0:[0-9]+$' &&
    fail "vectors are not serial numbers: $(sed '1,/^RV$/d' matrix)"

awk '$1 == "log_evidence" { e[FILENAME] = $2 }
    END { d = e["linear"] - e["matrix"]; exit !(d < 0.01 && d > -0.01) }' linear matrix ||
    fail "the evidence differs: $(grep evidence linear matrix)"
"$BIN/rvm-predict" -q -b 1 others linear a || fail "prediction fails"
"$BIN/rvm-predict" -q -b 1 others.matrix matrix b || fail "prediction fails"
paste a b | awk 'NR > 1 { d = $2 - $5; if (d > 0.01 || d < -0.01) { print; bad = 1 } }
    END { exit bad || NR != 101 }' || fail "predictions differ"
"$BIN/rvm-train" -q -t 4 -v 5 rows.matrix | grep -q '^Cross Validation Accuracy = [89]' ||
    fail "no cross-validation of a matrix"

# A matrix that is none: an error with its place, and no model.
refuse() { # WORDS TOOL WORD...
    words=$1 tool=$2
    shift 2
    "$BIN/$tool" "$@" >out 2>err
    [ $? = 1 ] || fail "$*: exit is not 1"
    grep -q "$words" err || fail "$*: '$words' is not in: $(cat err)"
    [ ! -e none ] || fail "$*: leaves a file"
}
sed '7s/ 120:[^ ]*$//' rows.matrix >wrong
refuse '^rvm-train: wrong:7:[0-9]*: kernel row of 119 values' rvm-train -q -t 4 wrong none
sed '7s/ 0:7 / 0:8 /' rows.matrix >wrong
refuse '^rvm-train: wrong:8:[0-9]*: serial number 8 is that of line 7 too' rvm-train -q -t 4 wrong none
sed '7s/ 3:[^ ]*/ 3:9/' rows.matrix >wrong
refuse '^rvm-train: wrong:7:[0-9]*: kernel matrix is not symmetric: 9 with line 3,' \
    rvm-train -q -t 4 wrong none
cut -d ' ' -f 1-62 others.matrix >wrong
refuse '^rvm-predict: wrong:1:[0-9]*: kernel row of 60 values; .* on 120 rows$' \
    rvm-predict -q wrong matrix none

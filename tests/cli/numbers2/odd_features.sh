# Features that repeat one another, or differ by sixteen orders of magnitude.
set -u
fail() { echo "$*" >&2; exit 1; }
same() { # WORDS TOLERANCE; files wanted and got
    paste wanted got | awk -v e="$2" '{ d = $1 - $2; if (d > e || d < -e || $2 !~ /^[-+0-9.e]+$/) exit 1 }' ||
        fail "$1: other predictions"
}

# Ten times the same feature is ten times the square of the distance, or ten times the product.
awk '{ split($2, pair, ":"); printf "%s", $1; for (f = 1; f <= 10; f++) printf " %d:%s", f, pair[2]; print "" }' \
    "$DATA/mcycle" >ten
"$BIN/rvm-train" -s 3 -g 0.1 "$DATA/mcycle" one.model | grep '^Log' >one
"$BIN/rvm-train" -s 3 -g 0.01 ten ten.model | grep '^Log' | cmp - one || fail "rbf: another evidence"
"$BIN/rvm-predict" -q "$DATA/mcycle" one.model wanted || fail "prediction fails"
"$BIN/rvm-predict" -q ten ten.model got || fail "prediction fails"
same rbf 1e-4
"$BIN/rvm-train" -q -s 3 -t 0 "$DATA/mcycle" one.model || fail "training fails"
"$BIN/rvm-train" -q -s 3 -t 0 ten ten.model || fail "training fails"
"$BIN/rvm-predict" -q "$DATA/mcycle" one.model wanted || fail "prediction fails"
"$BIN/rvm-predict" -q ten ten.model got || fail "prediction fails"
same linear 1e-4

# 1e8 and 1e-8 side by side: every kernel gives numbers, and after scaling units do not matter.
awk 'BEGIN { srand(7); for (i = 0; i < 150; i++) {
    x = int(1e6 * rand()); y = int(1e6 * rand())
    t = sin(x / 1e5) + y / 1e6 + 0.1 * (rand() - 0.5)
    printf "%.6f 1:%d 2:%d\n", t, x, y >"plain"
    printf "%.6f 1:%de2 2:%de-14\n", t, x, y >"mixed" } }'
for t in 0 1 2 3 5 6; do
    timeout 100 "$BIN/rvm-train" -q -s 3 -t $t mixed model || fail "-t $t fails"
    "$BIN/rvm-predict" -q --variance mixed model got || fail "-t $t: prediction fails"
    awk '!/^[-+0-9.e]+ [0-9.e+-]+$/ || $2 < 0 { exit 1 }' got || fail "-t $t: $(sed 1q got)"
done
for data in plain mixed; do
    "$BIN/rvm-scale" -l 0 $data >$data.scaled || fail "scaling fails"
    "$BIN/rvm-train" -q -s 3 -g 4 $data.scaled $data.model || fail "training fails"
    "$BIN/rvm-predict" -q $data.scaled $data.model $data.out || fail "prediction fails"
done
cp plain.out wanted
cp mixed.out got
same scaled 1e-3
awk 'BEGIN { getline line <"mixed.out" } { d += ($1 - line) ^ 2; getline line <"mixed.out" }
    END { exit !(d / NR < 0.02) }' mixed.scaled || fail "scaled: the fit is poor"

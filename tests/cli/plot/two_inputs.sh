# Two inputs: the surface is the log-odds that rvm-predict's probabilities have, rows are sorted by
# class, and the relevance vectors circled.
set -u
. "$SRC/tests/cli/plot/setup.inc"

"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" model || fail "training fails"
"$plot" "$DATA/ripley.train" model figure.gp || fail "fails"
block surface figure.gp | awk 'NF > 0 { print 0, "1:" $1, "2:" $2 }' >asked
[ "$(wc -l <asked)" -ge 10000 ] || fail "a surface of $(wc -l <asked) points"
"$BIN/rvm-predict" -q -b 1 asked model answers || fail "prediction fails"
block surface figure.gp | awk 'NF > 0' >surface
sed 1d answers | paste -d ' ' surface - | awk '
    { p = 1 / (1 + exp(-$3)); d = p - $5 }
    d > 1e-5 || d < -1e-5 || $3 > 1e-4 && $4 != 1 || $3 < -1e-4 && $4 != -1 { print; bad = 1 }
    END { exit bad }' || fail "the surface is not rvm-predict's"
for level in 0 '-log(3)' 'log(3)'; do # p = 1/2, 1/4, 3/4
    grep -qxF "set cntrparam levels discrete $level" figure.gp || fail "no contour $level"
done
[ "$(grep -c '^set table' figure.gp)" = 3 ] || fail "not three contours"
grep -q 'boundary1 using 1:2 with lines lw 2 lc' figure.gp || fail "no solid boundary"
[ "$(grep -c 'with lines lw 1.3 dt 2' figure.gp)" = 2 ] || fail "no two dashed contours"

same() { # BLOCK WANTED: the same pairs of numbers
    block "$1" figure.gp | awk '{ print $1 + 0, $2 + 0 }' | sort >have
    sort "$2" | cmp -s have - || fail "$1 differs"
}
pairs() { awk '{ split($2, a, ":"); split($3, b, ":"); print a[2] + 0, b[2] + 0 }'; }
awk '$1 == 1' "$DATA/ripley.train" | pairs >one
awk '$1 == -1' "$DATA/ripley.train" | pairs >other
grep -qx 'label 1 -1' model || fail "the test expects the labels 1 -1"
same class1 one
same class2 other
sed -n '/^RV/,$p' model | awk '/:/ { print 0, $3, $4 }' | pairs >vectors
same vectors vectors
[ "$(count vectors figure.gp)" = "$(sed -n 's/^total_rv //p' model)" ] || fail "not total_rv circles"

# The two contours that are on the same side of everything are left out: here p is above 1/2.
cat >likely <<'END'
rvm_model 1
task classification
kernel_type none
nr_class 2
label 3 8
total_rv 0
examples 9
log_evidence -4.5
converged 1
probability 0
bias 0.75 0.5 0
basis x2 0.5 8
basis x5 0.0625 8
factor 1e9 0 0
factor 1e9 0
factor 1e9
RV
end
END
# f = 0.75 + x2 / 2 + x5 / 16 crosses ln 3 = 1.0986 on this square, and neither 0 nor -ln 3.
printf '3 2:1 5:0.5\n8 5:1\n3\n11 2:0.25\n' >data
"$plot" data likely likely.gp || fail "fails"
[ "$(grep -c '^set table' likely.gp)" = 1 ] && grep -q 'discrete log(3)$' likely.gp ||
    fail "contours that are not there"
block surface likely.gp | awk 'NF > 0 {
    f = 0.75 + $1 / 2 + $2 / 16
    if (f - $3 > 1e-4 || $3 - f > 1e-4) { print; bad = 1 } }
    END { exit bad }' || fail "not the surface by hand"
grep -qx 'set xlabel "x2"' likely.gp && grep -qx 'set ylabel "x5"' likely.gp || fail "other inputs"
[ "$(block class1 likely.gp)" = "$(printf '1 0.5\n0 0')" ] || fail "class 3: $(block class1 likely.gp)"
[ "$(block class2 likely.gp)" = '0 1' ] || fail "class 8: $(block class2 likely.gp)"
[ "$(block others likely.gp)" = '0.25 0' ] || fail "class 11: $(block others likely.gp)"

# Three classes: which one has a surface above 0 is the one that is predicted.
sed 's/ [12]:[^ ]*//g' "$DATA/iris" >iris
"$BIN/rvm-train" -q iris three || fail "training fails"
"$plot" iris three three.gp || fail "fails"
block surface three.gp | awk 'NF > 0' >surface
awk '{ print 0, "3:" $1, "4:" $2 }' surface >asked
"$BIN/rvm-predict" -q -b 1 asked three answers || fail "prediction fails"
read -r _ labels <answers
sed 1d answers | paste -d ' ' surface - | awk -v labels="$labels" '
    BEGIN { split(labels, label, " ") }
    {
        for (k = 1; k <= 3; k++)
            if ($(2 + k) > 1e-4 && label[k] != $6 || $(2 + k) < -1e-4 && label[k] == $6) {
                print
                bad = 1
            }
    }
    END { exit bad }' || fail "other regions than those of rvm-predict"
[ "$(grep -c '^set cntrparam levels discrete 0$' three.gp)" = 3 ] || fail "not a boundary for each class"
[ "$(count vectors three.gp)" = "$(sed -n 's/^total_rv //p' three)" ] || fail "not total_rv circles"
[ "$(count class1 three.gp) $(count class2 three.gp) $(count class3 three.gp)" = '50 50 50' ] ||
    fail "rows are lost"
clean

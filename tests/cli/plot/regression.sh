# Regression with one input: the curve is rvm-predict's, the band mean -+ 2 standard deviations or the
# interval that was asked for, every row is there, and each relevance vector is circled at its row.
set -u
. "$SRC/tests/cli/plot/setup.inc"

"$BIN/rvm-train" -q -s 3 -t 6 "$DATA/sinc.train" model || fail "training fails"
"$plot" "$DATA/sinc.train" model figure.gp || fail "fails"
[ "$(tail -n 1 figure.gp)" = '# end' ] || fail "the program has no end"

block curve figure.gp | awk '{ print 0, "1:" $1 }' >asked
[ "$(wc -l <asked)" -ge 500 ] || fail "a curve of $(wc -l <asked) points"
"$BIN/rvm-predict" -q --variance asked model answers || fail "prediction fails"
block curve figure.gp | paste -d ' ' - answers | awk '
    function near(a, b) { return a - b < 1e-12 && b - a < 1e-12 }
    NR > 1 && $1 <= x { print "not ascending: " $0; bad = 1 }
    !near($2, $5) || !near($3, $5 - 2 * sqrt($6)) || !near($4, $5 + 2 * sqrt($6)) { print; bad = 1 }
    { x = $1 }
    END { exit bad }' || fail "the curve is another one"

# It spans all rows, which reach from -10 to 10.
block curve figure.gp | sed -n '1p; $p' | awk '
    NR == 1 && !($1 < -10 && $1 > -12) || NR == 2 && !($1 > 10 && $1 < 12) { bad = 1 }
    END { exit bad }' || fail "the curve does not span the rows"

"$plot" --interval 0.9 "$DATA/sinc.train" model interval.gp || fail "fails"
"$BIN/rvm-predict" -q --interval 0.9 asked model answers || fail "prediction fails"
block curve interval.gp | cut -d ' ' -f 2-4 | cmp - answers || fail "another interval"
grep -q 'title "interval of probability 0.9"' interval.gp || fail "the legend is silent about it"

awk '{ sub(/1:/, ""); print $1 + 0, $2 + 0 }' "$DATA/sinc.train" | sort >want
block rows figure.gp | awk '{ print $1 + 0, $2 + 0 }' | sort | cmp - want || fail "other rows"

# The circles: as many as vectors, each at a row of the file that has the input of a vector.
vectors=$(sed -n 's/^total_rv //p' model)
[ "$vectors" -gt 0 ] && [ "$(count vectors figure.gp)" = "$vectors" ] ||
    fail "$(count vectors figure.gp) circles for $vectors vectors"
block vectors figure.gp | awk '{ print $2 + 0, $1 + 0 }' | sort >circles
[ "$(comm -12 circles want | wc -l)" = "$vectors" ] || fail "circles that are not at rows"
sed -n '/^RV/,$p' model | awk '/:/ { split($3, pair, ":"); print pair[2] + 0 }' | sort >vector_inputs
cut -d ' ' -f 2 circles | sort | cmp - vector_inputs || fail "circles at other inputs"

# Rows that the model was not trained on: the circles stand on the curve.
"$plot" "$DATA/sinc.test" model test.gp || fail "fails"
sed -n '/^RV/,$p' model | awk '/:/ { print 0, $3 }' >asked
"$BIN/rvm-predict" -q asked model answers || fail "prediction fails"
block vectors test.gp | cut -d ' ' -f 2 | cmp - answers || fail "circles beside the curve"

# Rows of one input: one circle for the one vector.
awk '{ print; print $1 + 1, $2 }' "$DATA/sinc.train" >twice
"$plot" twice model twice.gp || fail "fails"
[ "$(count vectors twice.gp)" = "$vectors" ] || fail "more circles than vectors"
[ "$(count rows twice.gp)" = 200 ] || fail "rows are lost"

# By hand: the bias 2, of variance 1/16, and 1/2 of the vector 2, of variance 1/64; noise 3/16.
cat >byhand <<'END'
rvm_model 1
task regression
kernel_type linear
nr_class 2
total_rv 1
examples 2
noise_variance 0.1875
noise_fixed 1
log_evidence -3.25
converged 1
bias 2 0.5 0
factor 4 0
factor 8
RV
0.5 0.25 1:2
end
END
printf '1 1:1\n7 1:2\n0 1:-1\n' >data
"$plot" data byhand byhand.gp || fail "fails"
block curve byhand.gp | awk '
    function near(a, b) { return a - b < 1e-12 && b - a < 1e-12 }
    { half = 2 * sqrt(1 / 16 + (2 * $1 / 8) ^ 2 + 3 / 16) }
    !near($2, 2 + $1) || !near($3, 2 + $1 - half) || !near($4, 2 + $1 + half) { print; bad = 1 }
    END { exit bad || NR == 0 }' || fail "not the curve by hand"
[ "$(block vectors byhand.gp)" = '2 7' ] || fail "the circle: $(block vectors byhand.gp)"

# Without vectors there are no circles and no word of them.
"$BIN/rvm-train" -q -s 3 --kernel none --basis bias,linear,quadratic "$DATA/mcycle" none ||
    fail "training fails"
"$plot" "$DATA/mcycle" none none.gp || fail "fails"
[ "$(count vectors none.gp)" = 0 ] || fail "circles without vectors"
grep -q 'relevance vectors' none.gp && fail "the legend has vectors, the model none"
[ "$(count rows none.gp)" = 133 ] || fail "rows are lost"
clean

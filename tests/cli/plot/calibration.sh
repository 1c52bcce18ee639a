# --calibration: observed shares by predicted probabilities, counted by hand; for regression the targets
# that intervals hold, by R's pnorm.
set -u
. "$SRC/tests/cli/plot/setup.inc"

# Log-odds x1: probabilities of class 1 of 0.25, 0.25, 0.22, 0.28 (one of the four rows is of it), of
# 1 / (1 + exp(-3)) = 0.952574 twice (one of them is), and a label that the model does not know.
cat >model <<'END'
rvm_model 1
task classification
kernel_type linear
nr_class 2
label 1 -1
total_rv 1
examples 9
log_evidence 0
converged 1
probability 0
factor 1e9
RV
1 1 1:1
end
END
cat >rows <<'END'
1 1:-1.09861228866811
-1 1:-1.09861228866811
-1 1:-1.26566637333128
1 1:3
-1 1:-0.944461608840852 # a comment
7 1:-3
-1 1:3
END
"$plot" --calibration rows model figure.gp || fail "fails"
# The error, 2/6 x 0.452574, and bars of 2 (p (1 - p) / n)^1/2 within 0 and 1.
block bins figure.gp | diff - /dev/fd/3 3<<'END' >&2 || fail "other bins"
0.25 0.25 4 0 0.683013
0.952574 0.5 2 0.651985 1
END
grep -qx 'set title "6 rows, expected calibration error 0.151"' figure.gp || fail "$(grep title figure.gp)"
grep -qx 'set xlabel "probability of class 1"' figure.gp || fail "$(grep label figure.gp)"
grep -q 'using 1:2:3 with labels' figure.gp || fail "no counts"

# More classes: the one that is predicted; counted here in another way, and any number of inputs.
"$BIN/rvm-train" -q -g 0.5 "$DATA/iris" three || fail "training fails"
"$plot" --calibration "$DATA/iris" three three.gp || fail "fails"
"$BIN/rvm-predict" -q -b 1 "$DATA/iris" three answers || fail "prediction fails"
sed 1d answers | paste -d ' ' - "$DATA/iris" | awk '
    { p = $2 > $3 ? $2 : $3; p = p > $4 ? p : $4; print substr(p "000", 1, 3), p, $1 == $5 }' |
    sort -n | awk '
    function flush() { if (n) printf "%.6g %.6g %d\n", p / n, hit / n, n; n = p = hit = 0 }
    $1 != last { flush(); last = $1 }
    { n++; p += $2; hit += $3 }
    END { flush() }' >want
block bins three.gp | cut -d ' ' -f 1-3 | diff want - >&2 || fail "other bins of three classes"
grep -q '^set title "150 rows, ' three.gp || fail "$(grep title three.gp)"

# Two outputs, written by hand: residuals of 0 but for 1 / 1.25^1/2 and 1 / 5^1/2 standard deviations,
# which intervals of 2 pnorm(0.894427) - 1 = 0.629 and 2 pnorm(0.447214) - 1 = 0.345 reach.
mkdir two && (cd two && . "$SRC/tests/cli/two_outputs.inc") || fail "no room"
"$plot" --calibration two/rows two/model both.gp || fail "fails"
block bins both.gp | cut -d ' ' -f 1-3 | tr '\n' ';' >got
[ "$(cat got)" = '0.05 0.666667 6;0.1 0.666667 6;0.2 0.666667 6;0.3 0.666667 6;0.4 0.833333 6;0.5 0.833333 6;0.6 0.833333 6;0.7 1 6;0.8 1 6;0.9 1 6;0.95 1 6;0.99 1 6;' ] ||
    fail "intervals hold: $(cat got)"
grep -qx 'set title "6 targets, mean difference 0.306"' both.gp || fail "$(grep title both.gp)"
! grep -q 'with labels' both.gp || fail "counts that are all the same"

refuse '^rvm-plot: two/model: the rows have one label and the model has several outputs$' \
    --calibration rows two/model a.gp
printf '5 1:1\n6 1:2\n' >others
refuse '^rvm-plot: model: no row is of a class of the model$' --calibration others model a.gp
refuse '^rvm-plot: model:1:1: a model of rvm-train and no data file' --calibration model model a.gp

# The image has a name and a size of its own.
stub_gnuplot
"$plot" --calibration rows model || fail "no image"
[ "$(cat model.calibration.svg)" = image ] || fail "no model.calibration.svg"
grep -q '^set terminal svg size 560,560 ' "$STUB/program" || fail "$(sed -n 1p "$STUB/program")"
clean

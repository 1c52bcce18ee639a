# What the Gibbs sampler writes can be drawn: its models, with the vectors circled, and its traces.
set -u
. "$SRC/tests/cli/plot/setup.inc"

"$BIN/rvm-train" -q -s 3 -t 6 --method gibbs --samples 300 --burn-in 100 --chains 2 --keep 20 \
    --trace run.trace "$DATA/sinc.train" model || fail "training fails"
"$plot" "$DATA/sinc.train" model figure.gp || fail "fails"
vectors=$(sed -n 's/^total_rv //p' model)
[ "$vectors" -gt 0 ] && [ "$(count vectors figure.gp)" = "$vectors" ] ||
    fail "$(count vectors figure.gp) circles for $vectors vectors"
sed -n '/^RV/,$p' model | awk '/:/ { sub(/.*:/, "", $NF); print $NF + 0 }' | sort >want
block vectors figure.gp | awk '{ print $1 + 0 }' | sort | cmp - want || fail "circles at other inputs"
block curve figure.gp | awk '{ print 0, "1:" $1 }' >asked
"$BIN/rvm-predict" -q --variance asked model answers || fail "prediction fails"
block curve figure.gp | paste -d ' ' - answers | awk '
    { half = 2 * sqrt($6); d = $3 - ($5 - half) }
    $2 != $5 || d > 1e-12 || d < -1e-12 { print; bad = 1 }
    END { exit bad }' || fail "the curve is another one"

"$BIN/rvm-train" -q -g 4 --method gibbs --samples 100 --burn-in 100 --chains 2 --keep 20 \
    "$DATA/ripley.train" classes || fail "training fails"
"$plot" "$DATA/ripley.train" classes classes.gp || fail "fails"
[ "$(count vectors classes.gp)" = "$(sed -n 's/^total_rv //p' classes)" ] || fail "not total_rv circles"

"$plot" --trace run.trace trace.gp || fail "--trace fails"
[ "$(grep -c '^\$bars' trace.gp)" = 6 ] || fail "not six panels"
sed 1d run.trace | awk '{ print NR, $3; if ($1 == 1 && $2 == 300 || NR == 600) print "" }' >want
block trace1 trace.gp | cmp - want || fail "other draws"
clean

# Scores on stdout in libsvm's words and with its numbers; what libsvm does not print is on stderr.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" regression || fail "fails"
"$BIN/rvm-predict" "$DATA/mcycle" regression predicted >out 2>err || fail "fails: $(cat err)"
# svm-predict's own formulas.
paste -d ' ' "$DATA/mcycle" predicted | awk '
    { t = $1; p = $NF; e += (p - t)^2; sp += p; st += t; spp += p * p; stt += t * t; spt += p * t }
    END {
        printf "Mean squared error = %g (regression)\n", e / NR
        printf "Squared correlation coefficient = %g (regression)\n",
            (NR * spt - sp * st)^2 / ((NR * spp - sp^2) * (NR * stt - st^2))
    }' >wanted
diff wanted out >&2 || fail "scores of a regression differ"
grep -Eqx 'Mean negative log predictive density = -?[0-9.]+' err || fail "stderr: $(cat err)"

# -b 1 of a regression: two lines first, and the same predictions.
"$BIN/rvm-predict" -b 1 "$DATA/mcycle" regression again >out 2>err || fail "fails: $(cat err)"
cmp predicted again || fail "-b 1 changes the predictions of a regression"
[ "$(head -n 1 out)" = 'Prob. model for test data: target value = predicted value + z,' ] ||
    fail "line 1: $(cat out)"
sigma=$(awk '$1 == "noise_variance" { printf "%g", sqrt($2) }' regression)
sed -n 2p out | grep -q "^z: .*,sigma=$sigma\$" || fail "not sigma=$sigma: $(cat out)"
sed 1,2d out | diff wanted - >&2 || fail "scores differ with -b 1"

"$BIN/rvm-train" -q -g 2 "$DATA/ripley.train" classes || fail "fails"
"$BIN/rvm-predict" "$DATA/ripley.test" classes predicted >out 2>err || fail "fails: $(cat err)"
paste -d ' ' "$DATA/ripley.test" predicted | awk '
    $1 + 0 == $NF + 0 { correct++ }
    END { printf "Accuracy = %g%% (%d/%d) (classification)\n", 100 * correct / NR, correct, NR }
    ' >wanted
diff wanted out >&2 || fail "accuracy differs"
grep -Eqx 'Mean log loss = 0\.[0-9]+' err && grep -Eqx 'Mean Brier score = 0\.[0-9]+' err || fail "stderr: $(cat err)"

# A model trained with -b 1 and used without: libsvm's remark first.
"$BIN/rvm-train" -q -b 1 -g 2 "$DATA/ripley.train" marked || fail "fails"
"$BIN/rvm-predict" "$DATA/ripley.test" marked again >out || fail "fails"
cmp predicted again || fail "-b 1 changes the model"
(echo 'Model supports probability estimates, but disabled in prediction.' && cat wanted) |
    diff - out >&2 || fail "the remark misses"
"$BIN/rvm-predict" -b 1 "$DATA/ripley.test" marked again >out || fail "fails"
diff wanted out >&2 || fail "a remark with -b 1"

# And the other way about, where libsvm refuses: a note on standard error, the same on standard output.
note='rvm-predict: the probabilities of this model are not fitted to held-out rows '
"$BIN/rvm-predict" -b 1 "$DATA/ripley.test" classes again >out 2>err || fail "fails"
diff wanted out >&2 || fail "the note is on stdout"
[ "$(grep -c "^$note" err)" = 1 ] || fail "no note: $(cat err)"
"$BIN/rvm-predict" "$DATA/ripley.test" classes again 2>err >out || fail "fails"
"$BIN/rvm-predict" -b 1 "$DATA/ripley.test" marked again 2>>err >out || fail "fails"
! grep "^$note" err >&2 || fail "the note where nothing is wrong"

"$BIN/rvm-predict" -b 1 "$DATA/mcycle" regression again 2>err >out || fail "fails"
[ "$(grep -c '^rvm-predict: the variances of this model are not fitted' err)" = 1 ] ||
    fail "no note on variances: $(cat err)"

for model in regression marked classes; do
    "$BIN/rvm-predict" -q -b 1 "$DATA/ripley.test" $model again >out 2>err || fail "-q fails"
    [ ! -s out ] && [ ! -s err ] || fail "-q is not quiet: $(cat out err)"
done

# Models of the kernel prior: variance, interval and probabilities at a vector and far from it.
set -u
fail() { echo "$*" >&2; exit 1; }

# One vector, x = 1, of weight 3: f = 3 k, s2 = k^2 / 16 + 8 (1 - k^2), k = exp(-2 (x - 1)^2).
cat >model <<END
rvm_model 1
task regression
kernel_type rbf
gamma 2
nr_class 2
total_rv 1
examples 9
noise_variance 0.25
noise_fixed 0
process_variance 8
log_evidence 0
converged 1
factor 4
point_factor 1
RV
3 1:1
end
END
printf '3 1:1\n0 1:1000\n1 1:0.5\n' >rows
"$BIN/rvm-predict" --variance --interval 0.9 rows model out >said 2>&1 || fail "fails"
grep -q '^Mean squared error = ' said || fail "no score"
awk '
    function near(a, b) { return a - b < 1e-9 && b - a < 1e-9 }
    FILENAME == "rows" { split($2, pair, ":"); x[FNR] = pair[2]; next }
    {
        far = 2 * (x[FNR] - 1) * (x[FNR] - 1)
        k = far > 700 ? 0 : exp(-far)
        v = k * k / 16 + 8 * (1 - k * k) + 0.25
        half = 1.6448536269514722 * sqrt(v)
        if (!near($1, 3 * k) || !near($2, v) || !near($3, 3 * k - half) || !near($4, 3 * k + half)) {
            print "row " FNR ": " $0
            exit 1
        }
    }' rows out >&2 || fail "not the formula"

# As log-odds: 3 at the vector, 0 far from it, at the most probable weights whatever is asked for.
sed 's/^task .*/task classification/; s/^nr_class 2/&\nlabel 1 -1/; /^noise/d; /factor/d
    s/^converged 1/&\nprobability 1/' model >classes
for mode in "" --mode; do
    "$BIN/rvm-predict" -q -b 1 $mode rows classes out3 || fail "-b 1 $mode fails"
    awk 'NR == 2 && $2 > 0.95257 && $2 < 0.95258 { at++ }
         NR == 3 && $2 == 0.5 { at++ }
         END { exit at != 2 }' out3 || fail "$mode: $(cat out3)"
done

# A precision where there is none is refused.
sed 's/^3 1:1/3 1 1:1/' model >damaged
"$BIN/rvm-predict" -q rows damaged out2 2>said && fail "a damaged file passes"
grep -q 'damaged:16:3: index:value is expected; found "1"' said || fail "$(cat said)"

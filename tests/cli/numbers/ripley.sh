# Ripley's synthetic data with Gaussian kernels of width 0.5, which is gamma 1 / 0.5^2 = 4: Tipping
# (2001) has 9.3 % of 1000 test rows wrong with 4 kernel functions, from 100 of the 250 rows.
set -eu

"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" model
"$BIN/rvm-predict" -q "$DATA/ripley.test" model out
errors=$(awk 'FNR == NR { t[FNR] = $1 + 0; next } $1 + 0 != t[FNR]' \
    "$DATA/ripley.test" out | wc -l)
vectors=$(sed -n 's/^total_rv //p' model)
[ "$(wc -l <out)" -eq 1000 ] && [ "$errors" -le 96 ] && [ "$vectors" -le 5 ] || {
    echo "$errors errors with $vectors vectors; wanted at most 96 with 5"
    exit 1
}

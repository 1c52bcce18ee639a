# Diabetes among Pima women: Tipping (2000, section 5.2) has 65 errors in 332 test rows with 4
# relevance vectors.
set -eu

"$BIN/rvm-train" -q -g 0.03 "$DATA/pima_std.train" model
"$BIN/rvm-predict" -q "$DATA/pima_std.test" model out
errors=$(awk 'FNR == NR { t[FNR] = $1 + 0; next } $1 + 0 != t[FNR]' \
    "$DATA/pima_std.test" out | wc -l)
vectors=$(sed -n 's/^total_rv //p' model)
[ "$(wc -l <out)" -eq 332 ] && [ "$errors" -le 65 ] && [ "$vectors" -le 4 ] || {
    echo "$errors errors with $vectors vectors; wanted at most 65 with 4"
    exit 1
}

# An output that is constant changes nothing for the other one, whichever comes first, and several
# outputs stay within -m as one does.
set -eu

awk 'BEGIN {
    srand(2)
    for (i = 0; i < 60; i++) {
        x = 4 * rand() - 2; z = 4 * rand() - 2
        printf "%.6f 1:%.6f 2:%.6f\n", sin(2 * x) + z * z + 2 * (rand() - 0.5), x, z
    }
}' >one
sed 's/^/3,/' one >first
sed 's/ /,3 /' one >last
for file in first last; do
    "$BIN/rvm-train" -q -s 3 -g 30 "$file" "$file.model"
    grep -E '^(total_rv|log_evidence) ' "$file.model" >"$file.numbers"
done
cmp first.numbers last.numbers

awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%d,%d 1:%d 2:%d\n", i % 7, i % 5, i % 11, i % 13 }' >long
if "$BIN/rvm-train" -q -s 3 --kernel none --basis bias,linear -m 2 long long.model 2>message; then
    echo "took more than -m"
    exit 1
fi
grep -q 'm 2 is too small for 60000 rows' message

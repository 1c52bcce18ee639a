# Rows that subset.py chose can be read, and checkdata.py has no objection to what rvm-scale writes.
set -u
fail() { echo "$*" >&2; exit 1; }

subset=$(command -v svm-subset) && check=$(command -v svm-checkdata) && command -v python3 >/dev/null ||
    { echo "libsvm's scripts are not installed"; exit 77; }

# Rows as varied as both take them: signs, exponents, blanks at the end, rows without pairs.
{
    cat "$DATA/ripley.train"
    printf '+1 1:+.5 2:-1e-3  \n-1 \n1 2:3.\n-1 1:1E2\t2:0\n'
} >data
for method in 0 1; do
    python3 "$subset" -s $method data 60 chosen rest >out 2>&1 || fail "subset.py fails: $(cat out)"
    [ "$(wc -l <chosen)" -eq 60 ] || fail "not 60 rows chosen"
    cat chosen rest | sort >both
    sort data | cmp - both || fail "rows are lost"
    "$BIN/rvm-train" -q chosen model 2>err || fail "chosen rows are not read: $(cat err)"
    "$BIN/rvm-predict" -q rest model predictions 2>err || fail "other rows are not read: $(cat err)"
    [ "$(wc -l <predictions)" -eq "$(wc -l <rest)" ] || fail "predictions are missing"
done

for file in ripley.train mcycle boston iris; do
    "$BIN/rvm-scale" -s range "$DATA/$file" >scaled || fail "scaling $file fails"
    python3 "$check" scaled >out || fail "$file: $(cat out)"
    grep -qx 'No error.' out || fail "$file: $(cat out)"
done
"$BIN/rvm-scale" -l 0 -y -1 1 data >scaled || fail "scaling fails"
python3 "$check" scaled >out || fail "targets too: $(cat out)"

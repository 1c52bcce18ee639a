# The confusion matrix and the figures of each class, counted here from the two lists of labels.
set -u
fail() { echo "$*" >&2; exit 1; }

# One input that says the class: predictions are its value, whatever the label of the test row.
printf '1 1:0\n2 1:1\n3 1:2\n1 1:0.01\n2 1:1.01\n3 1:2.01\n1 1:-0.01\n2 1:0.99\n3 1:1.99\n' >train
"$BIN/rvm-train" -q -g 4 train model || fail "training fails"
# Of class 1: two predicted 1, one 2; of class 2: one 2; class 3: nothing but one taken for 1; 9 unknown.
printf '1 1:0\n1 1:0\n1 1:1\n2 1:1\n3 1:0\n9 1:1\n' >rows
"$BIN/rvm-predict" -v rows model out >text 2>err || fail "fails: $(cat err)"
[ "$(tr '\n' ' ' <out)" = '1 1 2 2 1 2 ' ] || fail "predicts $(tr '\n' ' ' <out)"
sed '1,/^Rows of each class/d; s/  */ /g' err >got
cat >want <<'END'
 1 2 3
 1 2 1 0
 2 0 1 0
 3 1 0 0
 others 0 1 0
 class precision recall F1 rows
 1 0.6667 0.6667 0.6667 3
 2 0.3333 1.0000 0.5000 1
 3 - 0.0000 0.0000 1
END
diff want got || fail "another table"
[ "$(cat text)" = 'Accuracy = 50% (3/6) (classification)' ] || fail "$(cat text)"

# With -q it is all there is; a regression has none.
"$BIN/rvm-predict" -q -v rows model out >text 2>err || fail "fails: $(cat err)"
[ ! -s text ] && sed '1d; s/  */ /g' err | diff want - || fail "with -q: $(cat err text)"
"$BIN/rvm-train" -q -s 3 train model || fail "training fails"
"$BIN/rvm-predict" -v rows model none 2>err
[ $? = 1 ] && grep -q -- '^rvm-predict: ERROR: -v is for classification' err || fail "$(cat err)"
[ ! -e none ] || fail "a file is left"

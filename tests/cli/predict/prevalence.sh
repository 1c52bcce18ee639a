# --prevalence: probabilities of -b 1 corrected to other shares of the classes, by Bayes's rule here.
set -u
fail() { echo "$*" >&2; exit 1; }

# 125 rows of class 1 and 25 of class -1; with -w-1 5 both count alike.
pick() { awk -v every="$1" '$1 == 1 || NR % every == 0' "$2"; }
pick 5 "$DATA/ripley.train" >rows
"$BIN/rvm-train" -g 2 -w-1 5 rows model >out 2>err || fail "training fails"
grep -q -- '(-w): rvm-predict --prevalence data corrects them' err || fail "no note: $(cat err)"
grep -qx 'class_rows 125 25' model || fail "rows: $(grep class model)"
grep -Eqx 'class_weights 0\.2[0-9]* 1' model || fail "weights: $(grep class model)"

# FIRST: odds of class 1 against -1 are multiplied by it.
corrected() { # FIRST SHARES
    "$BIN/rvm-predict" -q -b 1 --prevalence "$2" "$DATA/ripley.test" model got || fail "$2 fails"
    paste -d ' ' plain got | awk -v by="$1" '
        NR == 1 { bad = $0 != "labels 1 -1 labels 1 -1"; next }
        {
            d = $5 - by * $2 / (by * $2 + $3)
            if (d > 2e-5 || d < -2e-5 || ($4 == 1) != ($5 >= $6)) { print; bad = 1 }
        }
        END { exit bad || NR != 1001 }' || fail "$2: not $1 times the odds"
}
"$BIN/rvm-predict" -q -b 1 "$DATA/ripley.test" model plain || fail "prediction fails"
corrected 5 data
corrected 0.25 0.2,0.8
corrected 1 0.5,0.5
cp got equal
corrected 1 -1:0.5,1:0.5
cmp equal got || fail "labels change the shares"
corrected 1 +1:0.5
cmp equal got || fail "the other class does not have the rest"

# The labels without -b 1 are the same; -q and --mode go with it.
"$BIN/rvm-predict" -q -b 1 --prevalence data "$DATA/ripley.test" model got || fail "fails"
"$BIN/rvm-predict" -q --prevalence data "$DATA/ripley.test" model labels || fail "fails"
sed 1d got | cut -d ' ' -f 1 | cmp - labels || fail "other labels without -b 1"
"$BIN/rvm-predict" -q --mode --prevalence data "$DATA/ripley.test" model labels || fail "--mode fails"

# On rows of these shares the correction has the better log loss.
pick 5 "$DATA/ripley.test" >few
loss() { "$BIN/rvm-predict" "$@" few model out 2>&1 >/dev/null | sed -n 's/^Mean log loss = //p'; }
awk -v plain="$(loss)" -v data="$(loss --prevalence data)" 'BEGIN { exit !(data < plain - 0.02) }' ||
    fail "log loss $(loss) and corrected $(loss --prevalence data)"

# Of three classes those that are not named have what is left in proportion to their rows.
awk '$1 != 3 || NR % 2 == 0' "$DATA/iris" >rows3
"$BIN/rvm-train" -q rows3 three || fail "training fails"
grep -qx 'class_rows 50 50 25' three || fail "rows: $(grep class three)"
grep -q '^class_weights' three && fail "weights of nothing"
"$BIN/rvm-predict" -q -b 1 --prevalence 2:0.4 "$DATA/iris" three named || fail "fails"
"$BIN/rvm-predict" -q -b 1 --prevalence 0.4,0.4,0.2 "$DATA/iris" three all || fail "fails"
cmp named all || fail "the rest is not in proportion"

refuse() { # WORDS SHARES MODEL
    "$BIN/rvm-predict" --prevalence "$2" "$DATA/ripley.test" "$3" none >out 2>err
    [ $? = 1 ] || fail "$2 does not exit with 1"
    [ "$(wc -l <err)" = 1 ] && grep -q "^rvm-predict: ERROR: .*$1" err || fail "$2: $(cat err)"
    [ ! -e none ] || fail "$2 leaves a file"
}
refuse 'class 1 is 1.5, not from 0 to 1' 1:1.5 model
refuse 'sum to 1.1, not to 1' 0.5,0.6 model
refuse 'sum to 0.9, not to 1' 1:0.5,-1:0.4 model
refuse '1 share where the model has 2 classes' 0.5 model
refuse '3 shares where the model has 2 classes' 0.2,0.2,0.6 model
refuse 'no class 7' 7:0.5 model
refuse 'no class x' x:0.5 model
refuse 'class 1 has two shares' 1:0.5,+1:0.5 model
refuse 'all shares have a label, or none has' 1:0.5,0.5 model
refuse 'a share is expected; found ""' 0.5, model
refuse 'a share is expected; found "all"' all model
refuse 'a share is expected; found "nan"' nan,1 model
"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" regression || fail "training fails"
refuse 'is for classification, and this model is of a regression' data regression
sed '/^class_/d' model >old
refuse 'how many rows of each class' data old
"$BIN/rvm-predict" -q -b 1 "$DATA/ripley.test" old got && cmp got plain || fail "an old model predicts otherwise"

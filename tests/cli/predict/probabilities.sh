# -b 1: a heading, then the class and a probability for each label; also of a model without -b 1.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -g 2 "$DATA/ripley.train" model || fail "fails"
"$BIN/rvm-predict" -q "$DATA/ripley.test" model plain || fail "fails"
"$BIN/rvm-predict" -q -b 1 "$DATA/ripley.test" model out || fail "fails"
[ "$(head -n 1 out)" = 'labels 1 -1' ] || fail "heading: $(head -n 1 out)"
sed 1d out | awk '{ print $1 }' | cmp - plain || fail "-b 1 changes the classes"
sed 1d out | awk '
    NF != 3 || $2 + $3 < 0.99999 || $2 + $3 > 1.00001 || ($2 > $3) != ($1 == 1) { print; bad = 1 }
    END { exit bad || NR != 1000 }' || fail "no probabilities"

# The mean log loss on stderr is that of the probabilities.
moderated=$("$BIN/rvm-predict" -b 1 "$DATA/ripley.test" model out 2>&1 >/dev/null |
    tee scores | sed -n 's/^Mean log loss = //p')
sed 1d out | paste -d ' ' "$DATA/ripley.test" - | awk -v told="$moderated" '
    { s -= log($1 == 1 ? $5 : $6) }
    END { d = s / NR - told; exit !(d < 1e-4 && d > -1e-4) }' || fail "log loss $moderated"

# So is Brier's score, over both classes.
brier=$(sed -n 's/^Mean Brier score = //p' scores)
sed 1d out | paste -d ' ' "$DATA/ripley.test" - | awk -v told="$brier" '
    { s += (($1 == 1) - $5) ^ 2 + (($1 == -1) - $6) ^ 2 }
    END { d = s / NR - told; exit !(d < 1e-5 && d > -1e-5) }' || fail "Brier score $brier"

# At the mode probabilities are more extreme, and classes are the same.
cp out moderated
"$BIN/rvm-predict" -q -b 1 --mode "$DATA/ripley.test" model mode || fail "--mode fails"
sed 1d mode | awk '{ print $1 }' | cmp - plain || fail "--mode changes the classes"
paste -d ' ' moderated mode | awk '
    function sure(p) { return p > 0.5 ? p : 1 - p }
    NR > 1 && sure($5) < sure($2) - 1e-5 { print; bad = 1 }
    NR > 1 && sure($5) > sure($2) + 1e-5 { more++ }
    END { exit bad || more < 500 }' || fail "--mode is not more extreme"

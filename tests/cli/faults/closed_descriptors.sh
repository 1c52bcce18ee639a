# Standard input, output and error closed by the caller: files are never mixed up with them, and
# what cannot be written is an error.
set -u
fail() { echo "$*" >&2; exit 1; }

cp "$DATA/ripley.train" data
"$BIN/rvm-train" -q data model || fail "training fails"
"$BIN/rvm-predict" -q data model predictions || fail "prediction fails"
"$BIN/rvm-scale" -s range data >scaled || fail "scaling fails"

# Not needed, and so no fault; -q: nothing is written to standard output either.
"$BIN/rvm-train" -q data got <&- || fail "training without stdin fails"
cmp model got || fail "another model without stdin"
"$BIN/rvm-train" -q data got >&- || fail "training without stdout fails"
cmp model got || fail "another model without stdout"
"$BIN/rvm-train" data got 2>&- >out || fail "training without stderr fails"
cmp model got || fail "another model without stderr"
"$BIN/rvm-train" -q data got <&- >&- 2>&- || fail "training with all closed fails"
cmp model got || fail "another model with all closed"
"$BIN/rvm-predict" -q data model got <&- >&- 2>&- || fail "prediction with all closed fails"
cmp predictions got || fail "other predictions with all closed"
"$BIN/rvm-scale" -s got data <&- >out 2>&- || fail "scaling without stdin fails"
cmp range got && cmp scaled out || fail "other ranges or rows"

# Needed: exit 1 and one line, if there is where to put it.
refuse() { # WORDS
    [ $? = 1 ] || fail "$1: exit is not 1"
    grep -Eq '^rvm-[a-z]*: .*standard output is closed$' err || fail "$1: says: $(cat err)"
    [ "$(grep -Evc '^Mean (log loss|Brier score) = ' err)" = 1 ] || fail "$1: says: $(cat err)"
}
"$BIN/rvm-train" -q - got <&- 2>err
[ $? = 1 ] || fail "data from closed stdin: exit is not 1"
grep -q '^rvm-train: -:' err || fail "data from closed stdin: says: $(cat err)"
"$BIN/rvm-train" data got >&- 2>err
refuse "summary to closed stdout"
cmp model got || fail "the model is lost with the summary"
"$BIN/rvm-train" -q data - >&- 2>err
refuse "model to closed stdout"
"$BIN/rvm-train" -q -v 2 data >&- 2>err
refuse "cross-validation to closed stdout"
"$BIN/rvm-predict" -q data model >&- 2>err
refuse "predictions to closed stdout"
"$BIN/rvm-predict" data model got >&- 2>err
refuse "scores to closed stdout"
"$BIN/rvm-scale" data >&- 2>err
refuse "rows to closed stdout"
"$BIN/rvm-scale" data >&- 2>&-
[ $? = 1 ] || fail "rows to nowhere: exit is not 1"

# An input that is also the output is refused in one line and left alone, whatever its name.
set -u
fail() { echo "$*" >&2; exit 1; }

refuse() { # TOOL INPUT WORD...
    tool=$1 input=$2
    shift 2
    cp "$input" before
    "$BIN/$tool" "$@" >out 2>err
    [ $? = 1 ] || fail "$tool $*: exit is not 1"
    [ "$(cat err)" = "$tool: $input: input and output are the same file" ] ||
        fail "$tool $* says: $(cat err)"
    [ ! -s out ] || fail "$tool $* writes: $(cat out)"
    cmp "$input" before || fail "$tool $*: the input is changed"
}
cp "$DATA/ripley.train" data
"$BIN/rvm-train" -q data model || fail "training fails"
"$BIN/rvm-scale" -s range data >scaled || fail "scaling fails"
ln -s data link
ln data hard
mkdir folder

refuse rvm-train data data data
refuse rvm-train data data folder/../data
refuse rvm-train data data link
refuse rvm-train data data hard
refuse rvm-train link link data
ln -s ../data folder/data.model
(cd folder && "$BIN/rvm-train" ../data >out 2>err) && fail "a default name that leads to the data passes"
[ "$(cat folder/err)" = 'rvm-train: ../data: input and output are the same file' ] ||
    fail "says: $(cat folder/err)"
refuse rvm-predict data data model data
refuse rvm-predict model data model model
refuse rvm-scale data -s data data
refuse rvm-scale data -s link data

# The same through redirections: a file that grows while it is read would never end.
cp data before
for words in '' '-r range'; do
    "$BIN/rvm-scale" $words data >>data 2>err && fail "rvm-scale $words data >>data passes"
    cmp data before || fail "rvm-scale $words: the data are changed"
done
"$BIN/rvm-predict" data model >>data 2>err && fail "rvm-predict data model >>data passes"
cmp data before || fail "rvm-predict: the data are changed"
"$BIN/rvm-predict" -q - model data <data 2>err && fail "rvm-predict - model data <data passes"
[ "$(cat err)" = 'rvm-predict: -: input and output are the same file' ] || fail "says: $(cat err)"
cmp data before || fail "rvm-predict: the data are changed"
"$BIN/rvm-train" -q - data <data 2>err && fail "rvm-train - data <data passes"
cmp data before || fail "rvm-train: the data are changed"

# What is no file may well be both, and no model means no conflict.
"$BIN/rvm-train" -q -v 2 data >/dev/null || fail "-v is refused"
mv folder/data.model data.model
"$BIN/rvm-train" -q -v 2 data >/dev/null || fail "-v is refused"
"$BIN/rvm-predict" -q data model /dev/null </dev/null || fail "/dev/null is refused"
"$BIN/rvm-predict" -q /dev/null model /dev/null 2>err && fail "an empty file passes"
grep -q 'no rows' err || fail "says: $(cat err)"

# An output that is where standard output goes: the rest goes elsewhere, and what is there is whole.
"$BIN/rvm-train" data both >both 2>err || fail "model and standard output in one: $(cat err)"
grep -q '^Examples = 250$' err || fail "no summary on standard error: $(cat err)"
cmp both model || fail "model and standard output in one: not the model"
"$BIN/rvm-predict" -q data model wanted || fail "prediction fails"
"$BIN/rvm-predict" data model both >both 2>err || fail "predictions and standard output in one: $(cat err)"
cmp both wanted || fail "predictions and standard output in one: not the predictions"
grep -q '^Accuracy' err || fail "no score on standard error: $(cat err)"
# Two results in one file are neither.
for name in both ./both; do
    "$BIN/rvm-scale" -s $name data >both 2>err && fail "ranges and rows in one pass"
    [ "$(cat err)" = "rvm-scale: $name: the ranges would mix with the rows on standard output" ] ||
        fail "says: $(cat err)"
    [ ! -s both ] || fail "ranges and rows in one: writes: $(cat both)"
done

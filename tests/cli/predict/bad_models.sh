# What is no model is refused by name and place, before the output is touched.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
echo precious >output

refuse() { # WORDS MODEL
    "$BIN/rvm-predict" "$DATA/mcycle" "$2" output >out 2>err
    [ $? = 1 ] || fail "$2 does not exit with 1"
    grep -q -e "$1" err || fail "$2: '$1' is not in: $(cat err)"
    [ ! -s out ] || fail "$2: stdout: $(cat out)"
    [ "$(cat output)" = precious ] || fail "$2: the output was touched"
}
refuse "^rvm-predict: can't open model file nothing: " nothing
mkdir folder
refuse "^rvm-predict: can't open model file folder: " folder
refuse 'mcycle:1:1: .*not a model' "$DATA/mcycle"
: >empty
refuse '^rvm-predict: empty:1:1: .*empty' empty
printf 'svm_type c_svc\nkernel_type rbf\n' >libsvm
refuse '^rvm-predict: libsvm:1:1: a LIBSVM model, not a relevance vector model' libsvm
sed 's/^rvm_model 1/rvm_model 6/' model >future
refuse '^rvm-predict: future:1:11: .*version.*"6"' future
lines=$(wc -l <model)
sed '$d' model >short
refuse "^rvm-predict: short:$lines:1: .*cut short" short
head -c 300 model >short
refuse '^rvm-predict: short:' short
(cat model && echo more) >longer
refuse "^rvm-predict: longer:$((lines + 1)):1: .*after" longer
sed 's/^total_rv .*/total_rv 2147483647/' model >huge
refuse '^rvm-predict: huge:8:18: a number is expected' huge # in `rows`
sed '/^rows /d; s/^total_rv .*/total_rv 2147483647/' model >huge
refuse '^rvm-predict: huge:13:' huge
sed 's/^noise_variance .*/noise_variance nan/' model >nan
refuse '^rvm-predict: nan:9:16: .*number' nan
printf 'rvm_model 1\n\0\0' >zero
refuse '^rvm-predict: zero:2:1: ' zero

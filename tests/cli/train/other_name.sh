# The tools work under libsvm's names, as easy.py calls them.
set -u
fail() { echo "$*" >&2; exit 1; }

mkdir bin work
ln -s "$BIN/rvm-train" bin/svm-train
ln -s "$BIN/rvm-predict" bin/svm-predict
cd work || exit 1
../bin/svm-train -c 8 -g 2 "$DATA/ripley.train" model >/dev/null 2>err || fail "fails: $(cat err)"
../bin/svm-predict "$DATA/ripley.test" model out >scores 2>err || fail "fails: $(cat err)"
grep -Eqx 'Accuracy = [0-9.]+% \([0-9]+/1000\) \(classification\)' scores || fail "$(cat scores)"

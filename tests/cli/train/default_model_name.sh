# Without a model name: the data file's last part + .model, in the current folder.
set -u
fail() { echo "$*" >&2; exit 1; }

mkdir -p 'a b/c'
cp "$DATA/mcycle" 'a b/c/x y.txt'
"$BIN/rvm-train" -q -s 3 -g 0.1 'a b/c/x y.txt' || fail "fails"
[ "$(head -n 1 'x y.txt.model')" = 'rvm_model 1' ] || fail "no model where it belongs: $(ls)"
[ "$(ls)" = "a b
x y.txt.model" ] || fail "more than a model is there: $(ls)"
[ "$(ls 'a b/c')" = 'x y.txt' ] || fail "the data folder was written to"

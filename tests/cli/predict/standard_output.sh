# Without an output file, or with -, predictions go to stdout and scores to stderr.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -b 1 -g 2 "$DATA/ripley.train" model || fail "fails"
"$BIN/rvm-predict" "$DATA/ripley.test" model wanted >scores 2>loss || fail "fails"
"$BIN/rvm-predict" "$DATA/ripley.test" model >out 2>err || fail "fails"
cmp wanted out || fail "predictions on stdout differ"
cat scores loss | sort >wanted.err
sort err | cmp - wanted.err || fail "scores are not on stderr: $(cat err)"
"$BIN/rvm-predict" "$DATA/ripley.test" model - >out 2>err || fail "fails"
cmp wanted out || fail "predictions to - differ"
"$BIN/rvm-predict" -q "$DATA/ripley.test" - <model >out 2>err || fail "the model from stdin fails"
cmp wanted out || fail "predictions by a model from stdin differ"
[ ! -s err ] || fail "stderr with -q: $(cat err)"

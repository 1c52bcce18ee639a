# Data from a pipe, the model to standard output: the same bytes, and all text on stderr.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
cat "$DATA/mcycle" | "$BIN/rvm-train" -s 3 -g 0.1 - - >piped 2>err || fail "fails: $(cat err)"
cmp model piped || fail "the model on stdout differs"
grep -q '^Relevance vectors = ' err || fail "the summary is not on stderr: $(cat err)"
cat "$DATA/mcycle" | "$BIN/rvm-train" -q -s 3 -g 0.1 /dev/stdin - >piped 2>err || fail "fails"
cmp model piped || fail "/dev/stdin gives another model"
[ ! -s err ] || fail "stderr with -q: $(cat err)"
"$BIN/rvm-train" -q -s 3 -g 0.1 -v 3 - <"$DATA/mcycle" >out || fail "-v on a pipe fails"
grep -q '^Cross Validation Mean' out || fail "no result: $(cat out)"

# Predictions that cannot be written: the reason, exit 1.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
"$BIN/rvm-predict" "$DATA/mcycle" model no_folder/x >out 2>err && fail "no folder passes"
grep -q "^rvm-predict: can't open output file no_folder/x: " err || fail "reads: $(cat err)"
[ ! -s out ] || fail "stdout: $(cat out)"
[ -w /dev/full ] || exit 0
"$BIN/rvm-predict" "$DATA/mcycle" model /dev/full >out 2>err && fail "a full disk passes"
grep -q "/dev/full: " err || fail "reads: $(cat err)"
! grep -q '^Mean' out || fail "scores of predictions that were not written"
"$BIN/rvm-predict" -q "$DATA/mcycle" model >/dev/full 2>err && fail "full stdout passes"
[ -s err ] || fail "no reason given"
"$BIN/rvm-predict" "$DATA/mcycle" model output >/dev/full 2>err && fail "lost scores pass"
[ -s err ] || fail "no reason given"

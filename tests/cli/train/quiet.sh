# With -q a training says nothing at all; without, its summary is on stdout.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -g 2 "$DATA/ripley.train" model >out 2>err || fail "fails: $(cat err)"
[ ! -s out ] || fail "stdout with -q: $(cat out)"
[ ! -s err ] || fail "stderr with -q: $(cat err)"

"$BIN/rvm-train" -g 2 "$DATA/ripley.train" loud >out 2>err || fail "fails: $(cat err)"
cmp model loud || fail "-q changes the model"
vectors=$(sed -n 's/^total_rv //p' model)
grep -qx 'Examples = 250' out || fail "no number of examples: $(cat out)"
grep -qx "Relevance vectors = $vectors" out || fail "not $vectors relevance vectors: $(cat out)"
grep -q '^Log evidence = -' out || fail "no log evidence: $(cat out)"
! grep -q Noise out || fail "a classifier has no noise"
! grep -q Cross out || fail "grid.py would take this for a result"
! grep -q "$(printf '\r')" out || fail "the progress line went to a file"

"$BIN/rvm-train" -s 3 -g 0.1 "$DATA/mcycle" model >out || fail "fails"
sd=$(awk '$1 == "noise_variance" { printf "%g", sqrt($2) }' model)
grep -qx "Noise standard deviation = $sd" out || fail "noise $sd expected: $(cat out)"
"$BIN/rvm-train" -s 3 -g 0.1 --noise-variance 400 "$DATA/mcycle" model >out || fail "fails"
grep -qx 'Noise standard deviation = 20 (given)' out || fail "noise 20 expected: $(cat out)"
grep -qx 'noise_variance 400' model || fail "the noise was not held"
grep -qx 'noise_fixed 1' model || fail "the model does not say that the noise was given"

# A model that predicts a constant says so, once, and not with -q; one with vectors says nothing.
set -eu

fail() { echo "$*"; exit 1; }

awk 'BEGIN { for (i = 0; i < 40; i++) printf "5 1:%d\n", i }' >same
"$BIN/rvm-train" -s 3 same model >out 2>err || fail "training fails"
[ "$(grep -c 'no relevance vectors' err)" = 1 ] || fail "does not say that it is a constant: $(cat err)"
"$BIN/rvm-train" -q -s 3 same model >out 2>err || fail "training fails with -q"
[ ! -s out ] && [ ! -s err ] || fail "-q is not quiet: $(cat out err)"
"$BIN/rvm-train" -g 4 "$DATA/ripley.train" model >out 2>err || fail "training fails on ripley"
! grep -q 'no relevance' err || fail "says so of a model with vectors"

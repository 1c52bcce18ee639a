# A model that predicts a constant says so, once, and not with -q; one with vectors says nothing.
set -eu

fail() { echo "$*"; exit 1; }

awk 'BEGIN { for (i = 0; i < 40; i++) printf "5 1:%d\n", i }' >same
"$BIN/rvm-train" -s 3 same model >out 2>err || fail "training fails"
[ "$(grep -c 'no relevance vectors' err)" = 1 ] || fail "does not say that it is a constant: $(cat err)"

# The cause, where it can be told.
told() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" "$@" model >out 2>err || fail "training fails: $(cat err)"
    grep -qx "rvm-train: no relevance vectors: the model predicts a constant; $words" err ||
        fail "$*: says: $(cat err)"
}
told 'all targets are equal' -s 3 same
printf '1\n2\n2\n' >bare
told 'no row has a feature' bare
printf '1 1:2 2:3\n2 1:2 2:3\n2 1:2 2:3\n' >alike
told 'all rows have the same features' alike
told 'without a kernel there is no other function; --basis bias,linear takes the features' -t 7 \
    "$DATA/ripley.train"
awk 'BEGIN { srand(1); for (i = 0; i < 40; i++) printf "%d 1:%.3f\n", i % 2, rand() }' >small
told 'where that is unexpected, try another width (-g auto)' -g 1e-6 small
awk '{ split($2, p, ":"); print $1, "1:" p[2] * 1000 }' small >large
told 'where that is unexpected, scale the features (--standardize)' -g 1e-12 large

"$BIN/rvm-train" -q -s 3 same model >out 2>err || fail "training fails with -q"
[ ! -s out ] && [ ! -s err ] || fail "-q is not quiet: $(cat out err)"
"$BIN/rvm-train" -g 4 "$DATA/ripley.train" model >out 2>err || fail "training fails on ripley"
! grep -q 'no relevance' err || fail "says so of a model with vectors"

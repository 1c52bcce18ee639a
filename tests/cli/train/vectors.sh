# --vectors MAX: the best so many, in numbers that are worked out by hand.
#
# Rows so far apart that the kernel matrix is I, noise variance 1, no bias: the function of a row is
# worth 1/2 [t^2 - 1 - ln t^2] nats where t^2 > 1, whatever the others do.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN { split("2 -7 3 0.5 4 -5 1.5 6", t); for (i = 1; i <= 8; i++) print t[i] " 1:" 100 * i }' >one
sed 's/^\([^ ]*\)/\1,\1/' one >two # the same again as a second output

serials() { # FILE OPTIONS: features of the vectors, over 100
    file=$1; shift
    "$BIN/rvm-train" -s 3 -g 1 --no-bias --noise-variance 1 "$@" "$file" model >out || return 1
    sed -n 's/.*1:\([1-8]\)00$/\1/p' model | sort | tr -d '\n'
}
[ "$(serials one)" = 1235678 ] || fail "all: $(serials one)"
[ "$(serials one --vectors 100)" = 1235678 ] || fail "100: $(serials one --vectors 100)"
for file in one two; do
    [ "$(serials $file --vectors 4)" = 2568 ] || fail "$file, 4: $(serials $file --vectors 4)"
    [ "$(serials $file --vectors 1)" = 2 ] || fail "$file, 1: $(serials $file --vectors 1)"
done
for method in mackay em sequential; do
    [ "$(serials one --vectors 3 --method $method)" = 268 ] ||
        fail "$method: $(serials one --vectors 3 --method $method)"
done

# The summary is that of the smaller model: -N/2 ln 2pi - 1/2 sum t^2 + what the functions are worth.
serials one --vectors 4 >vectors
sed -n 's/^Log evidence = //p' out | awk '{
    n = split("2 -7 3 0.5 4 -5 1.5 6", t)
    for (i = 1; i <= n; i++) {
        L -= 0.5 * (log(2 * 3.14159265358979) + t[i] ^ 2)
        if (t[i] ^ 2 > 15) L += 0.5 * (t[i] ^ 2 - 1 - log(t[i] ^ 2))
    }
    exit !($1 - L < 1e-3 && L - $1 < 1e-3) }' || fail "log evidence: $(cat out)"
grep -q '^Relevance vectors = 4$' out || fail "summary: $(cat out)"

# Classes, more than two, one against the rest; many rows; a prior: no more than MAX, and some.
count() { # OPTIONS DATA
    "$BIN/rvm-train" "$@" model | sed -n 's/^Relevance vectors = //p'
}
bounded() { # MAX OPTIONS DATA
    most=$1; shift
    n=$(count --vectors "$most" "$@")
    [ "$n" -gt 0 ] && [ "$n" -le "$most" ] || fail "--vectors $most $*: $n vectors"
    n=$(count "$@")
    [ "$n" -gt "$most" ] || fail "$* has no more than $most vectors as it is"
}
bounded 3 -g 10 "$DATA/iris"
bounded 3 -g 10 --multiclass ovr "$DATA/iris"
bounded 3 -g 1 "$DATA/ripley.train"
bounded 10 -s 3 -g 1 --restarts 2 -m 4 "$DATA/friedman1.train"
bounded 10 -s 3 -g 1 --restarts 4 "$DATA/friedman1.train"
bounded 2 -s 3 -g 1 --restarts 4 --prior gamma:1,1e-4 "$DATA/friedman1.train"
bounded 10 -s 3 -g 1 --restarts 4 --prior kernel "$DATA/friedman1.train"

# In cross-validation the bound costs accuracy.
mse() { "$BIN/rvm-train" -s 3 -g 1 --restarts 4 -v 3 "$@" "$DATA/friedman1.train" 2>&1 |
    sed -n 's/.*squared error = //p'; }
mse >all
mse --vectors 3 >few
cat all few | awk '{ e[NR] = $1 } END { exit !(e[2] > 1.5 * e[1]) }' || fail "-v: $(cat all few)"

# The same model for any number of threads.
for threads in 1 2; do
    "$BIN/rvm-train" -q -s 3 -g 1 --threads $threads --vectors 10 "$DATA/friedman1.train" $threads
done
cmp 1 2 || fail "threads change the model"

for value in -1 nan x 1.5; do
    "$BIN/rvm-train" --vectors "$value" "$DATA/iris" none >out 2>err && fail "$value is accepted"
    [ ! -e none ] || fail "$value leaves a model"
done
"$BIN/rvm-train" -s 3 --method gibbs --vectors 5 "$DATA/friedman1.train" none >out 2>err &&
    fail "gibbs is accepted"
grep -q 'vectors is not for --method gibbs' err || fail "gibbs: $(cat err)"

# Where the search has lost some on the way, points of the process make up for them.
"$BIN/rvm-train" -q -s 3 -g 0.3 --vectors 30 --prior kernel "$DATA/friedman1.train" model
[ "$(sed -n 's/^total_rv //p' model)" = 30 ] || fail "kernel prior: $(sed -n 's/^total_rv/&/p' model)"

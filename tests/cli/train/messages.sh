# Option values out of range: libsvm's words on stderr, exit 1, nothing on stdout and no model.
set -u
fail() { echo "$*" >&2; exit 1; }

printf '1 1:0.5 2:1\n-1 1:-0.5\n1 1:0.7\n-1 1:-1\n' >data

refuse() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" "$@" data model >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    [ ! -s out ] || fail "$* writes to stdout: $(cat out)"
    [ ! -e model ] || fail "$* leaves a model"
    grep -q "^rvm-train: ERROR: $words" err || fail "$*: '$words' is not in: $(cat err)"
}
accept() {
    "$BIN/rvm-train" -q "$@" data model >out 2>err || fail "$* is refused: $(cat err)"
    rm model
}

refuse 'unknown svm type' -s 9
refuse 'unknown svm type' -s -1
refuse 'one-class (-s 2) has no relevance vector counterpart' -s 2
refuse 'unknown kernel type' -t 9
refuse 'unknown kernel type' -t -1
refuse 'gamma < 0' -g -1
refuse 'gamma < 0' -t 1 -g -1
refuse 'gamma' -g nan
refuse 'gamma' -g inf
refuse 'coef0' -r nan
refuse 'degree of polynomial kernel < 0' -t 1 -d -1
refuse 'cache_size <= 0' -m 0
refuse 'eps <= 0' -e 0
refuse 'C <= 0' -c 0
refuse 'C <= 0' -s 3 -c -1
refuse 'nu <= 0 or nu > 1' -s 1 -n 1.5
refuse 'nu <= 0 or nu > 1' -s 4 -n 0
refuse 'p < 0' -s 3 -p -1
refuse 'shrinking != 0 and shrinking != 1' -h 2
refuse 'probability != 0 and probability != 1' -b 2
refuse 'weight of class 1' -w1 0
refuse 'weight of class -1' -w-1 -2
refuse 'weight of class 1' -w1 nan
refuse 'noise variance' -s 3 --noise-variance -1
refuse '.*regression' --noise-variance 1
refuse 'number of threads' --threads -1
refuse 'number of restarts' --restarts -1

# What libsvm does not check is not refused here either.
accept -n 5
accept -p -1
accept -s 1 -c -1
accept -t 0 -g -1
accept -g 0
accept -g 1e-60
accept -s 3 -w1 -2

# The data are read before option values are looked at.
"$BIN/rvm-train" -s 9 nothing model >out 2>err && fail "a missing file passes"
grep -q "^rvm-train: can't open input file nothing: " err || fail "the missing file is not named: $(cat err)"

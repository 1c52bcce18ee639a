# --prune-margin deletes what is worth less log evidence, in numbers that are worked out by hand.
#
# Three orthogonal columns of +1 and -1, 8 rows, noise variance 1, and t = 2 x1 + 0.6 x2 + 0.5 x3: by
# S = 8 and Q = 8 c a function is worth 1/2 [8 c^2 - 1 - ln(8 c^2)] nats, which is 13.77, 0.41, 0.15.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN {
    for (i = 0; i < 8; i++) {
        a = i % 2 ? 1 : -1; b = int(i / 2) % 2 ? 1 : -1; c = int(i / 4) ? 1 : -1
        printf "%.1f 1:%d 2:%d 3:%d\n", 2 * a + 0.6 * b + 0.5 * c, a, b, c
    }
}' >one
sed 's/^[^ ]*/&,&/' one >two # the same again as a second output: worth twice as much

names() { # FILE MARGIN
    "$BIN/rvm-train" -s 3 --kernel none --basis linear --noise-variance 1 --prune-margin "$2" \
        "$1" model | sed -n 's/^Basis functions = //p'
}
[ "$(names one 0)" = 'x1 x2 x3' ] || fail "0 nats: $(names one 0)"
[ "$(names one 0.1)" = 'x1 x2 x3' ] || fail "0.1 nats: $(names one 0.1)"
[ "$(names one 0.3)" = 'x1 x2' ] || fail "0.3 nats: $(names one 0.3)"
[ "$(names one 1)" = 'x1' ] || fail "1 nat: $(names one 1)"
[ "$(names two 0.29)" = 'x1 x2 x3' ] || fail "two outputs, 0.29 nats: $(names two 0.29)"
[ "$(names two 0.5)" = 'x1 x2' ] || fail "two outputs, 0.5 nats: $(names two 0.5)"

# For classes it has no closed form: fewer functions, of less evidence.
for data in ripley.train iris; do
    "$BIN/rvm-train" -g 10 "$DATA/$data" model >all || fail "$data fails"
    "$BIN/rvm-train" -g 10 --prune-margin 3 "$DATA/$data" model >few || fail "$data fails"
    cat all few | awk -v data="$data" '/^Rel/ { K[++k] = $NF } /^Log/ { L[k] = $NF }
        END { exit !(K[2] < K[1] && K[2] > 0 && L[2] < L[1]) }' || fail "$data: $(cat all few)"
done

for value in -1 nan inf x; do
    "$BIN/rvm-train" --prune-margin "$value" "$DATA/iris" none >out 2>err && fail "$value is accepted"
    [ ! -e none ] || fail "$value leaves a model"
done

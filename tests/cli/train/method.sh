# --method: what is refused and how, the bound on iterations, and more than two classes.
set -u
fail() { echo "$*" >&2; exit 1; }

# One line on standard error, and no model.
refused() { # WORDS ARGUMENTS...
    words=$1
    shift
    "$BIN/rvm-train" -q "$@" none >out 2>err && fail "$* is accepted"
    [ "$(grep -c . err)" = 1 ] || fail "$*: $(cat err)"
    grep -q -e "$words" err || fail "$*: $(cat err)"
    [ ! -e none ] || fail "$*: a model is written"
}

"$BIN/rvm-train" -q --method newton "$DATA/ripley.train" none 2>err >out && fail "newton is accepted"
grep -q 'auto, mackay, em, sequential and gibbs' err || fail "says: $(cat err)"
for method in mackay em sequential; do
    refused "^rvm-train: ERROR: --method $method knows one output; 3 need --method auto" \
        --method "$method" -s 3 "$DATA/linnerud"
    refused "^rvm-train: --method $method keeps the columns of all 241 candidates and needs -m" \
        --method "$method" -s 3 -m 0.5 "$DATA/friedman1.train"
done

# What the message names is enough.
need=$("$BIN/rvm-train" -q --method mackay -s 3 -m 0.5 "$DATA/friedman1.train" none 2>&1 |
    sed 's/.*needs -m \([0-9]*\) .*/\1/')
"$BIN/rvm-train" -q --method mackay -s 3 -m "$need" -g 0.3 "$DATA/friedman1.train" model ||
    fail "-m $need is not enough"

# EM creeps: here the bound of 10000 iterations comes first.
head -n 12 "$DATA/sinc.train" >few
"$BIN/rvm-train" -q --method em -e 1e-14 -s 3 -g 0.1 few model 2>err || fail "fails: $(cat err)"
grep -qx 'rvm-train: WARNING: training ended before it converged: with a larger -e .*' err ||
    fail "$(cat err)"
"$BIN/rvm-train" -q --method em -e 1e-4 -s 3 -g 0.1 few model 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "a larger -e does not help: $(cat err)"
"$BIN/rvm-train" -q --method em -e 1e-14 -s 3 -g 0.1 few model 2>err
grep -qx 'converged 0' model || fail "the model says otherwise"

# Flowers, each class against the rest.
for method in mackay sequential; do
    "$BIN/rvm-train" -q --method "$method" -g 0.5 "$DATA/iris" model || fail "$method fails"
    grep -qx 'multiclass ovr' model || fail "$method: no model of one against the rest"
    "$BIN/rvm-predict" "$DATA/iris" model out >text || fail "$method: prediction fails"
    awk '/^Accuracy/ { exit !($3 + 0 >= 96) }' text || fail "$method: $(cat text)"
done
"$BIN/rvm-train" --method sequential -g 4 -v 5 "$DATA/ripley.train" >text || fail "-v fails"
awk '{ exit !($5 + 0 >= 84) }' text || fail "says: $(cat text)"

# Ctrl-C in the middle of EM, which has minutes to go.
if timeout --foreground --preserve-status -s INT 5 true 2>/dev/null; then
    timeout --foreground --preserve-status -s INT 0.5 "$BIN/rvm-train" -q --method em -e 1e-14 -s 3 \
        -g 0.3 "$DATA/friedman1.train" model >out 2>err
    status=$?
    [ $status = 130 ] || fail "exit $status, not 130: $(cat err)"
    grep -q '^rvm-train: interrupted; .* model' err || fail "says: $(cat err)"
    grep -qx 'converged 0' model || fail "the model claims to have converged"
    "$BIN/rvm-predict" -q "$DATA/friedman1.test" model out || fail "the model cannot be used"
fi

# Targets of noise alone: a paper's method that keeps most rows says so, and what it names does not.
awk 'BEGIN { srand(8); for (i = 0; i < 60; i++) printf "%.6f 1:%.6f 2:%.6f\n", rand(), rand(), rand() }' >coins
"$BIN/rvm-train" --method em -s 3 -g 300 coins model >out 2>err || fail "em fails: $(cat err)"
grep -qx 'rvm-train: [0-9]* of 60 rows are vectors: --method em .* auto compares many' err ||
    fail "em: $(cat out err)"
"$BIN/rvm-train" -s 3 -g 300 coins model >out 2>err || fail "auto fails: $(cat err)"
[ "$(sed -n 's/^Relevance vectors = //p' out)" -lt 30 ] || fail "auto: $(cat out)"

# Three classes: neither the order of the rows nor the order in which the classes appear decides what
# is found; only the order in which the model lists them.
set -eu

fail() { echo "$*"; exit 1; }

sort -k 3 "$DATA/iris" >one
sort -r "$DATA/iris" >other
for order in one other; do
    "$BIN/rvm-train" -q -g 0.5 $order $order.model || fail "training fails on $order"
    grep -E '^(total_rv|log_evidence|converged)' $order.model >$order.numbers
    "$BIN/rvm-predict" -q "$DATA/iris" $order.model $order.labels || fail "prediction fails"
done
[ "$(sed -n 's/^label //p' one.model)" != "$(sed -n 's/^label //p' other.model)" ] ||
    fail "the two files list the classes in one order: this test shows nothing"
cmp one.numbers other.numbers || fail "other numbers: $(cat one.numbers other.numbers)"
cmp one.labels other.labels || fail "other predictions"

# The order of the rows in the file does not change the model, not by a byte but for where its vectors stand.
set -eu

orders='sorted turned'
check() { # ROWS OPTION ...
    rows=$1
    shift
    sort "$rows" >sorted
    sort -r -k 2 "$rows" >turned
    "$BIN/rvm-train" -q "$@" "$rows" a
    for file in $orders; do
        if cmp -s "$file" "$rows"; then
            echo "$file is no other order"
            exit 1
        fi
        "$BIN/rvm-train" -q "$@" "$file" b
        grep -v '^rows ' a >a.rest
        grep -v '^rows ' b >b.rest
        cmp a.rest b.rest
    done
}

check "$DATA/mcycle" -s 3 -g 0.01
check "$DATA/friedman1.train" -s 3 -g 0.3 --restarts 4
check "$DATA/ripley.train" -g 4

# Rows that are drawn, for rounds and for a first stage, are the same ones in another order.
awk -f "$SRC/tests/cli/numbers/many_rows.awk" >many
orders=turned
check many -s 3 -g 4

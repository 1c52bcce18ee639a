# The log evidence in a model file is what its formula gives, worked out by awk from the numbers in
# the file and the training rows: to a millionth, in regression and in classification.
set -eu

check() { # ROWS OPTION ...
    rows=$1
    shift
    "$BIN/rvm-train" -q "$@" "$rows" model
    awk -f "$SRC/tests/cli/numbers/log_evidence.awk" model "$rows" >both
    awk '{ d = ($1 - $2) / $1 } END { exit !(NR == 1 && d * d <= 1e-12) }' both || {
        echo "$rows: in the file, by the formula:"
        cat both
        exit 1
    }
}

check "$DATA/mcycle" -s 3 -g 0.01
check "$DATA/sinc.train" -s 3 -g 0.1 --noise-variance 0.04
check "$DATA/friedman1.train" -s 3 -g 0.3 --restarts 1 --no-bias
check "$DATA/ripley.train" -g 4
check "$DATA/pima_std.train" -g 0.03 --restarts 2

# More rows than whole columns are kept for: found in rounds, and from 20000 on in stages.
awk -f "$SRC/tests/cli/numbers/many_rows.awk" >many
head -n 3000 many >some
awk '{ $1 = $1 > 0.7 ? 1 : -1; print }' many >classes
check some -s 3 -g 4 -m 8
check many -s 3 -g 4
check classes -g 4

# The number of threads changes nothing, in either way of training: by many starts, and in rounds
# where the columns do not fit into the memory allowed.
set -eu

check() { # ROWS OPTION ...
    rows=$1
    shift
    for threads in 1 2 3; do
        "$BIN/rvm-train" -q --threads $threads "$@" "$rows" model.$threads
    done
    cmp model.1 model.2
    cmp model.1 model.3
}

check "$DATA/ripley.train" -g 4
check "$DATA/friedman1.train" -s 3 -g 0.3 --restarts 6
check "$DATA/boston" -s 3 -g 0.00001 -m 6
check "$DATA/pima_std.train" -g 0.03 -m 2

# The number of threads changes nothing, in either way of training: by many starts, and in rounds
# where the columns do not fit into the memory allowed.
set -eu

counts='2 3'
check() { # ROWS OPTION ...
    rows=$1
    shift
    "$BIN/rvm-train" -q --threads 1 "$@" "$rows" model.1
    for threads in $counts; do
        "$BIN/rvm-train" -q --threads $threads "$@" "$rows" model
        cmp model.1 model
    done
}

check "$DATA/ripley.train" -g 4
check "$DATA/friedman1.train" -s 3 -g 0.3 --restarts 6
counts=3
check "$DATA/boston" -s 3 -g 0.00001 -m 6
check "$DATA/pima_std.train" -g 0.03 -m 2

# Many rows, in rounds and, from 20000 on, in stages of more and more of them.
awk 'BEGIN {
    seed = 3
    for (i = 0; i < 20000; i++) {
        seed = seed * 16807 % 2147483647
        x = seed / 2147483647
        seed = seed * 16807 % 2147483647
        z = seed / 2147483647
        seed = seed * 16807 % 2147483647
        printf "%.6f 1:%.6f 2:%.6f\n", sin(6 * x) + z * z + seed / 2147483647, x, z
    }
}' >many
check many -s 3 -g 4 -m 16
awk '{ $1 = $1 > 1.4 ? 1 : -1; print }' many >classes
check classes -g 4 -m 16

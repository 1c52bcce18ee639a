#!/bin/sh
# Rows per second of rvm-predict beside svm-predict (libsvm), files read and written included:
#
#     make bench-predict BENCH_DATA=FOLDER
#
# which calls   sh bench/predict.sh BIN FOLDER
#     BIN      folder of the rvm-* tools
#     FOLDER   libsvm's files kin40k and ijcnn1, plain or packed; see bench/fetch.sh
#
# Each machine is trained here, in a minute or two, on the first rows of the training part; more of
# them take longer and give more vectors, svm-train above all.  Prediction is of the same file, the
# test part over and over, and by wall clock; the median of three runs counts.  `-q` leaves out the
# scores, for which the plain run needs the variance at each row.
#
# Environment: BENCH_SVM_ROWS (8000), BENCH_RVM_ROWS (2000) to train on, BENCH_ROWS (200000) to
# predict.  Needs GNU time; svm-train and svm-predict are in Debian's package libsvm-tools.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"

[ $# = 2 ] || usage 6,8
bin=$(cd "$1" && pwd) || exit 1
folder=$(data_folder "$2") || exit 1
need_libsvm
svm_rows=${BENCH_SVM_ROWS:-8000} rvm_rows=${BENCH_RVM_ROWS:-2000} rows=${BENCH_ROWS:-200000}

tmp=$(mktemp -d) || exit 1
trap_ends

# A part in an order that is mixed but always the same: files may be sorted.
mix() { awk 'BEGIN { srand(1) } { print rand() "\t" $0 }' | sort -k 1,1 | cut -f 2-; }

vectors() { sed -n 's/^total_[rs]v //p' "$1"; }

# Rows per second of a command that predicts all of them.
speed() {
    for _ in 1 2 3; do
        env time -o "$tmp/usage" -f %e "$@" >"$tmp/out" 2>&1 ||
            fail "$1 fails: $(tail -n 1 "$tmp/out")"
        tail -n 1 "$tmp/usage"
    done | sort -g | awk -v rows="$rows" 'NR == 2 { printf "%.0f", rows / ($1 > 0 ? $1 : 0.01) }'
}

report() { # NAME PROGRAM VECTORS SPEED
    printf '%-8s  %-27s  %7s  %9s  %7.1f\n' "$1" "$2" "$3" "$4" \
        "$(awk -v a="$4" -v b="$base" 'BEGIN { print a / b }')"
}

compare() { # NAME TYPE GAMMA_RVM GAMMA_SVM C EPSILON
    sh "$here/fetch.sh" "$bin" "$folder" none 4000 "$tmp" "$1" || return 0
    mix <"$tmp/train" >"$tmp/mixed"
    head -n "$svm_rows" "$tmp/mixed" >"$tmp/train.svm"
    head -n "$rvm_rows" "$tmp/mixed" >"$tmp/train.rvm"
    awk -v rows="$rows" '{ line[NR] = $0 }
        END { for (i = 0; i < rows; i++) print line[i % NR + 1] }' "$tmp/test" >"$tmp/rows"
    svm-train -q -m 500 -s "$2" -g "$4" -c "$5" -p "$6" "$tmp/train.svm" "$tmp/svm" ||
        fail "svm-train fails"
    "$bin/rvm-train" -q -s "$2" -g "$3" "$tmp/train.rvm" "$tmp/rvm" || fail "rvm-train fails"

    base=$(speed svm-predict "$tmp/rows" "$tmp/svm" "$tmp/predicted") || exit 1
    report "$1" svm-predict "$(vectors "$tmp/svm")" "$base"
    for options in '' -q '--threads 1' '-q --threads 1'; do
        # shellcheck disable=SC2086 # several words
        got=$(speed "$bin/rvm-predict" $options "$tmp/rows" "$tmp/rvm" "$tmp/predicted") || exit 1
        report "$1" "rvm-predict $options" "$(vectors "$tmp/rvm")" "$got"
    done
}

printf '%-8s  %-27s  %7s  %9s  %7s\n' set program vectors rows/s times
compare ijcnn1 0 2 4 16 0
compare kin40k 3 0.1 0.1 100 0.1

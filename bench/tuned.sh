#!/bin/sh
# rvm-train -g auto beside svm-train with the grid search that comes with libsvm.
#
#     make bench-tuned BENCH_DATA=FOLDER     ten minutes or so, one process at a time
#
# which calls   sh bench/tuned.sh BIN FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     FOLDER   data, see bench/rows.sh; what is not there is left out
#     RESULTS  the file that gets the table, once it is complete, as Markdown text
#
# Environment:
#     BENCH_ONLY    the sets to run, such as "concrete german"; all of sets below
#     BENCH_POINT   seconds of the processor that a point of the grid may take (5); large C can take
#                   minutes
#
# Needs GNU time; svm-train and svm-predict are in Debian's package libsvm-tools.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"

[ $# = 3 ] || usage 6,9
bin=$(cd "$1" && pwd) || exit 1
folder=$(data_folder "$2") || exit 1
results=$3
need_libsvm

point_seconds=${BENCH_POINT:-5}

# Name, type, stem of the files, rows to train on.
sets='
airfoil         3  airfoil         500
concrete        3  concrete        500
mg              3  mg_scale        500
space_ga        3  space_ga_scale  500
abalone         3  abalone_scale   500
australian      0  australian      500
german          0  german_         500
image           0  image_          500
pima            0  pima768         512
splice          0  splice          500
vowel           0  vowel           500
satellite       0  satellite       500
digits          0  digits          500
dna             0  dna             500
glass           0  glass           143
'

tmp=$(mktemp -d) || exit 1
trap_ends

# The error of a prediction, by PROGRAM MODEL: percent that are wrong, or the mean squared error.
error_of() {
    "$1" "$tmp/test.std" "$2" "$tmp/predicted" 2>&1 |
        awk '/^Accuracy = / { print 100 - $3 } /^Mean squared error = / { print $5 }'
}

cells() {
    printf '| %-10s | %4s | %4s | %9s | %9s | %5s | %7s | %7s | %9s | %9s | %5s |\n' "$@" | emit
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else print "-" }'; }
shown_error() { awk -v e="$1" -v t="$type" 'BEGIN { printf (t == 3 ? "%.4g" : "%.2f %%"), e }'; }

# regression, two (classes), or more.
kind() {
    awk -v type="$type" '
        !($1 in seen) { seen[$1]; count++ }
        END { print (type == 3 ? "regression" : count > 2 ? "more" : "two") }' "$tmp/train.std"
}

compare() { # NAME TYPE STEM ROWS
    name=$1 type=$2
    prepare "$tmp" "$3" 1 "$4" || return 0
    [ "$type" = 0 ] || standardise_targets "$tmp"

    note "$name: rvm-train"
    seconds=0
    timed "$bin/rvm-train" -q -s "$type" -g auto "$tmp/train.std" "$tmp/rvm"
    rvm_seconds=$seconds

    note "$name: svm-train"
    seconds=0
    timed sh "$here/grid.sh" "$type" "$tmp/train.std" "$point_seconds"
    read -r cost gamma <"$tmp/out"
    timed svm-train -q -s "$type" -c "$cost" -g "$gamma" -m 1024 "$tmp/train.std" "$tmp/svm"

    rvm_error=$(error_of "$bin/rvm-predict" "$tmp/rvm")
    svm_error=$(error_of svm-predict "$tmp/svm")
    echo "$(kind) $rvm_error $svm_error $rvm_seconds $seconds" >>"$tmp/ratios"
    cells "$name" "$(awk 'END { print NR }' "$tmp/train.std")" "$(cat "$tmp/features")" \
        "$(shown_error "$rvm_error")" "$(shown_error "$svm_error")" \
        "$(ratio "$rvm_error" "$svm_error")" \
        "$(sed -n 's/^total_rv //p' "$tmp/rvm")" "$(sed -n 's/^total_sv //p' "$tmp/svm")" \
        "$(printf %.1f "$rvm_seconds")" "$(printf %.1f "$seconds")" \
        "$(ratio "$rvm_seconds" "$seconds")"
}

emit <<END
# Tuned

\`rvm-train -g auto\` beside svm-train with C and gamma from the grid search that comes with libsvm:
C = 2^-5, 2^-3, ..., 2^15 by gamma = 2^3, 2^1, ..., 2^-15, 110 points, each by a cross-validation of 5
folds; for regression with the least mean squared error and epsilon 0.1.  A point that
takes more than $point_seconds seconds, as large C does in regression, is given up and counts with these, which
shortens the seconds of svm-train.  Features, and targets of a regression, have mean 0 and variance 1.
The error is the share of wrong classes, or the mean squared error, of up to 2000 rows that were not
trained on; of few such rows a few per cent of it are chance.  Seconds are those of the processor in
one thread, for the search and the training together.

    command     make bench-tuned BENCH_DATA=FOLDER
$(describe_machine)
$(describe_program "$bin")
    peer        svm-train of libsvm

END
cells data rows d 'error RVM' SVM ratio vectors SVM 'seconds' SVM ratio
cells --- ---: ---: ---: ---: ---: ---: ---: ---: ---: ---:
while read -r name type stem rows; do
    [ -z "$name" ] || ! wanted "$name" || compare "$name" "$type" "$stem" "$rows"
done <<END
$sets
END
[ -s "$tmp/ratios" ] || fail "no data set found in $folder"
# Sets without an error of either say nothing on these.
means() { # KIND
    awk -v kind="$1" '
        $1 != kind { next }
        { seconds += log($4 / $5); sets++ }
        $2 * $3 > 0 { error += log($2 / $3); count++ }
        END { if (count > 0) printf "error %.2f, seconds %.2f", exp(error / count), exp(seconds / sets)
            else print "-" }' "$tmp/ratios"
}
emit <<END

Geometric means of the ratios: regression: $(means regression); two classes: $(means two); more
classes: $(means more).
END

mv "$tmp/results" "$results"

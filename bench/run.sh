#!/bin/sh
# Times rvm-train and rvm-predict beside svm-train (libsvm), kernlab (R) and dlib (C++).
#
#     make bench                        15 to 20 minutes; what is not installed is left out
#     make bench BENCH_DATA=FOLDER      real data too, as far as FOLDER or a folder in it has them
#
# which call   sh bench/run.sh BIN HELPERS RESULTS
#     BIN      folder of the rvm-* tools
#     HELPERS  folder of the compiled bench/friedman.c, which makes the synthetic data
#     RESULTS  the file that gets the table, once it is complete, as Markdown text
#
# Environment, or variables of make:
#     BENCH_DATA    folder of libsvm's text files, plain or packed, see bench/fetch.sh; the names
#                   looked for are in real_sets below; nothing is downloaded
#     BENCH_ONLY    parts to run, such as "friedman a9a"; all: friedman twonorm tuning and real sets
#     BENCH_SIZES   rows of the Friedman problem, ascending
#     BENCH_FULL    1: the Friedman problem with a million rows, and svm-train's whole grid
#     BENCH_LIMIT   seconds that one run of a program may take (300)
#     BENCH_REPEAT  times that a run of less than 2 seconds is made; the median counts (3)
#
# Needs GNU time and timeout.  Peers, with their Debian packages: svm-train (libsvm-tools), R with
# kernlab (r-cran-kernlab), dlib's headers (libdlib-dev) and g++.
#
# To add a real data set is a line of real_sets.  To add a peer is a function like run_kernlab and a
# call in run_problem; a program that trains, predicts and prints what bench/peer-kernlab.R prints
# needs no more than run_peer.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"

# shellcheck disable=SC2034 # the name in the messages of frame.sh
script=bench
bin=$(cd "$1" && pwd) || exit 1
helpers=$(cd "$2" && pwd) || exit 1
results=$3

data=${BENCH_DATA:-}
only=${BENCH_ONLY:-}
full=${BENCH_FULL:-0}
limit=${BENCH_LIMIT:-300}
repeat=${BENCH_REPEAT:-3}
sizes=${BENCH_SIZES:-250 500 1000 2000 4000 20000 100000$([ "$full" = 0 ] || echo ' 1000000')}
test_rows=10000

# The peers are slow; what they are asked for at most.
kernlab_most=4000
dlib_most=1000

# Name, type, preparation; gamma for rvm-train; gamma, C and epsilon for svm-train; test rows where
# there is no test file; stems of file names.  What svm-train gets did best, of a dozen, on rows held
# back by another random split of the same file, so that some of them are test rows here, which
# flatters it a little.  What rvm-train gets had the largest log evidence less vectors on 2000 rows,
# or within a nat of that the smaller gamma; it saw no error.  The values of cod-rna are guesses.
real_sets='
kin40k        3  none     0.1   0.2    10  0.1   4000  kin40k
cal_housing   3  housing  3     30     10  0.3   4128  cal_housing cadata
a9a           0  none     0.05  0.02    4  0     6500  a9a
ijcnn1        0  none     2     4      16  0    10000  ijcnn1
cod-rna       0  signed   4     4      32  0    10000  cod-rna cod-rna_std
skin_nonskin  0  unit     60    150    10  0    49000  skin_nonskin
w8a           0  none     0.02  0.05    4  0    10000  w8a
shuttle       0  unit     16    16   1000  0     8700  shuttle shuttle.scale
'

tmp=$(mktemp -d) || exit 1
train=$tmp/train test=$tmp/test
job=
# A job that is left ends before its folder goes.
clean_up() {
    [ -z "$job" ] || { kill "$job" && wait "$job"; } 2>/dev/null
    rm -rf "$tmp"
}
trap_ends

has() { command -v "$1" >/dev/null 2>&1; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'; }

# ---- One run -------------------------------------------------------------------------------------

# Runs a command under the limit; what it prints is in $tmp/out and $tmp/err, wall clock and peak
# memory in $seconds and $megabytes.  False when it failed or was stopped; then $seconds tells why.
run_once() {
    timeout -k 5 "$limit" env time -o "$tmp/usage" -f '%e %M' "$@" \
        >"$tmp/out" 2>"$tmp/err" </dev/null &
    job=$!
    wait "$job"
    code=$?
    job=
    megabytes=-
    case $code in
    0)
        read -r seconds kilobytes <"$tmp/usage"
        megabytes=$(((kilobytes + 1023) / 1024))
        ;;
    124 | 137)
        seconds="> $limit"
        return 1
        ;;
    *)
        seconds=failed
        note "exit status $code of ${1##*/}: $(tail -n 1 "$tmp/err")"
        return 1
        ;;
    esac
}

# $seconds of the run just made by the program's own clock, where it tells.
own_seconds() { seconds=$(value_of 'Seconds'); }

# Runs a command as often as is worth it; $seconds is the median.  With `own` in front, seconds are
# those that the program prints.
run() {
    clock=:
    if [ "$1" = own ]; then
        clock=own_seconds
        shift
    fi
    : >"$tmp/seconds"
    runs=0
    while [ "$runs" -eq 0 ] || { [ "$runs" -lt "$repeat" ] && below "$seconds" 2; }; do
        run_once "$@" || return 1
        $clock
        echo "$seconds" >>"$tmp/seconds"
        runs=$((runs + 1))
    done
    seconds=$(sort -g "$tmp/seconds" | awk '{ s[NR] = $1 }
        END { print (s[int((NR + 1) / 2)] + s[int(NR / 2) + 1]) / 2 }')
}

# What follows `NAME = ` in the output of the last run, the percent sign left out; nothing when
# there is no such line.
value_of() { sed -n "s/^$1 = \([^% ]*\).*/\1/p" "$tmp/out" "$tmp/err" | head -n 1; }

# The error in the output of the last run: percent that are wrong, or the mean squared error.
error_of_run() {
    awk '/^Accuracy = / { printf "%.4g %%", 100 - $3; exit }
        /^Mean squared error = / { printf "%.4g", $5; exit }' "$tmp/out"
}

# ---- The table -----------------------------------------------------------------------------------

# The results of one program, in the variables that the row shows.
clear_row() { vectors=- error=- loss=- rate=-; }

# Nine cells, as wide as is needed for columns that are straight as plain text too.
cells() {
    printf '| %-12s | %7s | %-9s | %11s | %10s | %7s | %7s | %8s | %13s |\n' "$@" | emit
}

print_head() {
    cells data rows program 'training, s' 'memory, MB' vectors error 'log loss' predictions/s
    cells --- ---: --- ---: ---: ---: ---: ---: ---:
}

print_row() {
    case $seconds in [0-9]*)
        echo "$name $rows $1 $seconds" >>"$tmp/finished"
        seconds=$(printf '%.2f' "$seconds")
        ;;
    esac
    [ "$rate" = - ] || rate=$(awk -v r="$rate" 'BEGIN {
        unit = 10 ^ (length(int(r)) - 2); if (unit < 1) unit = 1
        printf "%d", int(r / unit + 0.5) * unit }')
    [ "$loss" = - ] || loss=$(printf '%.4g' "$loss")
    cells "$name" "$rows" "$1" "$seconds" "$megabytes" "$vectors" "$error" "$loss" "$rate"
}

# Whether a program is to be run: installed, and not stopped on fewer rows of the same problem.
still_runs() {
    case " $peers " in *" $1 "*) ;; *) return 1 ;; esac
    case " $stopped " in *" $1 "*) return 1 ;; esac
    note "$name, $rows rows: $1"
}

# Trains; false, with the row printed, where that did not work.
train() {
    program=$1
    shift
    clear_row
    run "$@" && return 0
    stopped="$stopped $program"
    print_row "$program"
    return 1
}

# Predicts $test by a model: PROGRAM MODEL.  The scores are in $tmp/out and $tmp/err.  What is over
# too soon to be timed is timed on many copies of the test.
predict() {
    trained=$seconds trained_megabytes=$megabytes
    predicted=$(awk 'END { print NR }' "$test")
    if run_once "$1" "$test" "$2" "$tmp/predicted"; then
        error=$(error_of_run)
        loss=$(value_of 'Mean negative log predictive density')
        : "${loss:=-}"
        time_predict "$@"
    fi
    seconds=$trained megabytes=$trained_megabytes
}
time_predict() {
    if below "$seconds" 0.5; then
        copies=0
        while [ "$copies" -lt 20 ]; do
            cat "$test"
            copies=$((copies + 1))
        done >"$tmp/copies"
        predicted=$((predicted * copies))
        run "$1" "$tmp/copies" "$2" "$tmp/predicted" || return
        rm "$tmp/copies"
    fi
    rate=$(awk -v n="$predicted" -v s="$seconds" 'BEGIN { print n / (s > 0.005 ? s : 0.005) }')
}

# ---- The programs --------------------------------------------------------------------------------
# Each trains on $train, predicts $test and prints a row, with $type and $gamma, svm-train with
# $svm_gamma, $cost and $epsilon.

run_rvm() {
    train rvm-train "$bin/rvm-train" -s "$type" -g "$gamma" "$train" "$tmp/model" || return
    vectors=$(value_of 'Relevance vectors')
    predict "$bin/rvm-predict" "$tmp/model"
    if [ "$type" = 0 ]; then
        log_loss
    fi
    print_row rvm-train
}
# Probabilities take longer than classes, so that they are no part of what is timed above.
log_loss() {
    trained=$seconds trained_megabytes=$megabytes
    run_once "$bin/rvm-predict" -b 1 "$test" "$tmp/model" "$tmp/predicted" &&
        loss=$(value_of 'Mean log loss')
    seconds=$trained megabytes=$trained_megabytes
}

# With as much memory for columns as ours has.
run_svm() {
    train svm-train svm-train -q -s "$type" -g "$svm_gamma" -c "$cost" -p "$epsilon" -m 1024 \
        "$train" "$tmp/model" || return
    vectors=$(sed -n 's/^total_sv //p;/^SV/q' "$tmp/model")
    predict svm-predict "$tmp/model"
    print_row svm-train
}

# Programs that train, predict and print their own seconds.
run_peer() {
    program=$1
    shift
    train "$program" own "$@" || return
    vectors=$(value_of 'Relevance vectors')
    rate=$(value_of 'Predictions per second')
    error=$(error_of_run)
    print_row "$program"
}

run_kernlab() {
    run_peer kernlab Rscript "$here/peer-kernlab.R" "$gamma" "$train" "$test"
}

# The threads of the BLAS do nothing for matrices as small as dlib's but get into each other's way.
run_dlib() {
    run_peer dlib env OPENBLAS_NUM_THREADS=1 "$tmp/peer-dlib" "$type" "$gamma" "$train" "$test"
}

run_problem() {
    ! still_runs rvm-train || run_rvm
    ! still_runs svm-train || run_svm
    [ "$type" = 0 ] || [ "$rows" -gt "$kernlab_most" ] || ! still_runs kernlab || run_kernlab
    [ "$rows" -gt "$dlib_most" ] || ! still_runs dlib || run_dlib
}

# ---- Which peers there are -----------------------------------------------------------------------

build_dlib() {
    for libraries in -lopenblas '-lblas -llapack' ''; do
        # shellcheck disable=SC2086 # several words
        ${CXX:-g++} -std=c++14 -O2 "$here/peer-dlib.cc" -o "$tmp/peer-dlib" $libraries \
            2>"$tmp/err" && return
    done
}

find_peers() {
    peers=rvm-train
    if has svm-train && has svm-predict; then
        peers="$peers svm-train"
    else
        note "svm-train is left out, not installed (Debian: libsvm-tools)"
    fi
    if ! wanted friedman && ! wanted twonorm; then
        return
    fi
    if has Rscript && Rscript "$here/peer-kernlab.R" --version >"$tmp/kernlab" 2>/dev/null; then
        peers="$peers kernlab"
    else
        note "kernlab is left out, not installed (Debian: r-cran-kernlab)"
    fi
    note "compiling for dlib"
    if build_dlib; then
        peers="$peers dlib"
    else
        note "dlib is left out, bench/peer-dlib.cc does not compile (Debian: libdlib-dev g++)"
    fi
}

svm_version() {
    dpkg-query -W -f '${Version}\n' libsvm-tools 2>/dev/null || echo "of unknown version"
}

# The command that does this again; the folder of the data is the reader's own.
this_command() {
    printf 'make bench'
    [ -z "$data" ] || printf ' BENCH_DATA=FOLDER'
    [ -z "$only" ] || printf ' BENCH_ONLY="%s"' "$only"
    [ -z "${BENCH_SIZES:-}" ] || printf ' BENCH_SIZES="%s"' "$sizes"
    [ "$full" = 0 ] || printf ' BENCH_FULL=%s' "$full"
    [ "$limit" = 300 ] || printf ' BENCH_LIMIT=%s' "$limit"
    [ "$repeat" = 3 ] || printf ' BENCH_REPEAT=%s' "$repeat"
}

describe() {
    emit <<END
# Benchmark

Each program is trained on the same rows with the kernel exp(-gamma |x-z|^2), of the same gamma for
synthetic data and of one that suits the program for real data, and predicts the same test rows,
which it has not seen.  Seconds are those of the wall clock, for rvm-train and svm-train of the
whole command, reading and writing included, for kernlab and dlib of the call that trains; memory is
the peak of the process.  The error is the share of wrong classes in percent, or the mean squared
error.  The log loss is the mean of -ln p(target), a probability for classes and a density for
regression; svm-train has none without -b 1, which trains five times more.

Predictions per second are those of rvm-predict and svm-predict, reading and writing included, and
those of the call for kernlab and dlib.  Runs of less than two seconds are the median of $repeat.  A
program that needs more than $limit s is stopped, and is not tried on more rows of the same problem.
bench/run.sh says how to run this and bench/friedman.c what the synthetic data are.

    command     $(this_command)
$(describe_machine)
    threads     ${OMP_NUM_THREADS:-as many as cores} for rvm-train; svm-train has one
$(describe_program "$bin")
END
    case $peers in *svm-train*) echo "    libsvm      $(svm_version)" ;; esac | emit
    case $peers in *kernlab*) echo "    kernlab     $(cat "$tmp/kernlab")" ;; esac | emit
    case $peers in *dlib*) echo "    dlib        $("$tmp/peer-dlib" --version)" ;; esac | emit
    echo | emit
}

# ---- Synthetic data ------------------------------------------------------------------------------

# PROBLEM SIZE...; of one seed, so that fewer rows are the first ones of more.
run_synthetic() {
    name=$1
    shift
    stopped=
    "$helpers/friedman" "$name" "$test_rows" 2 >"$test" || exit 1
    for rows; do
        "$helpers/friedman" "$name" "$rows" 1 >"$train" || exit 1
        run_problem
    done
}

run_friedman() {
    type=3 gamma=0.3 svm_gamma=0.3 cost=100 epsilon=0.5
    # shellcheck disable=SC2086 # several sizes
    run_synthetic friedman1 $sizes
}

run_twonorm() {
    type=0 gamma=0.02 svm_gamma=0.02 cost=1 epsilon=0
    run_synthetic twonorm 1000 4000 8000
}

# ---- Real data -----------------------------------------------------------------------------------

run_real_sets() {
    while read -r name type preparation gamma svm_gamma cost epsilon drawn stems; do
        if [ -z "$name" ] || ! wanted "$name"; then
            continue
        fi
        stopped=
        # shellcheck disable=SC2086 # several names
        if sh "$here/fetch.sh" "$bin" "$data" "$preparation" "$drawn" "$tmp" $stems; then
            rows=$(awk 'END { print NR }' "$train")
            run_problem
        else
            note "$name is left out"
        fi
    done <<END
$real_sets
END
}

# ---- How time grows ------------------------------------------------------------------------------

# Slope of ln seconds on ln rows.  What takes less than a tenth of a second is mostly the start of a
# program; with few rows rvm-train searches from more starting points, the more the fewer they are.
print_exponents() {
    emit <<'END'

Training time on friedman1 grows like (rows)^exponent, least squares on logarithms, over the runs
that ended and took 0.1 s or more, for rvm-train those from 10,000 rows up:

| program   | exponent | rows |
| ---       |     ---: | ---  |
END
    for program in $peers; do
        awk -v program="$program" '
            $1 == "friedman1" && $3 == program && $4 >= 0.1 &&
            (program != "rvm-train" || $2 >= 10000) {
                x = log($2); y = log($4)
                n++; sx += x; sy += y; sxx += x * x; sxy += x * y
                rows = rows (n > 1 ? ", " : "") $2
            }
            END {
                slope = n > 1 ? sprintf("%.2f", (n * sxy - sx * sy) / (n * sxx - sx * sx)) : "-"
                printf "| %-9s | %8s | %s |\n", program, slope, n ? rows : "none"
            }' "$tmp/finished" | emit
    done
}

# ---- The whole way to a tuned model --------------------------------------------------------------

tuning_rows=1000
tuning_widths='0.01 0.02 0.05 0.1 0.2 0.3 0.5 1 2 4'

# One run of a search.  One that is stopped counts with the seconds it had.
try() {
    worked=0
    run_once "$@" || worked=1 seconds=$limit most='more than '
    total=$(awk -v a="$total" -v b="$seconds" 'BEGIN { print a + b }')
    return "$worked"
}

# SEARCH RUNS CHOSEN: with $total seconds in all, and the error of the prediction just made.
print_search() {
    printf '| %s | %s | %s%.1f%s | %s | %s |\n' \
        "$1" "$2" "$most" "$total" "$whole" "$3" "$(error_of_run)" | emit
}

# Ten widths, the best by the rule of rvm-train(1): log evidence less the number of vectors.
tune_rvm() {
    : >"$tmp/tried"
    total=0 most='' whole=''
    for gamma in $tuning_widths; do
        try "$bin/rvm-train" -s "$type" -g "$gamma" "$train" "$tmp/model.$gamma" &&
            echo "$(value_of 'Log evidence') $(value_of 'Relevance vectors') $gamma" >>"$tmp/tried"
    done
    gamma=$(awk '{ print $1 - $2, $3 }' "$tmp/tried" | sort -g | awk 'END { print $2 }')
    run_once "$bin/rvm-predict" "$test" "$tmp/model.$gamma" "$tmp/predicted" || return
    print_search 'rvm-train, log evidence less vectors' 10 "-g $gamma"
}

# The points of grid.py, log2 C = -5, -3 ... 15 by log2 gamma = 3, 1 ... -15.  Every so many of
# them; a number without a common factor with 10 reaches all values of both.
grid_every=$([ "$full" = 0 ] && echo 3 || echo 1)
grid_points() {
    awk -v every="$grid_every" 'BEGIN {
        for (i = 0; i < 110; i += every)
            print 2 ^ (2 * int(i / 10) - 5), 2 ^ (3 - 2 * (i % 10))
    }'
}

# Cross-validation at each point, then training at the best.
tune_svm() {
    : >"$tmp/tried"
    total=0 most='' whole='' points=0
    grid_points >"$tmp/grid"
    while read -r cost gamma; do
        try svm-train -q -v 5 -s "$type" -g "$gamma" -c "$cost" -p "$epsilon" "$train" &&
            echo "$(value_of 'Cross Validation Mean squared error') $cost $gamma" >>"$tmp/tried"
        points=$((points + 1))
    done <"$tmp/grid"
    read -r squares cost gamma <<END
$(sort -g "$tmp/tried" | head -n 1)
END
    note "tuning: the best mean squared error in cross-validation is $squares"
    [ "$points" = 110 ] || whole=$(awk -v t="$total" -v n="$points" -v about="${most:-about }" \
        'BEGIN { printf "; all 110 %s%.0f", about, t * 110 / n }')
    try svm-train -q -s "$type" -g "$gamma" -c "$cost" -p "$epsilon" "$train" "$tmp/model" &&
        run_once svm-predict "$test" "$tmp/model" "$tmp/predicted" || return
    print_search 'svm-train, 5-fold cross-validation' "$points of 110 points" "-c $cost -g $gamma"
}

run_tuning() {
    name='tuning, friedman1' rows=$tuning_rows type=3 epsilon=0.5
    stopped=
    "$helpers/friedman" friedman1 "$rows" 1 >"$train" || exit 1
    "$helpers/friedman" friedman1 "$test_rows" 2 >"$test" || exit 1
    emit <<END

From the data to a tuned model, friedman1 with $rows rows: ten widths by the log evidence, against
cross-validation at the points of libsvm's grid.py, with epsilon given.  Where not all of its 110
points are run, those that are cover all values of C and of gamma, and the seconds of all are
extrapolated.

| search | runs | seconds | chosen | error |
| ---    | ---: |    ---: | ---    |  ---: |
END
    ! still_runs rvm-train || tune_rvm
    ! still_runs svm-train || tune_svm
}

# --------------------------------------------------------------------------------------------------

parts="friedman twonorm tuning$(echo "$real_sets" | awk 'NF { printf " %s", $1 }')"
for part in $only; do
    case " $parts " in *" $part "*) continue ;; esac
    fail "BENCH_ONLY: '$part' is none of $parts"
done
[ -z "$data" ] || [ -d "$data" ] || fail "BENCH_DATA: '$data' is no folder"
has timeout && env time -f %e true 2>/dev/null ||
    fail "needs GNU time and timeout (Debian: time coreutils)"
: >"$tmp/finished"
find_peers
describe
print_head
! wanted friedman || run_friedman
! wanted twonorm || run_twonorm
if [ -n "$data" ]; then
    run_real_sets
else
    note "no real data without BENCH_DATA=FOLDER"
fi
! wanted friedman || print_exponents
! wanted tuning || run_tuning
mv "$tmp/results" "$results.new" && mv "$results.new" "$results" && note "wrote $results"

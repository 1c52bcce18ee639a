#!/bin/sh
# How to choose the width of the rbf kernel: criteria beside each other, and rvm-train -g auto.
#
#     make bench-widths BENCH_DATA=FOLDER     ten minutes or so, two processes side by side
#
# which calls   sh bench/widths.sh BIN HELPERS FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     HELPERS  folder of the compiled bench/widths.c and bench/friedman.c
#     FOLDER   libsvm's text files, plain or packed, see bench/fetch.sh, and the archives NAME.tar.xz
#              of Raetsch's benchmark with NAME_1.train, NAME_1.test, ...; what is missing is left out
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text
#
# Environment:
#     BENCH_ONLY    the sets to run, such as "boston banana noise"; all of sets below and noise
#     BENCH_LINES   a file that gets the numbers of all runs too: name, type, draw, rows and features
#                   before what bench/widths.c prints
#
# To add a data set is a line of sets.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"

[ $# = 4 ] || usage 6,11
bin=$(cd "$1" && pwd) || exit 1
helpers=$(cd "$2" && pwd) || exit 1
folder=$(data_folder "$3") || exit 1
results=$4

# Name, type, stem of the files (see rows.sh), draws, rows to train on.
sets='
friedman1       3  friedman1_      5  240
friedman2       3  friedman2_      5  240
friedman3       3  friedman3_      5  240
boston          3  boston          3  337
mpg             3  mpg_scale       3  261
yacht           3  yacht           3  205
concrete        3  concrete        3  300
airfoil         3  airfoil         3  300
mg              3  mg_scale        3  300
space_ga        3  space_ga_scale  3  300
abalone         3  abalone_scale   3  300
bank8fm         3  bank8fm         3  300
cpusmall        3  cpusmall_scale  3  300
banana          0  banana_         3  400
breast-cancer   0  breast-cancer_  5  200
german          0  german_         3  300
heart           0  heart_          5  170
image           0  image_          3  300
ringnorm        0  ringnorm_       3  300
waveform        0  waveform_       3  400
ripley          0  ripley          3  250
pima            0  pima768         3  300
ionosphere      0  ionosphere      4  234
sonar           0  sonar           5  139
glass           0  glass           3  143
'
steps='-6 -5 -4 -3 -2 -1 0 1 2 3'
noise_draws=20

tmp=$(mktemp -d) || exit 1
workers=
# shellcheck disable=SC2086 # several words
clean_up() {
    [ -z "$workers" ] || kill $workers 2>/dev/null
    rm -rf "$tmp"
}
trap_ends

# ---- Runs ----------------------------------------------------------------------------------------

gammas() { # FEATURES
    awk -v d="$1" -v steps="$steps" 'BEGIN {
        n = split(steps, step, " ")
        for (k = 1; k <= n; k++) printf "%.6g ", 2 ^ step[k] / d }'
}

# The lines of bench/widths.c behind name, type, draw, rows and features.
measure() { # DIRECTORY NAME TYPE DRAW [GAMMA...]
    where=$1 prefix="$2 $3 $4 $(awk 'END { print NR }' "$1/train.std") $(cat "$1/features")" type=$3
    shift 4
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$helpers/widths" "$type" "$where/train.std" \
        "$where/test.std" "$@" >"$where/lines" || { note "stopped: $prefix"; return; }
    sed "s/^/$prefix /" "$where/lines"
}

# Every second line of the list, from line $1 on.
work() {
    directory=$tmp/worker$1
    mkdir -p "$directory"
    awk -v first="$1" 'NR % 2 == first % 2' "$tmp/list" |
        while read -r name type stem draw rows; do
            note "$name, $draw"
            if [ "$stem" = noise ]; then
                "$helpers/friedman" noise "$rows" "$draw" >"$directory/train.std"
                "$helpers/friedman" noise "$rows" 100 >"$directory/test.std"
                echo 10 >"$directory/features"
                measure "$directory" "$name" "$type" "$draw"
            elif prepare "$directory" "$stem" "$draw" "$rows"; then
                take_clean_targets "$directory" "$stem$draw"
                # shellcheck disable=SC2046 # several words
                measure "$directory" "$name" "$type" "$draw" $(gammas "$(cat "$directory/features")")
            fi
        done >"$tmp/lines.$1"
}

# A line for each training set.
list_work() {
    echo "$sets" | while read -r name type stem draws rows; do
        [ -n "$name" ] && wanted "$name" && for draw in $(seq "$draws"); do
            echo "$name $type $stem $draw $rows"
        done
    done
    wanted noise && for rows in 50 200; do
        for draw in $(seq "$noise_draws"); do
            echo "noise 3 noise $draw $rows"
        done
    done
}

# ---- Tables --------------------------------------------------------------------------------------

# From the lines of measure. A criterion takes the point at which its value is the least.
print_tables() {
    awk '
    $1 == "noise" { next }
    { set = $1; draw = set SUBSEP $3 }
    !(set in draws) { name[++sets] = set; type[set] = $2; rows[set] = $4; features[set] = $5 }
    !(draw in points) { draws[set]++; points[draw] = 0 }
    $6 == "point" {
        k = ++points[draw]
        consider("L", -$8)
        consider("L-K", -($8 - $9))
        consider("prior", -($8 - $10))
        consider("CV loss", $11)
        consider("CV error", $12)
        error[set, k] += $13
    }
    $6 == "auto" { chosen[set, "auto"] += $12; vectors[set] += $9; seconds[set] += $11 }
    function consider(criterion, value) {
        if (k == 1 || value < least[criterion]) {
            least[criterion] = value
            got[draw, criterion] = $13
        }
    }
    function best_error(set, k, best) {
        best = error[set, 1]
        for (k = 2; k <= '"$(echo "$steps" | wc -w)"'; k++)
            if (error[set, k] < best)
                best = error[set, k]
        return best
    }
    END {
        criteria = split("L,L-K,prior,CV loss,CV error,auto", criterion, ",")
        for (d in points) {
            split(d, part, SUBSEP)
            for (c = 1; c < criteria; c++)
                chosen[part[1], criterion[c]] += got[d, criterion[c]]
        }
        row = "| %-13s | %4s | %4s | %5s | %9s | %5s | %5s | %5s | %7s | %8s | %5s | %7s | %7s |\n"
        printf row, "data", "rows", "d", "draws", "best", "L", "L-K", "prior", "CV loss",
            "CV error", "auto", "vectors", "seconds"
        printf row, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:",
            "---:", "---:", "---:"
        for (s = 1; s <= sets; s++) {
            set = name[s]
            n = draws[set]
            best = best_error(set)
            for (c = 1; c <= criteria; c++) {
                ratio = chosen[set, criterion[c]] / best
                cell[c] = sprintf("%.2f", ratio)
                near[c] += ratio <= 1.05
                logs[c] += log(ratio)
                worst[c] = ratio > worst[c] ? ratio : worst[c]
            }
            printf row, set, rows[set], features[set], n,
                sprintf(type[set] == 3 ? "%.4g" : "%.2f %%", best / n), cell[1], cell[2], cell[3],
                cell[4], cell[5], cell[6], sprintf("%.1f", vectors[set] / n),
                sprintf("%.1f", seconds[set] / n)
        }
        row = "| %-9s | %10s | %14s | %5s |\n"
        printf "\n" row, "criterion", "within 5 %", "geometric mean", "worst"
        printf row, "---", "---:", "---:", "---:"
        for (c = 1; c <= criteria; c++)
            printf row, criterion[c], near[c] " of " sets, sprintf("%.3f", exp(logs[c] / sets)),
                sprintf("%.2f", worst[c])
    }' "$tmp/all"
}

print_noise() {
    awk '
    $1 != "noise" { next }
    {
        n = $4
        if (!(n in draws)) { order[++sizes] = n; low[n] = $10 }
        draws[n]++
        none[n] += $9 == 0
        vectors[n] += $9
        most[n] = $9 > most[n] ? $9 : most[n]
        noise[n] += $10
        low[n] = $10 < low[n] ? $10 : low[n]
    }
    END {
        row = "| %4s | %5s | %9s | %12s | %12s | %10s | %11s |\n"
        printf row, "rows", "draws", "0 vectors", "vectors mean", "vectors most", "noise mean",
            "noise least"
        printf row, "---:", "---:", "---:", "---:", "---:", "---:", "---:"
        for (s = 1; s <= sizes; s++) {
            n = order[s]
            printf row, n, draws[n], none[n], sprintf("%.1f", vectors[n] / draws[n]), most[n] + 0,
                sprintf("%.2f", noise[n] / draws[n]), sprintf("%.2f", low[n])
        }
    }' "$tmp/all"
}

list_work >"$tmp/list"
work 1 &
workers=$!
work 2 &
workers="$workers $!"
wait
workers=
cat "$tmp/lines.1" "$tmp/lines.2" | sort -s -k 1,1 >"$tmp/unordered"
# In the order of the list.
awk 'FNR == NR { if (!($1 in place)) place[$1] = ++n; next } { print place[$1], $0 }' "$tmp/list" \
    "$tmp/unordered" | sort -s -k 1,1n | cut -d ' ' -f 2- >"$tmp/all"
[ -s "$tmp/all" ] || fail "no data set found in $folder"
[ -z "${BENCH_LINES:-}" ] || cp "$tmp/all" "$BENCH_LINES"

emit <<END
# The width of the kernel

How well criteria choose gamma of the rbf kernel from $(echo "$steps" | wc -w) values, 2^$(echo "$steps" | sed 's/ .*//') / d, ..., 2^${steps##* } / d, and
\`rvm-train -g auto\` (auto) from values of its own.  Numbers are ratios: the error of the models
chosen, summed over the draws, to that of the one value that has the least, which is known from the
test only; it is below 1 where a choice for each draw is better than one for all.  Errors are the
share of wrong classes, or the mean squared error (of the friedman sets against targets without
noise).  The features have mean 0 and variance 1.  A draw is a realisation where the set comes in
such, and a random split elsewhere.

    L           the largest log evidence
    L-K         the same, less one nat for each basis function
    prior       the same, less the effective number of parameters, sum_i 1 - alpha_i Sigma_ii: the
                smoothness prior of Schmolck and Everson (2007) with c = 1
    CV loss     the least mean of -ln p(target) in a cross-validation of 5 folds
    CV error    the least error there
    vectors, seconds (of the processor, one thread)   of -g auto

    command     make bench-widths BENCH_DATA=FOLDER
$(describe_machine)
$(describe_program "$bin")

END
print_tables | emit
emit <<END

Nothing to learn: 10 uniform inputs and a normal target of variance 1, by -g auto.

END
print_noise | emit

mv "$tmp/results" "$results"

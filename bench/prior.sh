#!/bin/sh
# The two priors of rvm-train, flat and kernel, beside svm-train -b 1 with its grid search and the
# Gaussian processes of scikit-learn.
#
#     make bench-prior BENCH_DATA=FOLDER     some hours, one process at a time
#
# which calls   sh bench/prior.sh BIN FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     FOLDER   data, see bench/rows.sh; what is not there is left out.  Regression sets that come with
#              NAME.testmask, a line for each row of NAME whose character k is 1 where the row is in
#              the test of split k, are split by that
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text
#
# Environment, or variables of make:
#     PRIOR_SETS     the sets to run, such as "sonar heart sinc"; all of sets below, and sinc
#     PRIOR_WHO      whom to run, of flat, kernel, svm and gp (all)
#     PRIOR_FLAT     more options of rvm-train for the flat prior (none)
#     PRIOR_KERNEL   those for the kernel prior (--prior kernel)
#     PRIOR_SPLITS   splits of a set at the most (5)
#     PRIOR_CACHE    a folder that keeps what was measured: neither a peer that has seen the same rows
#                    nor a program of ours that has not changed since is run again
#     BENCH_POINT    seconds of the processor that a point of svm-train's grid may take (5)
#     BENCH_PYTHON   a python that has scikit-learn (python3)
#
# Needs GNU time; svm-train and svm-predict are in Debian's package libsvm-tools, scikit-learn in
# python3-sklearn.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"
. "$here/svm.sh"

[ $# = 3 ] || usage 7,13
bin=$(cd "$1" && pwd) || exit 1
folder=$(data_folder "$2") || exit 1
results=$3
need_libsvm

who=${PRIOR_WHO:-flat kernel svm gp}
splits=${PRIOR_SPLITS:-5}
point_seconds=${BENCH_POINT:-5}
python=${BENCH_PYTHON:-python3}
# A set of more rows is too large for the grid, which gets the first of them, and a set of more rows
# than that for a Gaussian process.
grid_rows=2000
gp_rows=1000

# Name, group, stem of the files, where the test is from (own: the part that comes with it; mask; mix:
# rows at random; files: a pair of files for each split), splits, rows to train on, options of
# rvm-train.  Seven in ten of the rows of two classes train, nine in ten of those of a regression
# without a mask.  More classes take minutes, so they have one split.
sets='
digits              more        digits         mix    1   1000  -g auto
vowel_scale         more        vowel_scale    mix    1    369  -g auto
satellite           more        satellite      own    1   4435  -g auto
dna                 more        dna            mix    1   1000  -g auto
usps                more        usps           own    1   7291  -g 0.0078125
letter              more        letter         own    1  16000  -g 0.125
sonar               two         sonar          mix    5    145  -g auto
heart               two         heart          mix    5    189  -g auto
pima768             two         pima768        mix    5    537  -g auto
german.numer        two         german.numer   mix    5    700  -g auto
ionosphere          two         ionosphere     mix    5    245  -g auto
australian          two         australian     mix    5    483  -g auto
boston              regression  boston         mask   5    455  --ard
concrete            regression  concrete       mask   5    927  --ard
energy              regression  energy         mask   5    691  --ard
yacht               regression  yacht          mask   5    277  --ard
airfoil             regression  airfoil        mask   5   1353  --ard
autompg             regression  autompg        mask   5    353  --ard
machine             regression  machine        mask   5    188  --ard
servo               regression  servo          mask   5    150  --ard
stock               regression  stock          mask   5    482  --ard
friedman1           regression  friedman1_     files  5    240  --ard
mg_scale            regression  mg_scale       mix    5   1000  --ard
abalone_scale       regression  abalone_scale  mix    5   1000  --ard
boston-laplacian    laplacian   boston         mask   5    455  --ard --kernel laplacian
concrete-laplacian  laplacian   concrete       mask   5    927  --ard --kernel laplacian
'

tmp=$(mktemp -d) || exit 1
trap_ends

# ---- Rows ----------------------------------------------------------------------------------------

# FOLDER/STEM.testmask, or that of a folder in it.
find_mask() { # STEM
    for mask in "$folder/$1.testmask" "$folder"/*/"$1.testmask"; do
        [ ! -f "$mask" ] || { echo "$mask" && return; }
    done
    return 1
}

split_by_mask() { # MASK SPLIT
    awk -v split_number="$2" -v train="$tmp/train" -v test="$tmp/test" '
        FNR == NR { part[FNR] = substr($1, split_number, 1); next }
        { print >(part[FNR] == "1" ? test : train) }' "$1" "${1%.testmask}" &&
        standardise "$tmp"
}

# Writes train.std and test.std; false where the files are not found.
make_split() { # STEM FROM ROWS SPLIT
    case $2 in
    own) prepare "$tmp" "$1" 0 "$3" ;;
    mask) if mask=$(find_mask "$1"); then split_by_mask "$mask" "$4"; else
        prepare "$tmp" "$1" "$4" "$3"
    fi ;;
    mix | files) prepare "$tmp" "$1" "$4" "$3" ;;
    esac
}

# ---- What is measured: error, loss, per cent inside the 90 % intervals, vectors, seconds ------------

# The density is that which rvm-predict prints.
rate_regression() {
    awk 'pass == 1 && /^Mean negative log predictive density = / { loss = $NF }
        pass == 2 { truth[FNR] = $1 }
        pass == 3 { square += ($1 - truth[FNR]) ^ 2; inside += $2 <= truth[FNR] && truth[FNR] <= $3 }
        END { print sqrt(square / FNR), loss, 100 * inside / FNR }' \
        pass=1 "$tmp/scores" pass=2 "$tmp/test.std" pass=3 "$1"
}

measure_ours() { # OPTIONS...
    timed "$bin/rvm-train" -q -s "$type" "$@" "$tmp/train.std" "$tmp/model"
    if [ "$type" = 3 ]; then set -- --interval 0.9; else set -- -b 1; fi
    "$bin/rvm-predict" --threads 1 "$@" "$tmp/test.std" "$tmp/model" "$tmp/predicted" \
        >"$tmp/scores" 2>&1 || fail "rvm-predict fails: $(tail -n 1 "$tmp/scores")"
    if [ "$type" = 3 ]; then
        rate_regression "$tmp/predicted"
    else
        echo "$(rate_probabilities "$tmp/predicted") -"
    fi
    sed -n 's/^total_rv //p' "$tmp/model"
}

measure_svm() {
    predict_by_svm "$type"
    echo "$(rate_probabilities "$tmp/predicted") -"
    sed -n 's/^total_sv //p' "$tmp/svm"
}

measure_gp() {
    timed "$python" "$here/peer-gp.py" "$type" "$tmp/train.std" "$tmp/test.std"
    awk -v rows="$rows" '{ value[$1] = $3 }
        END {
            if (!("Inside" in value))
                value["Inside"] = "-"
            print value["Error"], value["Loss"], value["Inside"], rows
        }' "$tmp/out"
}

measure() { # ONE OPTIONS...
    one=$1 seconds=0
    shift
    # shellcheck disable=SC2086 # words
    case $one in
    flat) measure_ours "$@" ${PRIOR_FLAT:-} ;;
    kernel) measure_ours "$@" ${PRIOR_KERNEL:---prior kernel} ;;
    svm) measure_svm ;;
    gp) measure_gp ;;
    esac && echo "$seconds"
}

# Whether ONE is for a set of that group: svm-train tells no density, the process of two classes is of
# one kernel for all, and its rbf kernel is no peer of the laplacian.
takes_part() { # ONE GROUP
    case $1:$2 in
    svm:regression | svm:laplacian | gp:more | gp:laplacian) return 1 ;;
    gp:*) [ "$rows" -le "$gp_rows" ] ;;
    esac
}

# What decides the figures: the rows, and for programs of ours these and their options.
key() { # ONE OPTIONS...
    case $1 in
    flat) set -- "$@" "${PRIOR_FLAT:-}" "$bin/rvm-train" "$bin/rvm-predict" ;;
    kernel) set -- "$@" "${PRIOR_KERNEL:-}" "$bin/rvm-train" "$bin/rvm-predict" ;;
    svm) set -- "$1" "$point_seconds" "$grid_rows" ;;
    gp) set -- "$1" "$here/peer-gp.py" ;;
    esac
    {
        cat "$tmp/train.std" "$tmp/test.std"
        for word; do
            if [ -f "$word" ]; then cat "$word"; else echo "$word"; fi
        done
    } | cksum | tr ' ' -
}

# The figures in one line, from the cache where they are there.
figures() { # ONE OPTIONS...
    kept=${PRIOR_CACHE:-$tmp}/$1-$name-$split-$(key "$@")
    if [ ! -s "$kept" ]; then
        # In a shell of its own, so that one that fails is told of and left out.
        (measure "$@") >"$tmp/figures" || return
        tr '\n' ' ' <"$tmp/figures" >"$kept.new" && mv "$kept.new" "$kept" || return
    fi
    cat "$kept"
}

# Appends "NAME GROUP ROWS ONE figures" for each who takes part.
compare_split() { # OPTIONS...
    rows=$(awk 'END { print NR }' "$tmp/train.std")
    for one in $who; do
        takes_part "$one" "$group" || continue
        line=$(figures "$one" "$@") || { note "$name, split $split, $one: left out" && continue; }
        note "$name, split $split, $one: $line"
        echo "$name $group $rows $one $line" >>"$tmp/lines"
    done
}

compare() { # NAME GROUP STEM FROM SPLITS ROWS OPTIONS...
    name=$1 group=$2 stem=$3 from=$4 last=$5 first=$6
    shift 6
    case $group in more | two) type=0 ;; *) type=3 ;; esac
    [ "$last" -le "$splits" ] || last=$splits
    split=1
    while [ "$split" -le "$last" ]; do
        make_split "$stem" "$from" "$first" "$split" || { note "$name: left out" && return; }
        compare_split "$@"
        split=$((split + 1))
    done
}

# ---- Far from the data ---------------------------------------------------------------------------

# Appends "ONE and standard deviations: at x = 1000, of noise and process together, of the noise", for
# sin(x) / x of the shipped data, x in -10 .. 10.
compare_far() {
    echo '0 1:1000' >"$tmp/far"
    type=3 seconds=0
    for one in $who; do
        case $one in
        flat) options=${PRIOR_FLAT:-} ;;
        kernel) options=${PRIOR_KERNEL:---prior kernel} ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2086 # words
        (timed "$bin/rvm-train" -q -s 3 -g auto $options "$here/../data/sinc.train" "$tmp/model") &&
            "$bin/rvm-predict" -q --variance "$tmp/far" "$tmp/model" "$tmp/predicted" ||
            { note "sinc, $one: left out" && continue; }
        awk -v one="$one" '
            FNR == NR && $1 == "noise_variance" { noise = $2 }
            FNR == NR && $1 == "process_variance" { process = $2 }
            FNR == NR { next }
            { printf "%s %.4g %.4g %.4g\n", one, sqrt($2), sqrt(process + noise), sqrt(noise) }' \
            "$tmp/model" "$tmp/predicted" >>"$tmp/far.lines"
    done
}

# ---- Tables --------------------------------------------------------------------------------------

# Reads lines; puts means over the splits, or with -v how=median medians, into told[name, one, column],
# columns 1 to 5, and the names in order into order[1 .. sets].
means='
    function shown(form, name, one, column) {
        return (name, one, column) in told ? sprintf(form, told[name, one, column]) : "-"
    }
    # The value that belongs at place n of the first n + 1 of a list.
    function insert(item, n, x) {
        for (; n > 0 && value[item, n - 1] > x; n--)
            value[item, n] = value[item, n - 1]
        value[item, n] = x
    }
    {
        if (!($1 in group)) { group[$1] = $2; order[++sets] = $1 }
        rows[$1] = $3
        for (k = 1; k <= 5; k++)
            if ($(4 + k) != "-") {
                item = $1 SUBSEP $4 SUBSEP k
                sum[item] += $(4 + k)
                insert(item, count[item]++, $(4 + k))
            }
    }
    END {
        for (item in sum) {
            n = count[item]
            told[item] = sum[item] / n
            if (how == "median")
                told[item] = (value[item, int((n - 1) / 2)] + value[item, int(n / 2)]) / 2
        }
    }'

print_classes() { # GROUP PROGRAMS
    awk -v which="$1" -v programs="$2" "$means"'
        # One row: first and second cell, then the error and the loss of each program.
        function print_row(first, second, cells,    k) {
            printf "| %-12s | %5s |", first, second
            for (k = 1; k <= 2 * P; k++)
                printf " %6s |", cells[k]
            print ""
        }
        END {
            P = split(programs, one, " ")
            for (k = 1; k <= P; k++) {
                cells[k] = k == 1 ? "error" : one[k]
                cells[P + k] = k == 1 ? "loss" : one[k]
            }
            print_row("data", "rows", cells)
            for (k = 1; k <= 2 * P; k++)
                cells[k] = "---:"
            print_row("---", "---:", cells)
            for (i = 1; i <= sets; i++) {
                n = order[i]
                for (k = 1; k <= P; k++) {
                    cells[k] = shown("%.2f", n, one[k], 1)
                    cells[P + k] = shown("%.3f", n, one[k], 2)
                }
                if (group[n] == which)
                    print_row(n, rows[n], cells)
            }
        }' "$tmp/lines"
}

print_regression() { # mean or median
    awk -v how="$1" "$means"'
        END {
            row = "| %-18s | %4s | %6s | %6s | %6s | %6s | %6s | %6s | %6s | %6s | %6s |\n"
            printf row, "data", "rows", "rmse", "kernel", "gp", "nlpd", "kernel", "gp", "inside",
                "kernel", "gp"
            printf row, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:",
                "---:"
            for (i = 1; i <= sets; i++) {
                n = order[i]
                if (group[n] == "regression" || group[n] == "laplacian")
                    printf row, n, rows[n], shown("%.4g", n, "flat", 1), shown("%.4g", n, "kernel", 1),
                        shown("%.4g", n, "gp", 1), shown("%.3f", n, "flat", 2),
                        shown("%.3f", n, "kernel", 2), shown("%.3f", n, "gp", 2),
                        shown("%.1f", n, "flat", 3), shown("%.1f", n, "kernel", 3),
                        shown("%.1f", n, "gp", 3)
            }
        }' "$tmp/lines"
}

print_costs() {
    awk "$means"'
        END {
            row = "| %-18s | %7s | %6s | %6s | %7s | %7s | %7s | %7s |\n"
            printf row, "data", "vectors", "kernel", "svm", "seconds", "kernel", "svm", "gp"
            printf row, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:"
            for (i = 1; i <= sets; i++) {
                n = order[i]
                printf row, n, shown("%.0f", n, "flat", 4), shown("%.0f", n, "kernel", 4),
                    shown("%.0f", n, "svm", 4), shown("%.1f", n, "flat", 5),
                    shown("%.1f", n, "kernel", 5), shown("%.1f", n, "svm", 5), shown("%.1f", n, "gp", 5)
            }
        }' "$tmp/lines"
}

# Log loss of either prior beside that of svm-train.
tell_of_loss() { # GROUP WORDS
    awk -v which="$1" -v words="$2" "$means"'
        function tell(one,    i, n, ratio, less, count, worst, product) {
            for (i = 1; i <= sets; i++) {
                n = order[i]
                if (group[n] == which && (n, one, 2) in told && (n, "svm", 2) in told) {
                    ratio = told[n, one, 2] / told[n, "svm", 2]
                    less += ratio <= 1
                    worst = ratio > worst ? ratio : worst
                    product += log(ratio)
                    count++
                }
            }
            if (count)
                printf "%s, log loss with the %s prior: times %.2f that of svm-train " \
                    "(geometric mean), at or below it in %d of %d sets, at most times %.2f.\n",
                    words, one, exp(product / count), less, count, worst
        }
        END { tell("flat"); tell("kernel") }' "$tmp/lines"
}

# Per cent inside, and how the density changes.
tell_of_intervals() {
    awk "$means"'
        function tell(one,    i, n, count, least, total, where) {
            for (i = 1; i <= sets; i++) {
                n = order[i]
                if (group[n] == "regression" && (n, one, 3) in told) {
                    total += told[n, one, 3]
                    if (!count++ || told[n, one, 3] < least) {
                        least = told[n, one, 3]
                        where = n
                    }
                }
            }
            if (count)
                printf "90 %% intervals, %s: %.1f %% on the mean of %d sets, at the least %.1f %% (%s).\n",
                    one, total / count, count, least, where
        }
        END { tell("flat"); tell("kernel"); tell("gp") }' "$tmp/lines"
}

# The density of either prior beside that of the process with all rows.
tell_of_density() {
    awk "$means"'
        function tell(one,    i, n, count, more) {
            for (i = 1; i <= sets; i++) {
                n = order[i]
                if ((n, one, 2) in told && (n, "gp", 2) in told && group[n] == "regression") {
                    more += told[n, one, 2] - told[n, "gp", 2]
                    count++
                }
            }
            if (count)
                printf "nlpd, %s less gp: %+.3f on the mean of %d sets (medians of the splits).\n", one,
                    more / count, count
        }
        END { tell("flat"); tell("kernel") }' how=median "$tmp/lines"
}

tell_of_far() {
    while read -r one sd process noise; do
        echo "sinc at x = 1000, $one prior: standard deviation $sd; of process and noise $process," \
            "of the noise $noise."
    done <"$tmp/far.lines"
}

has() { [ -s "$tmp/lines" ] && grep -q " $1 " "$tmp/lines"; }

describe_command() {
    echo '    command     make bench-prior BENCH_DATA=FOLDER'
    [ -z "${PRIOR_SETS:-}" ] ||
        echo "$PRIOR_SETS" | fold -s -w 70 | sed '1s/^/    PRIOR_SETS  /; 2,$s/^/                /; s/ *$//'
}

print_head() {
    gp_version=$("$python" "$here/peer-gp.py" --version 2>/dev/null) || gp_version='no scikit-learn'
    cat <<END
# The two priors of the weights

\`rvm-train\` with its flat prior and with \`${PRIOR_KERNEL:---prior kernel}\`, beside peers:

    svm  svm-train -b 1, C and gamma from the grid search that comes with libsvm (as in TUNED) on the
         first $grid_rows training rows at most
    gp   scikit-learn, up to $gp_rows rows, by the evidence: two classes, one width, Laplace's method;
         regression, a width for each input

Means over $splits splits, the same for all; of more than two classes one, for satellite, usps and
letter into the two parts that they come in.  Two classes: seven in ten of the rows train.
Regression: nine in ten of the rows train, by the masks of the splits where the folder has them;
friedman1: 240 rows and its test files; mg_scale and abalone_scale: 1000 rows.  Features have mean 0
and variance 1 in the training rows.  For classes rvm-train has -g auto (usps and letter, where that
takes long: -g 0.0078125 and -g 0.125, which is 2 / features), for regression --ard.

    error, rmse  per cent of wrong classes; root of the mean squared error, in the target's units
    loss, nlpd   the mean of -ln P(class), P not below 1e-15; the mean of -ln p(target)
    inside       per cent of the test targets in the interval of probability 0.9
    seconds      of the processor, in one thread, for choosing a kernel and training

The first column of each kind is that of the flat prior.

$(describe_command)
$(describe_machine)
$(describe_program "$bin")
    peers       svm-train of libsvm, $gp_version
END
}

print_all() {
    print_head
    ! has more || { printf '\n## More than two classes\n\n' && print_classes more 'flat kernel svm'; }
    ! has two || { printf '\n## Two classes\n\n' && print_classes two 'flat kernel svm gp'; }
    ! has regression && ! has laplacian || {
        printf '\n## Regression, means\n\n' && print_regression mean
        printf '\n## Regression, medians\n\n' && print_regression median
    }
    [ ! -s "$tmp/lines" ] || { printf '\n## Vectors and seconds\n\n' && print_costs; }
    printf '\n## In sum\n\n'
    ! has more || tell_of_loss more 'More than two classes'
    ! has two || tell_of_loss two 'Two classes'
    ! has regression || { tell_of_intervals && tell_of_density; }
    [ ! -s "$tmp/far.lines" ] || tell_of_far
}

# ---- The run -------------------------------------------------------------------------------------

# shellcheck disable=SC2034 # read by wanted
BENCH_ONLY=${PRIOR_SETS:-}
if [ -n "${PRIOR_CACHE:-}" ]; then
    mkdir -p "$PRIOR_CACHE" || exit 1
fi
while read -r name rest; do
    # shellcheck disable=SC2086 # words
    [ -z "$name" ] || ! wanted "$name" || compare "$name" $rest
done <<END
$sets
END
! wanted sinc || compare_far
[ -s "$tmp/lines" ] || [ -s "$tmp/far.lines" ] || fail "no data set found in $folder"

print_all >"$tmp/results" || fail "no table can be made of what was measured"
cat "$tmp/results"
mv "$tmp/results" "$results"

#!/bin/sh
# rvm-train --auto, which gets the features as they are, beside svm-train with features of variance
# 1 and the grid search that comes with libsvm, and beside candidates of which the test rows say
# which one is the best.
#
#     make bench-auto BENCH_DATA=FOLDER     some hours, one process at a time
#
# which calls   sh bench/auto.sh BIN HELPERS FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     HELPERS  folder of the compiled bench/friedman.c
#     FOLDER   data, see bench/rows.sh; what is not there is left out
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text
#
# Environment, or variables of make:
#     AUTO_SETS      the sets to run, such as "sonar boston noise"; all of sets below, noise and
#                    noise-classes
#     AUTO_DRAWS     splits of a set (5)
#     AUTO_FIRST     the first of them (1)
#     AUTO_MOST      rows to train on at the most (500); else seven in ten
#     AUTO_WHO       whom to run, of auto, others and svm (all)
#     AUTO_OPTIONS   the options of rvm-train that are judged (--auto)
#     AUTO_OTHERS    options of candidates, separated by ; as in
#                    "-t 0 -b 1 --standardize;-g auto -b 1 --standardize" (none)
#     AUTO_SECONDS   seconds of the processor that a training of ours may take (no bound)
#     AUTO_CACHE     a folder that keeps what was measured: neither a peer that has seen the same
#                    rows nor a program of ours that has not changed since is run again
#     BENCH_LINES    a file that gets the numbers of all runs too, see measure_split
#     BENCH_POINT    seconds of the processor that a point of svm-train's grid may take (5)
#
# Needs GNU time; svm-train and svm-predict are in Debian's package libsvm-tools.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"
. "$here/svm.sh"

[ $# = 4 ] || usage 8,13
bin=$(cd "$1" && pwd) || exit 1
helpers=$(cd "$2" && pwd) || exit 1
folder=$(data_folder "$3") || exit 1
results=$4
need_libsvm

# shellcheck disable=SC2034 # read by wanted
BENCH_ONLY=${AUTO_SETS:-}
who=${AUTO_WHO:-auto others svm}
options=${AUTO_OPTIONS:---auto}
others=${AUTO_OTHERS:-}
first_draw=${AUTO_FIRST:-1}
draws=${AUTO_DRAWS:-5}
most_rows=${AUTO_MOST:-500}
point_seconds=${BENCH_POINT:-5}
# shellcheck disable=SC2034 # read by predict_by_svm
grid_rows=2000
noise_draws=20
noise_rows=100

# Name, group and stem of the files.
sets='
friedman1      regression  friedman1_
boston         regression  boston
mpg            regression  autompg
yacht          regression  yacht
servo          regression  servo
machine        regression  machine
energy         regression  energy
concrete       regression  concrete
airfoil        regression  airfoil
mg             regression  mg_scale
space_ga       regression  space_ga_scale
abalone        regression  abalone
bank8fm        regression  bank8fm
cpusmall       regression  cpu_small
scores         regression  -
banana         two         banana_
breast-cancer  two         breast-cancer_
german         two         german.numer
heart          two         heart
image          two         image_
ringnorm       two         ringnorm_
waveform       two         waveform_
ripley         two         ripley
pima           two         pima768
ionosphere     two         ionosphere
sonar          two         sonar
australian     two         australian
splice         two         splice
glass          more        glass
vowel          more        vowel
digits         more        digits
dna            more        dna
satellite      more        satellite
wine           more        wine
'

tmp=$(mktemp -d) || exit 1
trap_ends

# ---- Rows ----------------------------------------------------------------------------------------

# 300 rows of six uniform inputs and a score of 1 to 9 or so, normal around 5 + 1.5 (x1 + x2 - 1)
# with a standard deviation of 0.6 and rounded; 40 % of the rows are there twice.  1000 rows to
# test, each once.  The generator is that of Park and Miller (1988).
write_scores() { # DRAW
    awk -v draw="$1" -v train="$tmp/train" -v test="$tmp/test" '
        function uniform() { return (state = state * 48271 % 2147483647) / 2147483647 }
        function normal() {
            return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())
        }
        function row(    k, x, line) {
            for (k = 1; k <= 6; k++) {
                x[k] = uniform()
                line = line sprintf(" %d:%.4f", k, x[k])
            }
            return int(5.5 + 1.5 * (x[1] + x[2] - 1) + 0.6 * normal()) line
        }
        BEGIN {
            state = 20011 * draw
            while (rows < 300) {
                line = row()
                for (k = uniform() < 0.4 ? 2 : 1; k > 0 && rows < 300; k--) {
                    print line >train
                    rows++
                }
            }
            for (k = 1; k <= 1000; k++)
                print row() >test
        }'
}

# Ten uniform inputs and a normal target, or two classes of the same probability.
write_noise() { # GROUP DRAW
    "$helpers/friedman" noise "$noise_rows" "$2" >"$tmp/train" &&
        "$helpers/friedman" noise 1000 "$((1000 + $2))" >"$tmp/test" || fail "no rows of noise"
    [ "$1" = regression ] || for part in train test; do
        awk '{ $1 = $1 > 0 ? 1 : -1; print }' "$tmp/$part" >"$tmp/other" &&
            mv "$tmp/other" "$tmp/$part"
    done
}

# Writes train and test with the features as they are, and train.std and test.std; false where the
# files are not found.
make_split() { # STEM DRAW
    case $1 in
    -) write_scores "$2" ;;
    *) fetch_all "$tmp" "$1" 2>/dev/null &&
        take_mixed "$tmp" "$2" "$(share_of_rows "$tmp" "$most_rows")" || return ;;
    esac
    [ "$group" = regression ] || drop_unknown_classes "$tmp"
    standardise "$tmp"
}

# Mean and variance of the targets to train on.
spread_of_targets() {
    awk '{ y[NR] = $1; mean += $1 }
        END {
            mean /= NR
            for (k = 1; k <= NR; k++)
                square += (y[k] - mean) ^ 2
            print mean, square / NR
        }' "$tmp/train"
}

# ---- What is measured: error, loss, vectors, noise's share of the variance, seconds, prior -------

# Error and loss of the test rows, by the model.
rate_ours() {
    if [ "$type" = 3 ]; then set -- --variance; else set -- -b 1; fi
    "$bin/rvm-predict" --threads 1 "$@" "$tmp/test" "$tmp/model" "$tmp/predicted" \
        >"$tmp/told" 2>&1 || fail "rvm-predict fails: $(tail -n 1 "$tmp/told")"
    if [ "$type" = 3 ]; then
        awk '/^Mean squared error = / { error = $5 }
            /^Mean negative log predictive density = / { loss = $NF }
            END { print error, loss }' "$tmp/told"
    else
        rate_probabilities "$tmp/predicted"
    fi
}

measure_ours() { # OPTIONS...
    seconds=0
    # shellcheck disable=SC3045 # not in POSIX, and in every sh of today
    [ -z "${AUTO_SECONDS:-}" ] || ulimit -t "$AUTO_SECONDS"
    timed "$bin/rvm-train" -q --threads 1 -s "$type" "$@" "$tmp/train" "$tmp/model"
    rated=$(rate_ours) || return
    spread_of_targets | awk -v rated="$rated" -v seconds="$seconds" '
        FNR == NR { variance = $2; noise = "-"; prior = "flat"; next }
        $1 == "total_rv" { vectors = $2 }
        $1 == "noise_variance" { noise = $2 / variance }
        $1 == "process_variance" { prior = "kernel" }
        END { print rated, vectors, noise, seconds, prior }' - "$tmp/model"
}

# The probabilities are those of -b 1, the error that of the model without.
measure_svm_classes() {
    predict_by_svm 0
    loss=$(rate_probabilities "$tmp/predicted" | cut -d ' ' -f 2)
    svm-train -q -c "$cost" -g "$gamma" -m 1024 "$tmp/train.std" "$tmp/svm" &&
        svm-predict "$tmp/test.std" "$tmp/svm" "$tmp/predicted" |
        awk -v loss="$loss" '/^Accuracy = / { print 100 - $3, loss }'
}

# Targets of variance 1 for epsilon.  The density is that of a normal with the mean squared error of
# the cross-validation, which the grid had at this point, as its variance.
measure_svm_regression() {
    standardise_targets "$tmp"
    timed sh "$here/grid.sh" 3 "$tmp/train.std" "$point_seconds"
    read -r cost gamma <"$tmp/out"
    set -- -q -s 3 -c "$cost" -g "$gamma" -m 1024
    timed svm-train "$@" "$tmp/train.std" "$tmp/svm"
    {
        spread_of_targets
        svm-train "$@" -v 5 "$tmp/train.std"
        svm-predict "$tmp/test.std" "$tmp/svm" "$tmp/predicted"
    } | awk 'NR == 1 { unit = $2 }
        /^Cross Validation Mean squared error = / { v = $7 * unit }
        /^Mean squared error = / {
            error = $5 * unit
            print error, 0.5 * (log(6.283185307179586 * v) + error / v)
        }'
}

measure_svm() {
    seconds=0
    # By a file, as the seconds would be lost in a shell of its own.
    if [ "$type" = 3 ]; then measure_svm_regression; else measure_svm_classes; fi \
        >"$tmp/svm.rated" || return
    [ -s "$tmp/svm.rated" ] || return
    echo "$(cat "$tmp/svm.rated") $(sed -n 's/^total_sv //p' "$tmp/svm") - $seconds -"
}

# What decides the figures: the rows, and for programs of ours these and their options.
key() { # ONE OPTIONS...
    if [ "$1" = svm ]; then
        { cat "$tmp/train" "$tmp/test" && echo "$point_seconds"; } | cksum | tr ' ' -
    else
        { cat "$tmp/train" "$tmp/test" "$bin/rvm-train" "$bin/rvm-predict" && echo "$@"; } |
            cksum | tr ' ' -
    fi
}

# The figures in one line, from the cache where they are there.
figures() { # ONE OPTIONS...
    kept=${AUTO_CACHE:-$tmp}/$name-$draw-$(key "$@")
    one=$1
    shift
    if [ ! -s "$kept" ]; then
        # In a shell of its own, so that one that fails is told of and left out.
        (if [ "$one" = svm ]; then measure_svm; else measure_ours "$@"; fi) >"$kept.$$" &&
            [ -s "$kept.$$" ] && mv "$kept.$$" "$kept" || { rm -f "$kept.$$" && return 1; }
    fi
    cat "$kept"
}

# Appends "GROUP NAME DRAW ROWS FEATURES AS figures"; AS is auto, svm, or the number of a candidate.
measure_as() { # AS ONE OPTIONS...
    as=$1
    shift
    line=$(figures "$@") || { note "$name, draw $draw, $*: left out" && return; }
    note "$name, draw $draw, $*: $line"
    rows=$(awk 'END { print NR }' "$tmp/train")
    echo "$group $name $draw $rows $(cat "$tmp/features") $as $line" >>"$tmp/lines"
}

measure_others() {
    number=0
    echo "$others" | tr ';' '\n' | while read -r words; do
        number=$((number + 1))
        # shellcheck disable=SC2086 # words
        [ -z "$words" ] || measure_as "$number" ours $words </dev/null
    done
}

measure_split() {
    for part in $who; do
        # shellcheck disable=SC2086 # words
        case $part:$name in
        auto:*) measure_as auto ours $options ;;
        others:noise*) ;;
        others:*) measure_others ;;
        svm:noise*) ;;
        svm:*) measure_as svm svm ;;
        esac
    done
}

type_of() { if [ "$1" = regression ]; then echo 3; else echo 0; fi; }

compare() { # NAME GROUP STEM
    name=$1 group=$2 stem=$3
    type=$(type_of "$group")
    draw=$first_draw
    while [ "$draw" -lt $((first_draw + draws)) ]; do
        make_split "$stem" "$draw" || { note "$name: left out" && return; }
        measure_split
        draw=$((draw + 1))
    done
}

compare_noise() { # NAME GROUP
    name=$1 group=$2
    type=$(type_of "$group")
    draw=1
    while [ "$draw" -le "$noise_draws" ]; do
        write_noise "$group" "$draw" && standardise "$tmp"
        measure_split
        draw=$((draw + 1))
    done
}

# ---- Tables --------------------------------------------------------------------------------------

# Reads lines; puts sums over the draws into sum[name, as, column] and how many there are into
# count[name, as], names in order into order[1 .. sets].  Columns are 1 error, 2 loss, 3 vectors,
# 5 seconds.
means='
    $2 !~ /^noise/ {
        if (!($2 in group)) { group[$2] = $1; order[++sets] = $2 }
        rows[$2] = $4
        features[$2] = $5
        count[$2, $6]++
        for (k = 1; k <= 5; k++)
            sum[$2, $6, k] += $(6 + k)
    }
    function mean(name, as, column) { return sum[name, as, column] / count[name, as] }
    # How much larger a column is; for the loss of a regression the ratio of densities.  Nothing
    # where one is 0.
    function ratio(name, as, other, column,    a, b) {
        if (!count[name, as] || !count[name, other])
            return 0
        a = mean(name, as, column)
        b = mean(name, other, column)
        if (column == 2 && group[name] == "regression")
            return exp(a - b)
        return a > 0 && b > 0 ? a / b : 0
    }
    function shown_ratio(x) { return x > 0 ? sprintf("%.2f", x) : "-" }
    function shown(form, name, as, column) {
        return count[name, as] ? sprintf(form, mean(name, as, column)) : "-"
    }
    # The geometric mean of the ratios above 0 of a group; how many there are in members.
    function middle(which, as, other, column,    i, x, total) {
        members = total = 0
        for (i = 1; i <= sets; i++)
            if (group[order[i]] == which &&
                (x = ratio(order[i], as, other == "best" ? best[order[i]] : other, column)) > 0) {
                total += log(x)
                members++
            }
        return members ? exp(total / members) : 0
    }
    # The candidate, or auto, with the least loss.
    function find_best(name, others,    k) {
        best[name] = "auto"
        for (k = 1; k <= others; k++)
            if (count[name, k] == draws_of(name) &&
                (!count[name, best[name]] || mean(name, k, 2) < mean(name, best[name], 2)))
                best[name] = k
    }
    function draws_of(name,    item, part, most) {
        for (item in count) {
            split(item, part, SUBSEP)
            if (part[1] == name && count[item] > most)
                most = count[item]
        }
        return most
    }
    function print_row(form, cells, n,    k) {
        for (k = 1; k <= n; k++)
            printf "| " form[k] " ", cells[k]
        print "|"
    }
    # Splits a head into cells and prints it with the rule below.
    function print_head(head, form, width,    n, k, cells) {
        n = split(head, cells, / *[|] */)
        for (k = 1; k <= n; k++)
            form[k] = k == 1 ? width : "%7s"
        print_row(form, cells, n)
        for (k = 1; k <= n; k++)
            cells[k] = k == 1 ? "---" : "---:"
        print_row(form, cells, n)
        return n
    }'

print_sets() { # GROUP
    awk -v which="$1" "$means"'
        END {
            head = "data|rows|d|error|svm|ratio|loss|svm|ratio|vectors|svm|seconds|svm|ratio"
            n = print_head(head, form, "%-13s")
            for (i = 1; i <= sets; i++) {
                name = order[i]
                if (group[name] != which)
                    continue
                cells[1] = name
                cells[2] = rows[name]
                cells[3] = features[name]
                for (k = 1; k <= 3; k++) {
                    cells[1 + 3 * k] = shown(k == 1 ? "%.4g" : "%.3f", name, "auto", k)
                    cells[2 + 3 * k] = shown(k == 1 ? "%.4g" : "%.3f", name, "svm", k)
                    cells[3 + 3 * k] = shown_ratio(ratio(name, "auto", "svm", k))
                }
                cells[10] = shown("%.1f", name, "auto", 3)
                cells[11] = shown("%.1f", name, "svm", 3)
                cells[12] = shown("%.1f", name, "auto", 5)
                cells[13] = shown("%.1f", name, "svm", 5)
                cells[14] = shown_ratio(ratio(name, "auto", "svm", 5))
                print_row(form, cells, n)
            }
        }' "$tmp/lines"
}

print_sums() {
    awk "$means"'
        END {
            n = print_head("auto / svm|sets|error|loss|seconds", form, "%-10s")
            split("regression two more", which, " ")
            for (g = 1; g <= 3; g++) {
                cells[1] = which[g]
                cells[3] = shown_ratio(middle(which[g], "auto", "svm", 1))
                cells[4] = shown_ratio(middle(which[g], "auto", "svm", 2))
                cells[5] = shown_ratio(middle(which[g], "auto", "svm", 5))
                cells[2] = members
                if (members)
                    print_row(form, cells, n)
            }
            for (i = 1; i <= sets; i++) {
                x = ratio(order[i], "auto", "svm", 1)
                compared += x > 0
                if (x > 1.05) {
                    worse++
                    names = names (names ? ", " : ": ") order[i] sprintf(" (%.2f)", x)
                }
            }
            printf "\nThe error is more than 5 %% above that of svm-train on %d of %d sets%s.\n",
                worse, compared, names
        }' "$tmp/lines"
}

# Runs of --auto with more vectors than half of the rows, which the kernel prior always may have, or
# with no noise left.
tell_of_collapses() {
    awk '
        $6 == "auto" {
            runs++
            reason = ""
            if (2 * $9 > $4 && $12 == "flat")
                reason = $9 " vectors of " $4 " rows"
            if ($10 != "-" && $10 < 1e-6)
                reason = reason (reason ? ", " : "") "noise " $10 " of the variance"
            if (reason) {
                falls++
                list = list "    " $2 ", draw " $3 ": " reason "\n"
            }
        }
        END {
            printf "Collapses: %d of %d models have more vectors than half of the rows with the " \
                "flat prior, or noise\nbelow a millionth of the variance of the targets.\n",
                falls, runs
            if (falls)
                printf "\n%s", list
        }' "$tmp/lines"
}

print_noise() {
    awk '
        $2 ~ /^noise/ && $6 == "auto" {
            if (!($2 in draws)) name[++sets] = $2
            draws[$2]++
            none[$2] += $9 == 0
            most[$2] = $9 > most[$2] ? $9 : most[$2]
            error[$2] += $7
            loss[$2] += $8
            seconds[$2] += $11
        }
        END {
            row = "| %-13s | %5s | %9s | %12s | %7s | %7s | %7s |\n"
            printf row, "data", "draws", "0 vectors", "vectors most", "error", "loss", "seconds"
            printf row, "---", "---:", "---:", "---:", "---:", "---:", "---:"
            for (s = 1; s <= sets; s++) {
                n = draws[name[s]]
                printf row, name[s], n, none[name[s]], most[name[s]] + 0,
                    sprintf("%.3f", error[name[s]] / n), sprintf("%.3f", loss[name[s]] / n),
                    sprintf("%.1f", seconds[name[s]] / n)
            }
        }' "$tmp/lines"
}

# Beside the candidate of least loss: --auto and all candidates.
print_candidates() {
    awk -v options="$options" -v others="$others" "$means"'
        END {
            candidates = split(others, title, / *; */)
            n = print_head("loss, error / best|regression||two||more|", form, "%-50s")
            split("regression two more", which, " ")
            for (i = 1; i <= sets; i++)
                find_best(order[i], candidates)
            for (c = 0; c <= candidates; c++) {
                as = c ? c : "auto"
                cells[1] = c ? title[c] : options
                for (g = 1; g <= 3; g++) {
                    cells[2 * g] = shown_ratio(middle(which[g], as, "best", 2))
                    cells[2 * g + 1] = shown_ratio(middle(which[g], as, "best", 1))
                }
                print_row(form, cells, n)
            }
        }' "$tmp/lines"
}

# What each set has as its best, and how far --auto is from it.
print_best() {
    awk -v options="$options" -v others="$others" "$means"'
        END {
            candidates = split(others, title, / *; */)
            head = "data|loss|auto|ratio|error|auto|ratio|vectors|auto|best"
            n = print_head(head, form, "%-13s")
            for (i = 1; i <= sets; i++) {
                name = order[i]
                find_best(name, candidates)
                one = best[name]
                cells[1] = name
                for (k = 1; k <= 2; k++) {
                    cells[3 * k - 1] = shown("%.4g", name, one, 3 - k)
                    cells[3 * k] = shown("%.4g", name, "auto", 3 - k)
                    cells[3 * k + 1] = shown_ratio(ratio(name, "auto", one, 3 - k))
                }
                cells[8] = shown("%.1f", name, one, 3)
                cells[9] = shown("%.1f", name, "auto", 3)
                cells[10] = one == "auto" ? options : title[one]
                print_row(form, cells, n)
            }
        }' "$tmp/lines"
}

has_sets() { # GROUP
    awk -v which="$1" '$1 == which && $2 !~ /^noise/ { n++ } END { exit !n }' "$tmp/lines"
}

# shellcheck disable=SC2154 # most_tests is of rows.sh
print_page_head() {
    cat <<END
# One command

\`rvm-train $options\`, which gets the features as the files have them, beside
svm-train with features of mean 0 and variance 1 (and targets of a regression), C and gamma from the
grid search that comes with libsvm (as in TUNED; a point gets $point_seconds seconds), and -b 1 in
classification.  Rows are drawn at random, the same for all: seven in ten to train on, at most
$most_rows, and the others, at most $most_tests, are the test.  Numbers are means over
the draws ($draws).

    error     of the test rows: per cent of wrong classes (svm-train: without -b 1), or the mean
              squared error in the target's units
    loss      the mean of -ln P(class), or of -ln p(target); svm-train has no density, and gets that
              of a normal with the mean squared error of its cross-validation as the variance
    ratio     ours to that of svm-train; of densities the ratio of these, not of their logarithms
    seconds   of the processor, one thread, with all searches

    command     make bench-auto BENCH_DATA=FOLDER AUTO_FIRST=$first_draw AUTO_DRAWS=$draws \\
                    AUTO_MOST=$most_rows BENCH_POINT=$point_seconds AUTO_OPTIONS='$options'
$(describe_machine)
$(describe_program "$bin")
    peer        svm-train of libsvm
END
}

print_group() { # GROUP WORDS
    ! has_sets "$1" || { printf '\n## %s\n\n' "$2" && print_sets "$1"; }
}

print_all() {
    print_page_head
    print_group regression Regression
    print_group two 'Two classes'
    print_group more 'More than two classes'
    printf '\n## In sum\n\n'
    ! grep -q ' svm ' "$tmp/lines" || {
        printf 'Geometric means of the ratios:\n\n'
        print_sums
        echo
    }
    tell_of_collapses
    ! grep -q ' noise' "$tmp/lines" || {
        printf '\n%d rows with nothing to learn, 10 inputs; a target of variance 1, ' "$noise_rows"
        printf 'or two classes:\n\n'
        print_noise
    }
    [ -z "$others" ] || {
        printf '\n## Candidates\n\n'
        printf 'The best of a set is the one with the least loss on the test rows.\n\n'
        print_best
        printf '\nGeometric means of the ratios to the best:\n\n'
        print_candidates
    }
}

# ---- The run -------------------------------------------------------------------------------------

if [ -n "${AUTO_CACHE:-}" ]; then
    mkdir -p "$AUTO_CACHE" || exit 1
fi
while read -r name group stem; do
    [ -z "$name" ] || ! wanted "$name" || compare "$name" "$group" "$stem"
done <<END
$sets
END
! wanted noise || compare_noise noise regression
! wanted noise-classes || compare_noise noise-classes two
[ -s "$tmp/lines" ] || fail "no data set found in $folder"
[ -z "${BENCH_LINES:-}" ] || cp "$tmp/lines" "$BENCH_LINES"

print_all >"$tmp/results" || fail "no table can be made of what was measured"
cat "$tmp/results"
mv "$tmp/results" "$results"

#!/bin/sh
# How far the probabilities and the intervals of rvm-train can be believed, with -b 1 and without, of
# the flat prior and of --prior kernel, beside the probabilities of svm-train -b 1 with its grid.
#
#     make bench-calibration BENCH_DATA=FOLDER     some hours, one process at a time
#
# which calls   sh bench/calibration.sh BIN FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     FOLDER   data, see bench/rows.sh; what is not there is left out
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text
#
# Environment, or variables of make:
#     CALIBRATION_SPLITS  splits of a set at each size (5); or a number for each size that is to be
#                         run, as in 100:5 300:2 share:1, where share is seven in ten of the rows
#     CALIBRATION_MOST    rows of a share at the most (1000)
#     CALIBRATION_SETS    the sets to run, such as "sonar iris noise"; all of sets below, and noise
#     CALIBRATION_WHO     whom to run, of flat, kernel and svm (all)
#     CALIBRATION_CACHE   a folder that keeps what was measured: neither a peer that has seen the same
#                         rows nor a program of ours that has not changed since is run again
#     BENCH_POINT         seconds of the processor that a point of svm-train's grid may take (5)
#
# Needs GNU time; svm-train and svm-predict are in Debian's package libsvm-tools.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"
. "$here/svm.sh"

[ $# = 3 ] || usage 7,10
bin=$(cd "$1" && pwd) || exit 1
folder=$(data_folder "$2") || exit 1
results=$3
need_libsvm

who=${CALIBRATION_WHO:-flat kernel svm}
most_rows=${CALIBRATION_MOST:-1000}
point_seconds=${BENCH_POINT:-5}
grid_rows=2000
case ${CALIBRATION_SPLITS:=5} in
*:*) plan=$CALIBRATION_SPLITS ;;
*) plan="100:$CALIBRATION_SPLITS 300:$CALIBRATION_SPLITS 1000:$CALIBRATION_SPLITS"
    plan="$plan share:$CALIBRATION_SPLITS" ;;
esac

# Name, group and stem of the files.
sets='
sonar               two         sonar
heart               two         heart
pima768             two         pima768
german.numer        two         german.numer
ionosphere          two         ionosphere
australian          two         australian
breast_cancer_wdbc  two         breast_cancer_wdbc
liver-disorders     two         liver-disorders
splice              two         splice
banana              two         banana_
fourclass           two         fourclass
housevotes84        two         housevotes84
iris                more        iris
wine                more        wine_scale
glass               more        glass
vowel_scale         more        vowel_scale
crabs4              more        crabs4
satellite           more        satellite
digits              more        digits
dna                 more        dna
yacht               regression  yacht
servo               regression  servo
boston              regression  boston
concrete            regression  concrete
mcycle              regression  mcycle
diabetes442         regression  diabetes442
machine             regression  machine
autompg             regression  autompg
energy              regression  energy
airfoil             regression  airfoil
forest              regression  forest
abalone             regression  abalone
quakes              regression  quakes
bodyfat             regression  bodyfat_scale
gagurine            regression  gagurine
space_ga            regression  space_ga_scale
'

tmp=$(mktemp -d) || exit 1
trap_ends

# ---- Rows ----------------------------------------------------------------------------------------

# False where seven in ten of the rows of the set are fewer than that.
rows_of() { # SIZE
    rows=$(share_of_rows "$tmp" 1e9)
    if [ "$1" != share ]; then
        [ "$rows" -ge "$1" ] && rows=$1
    elif [ "$rows" -gt "$most_rows" ]; then
        rows=$most_rows
    fi
}

# ---- What is measured ------------------------------------------------------------------------------

# Log loss; Brier score, the mean over rows of the sum over classes of (p - [it is the class])^2; per
# cent of errors; expected calibration error in per cent, the mean over rows of |accuracy - confidence|
# of the bin of the row, of ten by the probability of the predicted class.
rate_classes() {
    awk 'FNR == NR { truth[FNR] = $1 + 0; next }
        FNR == 1 { for (k = 2; k <= NF; k++) place[$k + 0] = k; next }
        {
            rows++
            actual = truth[FNR - 1]
            own = $(place[actual])
            sure = $(place[$1 + 0])
            right = $1 + 0 == actual
            loss -= log(own > 1e-15 ? own : 1e-15)
            wrong += !right
            for (label in place)
                brier += ($(place[label]) - (label + 0 == actual)) ^ 2
            excess[sure >= 1 ? 9 : int(10 * sure)] += right - sure
        }
        END {
            for (bin in excess)
                apart += excess[bin] < 0 ? -excess[bin] : excess[bin]
            print loss / rows, brier / rows, 100 * wrong / rows, 100 * apart / rows, "-"
        }' "$tmp/test.std" "$1"
}

# The mean of -ln p(target), the root of the mean squared error, and per cent of the targets in the
# intervals of 50, 90 and 95 %, as rvm-predict tells.
rate_regression() {
    awk '/^Mean squared error = / { rmse = sqrt($5) }
        /^Mean negative log predictive density = / { loss = $NF }
        /^Intervals of 50, 90 and 95 % hold / { gsub(",", ""); half = $9; ninety = $10; most = $12 }
        END { print loss, rmse, half, ninety, most }' "$tmp/scores"
}

# Appends "ONE figures" for the test rows.
rate_ours() { # ONE MODEL
    if [ "$type" = 3 ]; then set -- "$@" --variance; else set -- "$@" -b 1; fi
    kind=$1 model=$2
    shift 2
    "$bin/rvm-predict" --threads 1 "$@" "$tmp/test.std" "$model" "$tmp/predicted" \
        >"$tmp/scores" 2>&1 || fail "rvm-predict fails: $(tail -n 1 "$tmp/scores")"
    if [ "$type" = 3 ]; then
        echo "$kind $(rate_regression)"
    else
        echo "$kind $(rate_classes "$tmp/predicted")"
    fi
}

seconds_of_training() { # OPTIONS...
    seconds=0
    timed "$bin/rvm-train" -q --threads 1 -s "$type" "$@" "$tmp/train.std" "$tmp/timed" || return
    echo "$seconds"
}

# Five more trainings: with the gamma that was found, or that --prior kernel learns.  Seconds
# without -b 1 and with it.
time_ours() { # ONE
    case $1 in
    flat) set -- "$1" -g "$(sed -n 's/^gamma //p' "$tmp/model")" ;;
    kernel) set -- "$1" --prior kernel ;;
    esac
    one=$1
    shift
    without=$(seconds_of_training "$@") && with=$(seconds_of_training "$@" -b 1) &&
        echo "$one-seconds $without $with - - -"
}

# -b 1 leaves the model itself as it is, so that without these lines it is the one without -b 1.
measure_ours() { # ONE
    if [ "$1" = kernel ]; then set -- "$1" --prior kernel; fi
    one=$1
    shift
    auto=$(seconds_of_training -g auto "$@" -b 1) || return
    mv "$tmp/timed" "$tmp/model"
    grep -Ev '^(calibration_rows|temperature|spread|held_out_[a-z]+)( |$)' "$tmp/model" \
        >"$tmp/plain"
    rate_ours "$one" "$tmp/plain" && rate_ours "$one-b" "$tmp/model" || return
    time_ours "$one" || return
    if [ "$size $one" = '100 flat' ]; then
        without=$(seconds_of_training -g auto "$@") && echo "$one-auto $without $auto - - -"
    fi
}

measure_svm() {
    seconds=0
    predict_by_svm 0
    echo "svm $(rate_classes "$tmp/predicted")"
    echo "svm-seconds $seconds - - - -"
}

measure() { # ONE
    if [ "$1" = svm ]; then measure_svm; else measure_ours "$1"; fi
}

# ---- The sets --------------------------------------------------------------------------------------

# What decides the figures: the rows, and for programs of ours these.
key() { # ONE
    case $1 in
    svm) set -- "$tmp/train.std" "$tmp/test.std" ;;
    *) set -- "$tmp/train.std" "$tmp/test.std" "$bin/rvm-train" "$bin/rvm-predict" ;;
    esac
    { cat "$@" && echo "$point_seconds $size"; } | cksum | tr ' ' -
}

# The figures, a line for each kind, from the cache where they are there.
figures() { # ONE
    kept=${CALIBRATION_CACHE:-$tmp}/$1-$name-$rows-$split-$(key "$1")
    if [ ! -s "$kept" ]; then
        # In a shell of its own, so that one that fails is told of and left out.
        (measure "$1") >"$tmp/figures" || return
        mv "$tmp/figures" "$kept" || return
    fi
    cat "$kept"
}

# Appends "GROUP NAME SIZE ROWS KIND figures" for each who takes part.
compare_split() {
    for one in $who; do
        case $one:$group in svm:regression | svm:noise*) continue ;; esac
        figures "$one" >"$tmp/measured" ||
            { note "$name, $rows rows, split $split, $one: left out" && continue; }
        sed "s/^/$group $name $size $rows /" "$tmp/measured" >>"$tmp/lines"
    done
}

compare() { # NAME GROUP STEM SIZE SPLITS
    name=$1 group=$2 stem=$3 size=$4 last=$5
    fetch_all "$tmp" "$stem" 2>/dev/null || { note "$name: left out" && return; }
    rows_of "$size" || return 0
    case $group in regression) type=3 ;; *) type=0 ;; esac
    split=1
    while [ "$split" -le "$last" ]; do
        take_mixed "$tmp" "$split" "$rows" || fail "no rows of $name"
        [ "$type" = 3 ] || drop_unknown_classes "$tmp"
        standardise "$tmp" || fail "no rows of $name"
        compare_split
        split=$((split + 1))
    done
}

# ---- Nothing to learn ------------------------------------------------------------------------------

# 50 rows of 5 uniform inputs, and 1000 to test: 35 rows of class 1 and 15 of class 2, or normal
# targets.  The generator is that of Park and Miller (1988).
write_noise() { # GROUP SPLIT
    awk -v group="$1" -v split_number="$2" -v train="$tmp/train.std" -v test="$tmp/test.std" '
        function uniform() { return (state = state * 48271 % 2147483647) / 2147483647 }
        function normal() {
            return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())
        }
        BEGIN {
            state = 20011 * split_number
            for (row = 1; row <= 1050; row++) {
                line = group == "noise" ? normal() : row % 10 < 3 ? 2 : 1
                for (k = 1; k <= 5; k++)
                    line = line " " k ":" 3.4641 * (uniform() - 0.5)
                print line >(row <= 50 ? train : test)
            }
        }'
}

# The largest distance of P(class 1) from 0.7; the widest and the narrowest 90 % interval of the test
# rows over that of the normal distribution of the targets' spread.
rate_noise() {
    if [ "$type" = 0 ]; then
        awk 'NR == 1 { place = $2 == 1 ? 2 : 3; next }
            { d = $place - 0.7; d = d < 0 ? -d : d; most = d > most ? d : most }
            END { print most, "- - - -" }' "$tmp/predicted"
    else
        awk 'FNR == NR { n++; sum += $1; square += $1 * $1; next }
            FNR == 1 { unit = 2 * 1.644854 * sqrt((square - sum * sum / n) / (n - 1)) }
            {
                w = ($3 - $2) / unit
                total += w
                most = FNR == 1 || w > most ? w : most
                least = FNR == 1 || w < least ? w : least
            }
            END { print least, total / FNR, most, "- -" }' "$tmp/train.std" "$tmp/predicted"
    fi
}

# With -g auto, and with the width that is the default.
measure_noise() { # ONE GROUP
    set -- "$1" -q --threads 1 -s "$type" -b 1
    one=$1
    shift
    [ "$one" = flat ] || set -- "$@" --prior kernel
    if [ "$type" = 3 ]; then ask='--interval 0.9'; else ask='-b 1'; fi
    for width in auto 0; do
        timed "$bin/rvm-train" "$@" -g "$width" "$tmp/train.std" "$tmp/model"
        # shellcheck disable=SC2086 # words
        "$bin/rvm-predict" -q --threads 1 $ask "$tmp/test.std" "$tmp/model" "$tmp/predicted" ||
            fail "rvm-predict fails"
        echo "$group noise $width 50 $one-b $(rate_noise)" >>"$tmp/lines"
    done
}

compare_noise() { # DRAWS
    seconds=0
    for group in noise-classes noise; do
        case $group in noise) type=3 ;; *) type=0 ;; esac
        split=1
        while [ "$split" -le "$1" ]; do
            write_noise "$group" "$split"
            for one in $who; do
                [ "$one" = svm ] || (measure_noise "$one")
            done
            split=$((split + 1))
        done
    done
}

# ---- Tables ----------------------------------------------------------------------------------------

# Reads lines; puts means over the splits into told[name, size, kind, column], those over the sizes of
# a set into told[name, "all", kind, column], the names of a group in order into order[group, 1 ..
# sets[group]] and sizes into sized[1 .. S].
means='
    {
        if (!(($1, $2) in seen)) { seen[$1, $2]; order[$1, ++sets[$1]] = $2 }
        if (!($3 in known)) { known[$3]; sized[++S] = $3 }
        rows[$2, $3] = $4
        for (k = 1; k <= 5; k++)
            if ($(5 + k) != "-") {
                item = $2 SUBSEP $3 SUBSEP $5 SUBSEP k
                sum[item] += $(5 + k)
                count[item]++
            }
    }
    END {
        for (item in sum) {
            told[item] = sum[item] / count[item]
            split(item, part, SUBSEP)
            all = part[1] SUBSEP "all" SUBSEP part[3] SUBSEP part[4]
            total[all] += told[item]
            terms[all]++
        }
        for (all in total)
            told[all] = total[all] / terms[all]
    }
    function shown(form, name, size, kind, column) {
        return (name, size, kind, column) in told ? sprintf(form, told[name, size, kind, column]) : "-"
    }
    # Puts x into a list of n in order.
    function insert(list, n, x) {
        for (; n > 0 && list[n] > x; n--)
            list[n + 1] = list[n]
        list[n + 1] = x
    }
    function median(list, n) { return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2 }
    function titled(size) {
        return size == "share" ? "7 in 10" : size == "all" ? "all sizes" : size " rows"
    }
    function print_row(form, cells, n,    k) {
        for (k = 1; k <= n; k++)
            printf "| " form[k] " ", cells[k]
        print "|"
    }
    # Splits a head into cells and prints it with the rule below.
    function print_head(head, form,    n, k, cells) {
        n = split(head, cells, / *[|] */)
        for (k = 1; k <= n; k++)
            form[k] = k == 1 ? "%-18s" : "%7s"
        print_row(form, cells, n)
        for (k = 1; k <= n; k++)
            cells[k] = k == 1 ? "---" : "---:"
        print_row(form, cells, n)
        return n
    }'

# A line for each size and program: of each column the mean over the sets, or of a density, of which a
# set may have any, the median.
print_means() { # GROUP KINDS HEAD COLUMNS
    awk -v which="$1" -v kinds="$2" -v head="$3" -v columns="$4" "$means"'
        # Of a column over the sets; how many there are in members.
        function middle(size, kind, column,    i, x, name, list, sum) {
            members = sum = 0
            for (i = 1; i <= sets[which]; i++) {
                name = order[which, i]
                if (!((name, size, kind, column) in told))
                    continue
                x = told[name, size, kind, column]
                sum += x
                insert(list, members++, x)
            }
            if (which == "regression" && column == 1)
                return median(list, members)
            return members ? sum / members : 0
        }
        END {
            n = print_head(head, form)
            K = split(kinds, kind, " ")
            C = split(columns, column, " ")
            for (s = 1; s <= S; s++)
                for (k = 1; k <= K; k++) {
                    for (c = 1; c <= C; c++)
                        cells[3 + c] = sprintf(column[c] <= 2 ? "%.3f" : "%.1f",
                            middle(sized[s], kind[k], column[c]))
                    cells[1] = titled(sized[s])
                    cells[2] = members
                    cells[3] = kind[k]
                    sub(/-b$/, " -b 1", cells[3])
                    if (members)
                        print_row(form, cells, n)
                }
        }' "$tmp/lines"
}

print_class_sets() { # GROUP
    awk -v which="$1" "$means"'
        END {
            four = "flat|flat -b 1|kernel|kernel -b 1"
            n = print_head("data|rows|loss: " four "|svm|ece: " four "|svm", form)
            split("flat flat-b kernel kernel-b svm", kind, " ")
            for (i = 1; i <= sets[which]; i++) {
                name = order[which, i]
                cells[1] = name
                cells[2] = rows[name, "share"]
                for (k = 1; k <= 5; k++) {
                    cells[2 + k] = shown("%.3f", name, "share", kind[k], 1)
                    cells[7 + k] = shown("%.1f", name, "share", kind[k], 4)
                }
                if (cells[2])
                    print_row(form, cells, n)
            }
        }' "$tmp/lines"
}

print_regression_sets() {
    awk "$means"'
        END {
            four = "flat|flat -b 1|kernel|kernel -b 1"
            n = print_head("data|rows|rmse: flat|kernel|nlpd: " four "|90 %: " four, form)
            split("flat flat-b kernel kernel-b", kind, " ")
            for (i = 1; i <= sets["regression"]; i++) {
                name = order["regression", i]
                cells[1] = name
                cells[2] = rows[name, "share"]
                cells[3] = shown("%.4g", name, "share", "flat", 2)
                cells[4] = shown("%.4g", name, "share", "kernel", 2)
                for (k = 1; k <= 4; k++) {
                    cells[4 + k] = shown("%.3f", name, "share", kind[k], 1)
                    cells[8 + k] = shown("%.1f", name, "share", kind[k], 4)
                }
                if (cells[2])
                    print_row(form, cells, n)
            }
        }' "$tmp/lines"
}

# On how many sets a column of ours is not above that of svm-train.
print_counts() {
    awk "$means"'
        function at_most(which, size, one, column,    i, name, n) {
            n = members = 0
            for (i = 1; i <= sets[which]; i++) {
                name = order[which, i]
                if ((name, size, one, column) in told && (name, size, "svm", column) in told) {
                    members++
                    n += told[name, size, one, column] <= told[name, size, "svm", column]
                }
            }
            return n
        }
        END {
            n = print_head("training||loss: two|more|error: two|more|ece: two|more", form)
            sized[S + 1] = "all"
            split("flat flat-b kernel kernel-b", kind, " ")
            split("1 3 4", column, " ")
            for (s = 1; s <= S + 1; s++)
                for (k = 1; k <= 4; k++) {
                    cells[1] = titled(sized[s])
                    cells[2] = kind[k]
                    sub(/-b$/, " -b 1", cells[2])
                    all_members = 0
                    for (c = 1; c <= 3; c++) {
                        cells[2 * c + 1] = at_most("two", sized[s], kind[k], column[c]) " of " members
                        all_members += members
                        cells[2 * c + 2] = at_most("more", sized[s], kind[k], column[c]) " of " members
                        all_members += members
                    }
                    if (all_members)
                        print_row(form, cells, n)
                }
        }' "$tmp/lines"
}

# Means of the covers, how far they miss at the most, and what -b 1 costs and gains in density.
tell_of_intervals() { # ONE
    awk -v one="$1" "$means"'
        function far(x) { return x < 0 ? -x : x }
        END {
            b = one "-b"
            sized[S + 1] = "all"
            for (s = 1; s <= S + 1; s++) {
                size = sized[s]
                members = miss = beyond = 0
                loss = -1e9
                half = ninety = most = 0
                for (i = 1; i <= sets["regression"]; i++) {
                    name = order["regression", i]
                    if (!((name, size, b, 1) in told))
                        continue
                    half += told[name, size, b, 3]
                    ninety += told[name, size, b, 4]
                    most += told[name, size, b, 5]
                    d = told[name, size, b, 4] - 90
                    beyond += far(d) > 6
                    if (far(d) >= far(miss)) { miss = d; where = name }
                    d = told[name, size, b, 1] - told[name, size, one, 1]
                    insert(gain, members++, d)
                    if (d > loss) { loss = d; lost = name }
                }
                if (!members)
                    continue
                printf "%s, %s, %d sets: intervals of 50, 90 and 95 %% hold %.1f, %.1f and " \
                    "%.1f %%; ", one, titled(size), members, half / members, ninety / members,
                    most / members
                printf "at 90 %% %+.1f at the most (%s), %d sets beyond 6; ", miss, where, beyond
                printf "nlpd by -b 1 %+.3f (median), at worst %+.3f (%s).\n\n",
                    median(gain, members), loss, lost
            }
        }' "$tmp/lines"
}

# Times of at least SECONDS without -b 1, the others say little.
tell_of_time() { # KIND WORDS SECONDS
    awk -v kind="$1" '$5 == kind { print $6, $7, $2, $4 }' "$tmp/lines" |
        awk -v least="$3" '$1 >= least { print $2 / $1, $3, $4 }' | sort -g | awk -v words="$2" '
            { ratio[NR] = $1; last = $2 ", " $3 " rows" }
            END {
                if (NR)
                    printf "%s: with -b 1 training takes %.2f times as long (median of %d), at most " \
                        "%.2f (%s).\n\n", words, ratio[int((NR + 1) / 2)], NR, ratio[NR], last
            }'
}

tell_of_noise() { # ONE
    awk -v kind="$1-b" -v one="$1" '
        function width(w) { return w == "auto" ? "-g auto" : "-g 1/features" }
        $5 != kind { next }
        $1 == "noise-classes" {
            distance[$3] += $6
            draws[$3]++
            if ($6 > most[$3]) most[$3] = $6
        }
        $1 == "noise" {
            n[$3]++
            wide[$3] += $7
            if (n[$3] == 1 || $6 < low[$3]) low[$3] = $6
            if ($8 > high[$3]) high[$3] = $8
        }
        END {
            for (w in draws)
                printf "%s, %s: |P - share| at most %.3f (mean of the draws %.3f), %d draws.\n\n", one,
                    width(w), most[w], distance[w] / draws[w], draws[w]
            for (w in n)
                printf "%s, %s: 90 %% intervals %.2f times as wide as those of the targets, from %.2f " \
                    "to %.2f, %d draws.\n\n", one, width(w), wide[w] / n[w], low[w], high[w], n[w]
        }' "$tmp/lines"
}

has() { grep -q "^$1 " "$tmp/lines"; }

# shellcheck disable=SC2154 # most_tests is of rows.sh
print_page_head() {
    cat <<END
# Probabilities and intervals

\`rvm-train -b 1\` and \`rvm-train\`, with the flat prior of the weights and with \`--prior kernel\`, all
with -g auto, beside

    svm  svm-train -b 1, C and gamma from the grid search that comes with libsvm (as in TUNED; a point
         gets $point_seconds seconds) on the first $grid_rows training rows at most

Rows are drawn at random, the same for all; what is left over is the test, at most $most_tests rows.
Splits at each number of training rows: $plan; share and "7 in 10" are seven in ten
of the rows, at most $most_rows.  A set takes part at 100, 300 and 1000 where seven in ten are as many.
Features have mean 0 and variance 1 in the training rows.

    loss   the mean of -ln P(class), P not below 1e-15
    brier  the mean of the sum over classes of (P - [it is the class])^2
    error  per cent of wrong classes
    ece    expected calibration error in per cent: the mean over rows of |accuracy - confidence| of the
           row's bin, ten bins by the probability of the predicted class
    nlpd   the mean of -ln p(target)
    rmse   root of the mean squared error, in the target's units
    50 %   per cent of the test targets in the central interval of that probability

    command     make bench-calibration BENCH_DATA=FOLDER CALIBRATION_SPLITS='$CALIBRATION_SPLITS' \\
                    CALIBRATION_MOST=$most_rows BENCH_POINT=$point_seconds
$(describe_machine)
$(describe_program "$bin")
    peer        svm-train of libsvm
END
}

print_classes() { # GROUP WORDS
    has "$1" || return 0
    printf '\n## %s\n\n' "$2"
    print_means "$1" 'flat flat-b kernel kernel-b svm' 'training|sets||loss|brier|error|ece' \
        '1 2 3 4'
    case $plan in *share*) echo && print_class_sets "$1" ;; esac
}

print_all() {
    print_page_head
    print_classes two 'Two classes'
    print_classes more 'More than two classes'
    ! has regression || {
        printf '\n## Regression\n\n'
        print_means regression 'flat flat-b kernel kernel-b' 'training|sets||nlpd|50 %|90 %|95 %' \
            '1 3 4 5'
        case $plan in *share*) echo && print_regression_sets ;; esac
    }
    printf '\n## In sum\n\n'
    ! has two && ! has more || {
        printf 'On how many sets a figure is not above that of svm-train:\n\n'
        print_counts
        echo
    }
    for one in flat kernel; do tell_of_intervals "$one"; done
    tell_of_time flat-auto 'flat, -g auto, 100 rows' 0.1
    tell_of_time flat-seconds 'flat, gamma given' 0.1
    tell_of_time kernel-seconds 'kernel, gamma learned' 0.1
    ! has noise || {
        printf '50 rows with nothing to learn, 5 inputs; of two classes 35 and 15:\n\n'
        for one in flat kernel; do tell_of_noise "$one"; done
    }
}

# ---- The run ---------------------------------------------------------------------------------------

# shellcheck disable=SC2034 # read by wanted
BENCH_ONLY=${CALIBRATION_SETS:-}
if [ -n "${CALIBRATION_CACHE:-}" ]; then
    mkdir -p "$CALIBRATION_CACHE" || exit 1
fi
for part in $plan; do
    while read -r name rest; do
        # shellcheck disable=SC2086 # words
        [ -z "$name" ] || ! wanted "$name" || compare "$name" $rest "${part%:*}" "${part#*:}"
    done <<END
$sets
END
done
! wanted noise || compare_noise 5
[ -s "$tmp/lines" ] || fail "no data set found in $folder"

print_all >"$tmp/results" || fail "no table can be made of what was measured"
cat "$tmp/results"
mv "$tmp/results" "$results"

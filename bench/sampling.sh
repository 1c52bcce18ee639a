#!/bin/sh
# What draws from the posterior, rvm-train --method gibbs, give over the default, which takes the most
# probable precisions and noise for the true ones.
#
#     make bench-sampling BENCH_DATA=FOLDER     three minutes or so, one process at a time
#
# which calls   sh bench/sampling.sh BIN FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     FOLDER   data, see bench/rows.sh; what is not there is left out
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text
#
# Environment:
#     BENCH_ONLY   the sets to run, such as "heart mcycle"; all of sets below
#
# Needs GNU time.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"

[ $# = 3 ] || usage 7,10
bin=$(cd "$1" && pwd) || exit 1
folder=$(data_folder "$2") || exit 1
results=$3

draws='--samples 1000 --burn-in 500 --chains 4'

# Name, type, stem of the files, draw, rows to train on, features: of variance 1 or in [0, 1].
sets='
heart          0  heart_scale          1  180  standard
ionosphere     0  ionosphere_scale     1  234  standard
breast-cancer  0  breast-cancer_scale  1  300  standard
fourclass      0  fourclass_scale      1  300  standard
sonar          0  sonar_scale          1  139  standard
australian     0  australian_scale     1  300  standard
ripley         0  ripley               0  250  standard
pima           0  pima_std             0  200  standard
skin           0  skin_nonskin         1  300  unit
boston         3  boston               1  300  standard
friedman1      3  friedman1_           1  240  standard
mg             3  mg_scale             1  300  standard
abalone        3  abalone_scale        1  300  standard
mpg            3  mpg_scale            1  261  standard
bodyfat        3  bodyfat_scale        1  168  standard
mcycle         3  mcycle               1   89  standard
'

tmp=$(mktemp -d) || exit 1
trap_ends

# Features to [0, 1] by the ranges of the training part.
to_unit() {
    for part in train test; do
        if [ "$part" = train ]; then set -- -l 0 -s "$tmp/ranges"; else set -- -r "$tmp/ranges"; fi
        "$bin/rvm-scale" "$@" "$tmp/$part.std" >"$tmp/scaled" 2>"$tmp/err" ||
            fail "rvm-scale fails: $(tail -n 1 "$tmp/err")"
        mv "$tmp/scaled" "$tmp/$part.std"
    done
}

# Trains and predicts; appends to $line the error (per cent, or mean squared as a share of the test
# targets' variance), the loss, per cent inside the 90 % intervals, vectors, seconds and R-hat.
measure() { # OPTIONS...
    seconds=0
    timed "$bin/rvm-train" -s "$type" -g "$gamma" "$@" "$tmp/train.std" "$tmp/model"
    rhat=$(sed -n 's/^Predictions = R-hat \([^ ]*\) .*/\1/p' "$tmp/out")
    if [ "$type" = 3 ]; then set -- --interval 0.9; else set --; fi
    "$bin/rvm-predict" --threads 1 "$@" "$tmp/test.std" "$tmp/model" "$tmp/predicted" \
        >"$tmp/scores" 2>&1 || fail "rvm-predict fails: $(tail -n 1 "$tmp/scores")"
    measured=$(awk -v type="$type" '
        pass == 1 && /^Accuracy = / { error = 100 - $3 }
        pass == 1 && /^Mean squared error = / { error = $5 }
        pass == 1 && /^Mean (log loss|negative log predictive density) = / { loss = $NF }
        pass == 2 { target[FNR] = $1; sum += $1; square += $1 ^ 2 }
        pass == 3 && type == 3 { inside += $2 <= target[FNR] && target[FNR] <= $3 }
        END {
            rows = FNR
            if (type == 3)
                error /= square / rows - (sum / rows) ^ 2
            print error, loss, 100 * inside / rows
        }' pass=1 "$tmp/scores" pass=2 "$tmp/test.std" pass=3 "$tmp/predicted") ||
        fail "nothing to tell of $name"
    line="$line $measured $(sed -n 's/^total_rv //p' "$tmp/model") $seconds ${rhat:--}"
}

# Appends "NAME rows gamma" and what is measured of each method to lines.TYPE.
compare() { # NAME TYPE STEM DRAW ROWS FEATURES
    name=$1 type=$2
    prepare "$tmp" "$3" "$4" "$5" || { note "$name is left out"; return 0; }
    [ "$6" = standard ] || to_unit
    [ "$type" = 0 ] || standardise_targets "$tmp"

    note "$name"
    seconds=0
    timed "$bin/rvm-train" -q -s "$type" -g auto "$tmp/train.std" "$tmp/model"
    gamma=$(sed -n 's/^gamma //p' "$tmp/model")
    line="$name $(awk 'END { print NR }' "$tmp/train.std") $gamma"
    measure
    # shellcheck disable=SC2086 # words
    measure --method gibbs $draws
    # shellcheck disable=SC2086
    [ "$type" = 0 ] || measure --method gibbs $draws --prior gamma:1,0
    echo "$line" >>"$tmp/lines.$type"
}

# The fields of a line, for awk: [1] of the default, [2] of draws, [3] of draws with the other prior.
fields='
    {
        for (m = 1; m <= 3; m++) {
            first = 6 * m - 2
            error[m] = $first; loss[m] = $(first + 1); inside[m] = $(first + 2)
            vectors[m] = $(first + 3); seconds[m] = $(first + 4); rhat[m] = $(first + 5)
        }
    }'

# What draws with the other prior lose or gain beside draws with the default one.
tell_of_prior() {
    [ -s "$tmp/lines.3" ] || return 0
    awk "$fields"'
        {
            more += loss[3] - loss[2]
            ratio += log(error[3] / error[2])
            all += inside[3]
            worst = rhat[3] > worst ? rhat[3] : worst
        }
        END {
            printf "With a uniform one there (--prior gamma:1,0): density %+.3f, error times %.2f, ",
                more / NR, exp(ratio / NR)
            printf "%.1f %% inside, R-hat up to %.2f.\n", all / NR, worst
        }' "$tmp/lines.3"
}

print_classes() {
    [ -s "$tmp/lines.0" ] || return 0
    awk "$fields"'
        BEGIN {
            row = "| %-13s | %4s | %8s | %7s | %7s | %8s | %8s | %7s | %5s | %6s | %7s | %5s |\n"
            printf "\n## Two classes\n\n"
            printf row, "data", "rows", "gamma", "error", "gibbs", "log loss", "gibbs", "vectors",
                "gibbs", "R-hat", "seconds", "gibbs"
            printf row, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:",
                "---:", "---:"
        }
        {
            printf row, $1, $2, sprintf("%.3g", $3), sprintf("%.2f %%", error[1]),
                sprintf("%.2f %%", error[2]), sprintf("%.4f", loss[1]), sprintf("%.4f", loss[2]),
                vectors[1], vectors[2], sprintf("%.3f", rhat[2]), sprintf("%.2f", seconds[1]),
                sprintf("%.2f", seconds[2])
        }' "$tmp/lines.0"
}

print_regression() {
    [ -s "$tmp/lines.3" ] || return 0
    awk "$fields"'
        BEGIN {
            row = "| %-9s | %4s | %8s | %6s | %6s | %7s | %7s | %6s | %6s | %6s | %7s | %5s |\n"
            printf "\n## Regression\n\n"
            printf row, "data", "rows", "gamma", "error", "gibbs", "density", "gibbs", "inside",
                "gibbs", "R-hat", "seconds", "gibbs"
            printf row, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:",
                "---:", "---:"
        }
        {
            printf row, $1, $2, sprintf("%.3g", $3), sprintf("%.4f", error[1]),
                sprintf("%.4f", error[2]), sprintf("%.4f", loss[1]), sprintf("%.4f", loss[2]),
                sprintf("%.1f %%", inside[1]), sprintf("%.1f %%", inside[2]),
                sprintf("%.3f", rhat[2]), sprintf("%.2f", seconds[1]), sprintf("%.2f", seconds[2])
        }' "$tmp/lines.3"
}

# What all sets of a type say of draws beside the default.
summarise() { # TYPE
    [ -s "$tmp/lines.$1" ] || return 0
    awk -v type="$1" "$fields"'
        {
            less += loss[2] < loss[1]
            if (type == 0) {
                ratio += log(loss[2] / loss[1])
            } else {
                ratio += log(error[2] / error[1])
                more += loss[2] - loss[1]
                usual += inside[1]
                drawn += inside[2]
            }
        }
        END {
            if (type == 0)
                printf "Two classes: log loss times %.2f (geometric mean)", exp(ratio / NR)
            else
                printf "Regression: error times %.2f (geometric mean), density %+.3f (mean)",
                    exp(ratio / NR), more / NR
            printf ", less in %d of %d sets", less, NR
            if (type == 3)
                printf ",\n%.1f %% inside in the place of %.1f %%", drawn / NR, usual / NR
            print "."
        }' "$tmp/lines.$1"
}

print_head() {
    told=$(tell_of_prior) || return
    cat <<END
# Draws from the posterior

\`rvm-train --method gibbs $draws\` beside the default, type-II
maximum likelihood, with the same kernel: gamma is what \`rvm-train -g auto\` chooses on the training rows,
by a cross-validation of the default.  All seeds are 1.  Features, and targets of a regression, have
mean 0 and variance 1; features of skin are in [0, 1].  The test is the one that comes with a set (ripley,
pima, friedman1), else up to 2000 of the other rows; sets are few and tests short, so that some per
cent of a difference are chance.

    error     share of wrong classes; the mean squared error as a share of the variance of the test targets
    log loss  the mean of -ln P(class)
    density   the mean of -ln p(target): less is better, as in all but what is inside
    inside    share of the test targets in the interval of probability 0.9
    vectors   those of the model
    R-hat     of the log-odds, or the mean, at that training row where it is largest; chains with more than
              1.05 need more draws
    seconds   of the processor, in one thread, for one training with that gamma

The default prior of alpha, between bounds, is uniform for two classes and flat in ln alpha for regression.
$told

    command     make bench-sampling BENCH_DATA=FOLDER
$(describe_machine)
$(describe_program "$bin")
END
}

print_all() {
    print_head && print_classes && print_regression &&
        printf '\nDraws beside the default:\n\n' && summarise 0 && summarise 3
}

while read -r name type stem draw rows features; do
    [ -z "$name" ] || ! wanted "$name" || compare "$name" "$type" "$stem" "$draw" "$rows" "$features"
done <<END
$sets
END
[ -s "$tmp/lines.0" ] || [ -s "$tmp/lines.3" ] || fail "no data set found in $folder"

print_all >"$tmp/results" || fail "no table can be made of what was measured"
cat "$tmp/results"
mv "$tmp/results" "$results"

#!/bin/sh
# The experiments of the papers: what they report, and rvm-train and svm-train in one run.
#
#     make reproduce                         ten minutes or so, on data shipped and generated
#     make reproduce BENCH_DATA=FOLDER       with the digits of USPS too
#
# which call   sh bench/reproduce.sh BIN HELPERS DATA FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     HELPERS  folder of the compiled bench/friedman.c
#     DATA     folder of the shipped data
#     FOLDER   libsvm's text files, plain or packed, see bench/fetch.sh, or nothing
#     RESULTS  the file that gets the table, once it is complete, as Markdown text
#
# Environment:
#     BENCH_ONLY    the experiments to run, such as "sinc skin"; all of experiments below
#     BENCH_DRAWS   draws of each experiment, in place of the numbers below
#     BENCH_POINT   seconds of the processor that a point of svm-train's grid may take (5)
#
# svm-train and svm-predict are in Debian's package libsvm-tools; without them their column is "-".
# To add an experiment is a word of experiments and a function run_WORD.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"

[ $# = 5 ] || usage 7,12
bin=$(cd "$1" && pwd) || exit 1
helpers=$(cd "$2" && pwd) || exit 1
data=$(cd "$3" && pwd) || exit 1
folder=$4
results=$5

experiments='sinc friedman boston ripley pima usps terms step skin'
only=${BENCH_ONLY:-$experiments}
point_seconds=${BENCH_POINT:-5}

tmp=$(mktemp -d) || exit 1
trap_ends

draws_or() { echo "${BENCH_DRAWS:-$1}"; }

has_svm=1
if ! command -v svm-predict >/dev/null || ! command -v svm-train >/dev/null; then
    note "no svm-train and svm-predict to compare with (Debian: libsvm-tools)"
    has_svm=0
fi

# ---- Data: all end as $tmp/train and $tmp/test ---------------------------------------------------

generate() { "$helpers/friedman" "$@" || fail "cannot generate $1"; }

prepare_as() { # PREPARATION FOLDER STEM, see fetch.sh
    sh "$here/fetch.sh" "$bin" "$2" "$1" 1 "$tmp" "$3"
}

# Rows with noise to train on, 1000 others without to test.
draw_friedman() { # NAME DRAW
    generate "$1" 240 "$2" >"$tmp/made.train"
    generate "$1" 1000 "$((1000 + $2))" clean >"$tmp/made.test"
    prepare_as unit "$tmp" made || fail "cannot scale $1"
}

split_boston() { # DRAW
    mix "$1" <"$data/boston" >"$tmp/mixed"
    head -n 481 "$tmp/mixed" >"$tmp/made.train"
    tail -n +482 "$tmp/mixed" >"$tmp/made.test"
    prepare_as unit "$tmp" made || fail "cannot scale boston"
}

# ---- Figures: lines of a name and a value in $tmp/values, until start_figures forgets them --------

start_figures() { : >"$tmp/values"; }

mean_of() { # NAME FORMAT
    awk -v name="$1" -v format="$2" '
        $1 == name { sum += $2; count++ }
        END { if (count > 0) printf format, sum / count; else print "-" }' "$tmp/values"
}

# How far predictions are from the targets of the test.
score_regression() { # WHO
    awk -v who="$1" '
        FNR == NR { target[FNR] = $1; next }
        { square = ($1 - target[FNR]) ^ 2; sum += square; worst = square > worst ? square : worst }
        END {
            print who ".square", sum / FNR
            print who ".root", sqrt(sum / FNR)
            print who ".largest", sqrt(worst)
        }' "$tmp/test" "$tmp/predicted" >>"$tmp/values"
}

# F1 of a class is 2 hits / (rows of it + rows called it).
score_classes() { # WHO
    awk -v who="$1" '
        FNR == NR { class[FNR] = $1 + 0; rows[class[FNR]]++; next }
        { called[$1 + 0]++; if ($1 + 0 == class[FNR]) { hits[$1 + 0]++; right++ } }
        function f1(c) { return 2 * hits[c] / (rows[c] + called[c]) }
        END {
            for (c in rows)
                weighted += rows[c] / FNR * f1(c)
            print who ".wrong", FNR - right
            print who ".percent", 100 * (FNR - right) / FNR
            print who ".accuracy", right / FNR
            print who ".f1", weighted
            print who ".f1_positive", 1 in rows ? f1(1) : 0
        }' "$tmp/test" "$tmp/predicted" >>"$tmp/values"
}

# Probabilities of class +1 behind a line `labels ...`, against 1 below 1/2 and 1/2 above.
score_step() { # WHO
    awk -v who="$1" '
        FNR == NR { split($2, pair, ":"); class[FNR] = $1 + 0; x[FNR] = pair[2]; next }
        FNR == 1 { column = $2 == 1 ? 2 : 3; next }
        {
            n = FNR - 1
            p = $column
            wrong += $1 + 0 != class[n]
            square += (p - (x[n] < 0.5 ? 1 : 0.5)) ^ 2
            if (x[n] >= 0.5) {
                odds += p > 0 && p < 1 ? log(p / (1 - p)) ^ 2 : 700 ^ 2
                coins++
            }
        }
        END {
            print who ".percent", 100 * wrong / n
            print who ".probability", sqrt(square / n)
            print who ".odds", sqrt(odds / coins)
        }' "$tmp/test" "$tmp/predicted" >>"$tmp/values"
}

score() { # WHO
    if [ "$type" = 3 ]; then score_regression "$1"; else score_classes "$1"; fi
}

# ---- The two programs ----------------------------------------------------------------------------

train_rvm() { # WHO OPTIONS...
    who=$1
    shift
    "$bin/rvm-train" -q -s "$type" "$@" "$tmp/train" "$tmp/model" >/dev/null ||
        fail "rvm-train fails: $*"
    sed -n "s/^total_rv /$who.vectors /p" "$tmp/model" >>"$tmp/values"
}

fit_rvm() { # WHO OPTIONS...
    train_rvm "$@"
    "$bin/rvm-predict" -q "$tmp/test" "$tmp/model" "$tmp/predicted" || fail "rvm-predict fails"
    score "$1"
}

# A grid for svm-train: C and epsilon in units of the targets' standard deviation, of a regression,
# and gamma in units of 1 / features.
write_points() { # COSTS GAMMAS [EPSILONS]
    awk -v type="$type" -v costs="$1" -v gammas="$2" -v epsilons="${3:-0}" '
        {
            sum += $1
            squares += $1 ^ 2
            split($NF, pair, ":")
            features = pair[1] > features ? pair[1] : features
        }
        END {
            unit = type == 3 ? sqrt(squares / NR - (sum / NR) ^ 2) : 1
            cs = split(costs, c, " ")
            gs = split(gammas, g, " ")
            es = split(epsilons, e, " ")
            for (i = 1; i <= cs; i++)
                for (j = 1; j <= gs; j++)
                    for (k = 1; k <= es; k++)
                        print c[i] * unit, g[j] / features, e[k] * unit
        }' "$tmp/train" >"$tmp/points"
}

# At the best point of the grid.
train_svm() { # TRAIN OPTIONS...
    svm_rows=$1
    shift
    point=$(cat "$tmp/points")
    [ "$(wc -l <"$tmp/points")" -eq 1 ] ||
        point=$(sh "$here/grid.sh" "$type" "$svm_rows" "$point_seconds" "$tmp/points" "$@")
    if [ -z "$point" ]; then
        note "no point of svm-train's grid took less than $point_seconds seconds"
        return 1
    fi
    read -r cost gamma epsilon <<END
$point
END
    svm-train -q -s "$type" -c "$cost" -g "$gamma" -p "$epsilon" -m 1024 "$@" "$svm_rows" \
        "$tmp/svm" >/dev/null || fail "svm-train fails: $*"
    sed -n 's/^total_sv /svm.vectors /p' "$tmp/svm" >>"$tmp/values"
}

# With other forms of the same rows for svm-train, where there are any.
fit_svm_on() { # TRAIN TEST OPTIONS...
    svm_train=$1 svm_test=$2
    shift 2
    [ "$has_svm" = 1 ] && train_svm "$svm_train" "$@" || return 0
    svm-predict "$svm_test" "$tmp/svm" "$tmp/predicted" >/dev/null || fail "svm-predict fails"
    score svm
}

fit_svm() { fit_svm_on "$tmp/train" "$tmp/test" "$@"; }

# ---- The table -----------------------------------------------------------------------------------

cells() { printf '| %-26s | %5s | %-22s | %9s | %9s | %9s | %9s |\n' "$@" | emit; }

# RVM and SVM are names of figures.
line() { # EXPERIMENT DRAWS MEASURE PAPER RVM PAPER SVM FORMAT
    cells "$1" "$2" "$3" "$4" "$(mean_of "$5" "$8")" "$6" "$(mean_of "$7" "$8")"
}

describe() {
    emit <<END
# The experiments of the papers

What the papers report of relevance and of support vector machines, and what rvm-train and svm-train
do here on data of the same kind, which for Pima and USPS are the same rows.  All figures are means
over the draws; the paper has 100 draws of Friedman's functions and of Boston.  Vectors do not count
the bias.

    sinc      100 equally spaced points, the linear spline kernel; the error is that at 1000 points of
              the function itself.  Without noise rvm-train has --noise-variance 0.0001 and svm-train
              epsilon 0.01, as there.  The spline is a kernel only where inputs have one sign, so
              svm-train gets them less the least.  Papers: Tipping (2000), section 3.1; uniform noise
              by the review of Tipping (2001)
    friedman  240 rows to train and 1000 without noise to test.  The paper's error of the second
              function is below the variance of the noise, 15625, so that its test had none either
    boston    481 rows to train, 25 to test, which are few: the draw decides more than the program.
              Tipping (2000), section 3.2
    ripley    the 250 rows, and 100 of them, which the paper's figures are of, with 1000 to test;
              exp(-|x - z|^2 / 0.5^2), which is -g 4.  The review of Tipping (2001), section IV B
    pima      200 and 332 women.  Tipping (2000), section 5.2
    usps      7291 and 2007 digits; -g 0.0078125, --multiclass ovr, for svm-train C 10; the same
              section
    terms     sinc(x1) + 0.1 x2 and noise of 0.1, 100 rows uniform on -10 .. 10 squared; rvm-train has
              --ard --basis bias,linear,quadratic --prune-margin 1.  Functions are vectors, features and
              products.  x2 is linear if it is a function, and no kernel or product has it.  The
              paper calls its errors root mean squares; even a least-squares fit of the 8 true
              functions would have 0.1 sqrt(8 / 100) = 0.028, so they may be mean squares.  The review
              of Tipping (2001), section IV C
    step      one input, uniform; class 1 for certain below 1/2, and by a coin above, where the log-odds
              are 0; 1000 rows, -g 100, and 1000 to test; the best rule is wrong in 25 %.  The
              text, Zabaras's lecture on sparse kernel machines (2019), says this and nothing of how
              near the probabilities come.  Their errors here are root mean squares
    skin      385 pixels of skin and 105 others to train, 2000 of the same shares to test, features
              scaled to [0, 1].  The paper, "Fully Bayesian Analysis of RVMs" (2019), tells no
              kernel for its table; its RVM is taken as that of type II and its KRVM as Gibbs's.
              Its accuracies are multiples of 1 / 490.  F1 is the mean over both classes weighted by
              their rows: of 490 rows neither the F1 of one class nor the plain mean of both can
              have all three values of the paper.  F1 of skin stands beside it

Where no kernel is named rvm-train finds one width by -g auto, or with --ard one for each input, and
svm-train has gamma 0.5, 2 or 8 (terms: 0.02, 0.1 or 0.5, as inputs are larger) over the number of
inputs.  Its C is 1, 10 or 100, with a given kernel 0.1 to 1000 (sinc: 0.01 to 100), and its epsilon
0.05, 0.2 or 0.5 (sinc: 0.1, 0.25, 0.5 or 1), both in standard deviations of the targets in a
regression: the best of these points by a cross-validation of 5 folds, anew for each draw.

    command     $(this_command)
$(describe_machine)
$(describe_program "$bin")
    peer        $([ "$has_svm" = 1 ] && echo "svm-train of libsvm" || echo none)

END
    cells experiment draws measure 'paper RVM' ours 'paper SVM' svm-train
    cells --- ---: --- ---: ---: ---: ---:
}

this_command() {
    printf 'make reproduce'
    [ -z "$folder" ] || printf ' BENCH_DATA=FOLDER'
    [ "$only" = "$experiments" ] || printf ' BENCH_ONLY="%s"' "$only"
    [ -z "${BENCH_DRAWS:-}" ] || printf ' BENCH_DRAWS=%s' "$BENCH_DRAWS"
}

# ---- Experiments ---------------------------------------------------------------------------------

# Rows of a matrix of kernel values as svm-train -t 4 reads them: the linear spline (Tipping 2001,
# equation 22) with the training rows, inputs less -10.
spline_rows() { # TRAIN ROWS
    awk '
        { split($2, pair, ":"); x = pair[2] + 10 }
        FNR == NR { z[++count] = x; next }
        {
            printf "%s 0:%d", $1, FNR
            for (k = 1; k <= count; k++) {
                m = x < z[k] ? x : z[k]
                printf " %d:%.12g", k, 1 + x * z[k] * (1 + m) - (x + z[k]) / 2 * m ^ 2 + m ^ 3 / 3
            }
            print ""
        }' "$1" "$2"
}

compare_on_sinc() { # EPSILONS RVM_OPTIONS...
    epsilons=$1
    shift
    type=3
    fit_rvm rvm -t 6 "$@"
    sed -n 's/^noise_variance //p' "$tmp/model" | awk '{ print "rvm.noise", sqrt($1) }' \
        >>"$tmp/values"
    spline_rows "$tmp/train" "$tmp/train" >"$tmp/train.spline"
    spline_rows "$tmp/train" "$tmp/test" >"$tmp/test.spline"
    write_points '0.01 0.1 1 10 100' 1 "$epsilons"
    fit_svm_on "$tmp/train.spline" "$tmp/test.spline" -t 4
}

sinc_with_noise() { # KIND
    draws=$(draws_or 50)
    start_figures
    for draw in $(seq "$draws"); do
        generate "sinc-$1" 100 "$draw" >"$tmp/train"
        generate "sinc-$1" 1000 "$draw" clean >"$tmp/test"
        compare_on_sinc '0.1 0.25 0.5 1'
    done
}

run_sinc() {
    start_figures
    generate sinc-normal 100 1 clean >"$tmp/train"
    generate sinc-normal 1000 1 clean >"$tmp/test"
    deviation=$(awk '{ s += $1; q += $1 ^ 2 } END { print sqrt(q / NR - (s / NR) ^ 2) }' "$tmp/train")
    compare_on_sinc "$(awk -v d="$deviation" 'BEGIN { print 0.01 / d }')" --noise-variance 0.0001
    line 'sinc, no noise' 1 'largest error' 0.0087 rvm.largest 0.0100 svm.largest %.4f
    line '' '' vectors 9 rvm.vectors 39 svm.vectors %.1f
    sinc_with_noise normal
    line 'sinc, normal noise of 0.2' "$draws" 'root mean square' - rvm.root - svm.root %.4f
    line '' '' vectors 6 rvm.vectors - svm.vectors %.1f
    line '' '' 'noise found' 0.189 rvm.noise - - %.3f
    sinc_with_noise small
    line 'sinc, normal noise of 0.1' "$draws" 'root mean square' - rvm.root - svm.root %.4f
    line '' '' vectors - rvm.vectors - svm.vectors %.1f
    sinc_with_noise uniform
    line 'sinc, uniform noise of 0.2' "$draws" 'root mean square' 0.0245 rvm.root 0.0291 svm.root %.4f
    line '' '' vectors - rvm.vectors - svm.vectors %.1f
}

compare_regressions() {
    type=3
    fit_rvm rvm -g auto
    fit_rvm ard --ard
    write_points '1 10 100' '0.5 2 8' '0.05 0.2 0.5'
    fit_svm
}

print_regressions() { # NAME ERROR_OF_RVM VECTORS ERROR_OF_SVM VECTORS FORMAT
    line "$1" "$draws" 'mean squared error' "$2" rvm.square "$4" svm.square "$6"
    line '' '' vectors "$3" rvm.vectors "$5" svm.vectors %.1f
    line "$1, --ard" "$draws" 'mean squared error' - ard.square - - "$6"
    line '' '' vectors - ard.vectors - - %.1f
}

run_friedman() {
    draws=$(draws_or 10)
    while read -r name number figures; do
        start_figures
        for draw in $(seq "$draws"); do
            draw_friedman "$name" "$draw"
            compare_regressions
        done
        # shellcheck disable=SC2086 # several words
        print_regressions "Friedman $number" $figures
    done <<END
friedman1 1 2.80   59.4 2.92   116.6 %.2f
friedman2 2 3505   6.9  4140   110.3 %.0f
friedman3 3 0.0164 11.5 0.0202 106.5 %.4f
END
}

run_boston() {
    draws=$(draws_or 10)
    start_figures
    for draw in $(seq "$draws"); do
        split_boston "$draw"
        compare_regressions
    done
    print_regressions Boston 7.46 39.0 8.04 142.8 %.2f
}

compare_classes() { # GAMMA_OF_RVM COSTS GAMMAS
    type=0
    fit_rvm rvm -g "$1"
    write_points "$2" "$3"
    fit_svm
}

# Two features: gamma 4 is 8 / 2.
run_ripley() {
    draws=$(draws_or 10)
    start_figures
    for draw in $(seq "$draws"); do
        mix "$draw" <"$data/ripley.train" | head -n 100 >"$tmp/train"
        cp "$data/ripley.test" "$tmp/test"
        compare_classes 4 '0.1 1 10 100 1000' 8
    done
    line 'Ripley, 100 of the rows' "$draws" 'error, %' 9.3 rvm.percent 10.6 svm.percent %.2f
    line '' '' vectors 4 rvm.vectors 38 svm.vectors %.1f
    start_figures
    prepare_as none "$data" ripley || fail "no ripley in $data"
    compare_classes 4 '0.1 1 10 100 1000' 8
    line 'Ripley, 250 rows' 1 'error, %' - rvm.percent - svm.percent %.2f
    line '' '' vectors - rvm.vectors - svm.vectors %.1f
}

run_pima() {
    start_figures
    prepare_as none "$data" pima_std || fail "no pima_std in $data"
    compare_classes auto '1 10 100' '0.5 2 8'
    line Pima 1 'wrong of 332' 65 rvm.wrong 67 svm.wrong %.0f
    line '' '' vectors 4 rvm.vectors 109 svm.vectors %.1f
}

run_usps() {
    if [ -z "$folder" ] || ! prepare_as none "$folder" usps; then
        note "usps is left out: it comes from BENCH_DATA=FOLDER"
        return
    fi
    type=0
    start_figures
    fit_rvm rvm -g 0.0078125 --multiclass ovr
    echo '10 0.0078125 0' >"$tmp/points"
    fit_svm
    line USPS 1 'error, %' 5.1 rvm.percent 4.4 svm.percent %.1f
    line '' '' vectors 316 rvm.vectors 2540 svm.vectors %.0f
}

# What the model has beside vectors and bias, and whether x2 is in it as a line and nowhere else.
count_terms() {
    awk '
        $1 == "total_rv" { functions += $2 }
        $1 == "basis" { functions++; line += $2 == "x2"; other += $2 ~ /x2/ && $2 != "x2" }
        $1 == "eta" { for (k = 2; k <= NF; k++) other += $k ~ /^2:/ }
        END {
            print "rvm.functions", functions
            print "rvm.linear", line == 1 && other == 0
        }' "$tmp/model" >>"$tmp/values"
}

run_terms() {
    type=3
    draws=$(draws_or 20)
    start_figures
    for draw in $(seq "$draws"); do
        generate sinc-linear 100 "$draw" >"$tmp/train"
        generate sinc-linear 1000 "$((1000 + draw))" clean >"$tmp/test"
        fit_rvm rvm --ard --basis bias,linear,quadratic --prune-margin 1
        count_terms
        write_points '1 10 100' '0.02 0.1 0.5' '0.05 0.2 0.5'
        fit_svm
    done
    line 'sinc(x1) + 0.1 x2' "$draws" 'root mean square' 0.0053 rvm.root 0.0194 svm.root %.4f
    line '' '' 'mean square' - rvm.square - svm.square %.4f
    line '' '' functions 8 rvm.functions 75 svm.vectors %.1f
    line '' '' 'share with x2 linear' - rvm.linear - - %.2f
}

run_step() {
    type=0
    draws=$(draws_or 5)
    start_figures
    for draw in $(seq "$draws"); do
        generate step 1000 "$draw" >"$tmp/train"
        generate step 1000 "$((1000 + draw))" >"$tmp/test"
        train_rvm rvm -g 100
        "$bin/rvm-predict" -q -b 1 "$tmp/test" "$tmp/model" "$tmp/predicted" ||
            fail "rvm-predict fails"
        score_step rvm
        write_points '0.1 1 10 100 1000' 100
        if [ "$has_svm" = 1 ] && train_svm "$tmp/train" -b 1; then
            svm-predict -b 1 "$tmp/test" "$tmp/svm" "$tmp/predicted" >/dev/null ||
                fail "svm-predict fails"
            score_step svm
        fi
    done
    line 'step of probability' "$draws" 'error, %' 25 rvm.percent 25 svm.percent %.1f
    line '' '' 'error of probability' - rvm.probability - svm.probability %.3f
    line '' '' 'error of log-odds at 0' - rvm.odds - svm.odds %.2f
    line '' '' vectors - rvm.vectors - svm.vectors %.1f
}

print_skin() { # NAME WHO PEER ACCURACY F1 ACCURACY_OF_SVM F1
    line "$1" 1 accuracy "$4" "$2.accuracy" "$6" "$3.accuracy" %.4f
    line '' '' F1 "$5" "$2.f1" "$7" "$3.f1" %.4f
    line '' '' 'F1 of skin' - "$2.f1_positive" - "$3.f1_positive" %.4f
    line '' '' vectors - "$2.vectors" - "$3.vectors" %.0f
}

compare_on_skin() { # COSTS GAMMAS OPTIONS...
    write_points "$1" "$2"
    shift 2
    start_figures
    fit_rvm rvm "$@"
    fit_svm "$@"
    fit_rvm gibbs --method gibbs --chains 5 --samples 5000 --seed 1 "$@"
}

# Three features: gamma 16 is 48 / 3.
run_skin() {
    type=0
    prepare_as unit "$data" skin || fail "no skin in $data"
    compare_on_skin '0.1 1 10 100 1000' 1 -t 0
    print_skin 'skin, linear' rvm svm 0.9286 0.9287 0.9633 0.9622
    print_skin 'skin, linear, Gibbs' gibbs - 0.9429 0.9405 - -
    compare_on_skin '0.1 1 10 100 1000' 48 -t 2 -g 16
    print_skin 'skin, rbf' rvm svm - - - -
    print_skin 'skin, rbf, Gibbs' gibbs - - - - -
}

# --------------------------------------------------------------------------------------------------

for experiment in $only; do
    case " $experiments " in *" $experiment "*) ;; *)
        fail "BENCH_ONLY: '$experiment' is none of $experiments" ;;
    esac
done
describe
for experiment in $only; do
    note "$experiment"
    "run_$experiment"
done
mv "$tmp/results" "$results.new" && mv "$results.new" "$results" && note "wrote $results"

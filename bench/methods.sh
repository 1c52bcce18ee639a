#!/bin/sh
# The methods of rvm-train beside each other: what --method mackay, em and sequential find, and what
# the default finds.
#
#     make bench-methods                    two minutes or so
#
# which calls   sh bench/methods.sh BIN HELPERS DATA RESULTS
#     BIN      folder of the rvm-* tools
#     HELPERS  folder of the compiled bench/friedman.c
#     DATA     folder of the shipped data
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"

[ $# = 4 ] || usage 7,11
bin=$(cd "$1" && pwd) || exit 1
helpers=$(cd "$2" && pwd) || exit 1
data=$(cd "$3" && pwd) || exit 1
results=$4

methods='auto mackay em sequential'
draws=10

tmp=$(mktemp -d) || exit 1
trap_ends

cells() { printf '| %-16s | %-10s | %12s | %7s | %9s | %8s | %7s |\n' "$@" | emit; }
value_of() { sed -n "s/^$1 = \([^% ]*\).*/\1/p" "$2" | head -n 1; }

print_head() {
    cells data method 'log evidence' vectors error 'log loss' seconds
    cells --- --- ---: ---: ---: ---: ---:
}

# Appends a line to FILE: log evidence, vectors, error, log loss, seconds.
measure() { # FILE METHOD TRAIN TEST OPTIONS...
    file=$1 method=$2 train=$3 test=$4
    shift 4
    "$bin/rvm-train" --threads 1 --method "$method" "$@" "$train" "$tmp/model" >"$tmp/trained" ||
        fail "$method fails on $train"
    "$bin/rvm-predict" "$test" "$tmp/model" "$tmp/predicted" >"$tmp/out" 2>&1 ||
        fail "prediction fails on $test"
    error=$(awk '/^Accuracy = / { print 100 - $3 } /^Mean squared error = / { print $5 }' "$tmp/out")
    loss=$(sed -n 's/^Mean log loss = //p; s/^Mean negative log predictive density = //p' "$tmp/out")
    echo "$(value_of 'Log evidence' "$tmp/trained") $(value_of 'Relevance vectors' "$tmp/trained")" \
        "$error ${loss:-nan} $(value_of Seconds "$tmp/trained")" >>"$file"
}

# The means of the lines in a file.
print_means() { # NAME METHOD FILE
    awk '{ for (k = 1; k <= 5; k++) sum[k] += $k }
        END { printf "%.2f %.4g %.4g %.4g %.2f\n", sum[1] / NR, sum[2] / NR, sum[3] / NR,
            sum[4] / NR, sum[5] / NR }' "$3" >"$tmp/means"
    read -r evidence vectors error loss seconds <"$tmp/means"
    cells "$1" "$2" "$evidence" "$vectors" "$error" "$loss" "$seconds"
}

compare() { # NAME TRAIN TEST OPTIONS...
    name=$1 set_train=$2 set_test=$3
    shift 3
    for m in $methods; do
        rm -f "$tmp/lines"
        measure "$tmp/lines" "$m" "$set_train" "$set_test" "$@"
        print_means "$name" "$m" "$tmp/lines"
    done
}

# Friedman's first function, several draws of 240 rows: the means.
compare_draws() {
    "$helpers/friedman" friedman1 10000 1000 >"$tmp/test" || exit 1
    for m in $methods; do
        rm -f "$tmp/lines"
        for seed in $(seq "$draws"); do
            "$helpers/friedman" friedman1 240 "$seed" >"$tmp/train" || exit 1
            measure "$tmp/lines" "$m" "$tmp/train" "$tmp/test" -s 3 -g 0.3
        done
        print_means "friedman1, mean" "$m" "$tmp/lines"
    done
}

emit <<END
# Methods

What \`rvm-train --method\` finds on the same rows with the same kernel: auto, which is the search of
this program, and the algorithms of the papers, mackay and em (Tipping 2000, equations 9 and 8) and
sequential (Tipping and Faul 2003), all with the usual -e.  The error is the share of wrong classes
in percent, or the mean squared error, of rows that were not trained on; the log loss is the mean of
-ln p(target), a probability for classes and a density for regression.  Seconds are those of the
training, in one thread.  Of friedman1 there are the shipped rows, and the means over $draws draws of
240 rows, with 10000 to test; bench/friedman.c makes them.

    command     make bench-methods
$(describe_machine)
$(describe_program "$bin")

END

"$helpers/friedman" friedman1 500 1 >"$tmp/more" || exit 1
"$helpers/friedman" friedman1 10000 2 >"$tmp/more.test" || exit 1
"$helpers/friedman" twonorm 300 1 >"$tmp/twonorm" || exit 1
"$helpers/friedman" twonorm 10000 2 >"$tmp/twonorm.test" || exit 1

print_head
compare sinc "$data/sinc.train" "$data/sinc.test" -s 3 -g 0.1
compare friedman1 "$data/friedman1.train" "$data/friedman1.test" -s 3 -g 0.3
compare_draws
compare 'friedman1, 500' "$tmp/more" "$tmp/more.test" -s 3 -g 0.3
compare ripley "$data/ripley.train" "$data/ripley.test" -g 4
compare pima "$data/pima_std.train" "$data/pima_std.test" -g 0.1
compare 'twonorm, 300' "$tmp/twonorm" "$tmp/twonorm.test" -g 0.02

mv "$tmp/results" "$results"

#!/bin/sh
# What rvm-train --prune-margin costs: functions that are worth less log evidence than the margin go.
#
#     make bench-margin BENCH_DATA=FOLDER     two minutes or so
#
# which calls   sh bench/margin.sh BIN FOLDER RESULTS
#     BIN      folder of the rvm-* tools
#     FOLDER   data, see bench/rows.sh; what is not there is left out
#     RESULTS  the file that gets the table, once it is complete, as Markdown text

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"
. "$here/rows.sh"

[ $# = 3 ] || usage 6,9
bin=$(cd "$1" && pwd) || exit 1
folder=$(data_folder "$2") || exit 1
results=$3

margins='0 0.5 1 2'
draws=3

# Name, stem of the files, rows to train on.
sets='
friedman1  friedman1_      240
friedman2  friedman2_      240
friedman3  friedman3_      240
boston     boston          337
mpg        mpg_scale       261
yacht      yacht           205
concrete   concrete        300
airfoil    airfoil         300
mg         mg_scale        300
space_ga   space_ga_scale  300
abalone    abalone_scale   300
bank8fm    bank8fm         300
cpusmall   cpusmall_scale  300
'

tmp=$(mktemp -d) || exit 1
trap_ends

# Appends "NAME MARGIN error vectors coverage".
measure() { # NAME MARGIN GAMMA
    "$bin/rvm-train" -q --threads 1 -s 3 -g "$3" --prune-margin "$2" "$tmp/train.std" \
        "$tmp/model" || fail "rvm-train fails on $1"
    "$bin/rvm-predict" -q --threads 1 --interval 0.9 "$tmp/test.std" "$tmp/model" \
        "$tmp/predicted" || fail "rvm-predict fails on $1"
    awk -v begin="$1 $2" -v vectors="$(sed -n 's/^total_rv //p' "$tmp/model")" '
        FNR == NR { target[FNR] = $1; next }
        { error += ($1 - target[FNR]) ^ 2; inside += $2 <= target[FNR] && target[FNR] <= $3 }
        END { print begin, error / FNR, vectors, 100 * inside / FNR }' \
        "$tmp/test.std" "$tmp/predicted" >>"$tmp/lines"
}

emit <<END
# The margin of functions

\`rvm-train --prune-margin\` on regressions, means over $draws draws: realisations where the set comes in
such, and random splits elsewhere.  The mean squared error and the share of targets inside the 90 %
intervals are those of rows that were not trained on.  Features have mean 0 and variance 1; gamma is
1 / (4 features).

    command     make bench-margin BENCH_DATA=FOLDER
$(describe_machine)
$(describe_program "$bin")

END

while read -r name stem rows; do
    [ -n "$name" ] || continue
    for draw in $(seq "$draws"); do
        prepare "$tmp" "$stem" "$draw" "$rows" || break
        gamma=$(awk -v d="$(cat "$tmp/features")" 'BEGIN { printf "%.6g", 1 / (4 * d) }')
        for margin in $margins; do
            measure "$name" "$margin" "$gamma"
        done
    done
done <<END
$sets
END
[ -s "$tmp/lines" ] || fail "no data set found in $folder"

awk -v margins="$margins" '
    !($1 in known) { known[$1] = 1; name[++sets] = $1 }
    { n[$1, $2]++; error[$1, $2] += $3; vectors[$1, $2] += $4; inside[$1, $2] += $5 }
    END {
        count = split(margins, margin, " ")
        row = "| %-9s | %6s | %9s | %5s | %7s | %8s |\n"
        printf row, "data", "margin", "error", "ratio", "vectors", "inside"
        printf row, "---", "---:", "---:", "---:", "---:", "---:"
        for (s = 1; s <= sets; s++)
            for (m = 1; m <= count; m++) {
                key = name[s] SUBSEP margin[m]
                ratio = error[key] / error[name[s], margin[1]]
                logs[m] += log(ratio)
                fewer[m] += log((vectors[key] + 1) / (vectors[name[s], margin[1]] + 1))
                all[m] += inside[key] / n[key]
                printf row, m == 1 ? name[s] : "", margin[m],
                    sprintf("%.4g", error[key] / n[key]), sprintf("%.3f", ratio),
                    sprintf("%.1f", vectors[key] / n[key]),
                    sprintf("%.1f %%", inside[key] / n[key])
            }
        row = "| %6s | %13s | %17s | %6s |\n"
        printf "\nAll sets: geometric means of the error and of the functions beside those of margin "
        printf "%s, and the mean\nof what is inside.\n\n", margin[1]
        printf row, "margin", "error", "functions", "inside"
        printf row, "---:", "---:", "---:", "---:"
        for (m = 1; m <= count; m++)
            printf row, margin[m], sprintf("%.3f", exp(logs[m] / sets)),
                sprintf("%.2f", exp(fewer[m] / sets)), sprintf("%.1f %%", all[m] / sets)
    }' "$tmp/lines" | emit

mv "$tmp/results" "$results"

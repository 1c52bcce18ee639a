#!/bin/sh
# How far probabilities can be believed, beside those of svm-train -b 1 (libsvm):
#
#     make bench-calibration                       on the shipped data
#     make bench-calibration BENCH_DATA=FOLDER     on more
#
# which calls   sh bench/calibration.sh BIN FOLDER
#     BIN      folder of the rvm-* tools
#     FOLDER   libsvm's files, of which those found are taken; a file.train needs a file.test
#
# A file without a test part is cut in five by a fixed shuffle: four parts train, and the fifth is
# predicted, in turn. All parts are scaled to [-1, 1] by the ranges of the part that trains. gamma
# is 1 / features for both, and for libsvm C is the best of 1, 10 and 100 by svm-train -v 5 on the
# first training part. The columns:
#
#     error   per cent of the rows
#     loss    mean of -ln p(class), p not below 1e-15
#     brier   mean over rows of the sum over classes of (p - [it is the class])^2
#     ece     expected calibration error: the mean over rows of |accuracy - confidence| of the row's
#             bin, ten bins of equal width by the probability of the predicted class
#     vectors of all training parts, the mean
#
# svm-train and svm-predict are in Debian's package libsvm-tools.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"

two='pima_std ripley heart australian breastcancer_wisc sonar spam german.numer'
more='iris wine glass zoo vowel vehicle crabs4 satellite digits'

[ $# = 2 ] || usage 7,9
bin=$(cd "$1" && pwd) || exit 1
folder=$2
need_libsvm

tmp=$(mktemp -d) || exit 1
trap_ends

# A file, plain or packed, without its packing.
unpack() {
    if [ -f "$folder/$1" ]; then
        cat "$folder/$1"
    elif [ -f "$folder/$1.xz" ]; then
        xz -dc "$folder/$1.xz"
    else
        return 1
    fi
}

# Part $1 of 5 as test, the others as train.
cut_part() {
    awk 'BEGIN { srand(1) } { print rand() "\t" $0 }' "$tmp/whole" | sort -k 1,1 | cut -f 2- |
        awk -v part="$1" -v train="$tmp/train.raw" -v test="$tmp/test.raw" \
            '{ print >(NR % 5 == part ? test : train) }'
}

# Appends to FILE, for each row of the test part, whether it is right, the probability of its class,
# that of the predicted class, and the Brier score of the row.
rate() { # PREDICTIONS FILE
    awk 'FNR == NR { truth[FNR] = $1 + 0; next }
        FNR == 1 { for (k = 2; k <= NF; k++) place[$k + 0] = k; next }
        {
            t = truth[FNR - 1]
            own = t in place ? $(place[t]) : 0
            brier = t in place ? 0 : 1
            for (label in place)
                brier += ($(place[label]) - (label + 0 == t))^2
            print ($1 + 0 == t), own, $(place[$1 + 0]), brier
        }' "$tmp/test" "$1" >>"$2"
}

summarise() { # NAME PROGRAM RATED VECTORS
    awk -v name="$1" -v program="$2" -v vectors="$4" '
        {
            right += $1
            loss -= log($2 > 1e-15 ? $2 : 1e-15)
            brier += $4
            bin = $3 >= 1 ? 9 : int(10 * $3)
            hits[bin] += $1
            sure[bin] += $3
        }
        END {
            for (b in hits)
                ece += hits[b] > sure[b] ? hits[b] - sure[b] : sure[b] - hits[b]
            printf "%-18s %-8s %6.2f  %7.4f  %7.4f  %7.4f  %7.1f\n", name, program,
                100 * (1 - right / NR), loss / NR, brier / NR, ece / NR, vectors
        }' "$3"
}

vectors() { sed -n 's/^total_[rs]v //p' "$1"; }

choose_C() {
    for C in 1 10 100; do
        svm-train -q -c "$C" -v 5 "$tmp/train" | sed -n "s/^Cross Validation Accuracy = \(.*\)%/\1 $C/p"
    done | sort -s -k 1,1gr | awk 'NR == 1 { print $2 }'
}

# One split: both machines.
compare_split() {
    "$bin/rvm-scale" -s "$tmp/range" "$tmp/train.raw" >"$tmp/train" 2>/dev/null &&
        "$bin/rvm-scale" -r "$tmp/range" "$tmp/test.raw" >"$tmp/test" 2>/dev/null ||
        fail "rvm-scale fails on $1"
    [ -n "$C" ] || C=$(choose_C)
    "$bin/rvm-train" -q "$tmp/train" "$tmp/rvm.model" || fail "rvm-train fails on $1"
    "$bin/rvm-train" -q --multiclass ovr "$tmp/train" "$tmp/ovr.model" || fail "ovr fails on $1"
    svm-train -q -b 1 -c "$C" "$tmp/train" "$tmp/svm.model" || fail "svm-train fails on $1"
    for which in rvm ovr; do
        "$bin/rvm-predict" -q -b 1 "$tmp/test" "$tmp/$which.model" "$tmp/out" ||
            fail "rvm-predict fails on $1"
        rate "$tmp/out" "$tmp/$which.rated"
        vectors "$tmp/$which.model" >>"$tmp/$which.vectors"
    done
    svm-predict -b 1 "$tmp/test" "$tmp/svm.model" "$tmp/out" >/dev/null ||
        fail "svm-predict fails on $1"
    rate "$tmp/out" "$tmp/svm.rated"
    vectors "$tmp/svm.model" >>"$tmp/svm.vectors"
}

compare() { # NAME PROGRAMS...
    name=$1
    shift
    C=
    rm -f "$tmp"/*.rated "$tmp"/*.vectors
    if unpack "$name.train" >"$tmp/train.raw" && unpack "$name.test" >"$tmp/test.raw"; then
        compare_split "$name"
    elif unpack "$name" >"$tmp/whole"; then
        for part in 0 1 2 3 4; do
            cut_part "$part"
            compare_split "$name"
        done
    else
        return 0
    fi
    for which in "$@"; do
        summarise "$name" "$which" "$tmp/$which.rated" \
            "$(awk '{ s += $1 } END { print s / NR }' "$tmp/$which.vectors")"
    done
}

printf '%-18s %-8s %6s  %7s  %7s  %7s  %7s\n' file machine error loss brier ece vectors
for name in $two; do
    compare "$name" rvm svm
done
for name in $more; do
    compare "$name" rvm ovr svm
done

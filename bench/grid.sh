#!/bin/sh
# The grid search that comes with libsvm: C and gamma by a cross-validation of 5 folds at the points
# of its grid.py, for regression too (there grid.py takes the largest mean squared error):
#
#     grid.sh TYPE TRAIN SECONDS [POINTS [OPTIONS...]]
#
# prints C and gamma of the point with the best accuracy, or the least mean squared error; the one
# with the smallest C of equals.  A point that takes more seconds of the processor is given up.
# POINTS is a file of other points, in each line C, gamma and, for regression, epsilon, which is
# printed too; of equals the first counts.  OPTIONS are for svm-train.

set -u
LC_ALL=C
export LC_ALL

type=$1 train=$2 seconds=$3 points=${4:-}
shift "$(($# > 4 ? 4 : $#))"

list_points() {
    if [ -n "$points" ]; then
        cat "$points"
    else
        awk 'BEGIN {
            for (c = -5; c <= 15; c += 2)
                for (g = 3; g >= -15; g -= 2)
                    print 2 ^ c, 2 ^ g
        }'
    fi
}

list_points | while read -r cost gamma epsilon; do
    (
        # shellcheck disable=SC3045 # not in POSIX, and in every sh of today
        ulimit -t "$seconds"
        exec svm-train -q -v 5 -s "$type" -c "$cost" -g "$gamma" -p "${epsilon:-0.1}" -m 1024 "$@" \
            "$train"
    ) | awk -v point="$cost $gamma $epsilon" '
        /^Cross Validation Accuracy = / { print 100 - $5, point }
        /^Cross Validation Mean squared error = / { print $7, point }'
done | sort -s -k 1,1g | awk 'NR == 1 { $1 = ""; sub(/^ /, ""); print }'

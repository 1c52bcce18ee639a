#!/bin/sh
# The grid search that comes with libsvm: C and gamma by a cross-validation of 5 folds at the points
# of its grid.py, for regression too (there grid.py takes the largest mean squared error):
#
#     grid.sh TYPE TRAIN SECONDS
#
# prints C and gamma of the point with the best accuracy, or the least mean squared error; the one
# with the smallest C of equals.  A point that takes more seconds of the processor is given up.

set -u
LC_ALL=C
export LC_ALL

type=$1 train=$2 seconds=$3

awk 'BEGIN {
    for (c = -5; c <= 15; c += 2)
        for (g = 3; g >= -15; g -= 2)
            print 2 ^ c, 2 ^ g
}' | while read -r cost gamma; do
    (
        # shellcheck disable=SC3045 # not in POSIX, and in every sh of today
        ulimit -t "$seconds"
        exec svm-train -q -v 5 -s "$type" -c "$cost" -g "$gamma" -m 1024 "$train"
    ) | awk -v point="$cost $gamma" '
        /^Cross Validation Accuracy = / { print 100 - $5, point }
        /^Cross Validation Mean squared error = / { print $7, point }'
done | sort -s -k 1,1g | awk 'NR == 1 { print $2, $3 }'

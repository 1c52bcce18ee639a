# The peer svm-train -b 1, and how wrong probabilities are, for the scripts beside, which read this
# with `.` behind frame.sh and have
#
#     here            this folder
#     tmp             with train.std and test.std in it
#     grid_rows       of more rows the grid gets the first of them
#     point_seconds   seconds of the processor that a point of the grid may take

# shellcheck shell=sh disable=SC2154 # set by the script that reads this

# C and gamma by the grid search that comes with libsvm, the model of all rows in $tmp/svm, the test
# rows with probabilities in $tmp/predicted.
predict_by_svm() { # TYPE
    head -n "$grid_rows" "$tmp/train.std" >"$tmp/few"
    timed sh "$here/grid.sh" "$1" "$tmp/few" "$point_seconds"
    read -r cost gamma <"$tmp/out"
    timed svm-train -q -b 1 -c "$cost" -g "$gamma" -m 1024 "$tmp/train.std" "$tmp/svm"
    svm-predict -b 1 "$tmp/test.std" "$tmp/svm" "$tmp/predicted" >/dev/null ||
        fail "svm-predict fails"
}

# Error in per cent and log loss of predictions with probabilities, for the rows of test.std.
rate_probabilities() { # PREDICTIONS
    awk 'FNR == NR { truth[FNR] = $1 + 0; next }
        FNR == 1 { for (k = 2; k <= NF; k++) place[$k + 0] = k; next }
        {
            own = truth[FNR - 1] in place ? $(place[truth[FNR - 1]]) : 0
            wrong += $1 + 0 != truth[FNR - 1]
            loss -= log(own > 1e-15 ? own : 1e-15)
        }
        END { print 100 * wrong / (FNR - 1), loss / (FNR - 1) }' "$tmp/test.std" "$1"
}

#!/bin/sh
# Writes skin.train and skin.test into the current folder from the UCI Skin Segmentation data:
#
#     make-skin.sh ROWS      ROWS: libsvm's text, class 1 (skin) or 2 and B, G and R from 0 to 255
#
# 490 rows to train, 385 of them skin, and 2000 others to test with the same shares, 1571 of skin,
# all without replacement.  The draw is fixed: each row gets the next number of the generator of Park
# and Miller (1988), 48271 mod 2^31 - 1, whose products awk's doubles hold exactly, and those with the
# smallest numbers of each class are taken, first to train.  Rows stand in the order of these numbers.

set -eu
LC_ALL=C
export LC_ALL

[ $# = 1 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 1; }

awk 'BEGIN { state = 1 }
    {
        state = state * 48271 % 2147483647
        $1 = $1 == 1 ? "+1" : "-1"
        printf "%010d\t%s\n", state, $0
    }' "$1" | sort -k 1,1 | cut -f 2- | awk '
    BEGIN { train["+1"] = 385; train["-1"] = 105; test["+1"] = 1571; test["-1"] = 429 }
    {
        place = ++seen[$1]
        if (place <= train[$1])
            print >"skin.train"
        else if (place <= train[$1] + test[$1])
            print >"skin.test"
    }'

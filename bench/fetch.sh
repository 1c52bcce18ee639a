#!/bin/sh
# Finds a data set and writes its training and its test part, for bench/run.sh:
#
#     fetch.sh BIN FOLDER PREPARATION TEST_ROWS OUT STEM...
#
# The first of FOLDER/STEM.train, FOLDER/STEM and the same one folder further down, plain or packed
# by xz, gzip or bzip2, becomes OUT/train; the first of STEM.test and STEM.t becomes OUT/test.
# Without one, TEST_ROWS rows of the training part are drawn for it, the same every time.
# PREPARATION is a case of prepare below; rvm-scale comes from BIN.
# False with a sentence on standard error where there is no such file, or it cannot be read.

set -u
LC_ALL=C
export LC_ALL

bin=$1 folder=$2 preparation=$3 test_rows=$4 out=$5
shift 5

find_file() {
    for stem; do
        for packing in '' .xz .gz .bz2; do
            for file in "$folder/$stem$packing" "$folder"/*/"$stem$packing"; do
                if [ -f "$file" ]; then
                    echo "$file"
                    return
                fi
            done
        done
    done
    return 1
}

# ENDING OTHER STEM...: the first file of a stem with either ending, a stem after the other.
find_part() {
    ending=$1 other=$2
    shift 2
    for stem; do
        find_file "$stem$ending" "$stem$other" && return
    done
    return 1
}

unpack() {
    case $1 in
    *.xz) xz -dc "$1" ;;
    *.gz) gzip -dc "$1" ;;
    *.bz2) bzip2 -dc "$1" ;;
    *) cat "$1" ;;
    esac
}

# The rows that are left to choose from and to be chosen make the probability of each (algorithm S
# of Knuth), so that the number is exact and the order kept.  The generator is that of Park and
# Miller (1988), exact in awk's doubles.
split_rows() {
    awk -v rows="$(awk 'END { print NR }' "$out/all")" -v left="$test_rows" \
        -v train="$out/train" -v test="$out/test" '
        BEGIN { state = 20011 }
        {
            state = state * 48271 % 2147483647
            chosen = state / 2147483647 * (rows - NR + 1) < left
            left -= chosen
            print >(chosen ? test : train)
        }' "$out/all"
}

# Both parts to [$1, 1] by the ranges of the training part.  That sparse rows get more pairs is
# known; the warning of it is shown only beside an error.
scale_rows() {
    if "$bin/rvm-scale" -l "$1" -u 1 -s "$out/ranges" "$out/train" >"$out/scaled" 2>"$out/err" &&
        mv "$out/scaled" "$out/train" &&
        "$bin/rvm-scale" -r "$out/ranges" "$out/test" >"$out/scaled" 2>"$out/err" &&
        mv "$out/scaled" "$out/test"; then
        return
    fi
    cat "$out/err" >&2
    return 1
}

divide_targets() {
    for part in train test; do
        awk -v unit="$1" '{ $1 = $1 / unit; print }' "$out/$part" >"$out/scaled" &&
            mv "$out/scaled" "$out/$part" || return
    done
}

prepare() {
    case $1 in
    none) ;;
    unit) scale_rows 0 ;;
    signed) scale_rows -1 ;;
    housing) divide_targets 100000 && scale_rows 0 ;;
    *) echo "fetch.sh: no preparation '$1'" >&2 && return 1 ;;
    esac
}

rm -f "$out/train" "$out/test"
if ! source=$(find_part .train '' "$@"); then
    echo "fetch.sh: no file of the name $*" >&2
    exit 1
fi
unpack "$source" >"$out/all" || exit 1
if held_back=$(find_part .test .t "$@"); then
    mv "$out/all" "$out/train" && unpack "$held_back" >"$out/test" || exit 1
else
    split_rows && rm "$out/all" || exit 1
fi
if [ ! -s "$out/train" ] || [ ! -s "$out/test" ]; then
    echo "fetch.sh: no rows left to train on or to test in $source" >&2
    exit 1
fi
prepare "$preparation"

# Rows to train on and rows to test, for the scripts beside, which read this with `.` and have
#
#     bin      folder of the rvm-* tools
#     here     this folder
#     folder   libsvm's text files, plain or packed, see fetch.sh, and the archives NAME.tar.xz of
#              Raetsch's benchmark with NAME_1.train, NAME_1.test, ...
#     tmp      a folder for files that are in the way afterwards
#
# Files are named by a stem.  With one that ends in _ draw k is the files of number k, with the first
# rows of those to train on; else the rows of all parts are mixed anew for each draw, and those left
# over, up to most_tests, are the test.  Draw 0 leaves a set that comes in two parts as it is.

# shellcheck shell=sh disable=SC2154 # set by the script that reads this

most_tests=2000

# The folder in which fetch.sh finds the files of a stem: an archive of that name is unpacked.
folder_of() {
    for archive in "$folder/${1%_}.tar.xz" "$folder"/*/"${1%_}.tar.xz"; do
        if [ "$1" != "${1%_}" ] && [ -f "$archive" ]; then
            mkdir -p "$tmp/unpacked" && xz -dc "$archive" | tar -xf - -C "$tmp/unpacked" || return
            echo "$tmp/unpacked"
            return
        fi
    done
    echo "$folder"
}

# Rows in an order that is random, another one for each draw: of the numbers of Park and Miller's
# generator (1988), exact in awk's doubles, each row takes ten in turn, more for draws from 10 on, and
# the draw says which one is its key.
mix() {
    awk -v draw="$1" '
        BEGIN { state = 20011 }
        {
            for (k = 0; k < 10 || k <= draw; k++) {
                state = state * 48271 % 2147483647
                if (k == draw)
                    key = state
            }
            printf "%010d\t%s\n", key, $0
        }' | sort -k 1,1 | cut -f 2-
}

# All features to mean 0 and variance 1 in the training part; those that are constant go.
standardise() { # DIRECTORY
    awk -v train="$1/train.std" -v test="$1/test.std" -v features="$1/features" '
        { for (k in x) delete x[k]
          for (k = 2; k <= NF; k++) { split($k, pair, ":"); x[pair[1]] = pair[2]; seen[pair[1]] } }
        pass == 1 { rows++; for (k in x) mean[k] += x[k]; next }
        pass == 2 && FNR == 1 { for (k in seen) mean[k] /= rows }
        pass == 2 { for (k in seen) square[k] += (x[k] - mean[k]) ^ 2; next }
        pass == 3 && FNR == 1 {
            for (k in seen) {
                last = k + 0 > last ? k + 0 : last
                if (square[k] > 1e-20 * rows * (1 + mean[k] ^ 2)) {
                    sd[k] = sqrt(square[k] / rows)
                    count++
                }
            }
            print count >features
        }
        {
            line = $1
            for (k = 1; k <= last; k++)
                if (k in sd)
                    line = line sprintf(" %d:%.9g", k, (x[k] - mean[k]) / sd[k])
            print line >(pass == 3 ? train : test)
        }' pass=1 "$1/train" pass=2 "$1/train" pass=3 "$1/train" pass=4 "$1/test"
}

# Leaves the first ROWS rows to train on.
take_first() { # DIRECTORY ROWS
    head -n "$2" "$1/train" >"$1/other" && mv "$1/other" "$1/train"
}

# Writes train and test from the rows of all.
take_mixed() { # DIRECTORY DRAW ROWS
    mix "$2" <"$1/all" >"$1/mixed"
    head -n "$3" "$1/mixed" >"$1/train"
    tail -n +$(($3 + 1)) "$1/mixed" | head -n "$most_tests" >"$1/test"
}

# Writes all, the rows of both parts; files that come in pairs for each draw are of the first one.
fetch_all() { # DIRECTORY STEM
    case $2 in
    *_) sh "$here/fetch.sh" "$bin" "$(folder_of "$2")" none 1 "$1" "${2}1" ;;
    *) sh "$here/fetch.sh" "$bin" "$folder" none 1 "$1" "$2" ;;
    esac && cat "$1/train" "$1/test" >"$1/all"
}

# Seven in ten of the rows of all, or MOST.
share_of_rows() { # DIRECTORY MOST
    awk -v most="$2" 'END { n = int(NR * 7 / 10); print (n > most ? most : n) }' "$1/all"
}

# Classes of which no row trains are not asked for.
drop_unknown_classes() { # DIRECTORY
    awk 'FNR == NR { known[$1 + 0]; next } ($1 + 0) in known' "$1/train" "$1/test" >"$1/other" &&
        mv "$1/other" "$1/test"
}

# Writes train.std, test.std and features into DIRECTORY; false where the files are not found.
prepare() { # DIRECTORY STEM DRAW ROWS
    case $3:$2 in
    *_)
        sh "$here/fetch.sh" "$bin" "$(folder_of "$2")" none 1 "$1" "$2$3" || return
        take_first "$1" "$4"
        ;;
    0:*)
        sh "$here/fetch.sh" "$bin" "$folder" none 1 "$1" "$2" || return
        take_first "$1" "$4"
        ;;
    *)
        fetch_all "$1" "$2" || return
        take_mixed "$1" "$3" "$4"
        ;;
    esac
    standardise "$1"
}

# test.std with targets without noise, where there is a file of them.
take_clean_targets() { # DIRECTORY STEM
    for clean in "$folder/$2.test.clean" "$folder"/*/"$2.test.clean"; do
        if [ -f "$clean" ]; then
            awk 'FNR == NR { clean[FNR] = $1; next } { $1 = clean[FNR]; print }' "$clean" \
                "$1/test.std" >"$1/other" && mv "$1/other" "$1/test.std"
            return
        fi
    done
}

# The targets of train.std and test.std to mean 0 and variance 1 in the training part.
standardise_targets() { # DIRECTORY
    awk -v train="$1/train.std" -v test="$1/test.std" '
        pass == 1 { rows++; mean += $1; next }
        pass == 2 && FNR == 1 { mean /= rows }
        pass == 2 { square += ($1 - mean) ^ 2; next }
        {
            $1 = sprintf("%.9g", ($1 - mean) / sqrt(square / rows))
            print >((pass == 3 ? train : test) ".new")
        }' pass=1 "$1/train.std" pass=2 "$1/train.std" pass=3 "$1/train.std" pass=4 "$1/test.std" &&
        mv "$1/train.std.new" "$1/train.std" && mv "$1/test.std.new" "$1/test.std"
}

# What the scripts beside begin and end with, and a clock; they read this with `.` and have
#
#     tmp      a folder for files that are in the way afterwards
#
# A table is collected in $tmp/results, so that the one that stands is replaced by a whole one.

# shellcheck shell=sh disable=SC2154 # set by the script that reads this

set -u
LC_ALL=C
export LC_ALL

script=$(basename "$0" .sh)

note() { echo "$script: $*" >&2; }
fail() { note "$*"; exit 1; }
emit() { tee -a "$tmp/results"; }

# How the script is called, as the lines FIRST to LAST of it say.
usage() { # FIRST,LAST
    sed -n "$1s/^# *//p" "$0" >&2
    exit 1
}

# Whether BENCH_ONLY, where there is one, has that name.
wanted() { case " ${BENCH_ONLY:-$1} " in *" $1 "*) ;; *) return 1 ;; esac }

# The folder of the data, absolute.
data_folder() { # FOLDER
    cd "${1:-/nonexistent}" 2>/dev/null && pwd ||
        fail "name the folder of the data: make bench-$script BENCH_DATA=FOLDER"
}

need_libsvm() {
    command -v svm-predict >/dev/null && command -v svm-train >/dev/null ||
        fail "nothing to compare with, no svm-train and svm-predict (Debian: libsvm-tools)"
}

# tmp goes at the end, whatever that is; a script with more to clean up has a clean_up of its own.
clean_up() { rm -rf "$tmp"; }
trap_ends() {
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' HUP TERM
}

# Runs a command in one thread; adds the seconds of the processor, its children's included, to $seconds.
# What it prints is in $tmp/out.  Needs GNU time.
timed() {
    env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 time -o "$tmp/usage" -f '%U %S' "$@" \
        >"$tmp/out" 2>"$tmp/err" || fail "$1 fails: $(tail -n 1 "$tmp/err")"
    seconds=$(awk -v s="$seconds" 'END { print s + $1 + $2 }' "$tmp/usage")
}

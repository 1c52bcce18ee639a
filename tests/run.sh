#!/bin/sh
# Unit tests and command-line tests, then one line with the sum of both:
#   run.sh RUN_CHECK BIN [CASE.sh ...]
# A runner that ends without its own count, or wrongly, is a failure too.

set -u
here=$(dirname "$0")
runner=$1
bin=$2
shift 2

log=$(mktemp) || exit 1
unit=''
trap 'rm -f "$log" "$log.half" "$log.status"' EXIT
trap 'kill $unit 2>/dev/null; wait; exit 1' HUP INT TERM

exec 3>&2 # for progress, since what is said on standard error goes into the log
passed=0 failed=0 skipped=0

# Adds up the last line in $log, `KIND tests: N passed, N failed[, N skipped]`; $1 is the exit
# status of the program that wrote it.
count() {
    # shellcheck disable=SC2046 # as many words as there are counts
    set -- "$1" $(awk 'END { if ($2 == "tests:") print $3 + 0, $5 + 0, $7 + 0 }' "$log")
    if [ $# -lt 4 ] || { [ "$1" != 0 ] && [ "$3" = 0 ]; }; then
        echo "FAILED: a test program ended with status $1 and no failure counted"
        failed=$((failed + 1))
    fi
    passed=$((passed + ${2:-0}))
    failed=$((failed + ${3:-0}))
    skipped=$((skipped + ${4:-0}))
}

# Two processes at a time, for two cores. OpenBLAS's own threads, which the library sets where it is
# to use them, only get in the way on the small matrices of unit tests.
echo "unit tests, of each suite" >&3
OPENBLAS_NUM_THREADS=1 "$runner" 0 2 >"$log.half" 2>&1 &
unit=$!
OPENBLAS_NUM_THREADS=1 "$runner" 1 2 >"$log" 2>&1
code=$?
cat "$log"
count $code
wait "$unit"
code=$?
unit=''
cat "$log.half"
tail -n 1 "$log.half" >"$log"
count $code

# The status of the first part of a pipe is lost in sh; it goes through a file.
{ sh "$here/run-cli.sh" "$bin" "$@"; echo $? >"$log.status"; } 2>&1 | tee "$log"
read -r code <"$log.status"
count "$code"

echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]

#!/bin/sh
# Unit tests and command-line tests, then one line with the sum of both:
#   run.sh RUN_CHECK BIN [CASE.sh ...]
# JOBS (2) suites or cases run at a time. A suite that ends without its own count, or wrongly, is a
# failure too.

set -u
here=$(dirname "$0")
runner=$1
bin=$2
shift 2

top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM

exec 3>&2 # for progress, since what is said on standard error goes into a log
passed=0 failed=0 skipped=0

# Adds up the last line of a log, `KIND tests: N passed, N failed[, N skipped]`.
count() { # LOG STATUS: of the program that wrote it
    # shellcheck disable=SC2046 # as many words as there are counts
    set -- "$1" "$2" $(awk 'END { if ($2 == "tests:") print $3 + 0, $5 + 0, $7 + 0 }' "$1")
    if [ $# -lt 5 ] || { [ "$2" != 0 ] && [ "$4" = 0 ]; }; then
        echo "FAILED: ${1##*/} ended with status $2 and no failure counted"
        failed=$((failed + 1))
    fi
    passed=$((passed + ${3:-0}))
    failed=$((failed + ${4:-0}))
    skipped=$((skipped + ${5:-0}))
}

# The largest files first, which take longest as a rule, so that no long one is left for the end.
# OpenBLAS's own threads, which the library sets where it is to use them, only get in the way on the
# small matrices of unit tests.
suites=${CK_RUN_SUITE:-$(ls -S "$here"/test_*.c | sed 's|.*/test_||; s|\.c$||')}
echo "unit tests" >&3
# shellcheck disable=SC2016 # for the shell that runs one of them
echo "$suites" | OPENBLAS_NUM_THREADS=1 xargs -n 1 -P "${JOBS:-2}" sh -c \
    'CK_RUN_SUITE=$3 "$1" >"$2/$3" 2>&1; echo $? >"$2/$3.status"' sh "$runner" "$top"
for suite in $suites; do
    code=none
    { read -r code <"$top/$suite.status"; } 2>/dev/null
    [ "$code" = 0 ] || cat "$top/$suite"
    count "$top/$suite" "$code"
done
echo "unit tests: $passed passed, $failed failed"

# The status of the first part of a pipe is lost in sh; it goes through a file.
{ sh "$here/run-cli.sh" "$bin" "$@"; echo $? >"$top/status"; } 2>&1 | tee "$top/command-line"
read -r code <"$top/status"
count "$top/command-line" "$code"

echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]

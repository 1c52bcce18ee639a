#!/bin/sh
# Unit tests, then command-line tests, then one line with the sum of both:
#   run.sh RUN_CHECK BIN [CASE.sh ...]
# A runner that ends without its own count, or wrongly, is a failure too.

set -u
here=$(dirname "$0")
runner=$1
bin=$2
shift 2

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM

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

# The status of the first part of a pipe is lost in sh; it goes through a file.
run() {
    status=$log.status
    { "$@"; echo $? >"$status"; } 2>&1 | tee "$log"
    read -r code <"$status"
    rm -f "$status"
    count "$code"
}

run "$runner"
run sh "$here/run-cli.sh" "$bin" "$@"

echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]

#!/bin/sh
# Runs command-line tests: run-cli.sh BIN [CASE.sh ...], by default every tests/cli/*/*.sh; JOBS (2)
# of them at a time.
#
# A case runs under sh in an empty folder of its own, with
#   BIN       folder of the tools, absolute         SRC      top of the source, absolute
#   DATA      $SRC/data                             FLAVOUR  as the Makefile built them
# It passes when its exit status is 0, or the number in CASE.exit, and where CASE.out or CASE.err
# stand beside it, standard output or error are those bytes.  Exit status 77 skips the case.
# Cases run side by side, so the tools take one thread each unless a case asks for more.
# The last line is the count; what a failed case wrote is shown.  How far they are is told on
# descriptor 3, or where that is closed on standard error.

set -u
LC_ALL=C
SRC=$(cd "$(dirname "$0")/.." && pwd)
BIN=$(cd "$1" && pwd) || exit 1
DATA=$SRC/data
FLAVOUR=${FLAVOUR:-release}
OMP_NUM_THREADS=1
export LC_ALL SRC BIN DATA FLAVOUR OMP_NUM_THREADS
shift
[ $# -gt 0 ] || set -- "$SRC"/tests/cli/*/*.sh
{ true >&3; } 2>/dev/null || exec 3>&2

top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM

# Not in the background, where interrupts, which some cases send, would be ignored: xargs waits.
: >"$top/verdicts"
for case in "$@"; do
    case $case in
        /*) printf '%s\n' "$case" ;;
        *) printf '%s\n' "$SRC/$case" ;;
    esac
done | tr '\n' '\0' |
    xargs -0 -n 1 -P "${JOBS:-2}" sh "$SRC/tests/run-case.sh" "$top" $#
[ ! -t 3 ] || printf '\r%-72s\r' '' >&3

count() { grep -cx "$1" "$top/verdicts"; }
missing=$(($# - $(wc -l <"$top/verdicts")))
[ $missing = 0 ] || echo "FAILED: $missing cases have no verdict"
failed=$(($(count failed) + missing))
echo "command-line tests: $(count passed) passed, $failed failed, $(count skipped) skipped"
[ "$failed" = 0 ]

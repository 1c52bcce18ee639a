#!/bin/sh
# Runs command-line tests: run-cli.sh BIN [CASE.sh ...], by default every tests/cli/*/*.sh.
#
# A case runs under sh in an empty folder of its own, with
#   BIN       folder of the tools, absolute         SRC      top of the source, absolute
#   DATA      $SRC/data                             FLAVOUR  as the Makefile built them
# It passes when its exit status is 0, or the number in CASE.exit, and where CASE.out or CASE.err
# stand beside it, standard output or error are those bytes.  Exit status 77 skips the case.
# The last line is the count; what a failed case wrote is shown.

set -u
LC_ALL=C
SRC=$(cd "$(dirname "$0")/.." && pwd)
BIN=$(cd "$1" && pwd) || exit 1
DATA=$SRC/data
FLAVOUR=${FLAVOUR:-release}
export LC_ALL SRC BIN DATA FLAVOUR
shift
[ $# -gt 0 ] || set -- "$SRC"/tests/cli/*/*.sh

top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM

# A case that hangs must not hang the rest.
if command -v timeout >/dev/null; then limit='timeout 300'; else limit=; fi

passed=0 failed=0 skipped=0
for case in "$@"; do
    case $case in /*) ;; *) case=$SRC/$case ;; esac
    stem=${case%.sh}
    name=${stem#"$SRC/tests/cli/"}
    mkdir "$top/empty" || exit 1
    (cd "$top/empty" && exec $limit sh "$case" >"$top/out" 2>"$top/err" </dev/null)
    status=$?
    want=0
    [ ! -f "$stem.exit" ] || read -r want <"$stem.exit"

    if [ "$status" = 77 ]; then
        skipped=$((skipped + 1))
        echo "skipped: $name $(tail -n 1 "$top/out")"
    elif [ "$status" != "$want" ] ||
        { [ -f "$stem.out" ] && ! cmp -s "$top/out" "$stem.out"; } ||
        { [ -f "$stem.err" ] && ! cmp -s "$top/err" "$stem.err"; }; then
        failed=$((failed + 1))
        echo "FAILED: $name (exit $status, wanted $want)"
        [ ! -f "$stem.out" ] || diff "$stem.out" "$top/out"
        [ ! -f "$stem.err" ] || diff "$stem.err" "$top/err"
        tail -n 20 "$top/out" "$top/err"
    else
        passed=$((passed + 1))
    fi
    rm -rf "$top/empty"
done

echo "command-line tests: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]

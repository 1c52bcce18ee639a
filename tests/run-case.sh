#!/bin/sh
# Runs one command-line test for run-cli.sh, which prepares the environment and counts the verdicts:
#   run-case.sh TOP TOTAL CASE.sh
# Adds `passed`, `failed` or `skipped` to TOP/verdicts, shows what a failed case wrote, and tells on
# descriptor 3 how many of TOTAL are done: in one line that is redrawn where that is a terminal.

set -u
top=$1 total=$2 case=$3
stem=${case%.sh}
name=${stem#"$SRC/tests/cli/"}
here=$(mktemp -d "$top/case.XXXXXX") || exit 1
mkdir "$here/empty" || exit 1

# A case that hangs must not hang the rest.
if command -v timeout >/dev/null; then limit='timeout 300'; else limit=; fi
(cd "$here/empty" && exec $limit sh "$case" >"$here/out" 2>"$here/err" </dev/null 3>&-)
status=$?
want=0
[ ! -f "$stem.exit" ] || read -r want <"$stem.exit"

if [ "$status" = 77 ]; then
    verdict=skipped
    echo "skipped: $name $(tail -n 1 "$here/out")" >"$here/report"
elif [ "$status" != "$want" ] ||
    { [ -f "$stem.out" ] && ! cmp -s "$here/out" "$stem.out"; } ||
    { [ -f "$stem.err" ] && ! cmp -s "$here/err" "$stem.err"; }; then
    verdict=failed
    {
        echo "FAILED: $name (exit $status, wanted $want)"
        [ ! -f "$stem.out" ] || diff "$stem.out" "$here/out"
        [ ! -f "$stem.err" ] || diff "$stem.err" "$here/err"
        tail -n 20 "$here/out" "$here/err"
    } >"$here/report"
else
    verdict=passed
fi
echo $verdict >>"$top/verdicts"
done=$(($(wc -l <"$top/verdicts")))
if [ -t 3 ]; then
    [ $verdict = passed ] || printf '\r%-72s\r' '' >&3
    printf '\r%-72s' "command-line tests: $done of $total, $name" >&3
elif [ $((done % 20)) = 0 ]; then
    echo "command-line tests: $done of $total" >&3
fi
[ $verdict = passed ] || cat "$here/report"
rm -rf "$here"

# Memory runs out: one line that says so, exit 1, no file left.  A limit of the address space is the
# way to come by it; what the libraries need to start, some 60 MB, is not ours to report.
# shellcheck disable=SC3045 # a shell without ulimit -v skips the case
set -u
fail() { echo "$*" >&2; exit 1; }

# The sanitizers reserve address space by the terabyte.
case $FLAVOUR in asan | fuzz) echo "no limit of memory with $FLAVOUR"; exit 77 ;; esac
(ulimit -v 10000000) 2>/dev/null || { echo "no ulimit -v here"; exit 77; }

"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" model || fail "training fails"
run() { # KILOBYTES TOOL WORD...: 0 when it works, 1 when it says why not
    (
        ulimit -v "$1"
        tool=$2
        shift 2
        timeout 60 "$BIN/$tool" "$@" >out 2>err
    )
    status=$?
    case $status in
        0) ;;
        1)
            [ "$(grep -c . err)" = 1 ] || fail "$*: says: $(cat err)"
            grep -q 'out of memory' err || fail "$*: says: $(cat err)"
            ;;
        *) fail "$*: exit $status: $(cat err)" ;;
    esac
    # shellcheck disable=SC2010 # the names are our own
    [ -z "$(find . -name ".rvm*")" ] || fail "$*: a temporary file is left"
    return $status
}
refuse() {
    rm -f new
    ! run "$@" || fail "works: $*"
    [ ! -e new ] || fail "$*: leaves a file"
}

# A row of 40 MB as text, 48 MB as numbers.
awk 'BEGIN { printf "1"; for (i = 1; i <= 3000000; i++) printf " %d:0.%d", i, i % 10; print "" }' >wide
refuse 100000 rvm-train -q wide new
refuse 100000 rvm-predict -q wide model new
refuse 100000 rvm-scale wide
refuse 100000 rvm-scale -s new wide

# A kernel matrix of 2000 rows, 32 MB, and 192 MB of address space a thread for OpenBLAS.
awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) { x = rand(); print sin(9 * x) + rand() / 9 " 1:" x } }' >long
case $("$BIN/rvm-train" --version) in *OpenBLAS*) little=refuse ;; *) little=run ;; esac
for limit in 80000 150000 250000 300000 350000; do
    $little $limit rvm-train -q -s 3 -g 20 --threads 2 long new
    $little $limit rvm-train -q -s 3 -g 20 --threads 2 -v 2 long
done
$little 250000 rvm-train -q -s 3 -g 20 --threads 1 long new

# With enough of it, a limit changes nothing.
run 90000 rvm-predict -q "$DATA/ripley.test" model new || fail "90 MB do not do: $(cat err)"
"$BIN/rvm-predict" -q "$DATA/ripley.test" model wanted || fail "prediction fails"
cmp new wanted || fail "other predictions"
run 90000 rvm-scale "$DATA/ripley.test" || fail "90 MB do not do: $(cat err)"
"$BIN/rvm-scale" "$DATA/ripley.test" | cmp - out || fail "other rows"
run 600000 rvm-train --threads 1 -q -g 4 "$DATA/ripley.train" new || fail "600 MB do not do: $(cat err)"
cmp new model || fail "another model"

# In between it works or it does not, and never hangs.
for limit in 400000 450000 500000 550000 600000; do
    run $limit rvm-train -q -g 4 "$DATA/ripley.train" new && ! cmp -s new model && fail "another model"
done
exit 0

# The same bytes for any number of threads, in any order of the rows, with scores and without.
set -u
fail() { echo "$*" >&2; exit 1; }

# So little noise that nearly all rows become vectors: work for several threads.
head -n 170 "$DATA/friedman1.train" >part
"$BIN/rvm-train" -q -s 3 -g 5 --noise-variance 0.0001 part regression || fail "fails"
"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" classes || fail "fails"

# So many rows that they are read in several blocks.
repeat() { awk '{ line[NR] = $0 } END { while (n < 4501) print line[n++ % NR + 1] }' "$1"; }
repeat "$DATA/friedman1.train" >rows.regression
repeat "$DATA/ripley.test" >rows.classes
turn() { awk '{ line[NR] = $0 } END { for (i = 0; i < NR; i++) print line[i * 5 % NR + 1] }' "$1"; }

check() { # MODEL OPTION ...
    name=$1
    shift
    "$BIN/rvm-predict" --threads 1 "$@" "rows.$name" "$name" wanted >summary 2>scores ||
        fail "fails"
    for threads in 0 2 3; do
        "$BIN/rvm-predict" --threads $threads "$@" "rows.$name" "$name" got >out 2>err ||
            fail "fails"
        cmp got wanted || fail "$name $*: $threads threads change the predictions"
        cmp out summary || fail "$name $*: $threads threads change the summary"
        cmp err scores || fail "$name $*: $threads threads change the scores"
    done
    "$BIN/rvm-predict" -q "$@" "rows.$name" "$name" got >out 2>&1 || fail "fails"
    cmp got wanted || fail "$name $*: -q changes the predictions"
    [ ! -s out ] || fail "$name $*: -q prints $(cat out)"

    turn "rows.$name" >turned
    grep -v '^labels' wanted >plain
    turn plain >turned.wanted
    "$BIN/rvm-predict" -q "$@" turned "$name" got || fail "fails"
    grep -v '^labels' got | cmp - turned.wanted || fail "$name $*: in another order the rows differ"
}
check regression
check regression --variance --interval 0.9
check classes
check classes -b 1
check classes -b 1 --mode

for threads in -1 100000; do
    "$BIN/rvm-predict" --threads $threads rows.classes classes new >out 2>err &&
        fail "$threads threads pass"
    grep -q '^rvm-predict: ERROR: number of threads is ' err || fail "$threads threads: $(cat err)"
    [ ! -e new ] || fail "$threads threads leave an output file"
done

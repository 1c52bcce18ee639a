# Ctrl-C and kill at random moments, RVM_INTERRUPTS (10) times each: the image is whole or the old one,
# and no other file is there, nor in the folder of temporary files.
set -u
. "$SRC/tests/cli/plot/setup.inc"

times=${RVM_INTERRUPTS:-10}
timeout --preserve-status -s INT 5.5 true 2>/dev/null || { echo "no timeout of GNU here"; exit 77; }
"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" model || fail "training fails"
stub_gnuplot
sed -i.old 's/^echo image/cat "$program"/' "$STUB/gnuplot" # an image of some length
"$plot" "$DATA/ripley.train" model whole.svg || fail "fails"
[ "$(wc -l <whole.svg)" -gt 10000 ] || fail "the image is short"
now() { date +%s.%N; }
start=$(now)
"$plot" "$DATA/ripley.train" model image.svg || fail "fails"
length=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')
files=$(ls -A)

for signal in INT TERM; do
    i=0 old=0
    while [ $i -lt "$times" ]; do
        i=$((i + 1))
        echo old >image.svg
        seconds=$(awk -v i=$i -v n="$times" -v l="$length" 'BEGIN { printf "%.4f", 1.1 * l * (i - 0.5) / n }')
        timeout --preserve-status -s $signal "$seconds" "$plot" "$DATA/ripley.train" model image.svg 2>/dev/null
        status=$?
        if [ "$(cat image.svg)" = old ]; then
            [ $status != 0 ] || fail "no image and exit 0"
            old=$((old + 1))
        else
            cmp whole.svg image.svg || fail "SIG$signal at $seconds s: a part of an image"
        fi
        [ "$(ls -A)" = "$files" ] || fail "SIG$signal at $seconds s: files are left: $(ls -A)"
        clean
    done
    [ $old -gt 0 ] || fail "no SIG$signal came in time"
done

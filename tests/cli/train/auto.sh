# -g auto and --select choose a kernel; what is chosen is told, saved, and the same for any order.
set -u
fail() { echo "$*" >&2; exit 1; }
gamma_of() { sed -n 's/^gamma //p' "$1"; }

# A wave of one input, with noise of standard deviation 0.1 or so.
wave() { # FREQUENCY
    awk -v f="$1" 'BEGIN {
        seed = 3
        for (i = 0; i < 80; i++) {
            seed = seed * 16807 % 2147483647; x = seed / 2147483647
            seed = seed * 16807 % 2147483647; e = seed / 2147483647
            printf "%.6f 1:%.6f\n", sin(f * x) + 0.35 * (e - 0.5), x
        }
    }'
}
wave 6 >slow
wave 30 >fast

"$BIN/rvm-train" -s 3 -g auto slow slow.model >out 2>err || fail "-g auto fails: $(cat err)"
[ ! -s err ] || fail "-g auto complains: $(cat err)"
grep -q '^Gamma = [0-9.e+-]* (chosen)$' out || fail "the width is not told: $(cat out)"
# What each width came to, by ascending gamma, and a star at the one chosen, which has the least loss
# of those around it.
head -n 1 out | grep -Eqx 'kernel +gamma +loss +error +log loss +90 %' || fail "no heading: $(cat out)"
awk '$1 != "rbf" { next }
     { n++; if ($2 <= gamma) bad = 1; gamma = $2; if (!($3 > 0 && $4 > 0 && $6 > 0 && $6 <= 100)) bad = 1 }
     $7 == "*" { stars++; chosen = $2 }
     END { exit bad || stars != 1 || n < 3 }' out || fail "the widths tried: $(cat out)"
[ "$(awk '$7 == "*" { print $2 }' out)" = "$(awk '/^Gamma/ { print $3 }' out)" ] ||
    fail "the star is not at the choice: $(cat out)"
"$BIN/rvm-train" -q -s 3 -g auto fast fast.model || fail "-g auto fails"
awk -v a="$(gamma_of slow.model)" -v b="$(gamma_of fast.model)" 'BEGIN { exit !(b > 3 * a) }' ||
    fail "the faster wave has gamma $(gamma_of fast.model), the slow one $(gamma_of slow.model)"

sort slow >sorted
"$BIN/rvm-train" -q -s 3 -g auto --threads 1 sorted sorted.model || fail "-g auto fails"
grep -v '^rows ' slow.model >a
grep -v '^rows ' sorted.model >b
cmp a b || fail "the order of the rows or the threads change the choice"

"$BIN/rvm-train" -q -s 3 -g auto -v 4 slow >out || fail "-g auto -v 4 fails"
grep -q '^Cross Validation Mean squared error' out || fail "no result of -v: $(cat out)"

"$BIN/rvm-train" -s 3 --select rbf,linear,poly -r 1 slow best >out || fail "--select fails"
[ "$(sed -n '2,4p' out | awk '{ printf "%s ", $1 }')" = 'rbf linear polynomial ' ] ||
    fail "no row for each kernel: $(cat out)"
best=$(sed -n '2,4p' out | sort -g -k 3 | awk 'NR == 1 { print $1 }')
grep -qx "kernel_type $best" best || fail "the model is not of the kernel of least loss, $best"
[ "$best" != linear ] || fail "a wave is taken for a straight line"
"$BIN/rvm-train" -q -s 3 --select rbf,linear -g 0.5 slow model || fail "--select with -g fails"
case $(sed -n 's/^kernel_type //p' model) in
rbf) [ "$(gamma_of model)" = 0.5 ] || fail "--select with -g 0.5 has gamma $(gamma_of model)" ;;
esac

awk 'NR % 3 == 1' "$DATA/iris" >flowers
"$BIN/rvm-train" -q -t 1 -g auto -d auto -r auto flowers model || fail "-d auto fails"
grep -Eqx 'degree [234]' model || fail "the degree is no choice of ours"

# What cannot be trained is refused before anything is tried, -q or not; -t, which --select replaces, is
# none of that.
refuse() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" "$@" slow none >out 2>err && fail "$* is accepted"
    [ ! -s out ] || fail "$*: $(cat out)"
    grep -q -e "$words" err || fail "$*: $(cat err)"
    [ ! -e none ] || fail "$* leaves a model"
}
refuse 'spline kernel has no weights' -s 3 --ard --select rbf,spline
refuse 'spline kernel has no weights' -q -s 3 --ard --select rbf,spline
refuse 'without a kernel' -s 3 --no-bias --select rbf,none
"$BIN/rvm-train" -s 3 --ard -t 6 --select rbf slow model >out || fail "-t counts beside --select"
grep -q '^Gamma' out && fail "a gamma is told where inputs have weights: $(cat out)"
printf "1 0:1 1:2 2:1\n2 0:2 1:1 2:2\n" >slow
refuse 'precomputed' -s 3 -t 4 --select rbf

for words in "--select rbf,wavelet" "--select precomputed" "--select ,rbf" "-g automatic" \
    "-d 1.5" "-r x"; do
    # shellcheck disable=SC2086 # two words
    "$BIN/rvm-train" $words slow none >out 2>err && fail "$words is accepted"
    grep -q "^rvm-train: ${words%% *} " err || fail "$words: $(cat err)"
    [ ! -e none ] || fail "$words leaves a model"
done

# A narrow kernel takes most flowers, which is said, but not with -q.
"$BIN/rvm-train" -g 1000 flowers narrow >out 2>err || fail "a narrow kernel fails"
"$BIN/rvm-train" -q -g 1000 flowers narrow 2>quiet || fail "a narrow kernel fails"
grep -q "^rvm-train: $(sed -n 's/^Relevance vectors = //p' out) of 50 rows are vectors" err ||
    fail "no word about a narrow kernel: $(cat err)"
[ ! -s quiet ] || fail "-q talks: $(cat quiet)"
# Where no noise is left either that is a warning: targets that are rounded, and two of three rows
# are there twice.
awk 'BEGIN {
    seed = 5
    for (i = 0; i < 30; i++) {
        for (k = 0; k < 3; k++) { seed = seed * 16807 % 2147483647; u[k] = seed / 2147483647 }
        for (k = 0; k < 2; k++) printf "%d 1:%.4f 2:%.4f\n", 5 * u[2], u[0], u[1]
    } }' >twice
awk 'NR % 6 != 0' twice >most
"$BIN/rvm-train" -s 3 -g 1000 most narrow >out 2>err || fail "rounded targets fail"
grep -q '^rvm-train: WARNING: [0-9]* of 30 different rows are vectors, and no noise is left' err ||
    fail "no word about a collapse: $(cat out err)"
"$BIN/rvm-train" -s 3 --ard twice wide >out 2>err || fail "--ard of rows that are there twice fails"
[ "$(sed -n 's/^Relevance vectors = //p' out)" -le 15 ] || fail "--ard collapses: $(cat out err)"
# With em functions of no use stay as a matter of course.
"$BIN/rvm-train" --method em -e 1 -g 1000 flowers narrow >out 2>err || fail "em fails"
grep -q 'too narrow' err && fail "em: $(cat err)"

# An interrupt ends the search: a model, and the exit code that tells.
timeout --foreground --preserve-status -s INT 5.5 true 2>/dev/null || exit 0
awk '{ for (i = 0; i < 6; i++) { srand(NR * 7 + i); print $0 " 2:" rand() } }' fast >long
for after in 0.05 0.2 0.4; do
    rm -f cut
    timeout --foreground --preserve-status -s INT $after "$BIN/rvm-train" -s 3 --ard \
        --select rbf,laplacian long cut >out 2>err
    code=$?
    [ $code != 130 ] || [ -s err ] || [ -e cut ] || continue # it came before the program was ready
    words=$(grep -c '^rvm-train: interrupted' err)
    [ $code:$words = 130:1 ] || [ $code:$words = 0:0 ] ||
        fail "an interrupt after $after s ends with $code: $(cat err)"
    [ -s cut ] || fail "an interrupt leaves no model"
    ! grep -q -e inf -e nan out || fail "no number: $(cat out)"
done

# `make reproduce` with few draws: the quickest experiments fill their lines, sinc as Tipping (2000,
# section 3.1) has it, and what is asked for wrongly leaves the table that was there.
set -u
fail() { echo "$*" >&2; exit 1; }

helpers=$SRC/build/$FLAVOUR/bench
[ -x "$helpers/friedman" ] || { echo "bench/friedman is not built"; exit 77; }
reproduce() { sh "$SRC/bench/reproduce.sh" "$BIN" "$helpers" "$DATA" '' "$1" >out 2>err; }

echo before >kept
BENCH_ONLY='sinc nonsense' reproduce kept && fail "an unknown experiment is taken"
grep -q "'nonsense' is none of sinc " err || fail "the message: $(cat err)"
[ "$(cat kept)" = before ] || fail "a run that failed changed the table"

# Ended in the middle, after the head of the table and long before the last of 1000 draws.
BENCH_ONLY=sinc BENCH_DRAWS=1000 sh "$SRC/bench/reproduce.sh" "$BIN" "$helpers" "$DATA" '' kept \
    >out 2>err &
runner=$!
while ! grep -q 'no noise' out; do
    kill -0 $runner 2>/dev/null || fail "ended by itself: $(cat err)"
    sleep 1
done
kill -TERM $runner
wait $runner
[ $? = 143 ] || fail "ended by a signal, but not with 143"
[ "$(cat kept)" = before ] && [ ! -e kept.new ] || fail "a run that was ended changed the table"

# Only what `make reproduce` needs is there: no svm-train, and no data of usps.
mkdir tools
for tool in sh awk sed grep sort head tail cut cat tee mktemp rm mv cp mkdir date uname getconf \
    dirname seq wc env tr expr; do
    path=$(command -v $tool) && ln -s "$path" tools/$tool
done
PATH=$PWD/tools BENCH_ONLY='sinc terms usps' BENCH_DRAWS=2 reproduce table || fail "exit $?: $(cat err)"
cmp -s out table || fail "the table is not what was shown"
grep -q 'usps is left out' err || fail "nothing is said about usps: $(cat err)"
grep -q 'no svm-train and svm-predict' err || fail "nothing is said about svm-train: $(cat err)"
grep -qx '    command     make reproduce BENCH_ONLY="sinc terms usps" BENCH_DRAWS=2' table ||
    fail "the command: $(grep command table)"

# EXPERIMENT MEASURE: our figure, and - for svm-train. Empty names repeat the one above.
ours() {
    awk -F '|' -v experiment="$1" -v measure="$2" '
        { gsub(/ *\| */, "|"); if ($2 != "") name = $2 }
        name == experiment && $4 == measure && $8 == "-" { print $6; found++ }
        END { exit found != 1 }' table || fail "no line of $1, $2: $(cat table)"
}
between() {
    awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x >= a && x <= b) }' || fail "$1, not $2 to $3"
}

# There 9 vectors and an error of 0.0087 without noise, and 6 with a noise found of 0.189.
between "$(ours 'sinc, no noise' 'largest error')" 0.001 0.012
between "$(ours 'sinc, no noise' vectors)" 8 11
between "$(ours 'sinc, normal noise of 0.2' vectors)" 4 9
between "$(ours 'sinc, normal noise of 0.2' 'noise found')" 0.16 0.24
# Less noise, less error; at most that of the noise.
between "$(ours 'sinc, normal noise of 0.1' 'root mean square')" 0.005 0.1
between "$(ours 'sinc(x1) + 0.1 x2' 'root mean square')" 0.005 0.1

# The best rule errs in 8 % of Ripley's rows.
if command -v svm-train >/dev/null && command -v svm-predict >/dev/null; then
    BENCH_ONLY=ripley BENCH_DRAWS=1 reproduce table || fail "exit $?: $(cat err)"
    awk -F '|' '/^\| Ripley, 250 rows / { print $6, $8 }' table >errors
    read -r rvm svm <errors
    between "$rvm" 7.5 12
    between "$svm" 7.5 12
fi

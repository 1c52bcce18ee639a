# bench/friedman.c: targets without noise are the functions of the papers, by their formulas in awk;
# with noise they differ by as much as is said there, and the inputs are the same.
set -u
fail() { echo "$*" >&2; exit 1; }

friedman=$SRC/build/$FLAVOUR/bench/friedman
[ -x "$friedman" ] || { echo "bench/friedman is not built"; exit 77; }

# NAME NOISE TOLERANCE FORMULA in x[1], x[2], ...; NOISE is the standard deviation, and TOLERANCE what
# may come of six decimals of the inputs.
check() {
    "$friedman" "$1" 2000 3 >noisy && "$friedman" "$1" 2000 3 clean >clean || fail "$1 fails"
    awk -v name="$1" -v noise="$2" -v tolerance="$3" '
        function sinc(x) { return x == 0 ? 1 : sin(x) / x }
        { target = $1; $1 = ""; inputs = $0 }
        FNR == NR { with[FNR] = target; of[FNR] = inputs; next }
        {
            for (k = 2; k <= NF; k++) { split($k, pair, ":"); x[k - 1] = pair[2] }
            y = '"$4"'
            if ((y - target) ^ 2 > tolerance ^ 2) {
                print name ": " y, target
                exit bad = 1
            }
            if (inputs != of[FNR]) {
                print name ": other inputs in row " FNR
                exit bad = 1
            }
            square += (with[FNR] - target) ^ 2
        }
        END {
            deviation = sqrt(square / FNR)
            if (!bad && (FNR != 2000 || deviation < 0.93 * noise || deviation > 1.07 * noise)) {
                print name ": noise " deviation " in " FNR " rows"
                bad = 1
            }
            exit bad
        }' noisy clean >message || fail "$(cat message)"
}

pi=3.14159265358979
check friedman1 1 3e-5 "10 * sin($pi * x[1] * x[2]) + 20 * (x[3] - 0.5) ^ 2 + 10 * x[4] + 5 * x[5]"
check friedman2 125 2e-3 'sqrt(x[1] ^ 2 + (x[2] * x[3] - 1 / (x[2] * x[4])) ^ 2)'
check friedman3 0.1 2e-3 'atan2(x[2] * x[3] - 1 / (x[2] * x[4]), x[1])'
check sinc-normal 0.2 2e-6 'sinc(x[1])'
check sinc-small 0.1 2e-6 'sinc(x[1])'
# Uniform on -0.2 .. 0.2.
check sinc-uniform 0.11547 2e-6 'sinc(x[1])'
check sinc-linear 0.1 2e-6 'sinc(x[1]) + 0.1 * x[2]'
check noise 1 1e-9 0

# Nothing but +1 below 1/2, and each class about as often above.
"$friedman" step 4000 1 | awk '
    { split($2, pair, ":") }
    pair[2] < 0.5 { low++; wrong += $1 != "+1" }
    pair[2] >= 0.5 { high++; up += $1 == "+1" }
    END { exit !(wrong == 0 && low > 1850 && high > 1850 && up > 0.45 * high && up < 0.55 * high) }' ||
    fail "step: not what is said"

for words in 'step 10 1 clean' 'friedman1 10 1 dirty' 'friedman4 10 1' 'friedman1 0 1'; do
    # shellcheck disable=SC2086 # several words
    ! "$friedman" $words >out 2>err || fail "$words: taken"
    grep -q '^usage: friedman ' err || fail "$words: no usage: $(cat err)"
done

# Ordinary data with one input, where many sets of functions are almost equally good: training ends
# at an optimum, and says nothing of having stopped before.
set -u
fail() { echo "$*" >&2; exit 1; }

converges() { # OPTION... FILE
    "$BIN/rvm-train" -q -s 3 "$@" model >out 2>err || fail "$*: fails"
    [ ! -s err ] || fail "$*: $(cat err)"
    grep -qx 'converged 1' model || fail "$*: $(grep converged model)"
}

converges --ard "$DATA/sinc.train"
for seed in 1 3; do
    awk -v seed=$seed 'BEGIN {
        srand(seed)
        for (i = 0; i < 500; i++) {
            x = rand() * 20 - 10
            printf "%.6f 1:%.6f\n", sin(x) / x + 0.17 * (rand() + rand() + rand() + rand() - 2), x
        } }' >sinc
    converges -g 0.1 sinc
done

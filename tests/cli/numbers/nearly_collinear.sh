# Two inputs of size 10 that differ by 0.3 up or down: the sign of the difference is the class, which a
# linear function of them tells without an error. No single linear kernel function does.
set -eu

awk 'BEGIN {
    for (i = 0; i < 120; i++) {
        y = i % 2 ? 1 : -1
        s = 10 + (i * 37 % 60) / 5
        printf "%d 1:%.4f 2:%.4f\n", y, s, s + y * (0.2 + (i * 17 % 11) / 50)
    }
}' >data
"$BIN/rvm-train" -q -t 0 data model || { echo "training fails"; exit 1; }
"$BIN/rvm-predict" data model out >said 2>err || { echo "prediction fails"; exit 1; }
right=$(sed -n 's/.*(\([0-9]*\)\/120).*/\1/p' said)
[ "$right" -ge 118 ] || { echo "right: $right of 120"; exit 1; }

#!/bin/sh
# Writes sinc.train and sinc.test into the current folder: y = sin(x) / x on -10 .. 10, 100 training
# rows with noise of standard deviation 0.2 and 1000 test rows without noise (Tipping 2000, section
# 3.1).  The noise is a fixed formula, so that the files are the same everywhere: sums of 12 numbers
# from the generator of Park and Miller (1988), 48271 mod 2^31 - 1, whose products awk's doubles
# hold exactly.

set -eu

awk 'BEGIN {
    state = 1
    n = 100
    for (i = 0; i < n; i++) {
        x = -10 + 20 * i / (n - 1)
        noise = -6
        for (k = 0; k < 12; k++) {
            state = state * 48271 % 2147483647
            noise += state / 2147483647
        }
        printf "%.6f 1:%.6f\n", sinc(x) + 0.2 * noise, x
    }
}
function sinc(x) { return x == 0 ? 1 : sin(x) / x }' >sinc.train

awk 'BEGIN {
    n = 1000
    for (i = 0; i < n; i++) {
        x = -10 + 20 * i / (n - 1)
        printf "%.6f 1:%.6f\n", sinc(x), x
    }
}
function sinc(x) { return x == 0 ? 1 : sin(x) / x }' >sinc.test

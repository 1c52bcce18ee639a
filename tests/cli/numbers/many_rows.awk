# 20000 rows of a wave with noise, the same ones everywhere; uniform is by Park and Miller (1988).
function uniform() {
    seed = seed * 16807 % 2147483647
    return seed / 2147483647
}
BEGIN {
    seed = 3
    for (i = 0; i < 20000; i++) {
        x = uniform()
        printf "%.6f 1:%.6f\n", sin(9 * x) + uniform(), x
    }
}

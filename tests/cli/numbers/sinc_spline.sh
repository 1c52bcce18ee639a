# sin(x) / x with the linear spline kernel (Tipping 2000, section 3.1). From 100 points without
# noise, sigma held at 0.01: 9 relevance vectors there and a largest error of 0.0087. With noise of
# 0.2 on them: 6 vectors there, sigma estimated as 0.189; this is another draw.
set -eu

awk 'BEGIN {
    for (i = 0; i < 100; i++) {
        x = -10 + 20 * i / 99
        printf "%.17g 1:%.17g\n", sin(x) / x, x
    }
}' >clean
"$BIN/rvm-train" -q -s 3 -t 6 --noise-variance 0.0001 clean model
"$BIN/rvm-predict" -q clean model out
awk '
    FILENAME == "model" && $1 == "total_rv" { vectors = $2 }
    FILENAME == "out" { value[FNR] = $1 }
    FILENAME == "clean" { rows++; d = $1 - value[FNR]; if (d * d > worst * worst) worst = d }
    END {
        print "without noise: vectors", vectors, "largest error", worst
        exit !(rows == 100 && vectors <= 10 && worst * worst < 0.012 * 0.012)
    }' model out clean

"$BIN/rvm-train" -q -s 3 -t 6 "$DATA/sinc.train" model
"$BIN/rvm-predict" -q "$DATA/sinc.test" model out
awk '
    FILENAME == "model" && $1 == "total_rv" { vectors = $2 }
    FILENAME == "model" && $1 == "noise_variance" { noise = sqrt($2) }
    FILENAME == "out" { value[FNR] = $1 }
    FILENAME != "out" && FILENAME != "model" { rows++; d = $1 - value[FNR]; sum += d * d }
    END {
        print "with noise: vectors", vectors, "noise", noise, "error", sqrt(sum / rows)
        exit !(rows == 1000 && vectors <= 10 && noise > 0.16 && noise < 0.24 && sum / rows < 0.01)
    }' model out "$DATA/sinc.test"

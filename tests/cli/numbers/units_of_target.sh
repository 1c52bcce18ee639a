# Targets in other units, offset included: predictions follow, the log evidence falls by N ln c.
set -eu

awk '{ $1 = sprintf("%.17g", 1000 * $1 + 250); print }' "$DATA/mcycle" >other
"$BIN/rvm-train" -q -s 3 -g 0.01 "$DATA/mcycle" a
"$BIN/rvm-train" -q -s 3 -g 0.01 other b
"$BIN/rvm-predict" -q "$DATA/mcycle" a a.out
"$BIN/rvm-predict" -q "$DATA/mcycle" b b.out
awk '
    $1 == "log_evidence" { evidence[FILENAME] = $2 }
    FILENAME == "a.out" { value[FNR] = $1 }
    FILENAME == "b.out" {
        rows++
        d = ($1 - 250) / 1000 - value[FNR]
        if (d * d > worst) worst = d * d
    }
    END {
        d = evidence["a"] - rows * log(1000) - evidence["b"]
        print "log evidence off by", d, "predictions by", sqrt(worst)
        exit !(rows == 133 && d * d < 1e-8 && worst < 1e-8)
    }' a b a.out b.out

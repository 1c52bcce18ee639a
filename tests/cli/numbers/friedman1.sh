# Friedman's first function, 240 rows with noise of variance 1: Tipping (2000, section 3.2) has a
# mean squared error of 2.80 against the function itself with 59.4 relevance vectors (averages); the
# test rows here have the noise too, which makes it 3.80. Growing a model from nothing, as many
# programs do, ends far below the optimum: at a log evidence of some -570, where this draw has -516.
set -eu

"$BIN/rvm-train" -q -s 3 -g 0.3 "$DATA/friedman1.train" model
"$BIN/rvm-predict" -q "$DATA/friedman1.test" model out
awk '
    FILENAME == "model" && $1 == "log_evidence" { evidence = $2 }
    FILENAME == "model" && $1 == "total_rv" { vectors = $2 }
    FILENAME == "out" { value[FNR] = $1 }
    FILENAME != "out" && FILENAME != "model" { rows++; d = $1 - value[FNR]; sum += d * d }
    END {
        print "log evidence", evidence, "vectors", vectors, "mean squared error", sum / rows
        exit !(rows == 1000 && evidence >= -521 && vectors <= 60 && sum / rows < 4.5)
    }' model out "$DATA/friedman1.test"

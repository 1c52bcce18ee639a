# What --prior kernel says: the process and the gamma that were learned, as they stand in the model;
# nothing of starts, whose criterion is that of another model, nor of vectors that are many.
set -u
fail() { echo "$*: $(cat out err)" >&2; exit 1; }

train() { "$BIN/rvm-train" "$@" model >out 2>err || fail "training fails"; }
# The value of a line of the summary.
said() { sed -n "s/^$1 = \([^ ]*\).*/\1/p" out; }
# The numbers b to 6 digits are the square roots of a, where how is sqrt, or a themselves.
same() { # HOW A B
    echo "$2 $3" | tr , ' ' | awk -v how="$1" '
        { for (i = 1; i <= NF / 2; i++) {
              a = how == "sqrt" ? sqrt($i) : $i
              b = $(NF / 2 + i)
              if (b - a > 1e-5 * a || a - b > 1e-5 * a) exit 1
          }
          exit NF < 2 || NF % 2 }' || fail "$1 of $2 is not $3"
}
in_model() { sed -n "s/^$1 //p" model; }

train -s 3 -g 0.3 --prior kernel "$DATA/friedman1.train"
same sqrt "$(in_model process_variance)" "$(said 'Process standard deviation')"
same as_is "$(in_model gamma)" "$(said Gamma)"
grep -q '^Gamma = .* (learned)$' out || fail "gamma is not said to be learned"
grep -q '^Best of' out && fail "starts are compared by the evidence of another model"
[ ! -s err ] || fail "a note"
"$BIN/rvm-train" -q -s 3 -g 0.3 --prior kernel "$DATA/friedman1.train" model >out 2>err
[ ! -s out ] && [ ! -s err ] || fail "-q speaks"

# Where no points join the vectors, gamma climbs through these.
train -s 3 -g 2 "$DATA/friedman1.train"
train -s 3 -g 2 --prior kernel --vectors "$(in_model total_rv)" "$DATA/friedman1.train"
grep -q '^Gamma = 0.* (learned)$' out || fail "gamma is held with few points"

train -s 3 -g 1e-3 --prior kernel "$DATA/linnerud"
same sqrt "$(in_model process_variance)" "$(said 'Process standard deviation')"
[ "$(in_model process_variance | wc -w)" -eq 3 ] || fail "not one for each output"

# Classes have one for all, and their gamma is held.
train -g 4 --prior kernel "$DATA/ripley.train"
same sqrt "$(in_model process_variance)" "$(said 'Process standard deviation')"
grep -q '^Gamma' out && fail "a gamma is said to be learned"
train --prior kernel "$DATA/iris"
same sqrt "$(in_model process_variance | cut -d ' ' -f 1)" "$(said 'Process standard deviation')"

# Their weights have no standard deviations, in the file or in the summary.
train --basis bias,linear --prior kernel "$DATA/iris"
grep -q '^Basis functions = bias' out || fail "no functions"
grep -q '^class .*: weight' out && fail "weights of classes have standard deviations"
grep -q 'factor' model && fail "classes have a covariance"
[ ! -s err ] || fail "a note"

awk 'NR % 6 == 0' "$DATA/friedman1.train" >few
train -s 3 -g auto --prior kernel few
grep -q '^Gamma = .* (chosen, then learned)$' out || fail "what was chosen is not said to go on"
same as_is "$(in_model gamma)" "$(said Gamma)"

# The model of the flat prior has no such lines.
train -s 3 -g 0.3 "$DATA/friedman1.train"
grep -qE '^(Process|Gamma)' out && fail "a process of the flat prior"

"$BIN/rvm-train" -s 3 -t 6 --prior kernel "$DATA/sinc.train" spline >out 2>err && fail "passes"
grep -q 'needs features of 0 or more, as rvm-scale -l 0 makes them; row 1 has 1:-10$' err ||
    fail "the spline kernel of negative features is not refused"
"$BIN/rvm-scale" -l 0 "$DATA/sinc.train" >scaled && train -s 3 -t 6 --prior kernel scaled

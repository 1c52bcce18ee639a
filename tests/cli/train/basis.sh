# --basis and --kernel none: which functions are found, how they are named, and what is refused.
set -u
fail() { echo "$*" >&2; exit 1; }

# 2 x1 - 3 x2 + x1 x2 with noise of 0.1.
awk 'BEGIN {
    srand(3)
    for (i = 0; i < 120; i++) {
        a = 4 * rand() - 2
        b = 4 * rand() - 2
        e = 0.1 * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand())
        printf "%.6f 1:%.6f 2:%.6f 3:%.6f\n", 2 * a - 3 * b + a * b + e, a, b, rand()
    }
}' >plane
"$BIN/rvm-train" -s 3 --kernel none --basis bias,linear,quadratic plane model >out 2>err ||
    fail "fails: $(cat err)"
[ ! -s err ] || fail "says: $(cat err)"
grep -qx 'Relevance vectors = 0' out || fail "vectors: $(cat out)"
[ "$(sed -n 2,3p out | cut -d = -f 1 | tr -d '\n')" = 'Relevance vectors Basis functions ' ] ||
    fail "the summary is $(cat out)"
for name in bias x1 x2 'x1\*x2'; do
    grep -q "^Basis functions = \(.* \)*$name\( .*\)*\$" out || fail "no $name: $(cat out)"
done
[ "$(head -n 1 model)" = 'rvm_model 1' ] || fail "version: $(head -n 1 model)"
# Names of the summary and of the model are the same ones.
{ echo bias; sed -n 's/^basis \([^ ]*\) .*/\1/p' model; } | paste -s -d ' ' >names
grep -qx "Basis functions = $(sed 's/\*/\\*/g' names)" out || fail "$(cat names out)"
awk '$1 == "basis" { w[$2] = $3 }
    function off(a, b) { return a - b > 0.1 || b - a > 0.1 }
    END { exit off(w["x1"], 2) || off(w["x2"], -3) || off(w["x1*x2"], 1) }' model ||
    fail "weights: $(grep basis model)"

# Relevance determination of a linear regression. Functions and evidence are those of a run of the
# fixed-point equations of Tipping (2001) in numpy.
"$BIN/rvm-train" -s 3 --kernel none --basis bias,linear "$DATA/boston" model >out || fail "boston"
grep -qx 'Basis functions = bias x1 x2 x4 x5 x6 x8 x9 x10 x11 x12 x13' out || fail "$(cat out)"
awk '$1 == "log_evidence" { exit $2 > -1528.8708 || $2 < -1528.8711 }' model ||
    fail "$(grep log_evidence model)"
"$BIN/rvm-train" -q -s 3 -t 7 --basis linear,bias --threads 2 "$DATA/boston" other &&
    cmp model other || fail "-t 7 is not --kernel none"
# A prediction is the sum that the model says, and features beyond it do not count.
sed 's/$/ 99:5/' "$DATA/boston" >wider
"$BIN/rvm-predict" -q "$DATA/boston" model got && "$BIN/rvm-predict" -q wider model got2 &&
    cmp got got2 || fail "predictions"
awk 'FNR == 1 { file++ }
    file == 1 && $1 == "bias" { c = $2 + $4 }
    file == 1 && $1 == "basis" { w[substr($2, 2)] = $3 }
    file == 2 { f = c; for (k = 2; k <= NF; k++) { split($k, p, ":"); f += w[p[1]] * p[2] }; print f }
    ' model "$DATA/boston" | paste got - |
    awk '{ d = $1 - $2 } d > 1e-3 || d < -1e-3 { exit 1 }' || fail "predictions differ"

# Classes, several outputs and cross-validation.
"$BIN/rvm-train" --kernel none --basis bias,linear "$DATA/iris" model >out 2>err || fail "iris"
[ ! -s err ] || fail "says: $(cat err)"
grep -q '^Basis functions = .*x4' out || fail "iris: $(cat out)"
"$BIN/rvm-predict" "$DATA/iris" model got 2>err | awk '{ exit substr($3, 1, 2) < 95 }' || fail "iris"
"$BIN/rvm-train" -q --multiclass ovr --basis linear "$DATA/iris" model || fail "ovr"
"$BIN/rvm-train" -s 3 --kernel none --basis bias,linear "$DATA/linnerud" model >out || fail "outputs"
[ "$(grep -c '^output [123] ' model)" = 3 ] || fail "$(cat model)"
"$BIN/rvm-predict" -q "$DATA/linnerud" model got || fail "outputs are not predicted"
"$BIN/rvm-train" -q -s 3 -v 5 --kernel none --basis linear,quadratic,bias plane >out || fail "-v"
awk '/Mean squared/ { exit $NF > 0.02 || $NF < 0.005 }' out || fail "cross-validation: $(cat out)"

# By default, with none and with --no-bias nothing changes.
"$BIN/rvm-train" -s 3 plane model >out && "$BIN/rvm-train" -q -s 3 --basis bias plane other &&
    cmp model other || fail "--basis bias is not the default"
! grep -q 'Basis' out || fail "basis functions that nobody asked for: $(cat out)"
[ "$(head -n 1 model)" = 'rvm_model 1' ] || fail "version: $(head -n 1 model)"
"$BIN/rvm-train" -q -s 3 --no-bias plane model && "$BIN/rvm-train" -q -s 3 --basis none plane other &&
    cmp model other || fail "--basis none is not --no-bias"
"$BIN/rvm-train" -q -s 3 --no-bias --kernel none --basis bias,linear plane model &&
    ! grep -q '^bias' model || fail "--no-bias leaves the bias"

refuse() { # WORDS OPTION...
    words=$1
    shift
    rm -f model
    "$BIN/rvm-train" -s 3 "$@" model >out 2>err
    [ $? = 1 ] && [ ! -e model ] || fail "$* passes"
    grep -q "$words" err || fail "$*: $(cat err)"
}
refuse 'a list of' --basis constant plane
refuse 'a list of' --basis bias,,linear plane
refuse '^rvm-train: ERROR: without a kernel' --kernel none --basis none plane
refuse '^rvm-train: ERROR: without a kernel' --kernel none --no-bias plane
printf '1 0:1 1:2 2:1\n2 0:2 1:1 2:2\n' >gram
refuse '^rvm-train: ERROR: .*precomputed' -t 4 --basis bias,linear gram
refuse '^rvm-train: ERROR: .*precomputed' -t 4 --basis quadratic gram
awk 'BEGIN { printf "1"; for (i = 1; i <= 3200; i++) printf " %d:1", i; print "\n2 1:2" }' >wide
refuse '^rvm-train: ERROR: 3200 features have 5121600 quadratic' --kernel none --basis quadratic wide
printf '1\n2\n' >empty
refuse '^rvm-train: ERROR: there is no basis function' --kernel none --basis linear empty

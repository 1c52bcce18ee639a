# --prior kernel: better densities than the flat prior, the process's variance far from the data, and
# the options that go with it, or do not.
set -u
fail() { echo "$*" >&2; exit 1; }
train() { "$BIN/rvm-train" -q "$@" >out 2>err || fail "rvm-train $*: $(cat err)"; }
in_model() { sed -n "s/^$1 //p" model; }

# Friedman 1 with noise of variance 1: density and intervals are better.
friedman() { # ROWS SEED
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            for (j = 1; j <= 10; j++) x[j] = rand()
            z = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
            y = 10 * sin(3.141592654 * x[1] * x[2]) + 20 * (x[3] - 0.5) ^ 2 + 10 * x[4] + 5 * x[5]
            printf "%.6f", y + z
            for (j = 1; j <= 10; j++) printf " %d:%.6f", j, x[j]
            print ""
        } }'
}
friedman 200 1 >data
friedman 1000 2 >held
scores() { # PRIOR: density, share of the targets within their 90 % intervals
    train -s 3 -g 0.3 --restarts 4 --prior "$1" data model
    "$BIN/rvm-predict" --interval 0.9 held model values >out 2>&1 || fail "no predictions"
    sed -n 's/^Mean negative log predictive density = //p' out >said
    paste -d " " values held | awk '{ hit += $2 <= $4 && $4 <= $3 } END { print hit / NR }' >>said
    tr '\n' ' ' <said
}
echo "$(scores flat) $(scores kernel)" | awk '{ exit !($3 < $1 && $4 > $2 && $4 > 0.85 && $4 < 0.95) }' ||
    fail "flat, kernel: $(scores flat) $(scores kernel)"

# Far from all data the variance is that of process and noise, and of the bias where there is one.
train -s 3 -g 0.3 --no-bias --prior kernel "$DATA/sinc.train" model
echo '0 1:1000' >far
"$BIN/rvm-predict" -q --variance far model values || fail "no prediction"
awk -v s="$(in_model process_variance)" -v noise="$(in_model noise_variance)" '
    { d = ($2 - s - noise) / (s + noise); exit !(d < 1e-6 && d > -1e-6) }' values ||
    fail "far away: $(cat values), of $(in_model process_variance) and $(in_model noise_variance)"

# Cross-validation is better with it, too, and says so with numbers that are some.
head -n 100 data >few
density() { sed -n 's/^Mean negative log predictive density = //p' said; }
for prior in flat kernel; do
    "$BIN/rvm-train" -s 3 -g 0.3 --restarts 2 -v 5 --prior $prior few >out 2>said || fail "-v: $(cat said)"
    density
done | awk '{ d[NR] = $1 } END { exit !(NR == 2 && d[2] < d[1]) }' || fail "-v: $(cat said)"
"$BIN/rvm-train" -q -g 1 -v 3 --prior kernel "$DATA/iris" >said 2>err || fail "-v of classes: $(cat err)"
grep -q 'Accuracy = 9' said || fail "-v of classes: $(cat said)"

# What the kernel is chosen by knows of it; length-scales leave what is of no use.
train -s 3 --select rbf,linear -g 0.3 --restarts 2 --prior kernel few model
[ -n "$(in_model process_variance)" ] || fail "--select: no process: $(head -n 3 model)"
train -g auto --prior kernel "$DATA/iris" model
[ -n "$(in_model process_variance)" ] || fail "-g auto: no process"
train -s 3 --ard --prior kernel data model
[ -n "$(in_model process_variance)" ] || fail "--ard: no process"
"$BIN/rvm-predict" held model values >said 2>&1
sed -n 's/^Mean squared error = \([^ ]*\).*/\1/p' said | awk '{ exit !($1 < 2) }' || fail "--ard: $(cat said)"

# --vectors: so many, though the search finds fewer or more.
for most in 7 60; do
    train -s 3 -g 0.3 --restarts 2 --prior kernel --vectors $most few model
    [ "$(in_model total_rv)" = $most ] || fail "--vectors $most: $(in_model total_rv)"
done

# A matrix of the same kernel's values: the search finds the same vectors, and gamma stays.
awk '{ for (j = 2; j <= NF; j++) { split($j, pair, ":"); x[NR, j] = pair[2] }; y[NR] = $1 }
    END { for (i = 1; i <= NR; i++) {
        printf "%s 0:%d", y[i], i
        for (k = 1; k <= NR; k++) {
            d = 0
            for (j = 2; j <= 11; j++) d += (x[i, j] - x[k, j]) ^ 2
            printf " %d:%.15g", k, exp(-0.3 * d)
        }
        print ""
    } }' few >matrix
train -s 3 -t 4 --restarts 2 --prior kernel matrix model
"$BIN/rvm-predict" matrix model values >said 2>&1 || fail "precomputed: $(cat said)"
train -s 3 -g 0.3 --restarts 2 few flat
for n in $(sed -n 's/^rows //p' flat); do
    case " $(in_model rows) " in *" $n "*) ;; *) fail "row $n is no point: $(in_model rows)" ;; esac
done
sed 's/ \([0-9]*\):/ \1:-/g; s/0:-/0:/' matrix >negative
"$BIN/rvm-train" -q -s 3 -t 4 --prior kernel negative none >out 2>err && fail "-K passes"
[ ! -e none ] && grep -q 'no covariance' err || fail "-K: $(cat err)"

# What does not go with it, in one line.
refuse() { # MESSAGE OPTIONS
    message=$1; shift
    "$BIN/rvm-train" --prior kernel "$@" none >out 2>err && fail "$* passes"
    [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && [ ! -e none ] && grep -q -e "$message" err ||
        fail "$*: $(cat err)"
}
refuse 'not for --method gibbs' -s 3 --method gibbs few
refuse 'multiclass softmax only' --multiclass ovr "$DATA/iris"
refuse 'covariance' -s 3 -t 3 few
refuse 'covariance' -s 3 --kernel none --basis linear few
refuse 'covariance' -s 3 -t 1 -r -1 few
refuse 'noise-prior does not go together' -s 3 --noise-prior 1,1 few

# Ctrl-C while points are added or the process climbs: a model that can be used, and exit 130.
timeout --foreground --preserve-status -s INT 5 true 2>/dev/null || exit 0
friedman 3000 3 >many
for wait in 0.5 1 2; do
    rm -f model
    timeout --foreground --preserve-status -s INT $wait "$BIN/rvm-train" -q -s 3 -g 0.3 --prior kernel \
        many model >out 2>err
    status=$?
    [ $status = 0 ] && break
    [ $status = 130 ] || fail "interrupt: exit $status: $(cat err)"
    grep -q 'interrupted before' err && continue
    grep -qx 'converged 0' model || fail "interrupt: the model claims to have converged"
    "$BIN/rvm-predict" -q few model values || fail "interrupt: the model cannot be used"
done

# --prior and --noise-prior: what is refused and how, and what the summary and the model say.
set -u
fail() { echo "$*" >&2; exit 1; }

# One line that says what is wrong, exit 1, and no model.
refused() { # WORDS ARGUMENTS...
    words=$1
    shift
    "$BIN/rvm-train" -q "$@" none >out 2>err && fail "$* is accepted"
    grep -q -e "$words" err || fail "$*: $(cat err)"
    [ "$(grep -c "$words" err)" = 1 ] || fail "$*: $(cat err)"
    [ ! -e none ] || fail "$*: a model is written"
}

for prior in '' gamma gamma: gamma:1 'gamma:1,' gamma:,1 gamma:1,2,3 gamma:1,x student \
    student: student:x student:1,2; do
    refused 'gamma:A,B, student:NU and mixture are possible' --prior "$prior" "$DATA/ripley.train"
done
refused 'NU must be above 0' --prior student:0 "$DATA/ripley.train"
refused 'NU must be above 0' --prior student:-2 "$DATA/ripley.train"
refused 'NU must be above 0' --prior student:nan "$DATA/ripley.train"
for prior in '' 1 '1,' ,1 1,2,3 1,x; do
    refused 'two numbers with a comma between them' --noise-prior "$prior" -s 3 "$DATA/sinc.train"
done
refused '^rvm-train: ERROR: prior of the weights with shape -1 and rate 2;' --prior gamma:-1,2 "$DATA/ripley.train"
refused '^rvm-train: ERROR: prior of the weights with shape 1 and rate -2;' --prior gamma:1,-2 "$DATA/ripley.train"
refused '^rvm-train: ERROR: prior of the weights with shape 1 and rate 0:' --prior gamma:1,0 "$DATA/ripley.train"
refused '^rvm-train: ERROR: prior of the weights with shape nan and rate 1;' --prior gamma:nan,1 "$DATA/ripley.train"
refused '^rvm-train: ERROR: prior of the weights with shape 1 and rate inf;' --prior gamma:1,inf "$DATA/ripley.train"
refused '^rvm-train: ERROR: prior of the noise with shape nan and rate 1;' --noise-prior nan,1 -s 3 "$DATA/sinc.train"
refused '^rvm-train: ERROR: prior of the noise with shape 1 and rate -3;' --noise-prior 1,-3 -s 3 "$DATA/sinc.train"
refused '^rvm-train: ERROR: a prior of the noise is a setting of regression only' --noise-prior 1,3 "$DATA/ripley.train"
refused '^rvm-train: ERROR: a noise variance that is given needs no prior' --noise-prior 1,3 --noise-variance 1 \
    -s 3 "$DATA/sinc.train"

# Flat is the default, to the byte.
for options in "-g 4 $DATA/ripley.train" "-s 3 -g 0.1 $DATA/sinc.train"; do
    "$BIN/rvm-train" -q $options default || fail "$options fails"
    "$BIN/rvm-train" -q --prior gamma:0,0 --noise-prior 0,0 $options flat || fail "$options, flat, fails"
    cmp default flat || fail "$options: flat is not the default"
    grep -q '^prior\|^log_prior' flat && fail "$options: a flat prior is in the model"
done

# Student's t is a gamma prior, also to the byte.
"$BIN/rvm-train" -q --prior student:0.25 -g 4 "$DATA/ripley.train" student || fail "student fails"
"$BIN/rvm-train" -q --prior gamma:0.125,0.125 -g 4 "$DATA/ripley.train" gamma || fail "gamma fails"
cmp student gamma || fail "student:0.25 is not gamma:0.125,0.125"

# The line beside the log evidence, and the two in the model, whose version is 4.
"$BIN/rvm-train" --prior gamma:0,0.5 --noise-prior 2,0.25 -s 3 -g 0.1 "$DATA/sinc.train" model >text ||
    fail "training fails"
grep -qx 'rvm_model 1' model || fail "$(head -n 1 model)"
grep -qx 'prior 0 0.5 2 0.25' model || fail "$(grep prior model)"
awk 'FNR == NR { value[$1] = $2; next }
    /^Log evidence = / { evidence = $4 }
    /^Log evidence \+ log prior = / { sum = $7 }
    function apart(a, b) { return (a - b) ^ 2 > (1e-5 * b) ^ 2 }
    END { exit sum == "" || apart(evidence, value["log_evidence"]) ||
          apart(sum, value["log_evidence"] + value["log_prior"]) }' model text || fail "$(cat text)"
"$BIN/rvm-predict" "$DATA/sinc.test" model out >/dev/null || fail "the model cannot be used"
"$BIN/rvm-train" -s 3 -g 0.1 "$DATA/sinc.train" model | grep -q 'log prior' && fail "a flat prior is told"

# Neither threads nor the order of the rows matter.
"$BIN/rvm-train" -q --threads 1 --prior gamma:0,2 -s 3 -g 0.3 "$DATA/friedman1.train" one || fail "fails"
"$BIN/rvm-train" -q --threads 3 --prior gamma:0,2 -s 3 -g 0.3 "$DATA/friedman1.train" three || fail "fails"
sort "$DATA/friedman1.train" >sorted
"$BIN/rvm-train" -q --prior gamma:0,2 -s 3 -g 0.3 sorted other || fail "sorted fails"
cmp one three || fail "the model depends on the threads"
grep -v '^rows ' one >a
grep -v '^rows ' other >b
cmp a b || fail "the model depends on the order of the rows"

# A constant target has no noise but what the prior gives it: 1 / sigma^2 = (N + 2 c) / (2 d).
printf '3 1:1\n3 1:2\n3 1:4\n' >constant
"$BIN/rvm-train" -q --noise-prior 1,0.5 -s 3 constant model || fail "a constant target fails"
awk '$1 == "noise_variance" { exit !($2 > 0.199999 && $2 < 0.200001) }' model || fail "$(cat model)"

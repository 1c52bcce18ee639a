# --auto: the table of candidates, what the summary says of them, and what other options close.
set -u
fail() { echo "$*" >&2; exit 1; }
train() { "$BIN/rvm-train" "$@" >out 2>err || fail "$* fails: $(cat err)"; }
kernels() { awk '$1 == "candidate" || $1 == "screened" { next } /^Chosen/ { exit } { print $1 }' out | sort -u; }

awk 'NR % 4 == 1' "$DATA/friedman1.train" >rows # targets that five of ten inputs explain
awk 'NR % 3 == 0' "$DATA/ripley.train" >classes
awk 'NR % 3 == 1' "$DATA/iris" >iris

# A heading, the candidates that ran by their loss, those that stopped behind them, one star; then the others, and nothing too wide.
train -s 3 --auto rows model
[ ! -s err ] || fail "complains: $(cat err)"
head -n 1 out | grep -qx 'candidate  *prior  *gamma  *-ln p  *error  *behind the winner  *vectors' ||
    fail "no heading: $(cat out)"
awk '/^screened only/ { below = 1; next } /^Chosen/ { exit } NR == 1 { next }
     { sub(/ d=/, "_d="); sub(/ ard/, "_ard"); sub(/ [+] linear/, "_linear") }
     !below { ran++; stars += $NF == "*"; if ($2 != "kernel" && $2 != "flat") bad = 1
              if ($4 < last[/ stopped/]) bad = 1; last[/ stopped/] = $4; if (/ stopped/) stopped = 1
              else if (stopped) bad = 1; if (!($5 > 0)) bad = 1 }
     below { screened++; if ($3 == "kernel" || /[*]$/) bad = 1 }
     END { exit bad || ran < 2 || stars != 1 || screened < 2 }' out || fail "the table: $(cat out)"
awk 'length > 100 && !/^Same model/ && !/^Inputs/ { exit 1 }' out || fail "too wide: $(cat out)"
grep -q '^Features standardized = 10 ' out || fail "features as they are: $(cat out)"
grep -q '^Held-out negative log predictive density' out || fail "not calibrated: $(cat out)"
# What the star says is what was trained, and by how much it won.
star=$(awk '$NF == "*" { print $1 }' out)
grep -qx "kernel_type $star" model || fail "the star is at $star: $(cat out)"
grep -Eq "^Chosen = $star.*, (kernel|flat) prior \([0-9.]+ \+- [0-9.]+ (ahead|behind) " out ||
    fail "what won: $(cat out)"
[ "$(grep -c '^Same model = .*rvm-train -s 3 ' out)" = 1 ] || fail "no command: $(cat out)"
! grep -q 'not compared' out || fail "compared with none: $(cat out)"

# The same for other orders and threads; the seconds do not count.
sort rows >sorted
"$BIN/rvm-train" -q -s 3 --threads 2 --auto sorted other >out || fail "--auto fails"
[ ! -s out ] || fail "-q: $(cat out)"
grep -v '^rows ' model >a
grep -v '^rows ' other >b
cmp a b || fail "the order of the rows or the threads change the model"

# Classes: log losses and shares.
train --auto classes model
grep -q '^candidate  *prior  *gamma  *log loss' out || fail "classes: $(cat out)"
awk '/^screened/ { exit } NR > 1 && !/%/ { exit 1 }' out || fail "errors are no shares: $(cat out)"

# Nothing to learn: a constant, and it says so.
awk 'BEGIN { seed = 7; for (i = 0; i < 40; i++) {
    for (k = 0; k < 3; k++) { seed = seed * 16807 % 2147483647; u[k] = seed / 2147483647 }
    print u[0] " 1:" u[1] " 2:" u[2] } }' >noise
train -s 3 --auto noise model
grep -q '^Chosen = a constant (the best candidate, .*, gains .* on it)$' out || fail "noise: $(cat out)"
grep -q '[*]$' out && fail "a star where nothing is learned: $(cat out)"
[ "$(sed -n 's/^total_rv //p' model)" = 0 ] || fail "vectors where nothing is learned"

# Other options close what they say, before --auto and behind.
train -s 3 --select linear,rbf --prior flat --auto rows model
[ "$(kernels)" = "$(printf 'linear\nrbf')" ] || fail "--select before --auto: $(cat out)"
awk '/^screened/ { exit } NR > 1 && / kernel / { exit 1 }' out || fail "--prior flat: $(cat out)"
train -s 3 --auto --kernel polynomial -d 2 -b 0 rows model
[ "$(kernels)" = polynomial ] || fail "--kernel: $(cat out)"
grep -q 'd=3' out && fail "-d 2: $(cat out)"
grep -q '^Held-out' out && fail "-b 0: $(cat out)"
train -s 3 -g 0.05 -t 2 --auto rows model
awk '$1 == "rbf" && $(NF - 1) != "+-" && / ard/ { exit 1 }' out || fail "-g and length-scales: $(cat out)"
! grep -q '^Gamma = .*chosen' out || fail "a gamma that is given is chosen: $(cat out)"
train --auto --ard iris model # no single width says what these are worth in the screen
awk '/^Chosen/ { exit } NR > 1 && / ard / { n++ } END { exit n < 3 }' out || fail "--ard: $(cat out)"
grep -Eq '^Chosen = .* ard, .* (ahead of|behind) ' out || fail "--ard: $(cat out)"
train -s 3 --auto -g auto rows other
train -s 3 --auto rows model
cmp model other || fail "-g auto is not what --auto does"

# -v: each fold its own.
"$BIN/rvm-train" -q -s 3 -t 0 --auto -v 3 rows >out || fail "-v fails"
grep -q '^Cross Validation Mean squared error' out || fail "no result of -v: $(cat out)"

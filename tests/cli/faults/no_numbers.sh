# Where a number is due there is one: limits that are known are taken, anything else is refused with the
# place of its row, exit 1 and no output.
set -u
fail() { echo "$*" >&2; exit 1; }

refuse() { # WORDS TOOL WORD...
    words=$1 tool=$2
    shift 2
    "$BIN/$tool" "$@" >out 2>err
    [ $? = 1 ] || fail "$tool $*: exit is not 1"
    [ "$(cat err)" = "$words" ] || fail "$tool $* says: $(cat err)"
    [ ! -s out ] || fail "$tool $* writes: $(cat out)"
}

# Far along the second feature every draw is sure of a class: 1 and 0, the class that of the sign.
"$BIN/rvm-train" -q --method gibbs --samples 50 --burn-in 20 --chains 2 -t 0 "$DATA/ripley.train" drawn ||
    fail "training fails"
printf '1 2:1e3\n1 2:1e90\n1 2:-1e90\n1 1:1e300 2:-1e300\n' >far
"$BIN/rvm-predict" -b 1 far drawn out >scores 2>&1 || fail "prediction fails"
[ "$(sed -n '2p' out)" = '1 1 0' ] || [ "$(sed -n '2p' out)" = '-1 0 1' ] || fail "near: $(cat out)"
[ "$(sed -n '3p' out)" = "$(sed -n '2p' out)" ] || fail "far: $(cat out)"
[ "$(sed -n '3p;4p' out | sort)" = "$(printf -- '-1 0 1\n1 1 0')" ] || fail "on the other side: $(cat out)"
[ "$(wc -l <out)" -eq 5 ] || fail "rows are missing"
! grep -Eiq 'nan|inf' out scores || fail "no numbers: $(cat out scores)"

# A kernel value beyond the range: the row of the file, in a later block too.
"$BIN/rvm-train" -q -t 1 "$DATA/ripley.train" cube || fail "training fails"
printf '1 1:1\n1 1:1e200\n' >bad
refuse 'rvm-predict: bad:2:1: a kernel value is out of range: scale the data' rvm-predict -q bad cube new
awk 'BEGIN { for (i = 1; i < 5000; i++) print "1 1:1"; print "1 1:-1e300"; print "1 1:1e300" }' >bad
refuse 'rvm-predict: bad:5000:1: a kernel value is out of range: scale the data' rvm-predict -q bad cube new
[ ! -e new ] || fail "a part of the predictions"

# A score is a number, the largest one at the end.
printf '1e300 1:1\n-1e300 1:0.5\n' >bad
"$BIN/rvm-train" -q -s 3 -t 0 "$DATA/ripley.train" line || fail "training fails"
"$BIN/rvm-predict" bad line out >scores 2>&1 || fail "prediction fails: $(cat scores)"
grep -q '^Mean squared error = 1.79769e+308 ' scores || fail "says: $(cat scores)"
grep -q '^Mean negative log predictive density = [0-9.e+]*$' scores || fail "says: $(cat scores)"

# Noise below what rounding leaves of the targets, with any method; nothing is left of a model.
printf '1 1:1\n2 1:2\n3 1:3\n5 1:4\n' >four
for method in auto gibbs mackay em sequential; do
    refuse 'rvm-train: ERROR: noise variance is 1e-200; targets as large as 5 are rounded by more: at least 1.2326e-30 is needed' \
        rvm-train -q -s 3 --method $method --noise-variance 1e-200 four new
done
left=$(find . -name '.*' ! -name . ; find . -name new)
[ -z "$left" ] || fail "files are left: $left"

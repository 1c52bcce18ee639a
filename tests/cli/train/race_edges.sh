# --auto where there is little to find, or something that it cannot do.
set -u
fail() { echo "$*" >&2; exit 1; }
refuse() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" "$@" none >out 2>err && fail "$* is accepted"
    [ ! -s out ] || fail "$*: $(cat out)"
    grep -q -e "$words" err || fail "$*: $(cat err)"
    [ ! -e none ] || fail "$* leaves a model"
}
sound() { # OPTION... DATA
    "$BIN/rvm-train" "$@" model >out 2>err || fail "$* fails: $(cat err)"
    "$BIN/rvm-predict" -q rows model predicted || fail "$*: no valid model"
    ! grep -q -e nan -e inf predicted || fail "$*: predicts no number"
    ! grep -qw -e nan -e inf out || fail "$*: no number: $(cat out)"
    rm model
}

awk 'NR % 4 == 1' "$DATA/friedman1.train" >rows
awk 'NR % 3 == 0' "$DATA/ripley.train" >classes

refuse '^rvm-train: --auto=0: seconds, more than 0' -s 3 --auto=0 rows
refuse '^rvm-train: --auto=x: seconds' -s 3 --auto=x rows
refuse '^rvm-train: --auto=-1: seconds' -s 3 --auto=-1 rows
refuse '^rvm-train: --auto=: seconds' -s 3 --auto= rows
refuse 'equals sign: --auto=5 ' -s 3 --auto 5 rows
printf "1 0:1 1:2 2:1\n2 0:2 1:1 2:2\n" >matrix
refuse 'ERROR: --auto cannot compare .* precomputed' -s 3 --auto -t 4 matrix
cp rows 5 # a file of that name is one
sound -s 3 -t 0 --auto 5

head -n 1 rows >one
head -n 5 rows >five
awk '{ $1 = 3; print }' rows >equal
awk '{ $1 = -1; print }' classes >single
awk '{ $1 = $1 "," 2 * $1 "," NR; print }' rows >outputs
awk '{ print $1 }' rows >bare
for words in 'one' 'five' 'equal' 'bare' '-t 0 outputs' '--kernel none rows' '-t 6 --no-bias rows' \
    '--basis quadratic -t 0 rows' '--prior gamma:1,1 -t 5 rows' '--noise-variance 1 -t 2 -d 2 rows'; do
    # shellcheck disable=SC2086 # several words
    sound -s 3 --auto $words
done
for words in 'single' '-t 3 classes' '--method mackay -t 2 classes' '--multiclass ovr -t 0 classes' \
    '--method gibbs --samples 50 --burn-in 50 -t 2 classes'; do
    # shellcheck disable=SC2086 # several words
    sound --auto $words
done
# One target or class is the end of it: no table, and nothing is called chosen.
"$BIN/rvm-train" -s 3 --auto equal model >out 2>err || fail "equal targets: $(cat err)"
! grep -q -e candidate -e chosen out || fail "equal targets are compared: $(cat out)"
grep -q 'not compared with any other' out || fail "equal targets: $(cat out)"

# Features of one size: the note that they are not is for those who asked for none.
awk '{ $2 = "1:" 100000 * substr($2, 3); print }' rows >uneven
"$BIN/rvm-train" -s 3 -t 0 --auto uneven model >out 2>err || fail "uneven: $(cat err)"
! grep -q ranges err || fail "ranges: $(cat err)"
grep -q '^Features standardized' out || fail "not standardised: $(cat out)"

# Splines want features of 0 and more.
"$BIN/rvm-train" -s 3 --auto --select linear,spline rows model >out 2>err || fail "splines: $(cat err)"
grep -q '^spline ' out || fail "splines do not take part: $(cat out)"
! grep -q '^Features standardized' out || fail "splines are standardised: $(cat out)"

# Sparse rows, as of texts, stay as they are.
awk 'BEGIN { seed = 11; for (i = 0; i < 60; i++) { printf "%d", i % 2 ? 1 : -1; w = 0
    for (k = 0; k < 12; k++) { seed = seed * 16807 % 2147483647; w += 1 + seed % 8000
        printf " %d:1", k == 0 ? 1 + i % 2 : w }
    print "" } }' >text
"$BIN/rvm-train" --auto -t 0 text model >out 2>err || fail "text: $(cat err)"
! grep -q '^Features standardized' out || fail "text is standardised: $(cat out)"

"$BIN/rvm-train" -q -s 3 -t 0 --auto rows /dev/full 2>err && fail "a full disk is no error"
grep -q "can't save model" err || fail "a full disk: $(cat err)"
exit 0

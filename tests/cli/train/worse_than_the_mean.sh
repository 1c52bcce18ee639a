# A note tells of a model that would predict other rows worse than the mean of the targets, and what
# to do.  Friedman's third function of four inputs, whose ranges go from 1 to 1759, and noise: rows
# are so far apart that nearly each is a vector and no noise is left, which is not to be said.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
    BEGIN {
        pi = 3.14159265
        seed = 4
        for (i = 0; i < 30; i++) {
            a = 100 * uniform()
            b = pi * (40 + 520 * uniform())
            c = uniform()
            d = 1 + 10 * uniform()
            noise = 0.1 * (uniform() + uniform() + uniform() - 1.5)
            print atan2(b * c - 1 / (b * d), a) + noise, "1:" a, "2:" b, "3:" c, "4:" d
        }
    }' >raw
"$BIN/rvm-scale" -l 0 raw >scaled

# Squared error by cross-validation, as a share of the variance, is above or below 1.
compare() {
    "$BIN/rvm-train" -q -s 3 -v 5 "$1" | awk -v word="$2" '
        NR == FNR && /squared error/ { error = $NF }
        NR != FNR { n++; s += $1; q += $1 * $1 }
        END { exit (error > q / n - s * s / n / n ? "above" : "below") != word }' - "$1"
}
compare raw above || fail 'raw rows do no harm'
compare scaled below || fail 'scaled rows do not help'

note='^rvm-train: other rows are predicted worse than by the mean of the targets alone: squared error 1\.[0-9]* times as large (estimate by leaving out one row); scale the features with --standardize (their ranges go from [0-9.]* to [0-9.e+]*); -g auto finds the width of the kernel$'
"$BIN/rvm-train" -s 3 raw model >out 2>err || fail "fails: $(cat err)"
grep -q "$note" err || fail "raw: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fail "more than a note: $(cat err)"
awk 'NR == FNR && $1 == "noise_variance" { noise = $2 }
    NR != FNR { n++; s += $1; q += $1 * $1 }
    END { exit !(noise < 1e-6 * (q / n - s * s / n / n)) }' model raw || fail 'some noise is left'
"$BIN/rvm-train" -q -s 3 raw model 2>err || fail "fails: $(cat err)"
[ ! -s err ] || fail "with -q: $(cat err)"
"$BIN/rvm-train" -s 3 scaled model >out 2>err || fail "fails: $(cat err)"
! grep -q 'worse than' err || fail "scaled: $(cat err)"

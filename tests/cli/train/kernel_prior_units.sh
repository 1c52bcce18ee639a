# --prior kernel with kernels of any size: features in other units, rows of very different norm, and
# targets whose variance has no room among the numbers.
set -u
fail() { echo "$*" >&2; exit 1; }

# t = x1 - 2 x2 and noise in the place of a random number: a linear function of 60 rows.
rows() { # UNIT TARGETS
    awk -v unit="$1" -v targets="$2" 'BEGIN {
        for (i = 1; i <= 60; i++) {
            x = (i * 0.618034) % 1 - 0.5; y = (i * 0.754878) % 1 - 0.5
            e = (i * 0.569840) % 1 - 0.5
            printf "%.9g 1:%.9g 2:%.9g\n", targets * (x - 2 * y + 0.1 * e), unit * x, unit * y
        }
    }'
}
figures() { # FILE
    "$BIN/rvm-train" -q -s 3 -t 0 --prior kernel "$1" model || fail "$1 fails"
    "$BIN/rvm-predict" "$1" model out 2>said | sed -n 's/^Mean squared error = \([^ ]*\).*/\1/p'
}
rows 1 1 >one
rows 1e-5 1 >small
rows 1e5 1 >large
mse=$(figures one)
awk -v m="$mse" 'BEGIN { exit !(m < 0.0015) }' || fail "a linear function has an error of $mse"
for unit in small large; do
    other=$(figures $unit)
    awk -v a="$mse" -v b="$other" 'BEGIN { d = a - b; exit !(d * d < 1e-6 * a * a) }' ||
        fail "features in other units: $other for $mse"
done

# Powers of features up to 10: k(z,z) from 1 to 1e9. A row that is a point is not chosen again.
awk 'BEGIN {
    for (i = 1; i <= 90; i++) {
        x = (i * 0.618034) % 1 * 10; y = (i * 0.754878) % 1
        label = (x * y > 2) ? 1 : (x > 5) ? 2 : 3
        printf "%d 1:%.6g 2:%.6g\n", label, x, y
    }
}' >norms
for degree in 3 5; do
    "$BIN/rvm-train" -q -t 1 -d $degree -r 1 --prior kernel norms model || fail "degree $degree"
    "$BIN/rvm-predict" -q norms model out || fail "degree $degree: the model cannot be read"
    sed -n '/^RV/,/^end/p' model | grep ':' | cut -d' ' -f4- | sort | uniq -d | grep -q . &&
        fail "degree $degree: a vector stands there twice"
done

# A model that could not be read again is not written.
rows 1 1e-160 >tiny
rm -f model
"$BIN/rvm-train" -q -s 3 -g 1 --prior kernel tiny model 2>said && fail "targets of 1e-160 pass"
grep -q 'scale the \(data\|targets\)' said || fail "$(cat said)"
[ ! -e model ] || fail "a model is left"

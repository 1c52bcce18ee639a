# Small data through training and prediction with every kernel; `make valgrind` runs this one.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN { for (i = 0; i < 24; i++)
    print (i % 2 ? "+1" : -1) " 1:" (i % 2 ? 1 : -1) + (i % 5) / 10 " 3:" (i % 7) / 7 }' >classes
awk 'BEGIN { for (i = 0; i < 24; i++) print 3 + i / 12 + (i % 3) / 50 " 1:" i / 12 - 1 }' >line

for kernel in linear polynomial rbf laplacian spline; do
    "$BIN/rvm-train" -q -g 0.5 -r 1 -d 2 --kernel $kernel classes model || fail "$kernel fails"
    "$BIN/rvm-predict" classes model out >scores 2>err || fail "$kernel: $(cat err)"
    grep -qxF 'Accuracy = 100% (24/24) (classification)' scores || fail "$kernel: $(cat scores)"

    "$BIN/rvm-train" -q -s 3 -g 0.5 -r 1 -d 2 --kernel $kernel line model || fail "$kernel fails"
    "$BIN/rvm-predict" --variance line model out >scores 2>err || fail "$kernel: $(cat err)"
    # A line from 3 to 5 with noise below 0.02.
    awk '/^Mean/ { exit !($5 < 0.01) }' scores || fail "$kernel: $(cat scores)"
done

# -s 1 is -s 0, -s 4 is -s 3; kernels by name are those by number; the seed gives the same bytes.
set -u
fail() { echo "$*" >&2; exit 1; }

same() { # DATA -- OPTIONS THAT -- OPTIONS THAT GIVE THE SAME
    data=$DATA/$1 first=$2 second=$3
    "$BIN/rvm-train" -q $first "$data" a || fail "$first fails"
    "$BIN/rvm-train" -q $second "$data" b || fail "$second fails"
    cmp a b || fail "$first and $second differ"
}
same ripley.train '-s 0 -g 2' '-s 1 -n 0.3 -g 2'
same mcycle '-s 3 -g 0.1' '-s 4 -g 0.1'
same mcycle '-s 3 -g 0.1' '-s 3 -g 0.1 --seed 1 --threads 1'
same mcycle '-s 3 -g 0.1 --threads 1' '-s 3 -g 0.1 --threads 2'
same ripley.train '-g 2 --seed 7' '-g 2 --seed 7'
same ripley.train '-g 0' '-g 0.5'

number=0
for name in linear polynomial rbf sigmoid precomputed laplacian spline; do
    if [ $name != precomputed ]; then
        same sinc.train "-s 3 -g 0.2 -t $number" "-s 3 -g 0.2 --kernel $name"
        grep -qx "kernel_type $name" a || fail "-t $number is not $name"
        "$BIN/rvm-predict" -q "$DATA/sinc.test" a out || fail "no prediction with $name"
    fi
    number=$((number + 1))
done
# The last of -t and --kernel counts.
same sinc.train '-s 3 -t 0 --kernel spline' '-s 3 --kernel linear -t 6'

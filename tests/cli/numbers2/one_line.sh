# A straight line is one function beside the bias, however many rows say so: 2 x + 3 with noise of
# standard deviation 0.01, by both engines, for one and several outputs, and two classes.
set -u
fail() { echo "$*" >&2; exit 1; }

line='BEGIN {
    srand(4)
    for (i = 0; i < rows; i++) {
        x = 10 * rand() - 5
        e[1] = e[2] = 0
        for (k = 0; k < 12; k++) { e[1] += (rand() - 0.5) * 0.01; e[2] += (rand() - 0.5) * 0.02 }
        if (what == "classes") printf "%d 1:%.6f\n", (x + 300 * e[1] > 0) ? 1 : -1, x
        else if (what == "outputs") printf "%.6f,%.6f 1:%.6f\n", 2 * x + 3 + e[1], 1 - x + e[2], x
        else printf "%.6f 1:%.6f\n", 2 * x + 3 + e[1], x
    } }'

one() { # OPTION... (of `rows` rows in the file `data`)
    "$BIN/rvm-train" "$@" -t 0 data model >out 2>err || fail "$rows rows, $*: $(cat err)"
    [ ! -s err ] || fail "$rows rows, $*: says $(cat err)"
    grep -qx 'Relevance vectors = 1' out || fail "$rows rows, $*: $(cat out)"
}

for rows in 10 20 1500; do
    awk -v rows=$rows "$line" >data
    one -s 3
    printf '0 1:10\n0 1:-20\n' | "$BIN/rvm-predict" -q - model values || fail "cannot be used"
    paste -s -d ' ' values | awk '{ exit !($1 > 22.9 && $1 < 23.1 && $2 > -37.2 && $2 < -36.8) }' ||
        fail "$rows rows: $(cat values)"
done
for rows in 6 20; do
    awk -v rows=$rows -v what=outputs "$line" >data
    one -s 3
done
rows=1500
awk -v rows=$rows -v what=classes "$line" >data
one -s 0

# The examples are compiled against the installed library, shared and static, and run: one trains and
# saves a model, the other one serves it, and rvm-predict says of it the same.
set -eu
# shellcheck source=tests/cli/library/setup.inc
. "$SRC/tests/cli/library/setup.inc"

for example in train serve; do
    compile $example "$SRC/examples/$example.c"
    compile_static $example.static "$SRC/examples/$example.c"
done
./train sinc.model >out
./train.static sinc.static >out.static
cmp out out.static
cmp sinc.model sinc.static
grep -q '^[1-9][0-9]* of 80 rows are relevance vectors' out
# sin(x)/x is 0.959 at 1/2, and 0.1 sin(1000 i) has a deviation of 0.071.
awk '/^f\(0.5\)/ { near = $3 - 0.959 } /^noise/ { noise = $2 - 0.071 }
    END { exit !(near * near < 0.0025 && noise * noise < 0.0004) }' out || { cat out; exit 1; }

printf '%s\n' -8 -4 0.5 4 8 >requests
./serve sinc.model <requests >answers 2>said
./serve.static sinc.model <requests 2>/dev/null | cmp - answers
grep -q '^5 requests, .* microseconds each$' said
sed 's/^/0 1:/' requests >rows
"$BIN/rvm-predict" -q --variance rows sinc.model predicted
paste -d ' ' answers predicted | awk '
    function off(a, b) { return (a - b) ^ 2 > 1e-18 * (a ^ 2 + b ^ 2) }
    NF != 4 || off($1, $3) || off($2, $4) { print; bad = 1 }
    END { exit bad || NR != 5 }'

# Classes: a probability for each, in the order of the labels.
"$BIN/rvm-train" -q "$DATA/iris" iris.model
sed -n '1p;51p;101p' "$DATA/iris" | sed 's/^[^ ]* //; s/[0-9]*://g' | ./serve iris.model >classes \
    2>/dev/null
awk 'NF != 4 || $1 != NR || ($2 + $3 + $4 - 1) ^ 2 > 1e-16 || $(1 + NR) < 0.5 { print; bad = 1 }
    END { exit bad || NR != 3 }' classes
! ./serve out 2>fault || exit 1
grep -q '^serve: not a model file' fault

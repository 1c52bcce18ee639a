# What rvm-train writes, rvm-predict reads: targets that are all 0 make a model that predicts 0, and
# targets whose squares leave the range of numbers make none.
set -eu

fail() { echo "$*"; exit 1; }

printf '0 1:1\n0 1:2\n0 1:3\n' >zeros
"$BIN/rvm-train" -q -s 3 zeros model || fail "training fails on zeros"
"$BIN/rvm-predict" -q --variance zeros model out || fail "prediction fails on zeros"
awk '$1 != 0 || !($2 >= 0 && $2 < 1e-100) { exit 1 }' out || fail "not 0 with next to no variance: $(cat out)"

for power in 160 -160; do
    awk -v p="1e$power" '{ $1 *= p; print }' "$DATA/mcycle" >far
    if "$BIN/rvm-train" -q -s 3 -g 0.1 far model 2>err; then
        "$BIN/rvm-predict" -q far model out || fail "1e$power: a model that cannot be read"
    else
        [ "$(wc -l <err)" = 1 ] && grep -q 'scale' err || fail "1e$power: says $(cat err)"
    fi
done

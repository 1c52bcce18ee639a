# SIGKILL while there is nothing to write yet: no file is left, since none has been made.
set -u
fail() { echo "$*" >&2; exit 1; }

cp "$DATA/ripley.train" data
"$BIN/rvm-train" -q data model || fail "training fails"
echo old >old
mkfifo pipe || { echo "no named pipes here"; exit 77; }
ls -A >before

# Draws without end; whenever the signal comes, it is before the last of them.
for target in old new; do
    "$BIN/rvm-train" -q --method gibbs --samples 10 --burn-in 100000000 data $target &
    tool=$!
    sleep 0.3
    ls -A | cmp - before || fail "files while there is nothing to write"
    kill -9 $tool
    wait $tool 2>err
    [ $? = 137 ] || fail "training has ended by itself: $(cat err)"
    rm -f err
    ls -A | cmp - before || fail "files are left"
done
[ "$(cat old)" = old ] || fail "an old file is changed"

# Rows that do not come: standard input stays open, and is a row short of its end.
{ printf '1 1:0.5'; sleep 5; } >pipe &
writer=$!
"$BIN/rvm-predict" -q pipe model new &
tool=$!
sleep 0.2
ls -A | cmp - before || fail "files while there is nothing to write"
kill -9 $tool
wait $tool
[ $? = 137 ] || fail "prediction has ended by itself"
kill $writer
ls -A | cmp - before || fail "files are left"

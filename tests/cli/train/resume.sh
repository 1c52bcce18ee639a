# --resume: from each checkpoint the model and the summary of a training that was not stopped; one that
# was killed leaves a checkpoint, whatever the moment.
set -u
. "$SRC/tests/cli/train/resume.inc"

head -60 "$DATA/friedman1.train" >few
sed -n '1,60p;130,190p' "$DATA/ripley.train" >two
resume_some -s 3 -g 0.3 --threads 1 few
[ $count -ge 1 ] || fail "no checkpoint of a search"
resume_some -g 4 -b 1 two
resume_some -s 3 -g auto -b 1 few
[ $count -ge 3 ] || fail "$count checkpoints of a choice"
resume_some -s 3 --ard --prior kernel few
resume_some --select rbf,linear -b 1 two
resume_some --auto two
resume_some -b 1 --prior kernel "$DATA/iris"
resume_some -s 3 --vectors 5 --standardize "$DATA/linnerud"
resume_some --method gibbs -g 4 --burn-in 20 --samples 40 two
resume_some --method em -s 3 few

# Threads, rows in another order, and a checkpoint that goes on.
train whole -s 3 -g auto few
sort -r few >turned
"$BIN/rvm-train" -q -s 3 -g auto --checkpoint ck few first || fail "no checkpoint"
train again -s 3 -g auto --threads 3 --resume ck --checkpoint ck few
cmp whole again || fail "another model by other threads"
"$BIN/rvm-train" -q -s 3 -g auto turned of_turned
"$BIN/rvm-train" -q -s 3 -g auto --resume ck turned again || fail "rows in another order are refused"
cmp of_turned again || fail "another model of rows in another order"

# Killed at any moment: the file is whole or is not there, and the old model as it was.
for delay in 0.1 0.3 0.6 1; do
    rm -f ck
    echo old >model
    "$BIN/rvm-train" -q -s 3 -g auto -b 1 --checkpoint ck --checkpoint-every 0 few model &
    sleep $delay
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ -f ck ] || continue
    train again -s 3 -g auto -b 1 --resume ck few
    "$BIN/rvm-train" -q -s 3 -g auto -b 1 few whole
    cmp whole again || fail "another model after a kill"
done
rm -f .rvm-*
exit 0

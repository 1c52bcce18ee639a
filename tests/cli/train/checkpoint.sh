# --checkpoint and --resume: what is refused, in one line, with exit 1.
set -u
fail() { echo "$*" >&2; exit 1; }

head -40 "$DATA/friedman1.train" >few
refuse() { # PATTERN WORD...
    pattern=$1
    shift
    echo old >model
    "$BIN/rvm-train" -q "$@" model >out 2>err
    [ $? = 1 ] || fail "$*: exit is not 1"
    [ "$(wc -l <err)" = 1 ] || fail "$*: $(cat err)"
    grep -q "$pattern" err || fail "$*: says $(cat err), not $pattern"
    [ "$(cat model)" = old ] || fail "$*: the old model is gone"
}

"$BIN/rvm-train" -q -s 3 -g 0.3 --checkpoint ck few model || fail "no checkpoint"
[ "$(head -c 17 ck)" = 'rvm_checkpoint 1 ' ] || fail "begins with $(head -n 1 ck)"
refuse 'another -g$' -s 3 -g 0.2 --resume ck few
refuse 'another --prior$' -s 3 -g 0.3 --prior kernel --resume ck few
refuse 'another -m$' -s 3 -g 0.3 -m 100 --resume ck few
refuse 'another --seed$' -s 3 -g 0.3 --seed 2 --resume ck few
refuse 'of other data: 40 rows of 1 targets; here are 39 of 1' -s 3 -g 0.3 --resume ck \
    "$(sed 1d few >fewer; echo fewer)"
sed 's/1:0/1:1/' few >other
refuse 'of other data, if as many rows' -s 3 -g 0.3 --resume ck other
refuse ': nowhere: No such file' -s 3 -g 0.3 --resume nowhere few
refuse ': few:1:1: this is no checkpoint' -s 3 -g 0.3 --resume few few
sed '$d' ck >torn
lines=$(wc -l <torn)
refuse ": torn:$lines:1: the file is cut short" -s 3 -g 0.3 --resume torn few
tr 5 6 <ck >changed
refuse "changed:$((lines + 1)):1: the file is damaged" -s 3 -g 0.3 --resume changed few
: >empty
refuse ': empty:1:1: this is no checkpoint' -s 3 -g 0.3 --resume empty few
refuse "can't save checkpoint to file none/ck: No such file" -s 3 --checkpoint none/ck few
refuse 'would write to few' -s 3 --checkpoint few few
refuse 'would write to model' -s 3 --checkpoint model few

wrong() { # PATTERN WORD...
    pattern=$1
    shift
    "$BIN/rvm-train" "$@" few model >out 2>err && fail "$*: exit 0"
    grep -q -e "$pattern" err || fail "$*: says $(cat err)"
}
wrong 'not for cross-validation' -s 3 -v 3 --checkpoint new
wrong 'a bound of seconds' -s 3 --auto=5 --checkpoint new
wrong 'is for --checkpoint' -s 3 --checkpoint-every 5
wrong 'seconds, 0 or more' -s 3 --checkpoint new --checkpoint-every -1
wrong 'needs a file' -s 3 --checkpoint -

# What cannot be written is told once, and there is a model.
if [ -c /dev/full ]; then
    "$BIN/rvm-train" -q -s 3 -g auto few whole
    "$BIN/rvm-train" -q -s 3 -g auto --checkpoint /dev/full --checkpoint-every 0 few model 2>err ||
        fail "no model without checkpoints"
    [ "$(cat err)" = "rvm-train: can't save checkpoint to file /dev/full: No space left on device; \
training goes on" ] || fail "a full disk: $(cat err)"
    cmp whole model || fail "another model without checkpoints"
fi
exit 0

# No space left, at every output of every tool: the reason in one line, exit 1, what was there before
# as it was, and nothing of ours left.
set -u
fail() { echo "$*" >&2; exit 1; }
reason='No space left on device'

"$BIN/rvm-train" -q -b 1 -g 4 "$DATA/ripley.train" model || fail "training fails"
if [ -c /dev/full ]; then
    refuse() { # WORDS; the status is that of the command before
        [ $? = 1 ] || fail "$1: exit is not 1"
        [ "$(grep -c "$reason" err)" = 1 ] || fail "$1: says: $(cat err)"
    }
    "$BIN/rvm-train" -b 1 -g 4 "$DATA/ripley.train" new >/dev/full 2>err
    refuse "summary of training"
    cmp model new || fail "the model is not whole"
    "$BIN/rvm-train" -q "$DATA/ripley.train" /dev/full 2>err
    refuse "model"
    "$BIN/rvm-train" -q "$DATA/ripley.train" - >/dev/full 2>err
    refuse "model on stdout"
    "$BIN/rvm-train" -q -v 2 "$DATA/ripley.train" >/dev/full 2>err
    refuse "cross-validation"
    "$BIN/rvm-train" -q -g 4 --method gibbs --burn-in 5 --samples 20 --trace /dev/full \
        "$DATA/ripley.train" drawn 2>err
    refuse "trace"
    for b in 0 1; do
        "$BIN/rvm-predict" -b $b -q "$DATA/ripley.test" model >/dev/full 2>err
        refuse "predictions on stdout"
        "$BIN/rvm-predict" -b $b "$DATA/ripley.test" model /dev/full >out 2>err
        refuse "predictions"
        ! grep -q Accuracy out || fail "a score of predictions that are lost: $(cat out)"
    done
    "$BIN/rvm-predict" "$DATA/ripley.test" model predictions >/dev/full 2>err
    refuse "summary of prediction"
    "$BIN/rvm-scale" "$DATA/ripley.test" >/dev/full 2>err
    refuse "scaled rows"
    "$BIN/rvm-scale" -s /dev/full "$DATA/ripley.test" >out 2>err
    refuse "ranges"
    for tool in rvm-train rvm-predict rvm-scale; do
        for word in --help --version; do
            "$BIN/$tool" $word >/dev/full 2>err
            refuse "$tool $word"
        done
    done
fi

# A disk of eight pages, in a name space of its own.
cat >inside <<'END'
set -u
fail() { echo "$*" >&2; exit 1; }
mount -t tmpfs -o size=32k none small || exit 77
cd small || exit 1
cp ../model old
cp old range
cp old predictions
cat /dev/zero >fill 2>/dev/null
files=$(ls -A)
refuse() { # WORDS
    [ $? = 1 ] || fail "$1: exit is not 1"
    [ "$(wc -l <../err)" = 1 ] || fail "$1: not one line: $(cat ../err)"
    grep -q "$reason" ../err || fail "$1: says: $(cat ../err)"
    [ "$(ls -A)" = "$files" ] || fail "$1: files are left: $(ls -A)"
    for file in old range predictions; do
        cmp ../model $file || fail "$1: $file was changed"
    done
}
"$BIN/rvm-train" -q "$DATA/ripley.train" old 2>../err
refuse "old model"
"$BIN/rvm-train" -q "$DATA/ripley.train" new 2>../err
refuse "new model"
"$BIN/rvm-predict" -q "$DATA/ripley.test" old predictions 2>../err
refuse "predictions"
"$BIN/rvm-scale" -s range "$DATA/ripley.test" 2>../err >../out
refuse "ranges"
[ ! -s ../out ] || fail "rows are scaled by ranges that are lost"
# Some of it finds room: the first rows, and not the others.
head -c 4096 /dev/zero >fill
files="$files
rows"
"$BIN/rvm-scale" "$DATA/ripley.test" >rows 2>../err
refuse "scaled rows"
: >rows
"$BIN/rvm-predict" -b 1 -q "$DATA/ripley.test" old >rows 2>../err
refuse "predictions on stdout"
END
export reason
mkdir small
unshare -rm true 2>/dev/null || { echo "no name spaces here: the small disk is left out"; exit 77; }
unshare -rm sh ./inside

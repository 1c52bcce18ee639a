# A model that cannot be written: the reason, exit 1, and an older model as it was.
set -u
fail() { echo "$*" >&2; exit 1; }

train() {
    "$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" "$1" >out 2>err
    status=$?
    [ ! -s out ] || fail "text on stdout: $(cat out)"
    return $status
}
train no_folder/model && fail "a model in no folder passes"
grep -q "^rvm-train: can't save model to file no_folder/model: " err || fail "reads: $(cat err)"
mkdir folder
train folder && fail "a folder as model passes"
grep -q "^rvm-train: can't save model to file folder: " err || fail "reads: $(cat err)"
if [ -w /dev/full ]; then
    train /dev/full && fail "a full disk passes"
    grep -q "^rvm-train: can't save model to file /dev/full: " err || fail "reads: $(cat err)"
    "$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" - >/dev/full 2>err && fail "full stdout passes"
    [ -s err ] || fail "full stdout: no reason given"
    "$BIN/rvm-train" -s 3 -g 0.1 -v 2 "$DATA/mcycle" >/dev/full 2>err && fail "full stdout passes"
    [ -s err ] || fail "full stdout with -v: no reason given"
fi

echo precious >model
printf '1 1:x\n' >bad
"$BIN/rvm-train" -q bad model 2>err && fail "bad data pass"
[ "$(cat model)" = precious ] || fail "the old model is gone"
[ "$(ls)" = "bad
err
folder
model
out" ] || fail "files are left: $(ls)"

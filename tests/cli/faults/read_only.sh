# A folder in which nothing can be made: the reason in one line, exit 1, and before the work begins.
set -u
fail() { echo "$*" >&2; exit 1; }

cp "$DATA/ripley.train" data
"$BIN/rvm-train" -q data model || fail "training fails"

check() { # in folder `locked`
    "$BIN/rvm-train" data locked/model >out 2>err && fail "a model passes"
    grep -Eqx "rvm-train: can't save model to file locked/model: (Read-only file system|Permission denied)" err ||
        fail "says: $(cat err)"
    [ ! -s out ] || fail "writes: $(cat out)"
    "$BIN/rvm-predict" data model locked/predictions >out 2>err && fail "predictions pass"
    grep -Eqx "rvm-predict: can't open output file locked/predictions: (Read-only file system|Permission denied)" err ||
        fail "says: $(cat err)"
    [ ! -s out ] || fail "writes: $(cat out)"
    "$BIN/rvm-scale" -s locked/range data >out 2>err && fail "ranges pass"
    grep -Eqx "rvm-scale: can't open file locked/range: (Read-only file system|Permission denied)" err ||
        fail "says: $(cat err)"
    [ ! -s out ] || fail "writes: $(cat out)"
    (cd locked && "$BIN/rvm-train" -q ../data 2>../err) && fail "a model in the current folder passes"
    [ "$(wc -l <err)" -eq 1 ] || fail "says: $(cat err)"
    [ "$(ls -A locked)" = old ] || fail "files are left: $(ls -A locked)"
    # Data that are read only can be read.
    (cd locked && "$BIN/rvm-train" -q old ../model) || fail "reading there fails"
}

mkdir locked
if [ "$(id -u)" != 0 ]; then # permissions do not bind root
    cp data locked/old
    chmod 555 locked
    (check)
    status=$?
    chmod 755 locked
    exit $status
fi
unshare -m true 2>/dev/null || { echo "root, and no name spaces here"; exit 77; }
{
    sed -n '/^fail()/p; /^check()/,/^}/p' "$0"
    echo 'mount -t tmpfs none locked || exit 77'
    echo 'cp data locked/old && mount -o remount,ro locked && check'
} >inside
unshare -m sh ./inside

# More than two classes: this version says that it cannot, and leaves no model.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" "$DATA/iris" model >out 2>err
[ $? = 1 ] || fail "no exit 1"
grep -qx 'ERROR: the data have 3 classes, and this version trains two' err || fail "$(cat err)"
[ ! -s out ] || fail "stdout: $(cat out)"
[ ! -e model ] || fail "a model is left"
"$BIN/rvm-train" -v 5 "$DATA/iris" >out 2>err && fail "-v passes"
[ ! -s out ] || fail "-v prints: $(cat out)"

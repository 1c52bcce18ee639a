# Targets of a regression taken for classes: a note before training where there are more than 20
# classes and fewer than three rows for each, once; no note otherwise, none with -q, none with -s 3.
set -u
fail() { echo "$*" >&2; exit 1; }

rows() { # ROWS CLASSES
    awk -v n="$1" -v c="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%d 1:%g\n", i % c, i % c + i / n }'
}
notes() { grep -c 'regression is -s 3' err; }
rows 62 21 >many
"$BIN/rvm-train" --restarts 1 many model >out 2>err || fail "many classes fail: $(cat err)"
grep -qx 'rvm-train: 21 classes in 62 rows; regression is -s 3' err || fail "no note: $(cat err)"
[ "$(notes)" = 1 ] || fail "$(notes) notes"
"$BIN/rvm-train" --restarts 1 -v 2 many >out 2>err || fail "cross-validation fails"
[ "$(notes)" = 1 ] || fail "$(notes) notes in cross-validation"
"$BIN/rvm-train" --restarts 1 -q many model 2>err || fail "-q fails"
[ "$(notes)" = 0 ] || fail "a note with -q"
"$BIN/rvm-train" -s 3 many model >out 2>err || fail "-s 3 fails"
[ "$(notes)" = 0 ] || fail "a note with -s 3"
rows 63 21 >enough
"$BIN/rvm-train" --restarts 1 enough model >out 2>err || fail "three rows a class fail"
[ "$(notes)" = 0 ] || fail "a note with three rows a class"
rows 20 20 >few
"$BIN/rvm-train" --restarts 1 few model >out 2>err || fail "20 classes fail"
[ "$(notes)" = 0 ] || fail "a note with 20 classes"

# Options that libsvm has and a relevance vector machine does not use: one note, none with -q.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -s 3 -h 0 -c 8 -g 0.1 "$DATA/mcycle" model >out 2>err || fail "fails: $(cat err)"
[ "$(grep -c ignored err)" = 1 ] || fail "not one note: $(cat err)"
grep -qx 'rvm-train: -c, -h ignored: not used by relevance vector machines' err ||
    fail "the note reads: $(cat err)"
! grep -q ignored out || fail "the note is on stdout"

"$BIN/rvm-train" -s 4 -n 0.5 -p 0.2 -g 0.1 "$DATA/mcycle" model >out 2>err || fail "fails"
grep -qx 'rvm-train: -n, -p ignored: not used by relevance vector machines' err ||
    fail "the note reads: $(cat err)"

"$BIN/rvm-train" -q -c 8 -h 1 -p 1 -n 1 -s 3 -g 0.1 "$DATA/mcycle" model >out 2>err || fail "fails"
! grep -q ignored err || fail "a note in spite of -q"
"$BIN/rvm-train" -s 3 -g 0.1 "$DATA/mcycle" model >out 2>err || fail "fails"
! grep -q ignored err || fail "a note without cause"

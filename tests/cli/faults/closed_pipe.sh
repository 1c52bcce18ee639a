# A reader that goes away ends the tools silently, by SIGPIPE; one that ignores the signal is told.
set -u
fail() { echo "$*" >&2; exit 1; }

# Whoever runs the tests may ignore the signal, and sh cannot undo that.
env --default-signal=PIPE true 2>/dev/null || { echo "no env --default-signal here"; exit 77; }

"$BIN/rvm-train" -q "$DATA/ripley.train" model || fail "training fails"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    cat "$DATA/ripley.test"
done >data
silent() { # WORD...
    tool=$BIN/$1
    shift
    { env --default-signal=PIPE "$tool" "$@" 2>err; echo $? >status; } | head -n 1 >first
    [ ! -s err ] || fail "$* says: $(cat err)"
    [ -s first ] || fail "$* writes nothing"
    status=$(cat status)
    [ "$status" = 141 ] || fail "$*: exit $status, not 141 (SIGPIPE)"
}
silent rvm-predict -q data model
silent rvm-predict data model -
silent rvm-predict -q -b 1 data model
silent rvm-scale data

told() {
    tool=$BIN/$1
    shift
    { (trap '' PIPE; exec "$tool" "$@" 2>err); echo $? >status; } | head -n 1 >first
    [ "$(cat status)" = 1 ] || fail "ignored signal, $*: exit $(cat status)"
    [ "$(wc -l <err)" -eq 1 ] && grep -q 'Broken pipe' err || fail "$* says: $(cat err)"
}
told rvm-predict -q data model
told rvm-scale data
[ "$(ls -A)" = "$(printf 'data\nerr\nfirst\nmodel\nstatus')" ] || fail "files are left: $(ls -A)"

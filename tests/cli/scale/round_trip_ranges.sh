# What -s saves, -r restores: the same bytes for the same data; a file read back saves as itself.

fail() { echo "$*" >&2; exit 1; }

for name in boston iris; do
    for options in '' '-l 0' '-l -0.3 -u 0.7 -y 0 1'; do
        # shellcheck disable=SC2086 # options are words
        "$BIN/rvm-scale" $options -s range "$DATA/$name" >learned 2>/dev/null ||
            fail "$name [$options]: exit $?"
        "$BIN/rvm-scale" -r range "$DATA/$name" >restored 2>/dev/null || fail "-r: exit $?"
        [ -s learned ] || fail "$name [$options]: no output"
        cmp -s learned restored || fail "$name [$options]: restored rows differ"
        # The first rows alone come out the same too: nothing but the file counts.
        head -n 5 "$DATA/$name" >first
        "$BIN/rvm-scale" -r range first >restored 2>/dev/null || fail "-r first: exit $?"
        head -n 5 learned >want
        cmp -s restored want || fail "$name [$options]: first rows differ"
    done
done

# Scaling what is scaled already changes the text of no value but by the rounding to 6 digits.
"$BIN/rvm-scale" "$DATA/iris" >once 2>/dev/null || fail "once: exit $?"
"$BIN/rvm-scale" once >twice 2>/dev/null || fail "twice: exit $?"
cmp -s once twice || fail "scaling twice is not scaling once"
exit 0

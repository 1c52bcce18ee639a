# libsvm's warnings of an index 0 and of data that become denser; exit 0.

fail() { echo "$*" >&2; exit 1; }

printf '1 0:2 1:1\n2 0:4\n3 1:2\n' >data
"$BIN/rvm-scale" -s range data >got 2>messages || fail "exit $?"
# Index 0 is scaled where it is, not filled in, and not stored.
printf '1 0:-1 \n2 0:1 1:-1 \n3 1:1 \n' >want
cmp -s got want || fail "gave: $(cat got)"
printf 'x\n-1 1\n1 0 2\n' >want
cmp -s range want || fail "range file: $(cat range)"
cat >want <<'END'
rvm-scale: WARNING: minimal feature index is 0, but indices should start from 1
rvm-scale: WARNING: scaling factors with indices smaller than 1 are not stored to the file range.
END
cmp -s messages want || fail "said: $(cat messages)"

printf '1 1:1\n2 2:1\n3 3:1\n' >data
"$BIN/rvm-scale" data >got 2>messages || fail "exit $?"
cat >want <<'END'
rvm-scale: WARNING: original #nonzeros 3
rvm-scale:        > new      #nonzeros 9
rvm-scale: If feature values are non-negative and sparse, use -l 0 rather than the default -l -1
END
cmp -s messages want || fail "said: $(cat messages)"

"$BIN/rvm-scale" -l 0 data >got 2>messages || fail "exit $?"
[ ! -s messages ] || fail "said: $(cat messages)"

# A single row has no ranges; with -r it does.
printf '1 1:5 2:7\n' >row
"$BIN/rvm-scale" row >got 2>messages || fail "exit $?"
[ "$(cat got)" = '1 ' ] || fail "one row gave: $(cat got)"
grep -q '^rvm-scale: one row has no ranges, .* -r$' messages || fail "said: $(cat messages)"
printf 'x\n-1 1\n1 0 10\n2 0 14\n' >range
printf '1 1:0 2:0 \n' >want
"$BIN/rvm-scale" -r range row >got 2>messages || fail "exit $?"
[ ! -s messages ] || fail "said: $(cat messages)"

# -q: the same rows without a warning; an error all the same.
for options in '' '-r range' '-s range2'; do
    # shellcheck disable=SC2086 # several words
    "$BIN/rvm-scale" $options data >want 2>/dev/null || fail "exit $?"
    # shellcheck disable=SC2086
    "$BIN/rvm-scale" -q $options data >got 2>messages || fail "-q $options: exit $?"
    cmp -s got want || fail "-q $options gave: $(cat got)"
    [ ! -s messages ] || fail "-q $options said: $(cat messages)"
done
printf '1 0:2 1:1\n2 0:4\n' >zero
"$BIN/rvm-scale" -q -s range zero >got 2>messages || fail "exit $?"
[ ! -s messages ] || fail "-q said: $(cat messages)"
printf 'y\n0 1\nx\n-1 1\n1 0 2\n' >range
"$BIN/rvm-scale" -q no_such 2>messages && fail "-q no_such: exit 0"
[ -s messages ] || fail "-q is silent about an error"
exit 0

# One input and classes: a curve of probability for the first of two classes, or for each of more;
# rows of two classes stand at 1 and 0.
set -u
. "$SRC/tests/cli/plot/setup.inc"

sed 's/ 2:.*//' "$DATA/ripley.train" >data
"$BIN/rvm-train" -q -g 4 data model || fail "training fails"
"$plot" data model figure.gp || fail "fails"
block curve figure.gp | awk '{ print 0, "1:" $1 }' >asked
"$BIN/rvm-predict" -q -b 1 asked model answers || fail "prediction fails"
sed 1d answers | cut -d ' ' -f 2,3 >probabilities
block curve figure.gp | cut -d ' ' -f 2,3 | cmp - probabilities || fail "another curve"
grep -q 'using 1:2 with lines lw 2 dt 1' figure.gp && ! grep -q 'using 1:3' figure.gp ||
    fail "not one curve"
grep -qx 'label 1 -1' model || fail "the test expects the labels 1 -1"
[ "$(block class1 figure.gp | cut -d ' ' -f 2 | sort | uniq -c | tr -s ' ')" = ' 125 1' ] ||
    fail "class 1 is not at 1"
[ "$(block class2 figure.gp | cut -d ' ' -f 2 | sort | uniq -c | tr -s ' ')" = ' 125 0' ] ||
    fail "class -1 is not at 0"
[ "$(count vectors figure.gp)" = "$(sed -n 's/^total_rv //p' model)" ] || fail "not total_rv circles"
block vectors figure.gp >circles
{ block class1 figure.gp; block class2 figure.gp; } | sort -u >rows
[ "$(sort -u circles | comm -12 - rows | wc -l)" = "$(sort -u circles | wc -l)" ] ||
    fail "circles that are not at rows"

sed 's/ [124]:[^ ]*//g' "$DATA/iris" >iris
"$BIN/rvm-train" -q iris three || fail "training fails"
"$plot" iris three three.gp || fail "fails"
block curve three.gp | awk '{ print 0, "3:" $1 }' >asked
"$BIN/rvm-predict" -q -b 1 asked three answers || fail "prediction fails"
sed 1d answers | cut -d ' ' -f 2-4 >probabilities
block curve three.gp | cut -d ' ' -f 2-4 | cmp - probabilities || fail "other curves"
for k in 1 2 3; do
    grep -q "using 1:$((k + 1)) with lines lw 2 dt $k " three.gp || fail "no curve of class $k"
    [ "$(count class$k three.gp)" = 50 ] || fail "rows of class $k are lost"
done

# One class: certain everywhere.
printf '5 1:1\n5 1:2\n5 1:3\n' >one
"$BIN/rvm-train" -q one certain 2>err || fail "training fails: $(cat err)"
"$plot" one certain certain.gp || fail "fails"
[ "$(block curve certain.gp | cut -d ' ' -f 2 | sort -u)" = 1 ] || fail "not certain"
clean

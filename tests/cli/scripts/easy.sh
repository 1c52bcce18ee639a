# libsvm's easy.py: scale, search, train, scale, predict, with our tools under libsvm's names at
# the places where the script looks for them.
set -u
fail() { echo "$*" >&2; exit 1; }

easy=$(command -v svm-easy) && grid=$(command -v svm-grid) && command -v python3 >/dev/null ||
    { echo "libsvm's scripts are not installed"; exit 77; }
mkdir tools bin
for tool in train predict scale; do
    ln -s "$BIN/rvm-$tool" svm-$tool
done
ln -s "$(command -v python3)" bin/python
# A file of that name tells easy.py that a gnuplot exists, and grid.py that none is wanted.
: >tools/null
sed 's|/usr/bin/gnuplot|null|' "$easy" >tools/easy.py
# grid.py with the ranges of C and width at their defaults is 110 runs; 4 do here.
printf '#!/bin/sh\nexec python3 "%s" -log2c -1,1,2 -log2g -3,1,4 "$@"\n' "$grid" >tools/grid.py
chmod +x tools/grid.py
sed -n '1,50p; 126,175p' "$DATA/ripley.train" >tools/train
sed -n '1,100p; 501,600p' "$DATA/ripley.test" >tools/test
cd tools || exit 1
PATH=$PWD/../bin:$PATH timeout 200 python3 easy.py train test >out 2>err || fail "exit $?: $(cat err)"

for file in train.range train.scale train.model test.scale test.predict; do
    [ -s $file ] || fail "no $file: $(cat out err)"
done
grep -Eqx 'Best c=0\.5, g=(0\.125|2\.0) CV rate=[0-9.]+' out || fail "the search: $(cat out)"
[ "$(wc -l <test.predict)" -eq 200 ] || fail "not 200 predictions"
# Half of the rows are of each class; the best possible rule errs in 8 % of all.
accuracy=$(sed -n 's/^Accuracy = \([0-9.]*\)%.*/\1/p' out)
awk -v a="$accuracy" 'BEGIN { exit !(a > 80) }' || fail "accuracy: $accuracy: $(cat out)"
right=$(cut -d ' ' -f 1 test | paste - test.predict | awk '$1 == $2' | wc -l)
grep -qF "($right/200)" out || fail "the predictions have $right right: $(grep Accuracy out)"

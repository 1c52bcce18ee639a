# The examples in the README run word for word: every line that begins with a dollar sign is a command.
# They run on a third of the rows, since what is tried here is that the commands are right.
set -eu

for tool in rvm-train rvm-predict rvm-scale; do
    ln -s "$BIN/$tool" $tool
done
mkdir tools
ln -s "$SRC/tools/rvm-plot" tools/
mkdir data
for file in "$DATA"/*; do
    [ ! -f "$file" ] || awk 'NR % 3 == 1' "$file" >"data/${file##*/}"
done
sed -n '/^Three examples$/,/^Where to read on$/s/^    \$ //p' "$SRC/README" >tour
[ "$(wc -l <tour)" -ge 8 ] || { echo "the README has too few commands"; exit 1; }
while read -r command; do
    case $command in
        *rvm-plot*) command -v gnuplot >/dev/null || continue ;; # which not everybody has
    esac
    sh -c "$command" </dev/null >out 2>err || { echo "fails: $command"; cat out err; exit 1; }
done <tour

# The tour in the README runs word for word: every line that begins with a dollar sign is a command.
set -eu

for tool in rvm-train rvm-predict rvm-scale; do
    ln -s "$BIN/$tool" $tool
done
mkdir tools
ln -s "$SRC/tools/rvm-plot" tools/
ln -s "$DATA" data
sed -n '/^Five minutes$/,/^Options$/s/^    \$ //p' "$SRC/README" >tour
[ "$(wc -l <tour)" -ge 8 ] || { echo "the README has too few commands"; exit 1; }
while read -r command; do
    case $command in
        *rvm-plot*) command -v gnuplot >/dev/null || continue ;; # which not everybody has
    esac
    sh -c "$command" </dev/null >out 2>err || { echo "fails: $command"; cat out err; exit 1; }
done <tour

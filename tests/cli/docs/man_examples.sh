# The commands in the manual pages run as they are printed, one page after the other, with the tools
# in PATH and the shipped files beside them; on few of the rows, as in readme_tour.sh.
set -eu

PATH=$BIN:$SRC/tools:$PATH
for file in "$DATA"/*; do
    [ ! -f "$file" ] || awk "NR % 12 == 1" "$file" >"${file##*/}"
done
cp iris text # of the reader's own

# In lines between .nf and .fi; `\-` is a dash, and `\e` at the end of a line goes on with the next one.
for page in rvm-train rvm-predict rvm-scale rvm-plot; do
    sed -n '/^\.nf/,/^\.fi/p' "$SRC/man/$page.1" | sed 's/\\-/-/g; s/\\e/\\/g'
done | awk '/^(rvm-[a-z]+|gnuplot|grid\.py) / || more { print; more = /\\$/ }' >tour
[ "$(wc -l <tour)" -ge 20 ] || { echo "the pages have too few commands"; cat tour; exit 1; }

# What not everybody has is left out, or has another name with Debian.
mkdir stubs
stub() { printf '#!/bin/sh\n%s\n' "$2" >"stubs/$1" && chmod +x "stubs/$1"; }
gnuplot -e 'set terminal pngcairo' 2>/dev/null || { stub rvm-plot '' && stub gnuplot ''; }
if svm_grid=$(command -v svm-grid); then
    stub grid.py "exec python3 '$svm_grid' \"\$@\""
else
    stub grid.py ''
fi
PATH=$PWD/stubs:$PATH
sh -ex tour >out 2>err || { tail -n 3 err; exit 1; }

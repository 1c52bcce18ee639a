# make install puts tools, library, manual pages and completions where they belong, the installed copy
# runs, and make uninstall takes all of it away again.
set -eu

run_make() {
    make --no-print-directory -C "$SRC" FLAVOUR="$FLAVOUR" PREFIX=/usr DESTDIR="$PWD/root" \
        MADE_FOLDERS="$PWD/folders" "$1" >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
}

# One folder is there already, and empty: it stays.
mkdir -p root/usr/share
run_make install
run_make install # a second time, when all folders are there
mpi=rvm-train-mpi # where there is an MPI
[ -x "$BIN/$mpi" ] || mpi=
for tool in rvm-train rvm-predict rvm-scale rvm-plot $mpi; do
    [ -x "root/usr/bin/$tool" ] || { echo "no root/usr/bin/$tool"; exit 1; }
    leaks= # MPI itself leaves memory behind
    [ "$tool" != "$mpi" ] || leaks=detect_leaks=0
    ASAN_OPTIONS=$leaks "root/usr/bin/$tool" --version >version
    grep -q "^$tool " version || { echo "$tool --version says: $(cat version)"; exit 1; }
done
for file in lib/librvm-ml.so lib/librvm-ml.so.0 lib/librvm-ml.a; do
    [ -s "root/usr/$file" ] || { echo "no root/usr/$file"; exit 1; }
done
cmp "$SRC/lib/door/rvm_ml.h" root/usr/include/rvm-ml/rvm_ml.h
cmp "$SRC/python/rvm_ml.py" root/usr/share/rvm-ml/rvm_ml.py
grep -qx 'prefix=/usr' root/usr/lib/pkgconfig/rvm-ml.pc
for page in man3/rvm-ml.3 man1/rvm-train.1 man1/rvm-predict.1 man1/rvm-scale.1 man1/rvm-plot.1 man5/rvm-model.5 man7/rvm-tools.7 \
    ${mpi:+"man1/$mpi.1"}; do
    cmp "$SRC/man/${page#*/}" "root/usr/share/man/$page"
done

for tool in rvm-train rvm-predict rvm-scale rvm-plot; do
    grep -q -- --version "root/usr/share/bash-completion/completions/$tool"
    grep -q -- --version "root/usr/share/zsh/site-functions/_$tool"
done

printf '1 1:0 2:5\n-1 1:4 2:3\n' >data
[ "$(root/usr/bin/rvm-scale -l 0 data)" = "1 2:1 
-1 1:1 " ] || { echo "the installed rvm-scale does not scale"; exit 1; }
"root/usr/bin/rvm-train" -q -s 3 "$DATA/mcycle" model
root/usr/bin/rvm-plot "$DATA/mcycle" model figure.gp || { echo "the installed rvm-plot fails"; exit 1; }

run_make uninstall
left=$(find root ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
[ "$(find root | sort | tr '\n' ' ')" = 'root root/usr root/usr/share ' ] ||
    { echo "folders: $(find root)"; exit 1; }
run_make uninstall # nothing is left to do

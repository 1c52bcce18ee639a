# make dist writes the same bytes each time, for any umask; from its archive alone, in an empty folder,
# the tools are built and installed.  Version and symbols in debian/ are those of the sources.
set -eu

version=$(sed -n 's/^#define RVM_VERSION "\(.*\)"/\1/p' "$SRC/lib/rvm.h")
[ "$(sed -n '1s/^rvm-tools (\(.*\)).*/\1/p' "$SRC/debian/changelog")" = "$version" ] ||
    { echo "debian/changelog has another version than $version"; exit 1; }
sed 's|/\*.*||' "$SRC/lib/door/rvm_ml.h" | tr -s ' \n' '  ' | tr ';' '\n' |
    sed -n 's/.*RVMML_API[^(]*\(rvmml_[a-z0-9_]*\)(.*/\1/p' | sort >declared
sed -n 's/^ \(rvmml_.*\)@Base .*/\1/p' "$SRC/debian/librvm-ml0.symbols" | diff declared - ||
    { echo "debian/librvm-ml0.symbols has other functions than the header"; exit 1; }

[ "$FLAVOUR" = release ] || { echo "the archive is the same for $FLAVOUR"; exit 77; }
git -C "$SRC" rev-parse -q --verify HEAD >commit 2>&1 || { echo "needs git and its history"; exit 77; }
[ "$(git -C "$SRC" rev-parse --show-prefix)" = "" ] || { echo "git knows another folder"; exit 77; }

run_make() { make --no-print-directory "$@" >log 2>&1 || { cat log; exit 1; }; }
run_make -C "$SRC" dist DIST="$PWD/one/a.tar.gz"
sleep 1 # so that the clock is another
(umask 077 && run_make -C "$SRC" dist DIST="$PWD/two/b.tar.gz")
cmp one/a.tar.gz two/b.tar.gz

mkdir fresh
(cd fresh && gzip -dc ../one/a.tar.gz | tar xf -)
[ "$(ls fresh)" = "rvm-tools-$version" ] || { echo "the archive has $(ls fresh)"; exit 1; }
# Quickly, as what the optimiser does is no matter of the archive.
run_make -C "fresh/rvm-tools-$version" FLAVOUR=release CFLAGS='-O0 -g0' PREFIX=/usr DESTDIR="$PWD/root" \
    MADE_FOLDERS="$PWD/folders" install
root/usr/bin/rvm-train -q -s 3 "$DATA/linnerud" model
root/usr/bin/rvm-predict "$DATA/linnerud" model out >scores
[ -s out ] && [ -s root/usr/lib/librvm-ml.so.0 ]

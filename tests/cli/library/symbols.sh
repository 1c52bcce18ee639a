# The shared library shows the functions of its header and nothing else, and so does the static one;
# the soname is that of the manual page.
set -eu
# shellcheck source=tests/cli/library/setup.inc
. "$SRC/tests/cli/library/setup.inc"
command -v nm >/dev/null || { echo 'needs nm'; exit 77; }

sed 's|/\*.*||' root/include/rvm-ml/rvm_ml.h | tr -s ' \n' '  ' | tr ';' '\n' |
    sed -n 's/.*RVMML_API[^(]*\(rvmml_[a-z0-9_]*\)(.*/\1/p' | sort >wanted
[ "$(wc -l <wanted)" -ge 50 ] || { echo 'the header has too few functions'; cat wanted; exit 1; }
[ "$FLAVOUR" = release ] || { echo "sanitizers add names of their own"; exit 77; }
nm -D --defined-only root/lib/librvm-ml.so | awk '{ print $NF }' | sort >shared
diff wanted shared
nm -g --defined-only root/lib/librvm-ml.a | awk 'NF == 3 { print $NF }' | sort >static
diff wanted static
objdump -p root/lib/librvm-ml.so | awk '$1 == "SONAME" { print $2 }' | grep -qx 'librvm-ml.so.0'
grep -q 'librvm-ml.so.0' "$SRC/man/rvm-ml.3"

# The manual page has them all.
tr -cs 'a-z0-9_' '\n' <"$SRC/man/rvm-ml.3" | sort -u >words
grep -v '_free$' wanted | comm -23 - words >missing
[ ! -s missing ] || { echo 'rvm-ml(3) does not name'; cat missing; exit 1; }

# What README, HACKING, bench/README and lib/README name is there: files, functions and targets of
# make; and REFERENCES has every paper that the sources cite by author and year.
set -u

here=$PWD
cd "$SRC" || exit 1
texts='README HACKING bench/README lib/README'

# NAME, FOLDER and CASE stand for something.
grep -ohE '\b(lib|tests|bench|man|tools)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' $texts | sort -u |
    grep -v 'NAME\|FOLDER\|CASE' | while read -r path; do
    [ -e "$path" ] || echo "there is no $path"
done >"$here/missing"
sed -n '/^The chain of types/,/^base/s/^    rvm_[a-z_]* *\([a-z]*\/[a-z_]*\) .*/\1/p' lib/README |
    while read -r path; do
        [ -e "lib/$path.c" ] || [ -e "lib/$path.h" ] || echo "there is no lib/$path.c"
    done >>"$here/missing"

cat lib/rvm.h lib/*/*.[ch] tests/*.[ch] rvm-*.c >"$here/source"
grep -ohE '\b(rvm_[a-z_]+[a-z]|[a-z]+_by_[a-z]+|set_[a-z]+|names_and_numbers|vector_kernels)\b' $texts |
    sort -u | while read -r word; do
    grep -qw -- "$word" "$here/source" || echo "no source has $word"
done >>"$here/missing"

grep -ohE '(^ +|\`)make [a-z-]+' $texts | sort -u | while read -r _ target; do
    grep -qE "^([a-z ]+ )?$target( [a-z-]+)*:" Makefile || echo "make has no target $target"
done >>"$here/missing"

# Author (year), Author and Other (year), with or without brackets: one paper of the list, a line of
# its own with all its lines joined, has the last of these names and the year.
awk '/^[A-Z]/ { print entry; entry = "" } { entry = entry " " $0 } END { print entry }' REFERENCES \
    >"$here/papers"
grep -ohE "\b[A-Z][A-Za-z]*[a-z](,? et al\.| and others)?,? \(?(19|20)[0-9][0-9]\b" \
    lib/rvm.h lib/*/*.[ch] rvm-*.c tests/*.[ch] bench/*.[ch] bench/*.sh man/*.[15] README |
    sed -E 's/^([A-Za-z]+)[^0-9]*([0-9]+)$/\1 \2/' | sort -u | while read -r author year; do
    case $author in Of | From | RVMs | Press | Statistics) continue ;; esac # no authors
    grep -q "\b$author\b.*$year" "$here/papers" ||
        echo "REFERENCES has no paper of $author, $year"
done >>"$here/missing"

cat "$here/missing"
[ ! -s "$here/missing" ]

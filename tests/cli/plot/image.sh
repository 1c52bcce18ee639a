# What gnuplot is asked for: terminal and size by the image file's ending, which then is there whole.
# Without gnuplot, or when it fails, nothing is.
set -u
. "$SRC/tests/cli/plot/setup.inc"

"$BIN/rvm-train" -q -s 3 -t 6 "$DATA/sinc.train" sinc.model || fail "training fails"
"$plot" "$DATA/sinc.train" sinc.model want.gp || fail "fails"

stub_gnuplot
asks() { # TERMINAL WORD...
    terminal=$1
    shift
    "$plot" "$@" || fail "$*: fails"
    [ "$(sed -n 1p "$STUB/program")" = "set terminal $terminal" ] ||
        fail "$*: asks for: $(sed -n 1p "$STUB/program")"
}
png='font "Sans,11"' svg='font "sans-serif,13" background "white"'
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model
[ "$(cat sinc.svg)" = image ] || fail "no image in sinc.svg"
sed '1,2d; $d' "$STUB/program" | cmp - want.gp || fail "the program of the ending .gp is another one"
asks "pngcairo size 640,480 $png" "$DATA/sinc.train" sinc.model a.png
asks "pngcairo size 900,1000 $png" --size 900x1000 -- "$DATA/sinc.train" sinc.model a.b.png
asks "svg size 100,100 $svg" --size=100x100 "$DATA/sinc.train" sinc.model c.svg
asks "pdfcairo size 640./96,480./96 font \"Sans,9\" fontscale 1" "$DATA/sinc.train" sinc.model d.pdf
printf 'chain draw log_likelihood\n1 1 -5\n1 2 -7\n' >run.trace
asks "svg size 720,840 $svg" --trace run.trace
for file in a.png a.b.png c.svg d.pdf run.svg; do
    [ "$(cat $file)" = image ] || fail "no image in $file"
    rm $file
done

# A gnuplot without the cairo library.
sed -i.old 's/pdfcairo png pngcairo/png/' "$STUB/gnuplot"
asks 'png size 640,480' "$DATA/sinc.train" sinc.model a.png
rm a.png
refuse 'this gnuplot cannot write pdf' "$DATA/sinc.train" sinc.model a.pdf
mv "$STUB/gnuplot.old" "$STUB/gnuplot"

# Its mode is that of any new file; an old image is replaced, through a symbolic link too.
umask 027
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model new.svg
[ "$(ls -l new.svg | cut -c 1-10)" = '-rw-r-----' ] || fail "the mode: $(ls -l new.svg)"

# The mode of an image that is replaced stays, but for what makes programs run as somebody else.
umask 022
chmod 4660 new.svg
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model new.svg
[ "$(ls -l new.svg | cut -c 1-10)" = '-rw-rw----' ] || fail "another mode: $(ls -l new.svg)"
mkdir folder
echo old >folder/old.svg
ln -s folder/old.svg link.svg
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model link.svg
[ -h link.svg ] && [ "$(cat folder/old.svg)" = image ] || fail "the link is gone, or its file not new"
[ "$("$plot" "$DATA/sinc.train" sinc.model -)" = image ] || fail "nothing on standard output"
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model folder/new.svg
ln -s folder/further.svg dangling.svg
ln -s dangling.svg twice.svg
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model twice.svg
[ -h twice.svg ] && [ -h dangling.svg ] && [ "$(cat folder/further.svg)" = image ] || fail "not behind the link"
rm folder/further.svg
ln -s circle.svg circle.svg
refuse 'too many symbolic links' "$DATA/sinc.train" sinc.model circle.svg
ln -s /dev/null null.svg
asks "svg size 640,480 $svg" "$DATA/sinc.train" sinc.model null.svg
[ -h null.svg ] || fail "the link to a device is gone"

# gnuplot fails: its reason, and the old image stays.
: >"$STUB/fails"
echo old >folder/old.svg
refuse 'gnuplot fails: line 0: it does not work' "$DATA/sinc.train" sinc.model folder/old.svg
refuse 'gnuplot fails' "$DATA/sinc.train" sinc.model none.svg
[ "$(cat folder/old.svg)" = old ] || fail "the old image is lost"
[ "$(ls -A folder | tr '\n' ' ')" = 'new.svg old.svg ' ] || fail "files are left: $(ls -A folder)"

# No gnuplot: a PATH of everything else that the program needs.
mkdir few
for tool in awk cat cmp cut grep head ls mktemp mv readlink rm sed sh sort tail wc; do
    ln -s "$(command -v $tool)" few/
done
# shellcheck disable=SC2123 # nothing else is meant to be found
PATH=$PWD/few
refuse '^rvm-plot: gnuplot is not here; install the package gnuplot$' "$DATA/sinc.train" sinc.model b.svg
refuse 'gnuplot is not here' --trace run.trace b.png
"$plot" "$DATA/sinc.train" sinc.model again.gp || fail "the gnuplot program needs gnuplot"
cat want.gp | { read -r first; read -r _; [ "$first" = '$curve << END' ]; } || fail "no program"
clean

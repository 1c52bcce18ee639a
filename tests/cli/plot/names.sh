# Names of files: blanks, quotes and leading signs are no matter, `-` is standard input or output, and
# pipes are read; rvm-predict is beside the program, in the folder above, or in PATH.
set -u
. "$SRC/tests/cli/plot/setup.inc"

"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" model || fail "training fails"
"$plot" "$DATA/ripley.train" model want.gp || fail "fails"

mkdir "a \"folder\" of 'mine'"
cd "a \"folder\" of 'mine'" || exit 1
cp -- "$DATA/ripley.train" '-r ow=s $1 \n'
cp ../model 'mo$d`el'
"$plot" -- '-r ow=s $1 \n' 'mo$d`el' '-i "m" age.gp' || fail "odd names fail"
cmp -- ../want.gp './-i "m" age.gp' || fail "odd names change the figure"
"$plot" -- '-r ow=s $1 \n' - out.gp <'mo$d`el' && cmp ../want.gp out.gp || fail "a model from - fails"
"$plot" - 'mo$d`el' out.gp <'-r ow=s $1 \n' && cmp ../want.gp out.gp || fail "rows from - fail"
cd ..
mkfifo pipe
cat model >pipe &
"$plot" "$DATA/ripley.train" pipe out.gp && cmp want.gp out.gp || fail "a pipe fails"
rm pipe out.gp
refuse 'only one of data_file and model_file' - - a.gp
refuse 'name the image file' "$DATA/ripley.train" -
refuse 'name the image file' --trace -

# Where nothing is said the image is NAME.svg, in the current folder.
stub_gnuplot
mkdir models
for name in x.model x.y.model plain; do
    cp model models/$name
    "$plot" "$DATA/ripley.train" models/$name || fail "$name: fails"
done
[ -f x.svg ] && [ -f x.y.svg ] && [ -f plain.svg ] || fail "not the images: $(ls)"
[ "$(ls -A models | tr '\n' ' ')" = 'plain x.model x.y.model ' ] || fail "files beside the models"

mkdir -p above/tools path alone
cp "$SRC/tools/rvm-plot" above/tools/
ln -s "$BIN/rvm-predict" above/
above/tools/rvm-plot "$DATA/ripley.train" model above.gp && cmp want.gp above.gp ||
    fail "rvm-predict in the folder above is not found"
cp "$SRC/tools/rvm-plot" alone/
ln -s "$BIN/rvm-predict" path/
(PATH=path:$PATH && alone/rvm-plot "$DATA/ripley.train" model path.gp) && cmp want.gp path.gp ||
    fail "rvm-predict in PATH is not found"
(cd alone && PATH=$PWD/../path:$PATH && sh rvm-plot "$DATA/ripley.train" ../model ../sh.gp) &&
    cmp want.gp sh.gp || fail "sh rvm-plot fails"
if ! command -v rvm-predict >/dev/null; then
    plot=alone/rvm-plot
    refuse 'rvm-predict is neither beside this program nor in PATH' "$DATA/ripley.train" model a.gp
fi
clean

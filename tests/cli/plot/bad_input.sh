# Files that cannot be drawn: one line that says why, exit 1, no image.
set -u
. "$SRC/tests/cli/plot/setup.inc"

"$BIN/rvm-train" -q -s 3 -t 6 "$DATA/sinc.train" sinc.model || fail "training fails"
"$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" ripley.model || fail "training fails"
cp "$DATA/sinc.train" data

refuse "can't read data file nowhere: No such file" nowhere sinc.model a.gp
refuse "can't read model file nowhere: No such file" data nowhere a.gp
refuse "can't read data file bin: Is a directory" bin sinc.model a.gp
refuse "can't read model file bin: Is a directory" data bin a.gp

# What rvm-predict finds, with the names that the user gave.
: >empty
refuse '^rvm-plot: empty:1:1: no rows$' empty sinc.model a.gp
printf '1 1:2\n2 1:x\n' >text
refuse '^rvm-plot: text:2:3: ' text sinc.model a.gp
refuse '^rvm-plot: empty:1:1: ' data empty a.gp
head -n 12 sinc.model >short
refuse '^rvm-plot: short:' data short a.gp
refuse '^rvm-plot: ./data:1:1: ' sinc.model ./data a.gp
refuse '^rvm-plot: --interval needs a probability' --interval 2 data sinc.model a.gp
refuse '^rvm-plot: --interval x: expected a number' --interval x data sinc.model a.gp
refuse 'are for regression, and this model classifies' --interval 0.9 "$DATA/ripley.train" ripley.model a.gp

# Shapes that have no figure.
head -n 50 "$DATA/friedman1.train" >ten
awk 'NR % 3 == 1' "$DATA/iris" >four
"$BIN/rvm-train" -q -s 3 ten ten.model || fail "training fails"
refuse 'ten.model: the model has 10 inputs, and a figure shows one, or two of a classification$' \
    ten ten.model a.gp
sed 's/ [3-9]:[^ ]*//g; s/ 10:.*//' ten >two
"$BIN/rvm-train" -q -s 3 two two.model || fail "training fails"
refuse 'two.model: the model has 2 inputs' two two.model a.gp
"$BIN/rvm-train" -q four four.model || fail "training fails"
refuse 'four.model: the model has 4 inputs' four four.model a.gp
sed 's/^[^ ]*/&,1/' data >outputs
"$BIN/rvm-train" -q -s 3 outputs outputs.model || fail "training fails"
refuse 'outputs.model: the model has 2 outputs, and a figure shows one$' outputs outputs.model a.gp
printf '1 0:1 1:1 2:0.5\n2 0:2 1:0.5 2:1\n' >gram
"$BIN/rvm-train" -q -s 3 -t 4 gram gram.model || fail "training fails"
refuse 'gram.model: a model of a precomputed kernel has no inputs' gram gram.model a.gp
printf '1\n3\n' >bare
"$BIN/rvm-train" -q -s 3 -t 0 bare bare.model 2>err || fail "training fails: $(cat err)"
rm err
refuse 'bare.model: neither the rows nor the model have an input' bare bare.model a.gp

# Numbers whose differences are none.
printf '1 1:1e308\n-1 1:-1e308\n1 1:3\n-1 1:4\n' >wide
"$BIN/rvm-train" -q wide wide.model || fail "training fails"
refuse 'wide.model: feature 1 has values beyond 1e300, which cannot be drawn' wide wide.model a.gp
sed '3s/^[^ ]*/-2e305/' data >high
refuse 'sinc.model: the target has values beyond 1e300, which cannot be drawn' high sinc.model a.gp

# Images that cannot be written.
refuse 'ends in .svg, .png, .pdf or .gp: image.jpg' data sinc.model image.jpg
refuse 'ends in .svg, .png, .pdf or .gp: svg' data sinc.model svg
refuse "can't write image file nowhere/a.gp: no such folder" data sinc.model nowhere/a.gp
mkdir folder.gp
refuse "can't write image file folder.gp: it is a folder" data sinc.model folder.gp
cp data rows.gp
refuse 'rows.gp: input and output are the same file' rows.gp sinc.model ./rows.gp
cmp data rows.gp || fail "the rows are lost"
ln sinc.model model.gp
refuse 'sinc.model: input and output are the same file' data sinc.model model.gp
rm model.gp rows.gp

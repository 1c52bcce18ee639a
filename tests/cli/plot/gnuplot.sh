# Every kind of figure by gnuplot itself, some also as other images than SVG: of the size that was asked
# for, and no complaint.
set -u
. "$SRC/tests/cli/plot/setup.inc"

command -v gnuplot >/dev/null || { echo "no gnuplot here"; exit 77; }
sed 's/ 2:.*//' "$DATA/ripley.train" >one
awk 'NR % 3 == 1' "$DATA/iris" | sed 's/ [12]:[^ ]*//g' >iris
"$BIN/rvm-train" -q -s 3 -t 6 "$DATA/sinc.train" regression &&
    "$BIN/rvm-train" -q -g 4 "$DATA/ripley.train" two_inputs &&
    "$BIN/rvm-train" -q -g 4 one one_input &&
    "$BIN/rvm-train" -q iris three_classes || fail "training fails"
cp "$DATA/sinc.train" data.regression
cp "$DATA/ripley.train" data.two_inputs
cp one data.one_input
cp iris data.three_classes
awk 'BEGIN {
    print "chain draw log_likelihood sigma w0 linear:3 x1*x2"
    for (i = 0; i < 60; i++)
        print i % 3 + 1, int(i / 3) + 1, -50 + sin(i), 0.2, 2 + cos(7 * i), sin(3 * i), 1e-9 * i
}' >trace

check() { # IMAGE
    case $1 in
        *.png) # the signature, then width and height as four bytes each: 320 is 1 * 256 + 64
            [ "$(od -A n -t u1 -N 4 "$1" | tr -s ' ')" = ' 137 80 78 71' ] || fail "$1 is no PNG"
            [ "$(od -A n -t u1 -j 16 -N 8 "$1" | tr -s ' ')" = ' 0 0 1 64 0 0 0 240' ] ||
                fail "$1 is not 320 by 240"
            ;;
        *.svg)
            [ "$(tail -n 1 "$1")" = '</svg>' ] || grep -q '</svg>' "$1" || fail "$1 is no whole SVG"
            grep -q 'width="320" height="240"' "$1" || fail "$1 is not 320 by 240"
            ;;
        *.pdf) [ "$(head -c 5 "$1")" = '%PDF-' ] || fail "$1 is no PDF" ;;
    esac
}

endings='svg png'
case " $(gnuplot -d -e 'print GPVAL_TERMINALS' 2>&1) " in *' pdfcairo '*) endings="$endings pdf" ;; esac
for ending in $endings; do
    kinds='two_inputs regression'
    [ $ending != svg ] || kinds="$kinds one_input three_classes"
    for kind in $kinds; do
        "$plot" --size 320x240 data.$kind $kind $kind.$ending 2>err || fail "$kind.$ending: $(cat err)"
        [ ! -s err ] || fail "$kind.$ending: $(cat err)"
        check $kind.$ending
    done
    "$plot" --size 320x240 --trace trace trace.$ending 2>err || fail "trace.$ending: $(cat err)"
    check trace.$ending
done
for word in 'class 1' 'class -1' 'p(class 1) = 0.5' '0.25 and 0.75' 'relevance vectors' x1 x2; do
    grep -qF "$word" two_inputs.svg || fail "two_inputs.svg does not say $word"
done
for word in 'mean' 'rows' '2 standard deviations' target; do
    grep -qF "$word" regression.svg || fail "regression.svg does not say $word"
done
for word in 'log likelihood' w0 linear:3 'x1*x2' chain draws; do
    grep -qF "$word" trace.svg || fail "trace.svg does not say $word"
done

# Nothing comes between gnuplot's words: it is silent about the program alone too.
"$plot" data.two_inputs two_inputs program.gp || fail "fails"
gnuplot -d -e 'set terminal svg; set output "alone.svg"' program.gp >out 2>&1 || fail "$(cat out)"
[ ! -s out ] && [ -s alone.svg ] || fail "the program alone: $(cat out)"

# A file of a user's own that gnuplot reads at its start does not change the figure.
mkdir home
echo 'exit status 3' >home/.gnuplot
HOME=$PWD/home "$plot" --size 320x240 data.one_input one_input home.svg || fail "HOME matters"
cmp one_input.svg home.svg || fail "HOME matters"
clean

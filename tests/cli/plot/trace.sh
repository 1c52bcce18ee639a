# --trace: the log likelihood and the five weights of largest mean square, each with its draws chain by
# chain and a histogram that counts all of them.
set -u
. "$SRC/tests/cli/plot/setup.inc"

# 3 chains of 40 draws, one draw of each chain at a time; the weights have mean squares 9 (w0), 0.0001
# (w17), 16 (linear:3), 0.25 (w203), 1 (w5), 4 (x1*x2) and 0.04 (w8).
awk 'BEGIN {
    print "chain draw log_likelihood sigma w0 w17 linear:3 w203 w5 x1*x2 w8"
    for (draw = 1; draw <= 40; draw++)
        for (chain = 1; chain <= 3; chain++) {
            sign = draw % 2 ? 1 : -1
            print chain, draw, -100 - draw + 1000 * chain, 77, 3 * sign, 0.01, 4, 0.5 * sign, 1, -2, 0.2
        }
}' >run.trace
"$plot" --trace run.trace figure.gp || fail "fails"

names=$(sed -n 's/^set label 1 "\([^"]*\)".*/\1/p' figure.gp | tr '\n' ' ')
[ "$names" = 'log likelihood linear:3 w0 x1*x2 w5 w203 ' ] || fail "shows: $names"
[ "$(grep -c '^\$trace' figure.gp) $(grep -c '^\$bars' figure.gp)" = '6 6' ] || fail "not six panels"

awk 'BEGIN {
    for (chain = 1; chain <= 3; chain++) {
        for (draw = 1; draw <= 40; draw++)
            print ++position, -100 - draw + 1000 * chain
        print ""
    }
}' >want
block trace1 figure.gp | cmp - want || fail "other draws"
[ "$(block trace2 figure.gp | cut -d ' ' -f 2 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = ' 3 ; 120 4;' ] ||
    fail "other weights of linear:3"

# -140 ... -101 plus 1000, 2000 and 3000 lie in the first, the middle and the last bar of 11, whose
# width is 2039 / 11 = 185.4.
block bars1 figure.gp | awk '{ print $3 }' | tr '\n' ' ' >have
[ "$(cat have)" = '40 0 0 0 0 40 0 0 0 0 40 ' ] || fail "the histogram: $(cat have)"
for k in 1 2 3 4 5 6; do
    block bars$k figure.gp | awk '
        NR > 1 && $1 != high { print "a gap at " $1; bad = 1 }
        { high = $2; draws += $3 }
        END { exit bad || draws != 120 }' || fail "bars of panel $k"
done
# w0 is 3 or -3 by turns.
block bars3 figure.gp | sed -n '1p; $p' >ends
[ "$(cut -d ' ' -f 3 ends | tr '\n' ' ')" = '60 60 ' ] || fail "w0: $(cat ends)"

# Chains one behind the other in the file are the same figure; so is CRLF.
{ head -n 1 run.trace; sed 1d run.trace | sort -k 1,1n -k 2,2n; } >sorted
"$plot" --trace=sorted sorted.gp && cmp figure.gp sorted.gp || fail "the order of lines matters"
sed "s/\$/$(printf '\r')/" run.trace >crlf
"$plot" --trace crlf crlf.gp && cmp figure.gp crlf.gp || fail "CRLF matters"
"$plot" --trace - stdin.gp <run.trace && cmp figure.gp stdin.gp || fail "standard input fails"

# One draw, one chain, no weights, no sigma.
printf 'chain draw log_likelihood\n1 1 -5\n' >short
"$plot" --trace short short.gp || fail "a short trace fails"
[ "$(block trace1 short.gp)" = '1 -5' ] || fail "one draw: $(block trace1 short.gp)"
[ "$(grep -c '^\$bars' short.gp)" = 1 ] || fail "not one panel"

wrong() { # WORDS TEXT
    printf '%b' "$2" >wrong
    refuse "$1" --trace wrong wrong.gp
}
head='chain draw log_likelihood w0\n'
wrong '^rvm-plot: wrong: no draws' ''
wrong ': no draws' "$head"
wrong 'wrong:1: .*no columns' 'chain log_likelihood w0\n1 1 1\n'
wrong 'wrong:1: not a trace' 'chain draw log_likelihood "w0"\n1 1 1 1\n'
wrong 'wrong:3: 3 columns where the first line names 4' "${head}1 1 -5 2\n1 2 -5\n"
wrong 'wrong:2: 5 columns' "${head}1 1 -5 2 3\n"
wrong 'wrong:2: not a number that can be drawn: nan' "${head}1 1 nan 2\n"
wrong 'wrong:3: not a number that can be drawn: x' "${head}1 1 -5 2\n1 2 -5 x\n"
wrong 'wrong:2: not a number that can be drawn: 1e400' "${head}1 1 1e400 2\n"
refuse "can't read trace file nowhere: No such file" --trace nowhere wrong.gp
refuse "can't read trace file bin: Is a directory" --trace bin wrong.gp
clean

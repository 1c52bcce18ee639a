# Which inputs a figure has: zeros may be left out, indices be any, and those that predictions do not
# depend on are not counted.
set -u
. "$SRC/tests/cli/plot/setup.inc"

# An index that no row has 1 to 6 of; 0 is absent.
awk '{ split($2, pair, ":"); print $1, pair[2] == 0 ? "" : "7:" pair[2] }' "$DATA/mcycle" >data
printf '12.5\n' >>data
"$BIN/rvm-train" -q -s 3 -g 0.01 data model || fail "training fails"
"$plot" data model figure.gp || fail "fails"
grep -qx 'set xlabel "x7"' figure.gp || fail "another input"
[ "$(block rows figure.gp | tail -n 1)" = '12.5 0' ] || fail "a row without pairs is not at 0"
[ "$(count rows figure.gp)" = 134 ] || fail "rows are lost"

# The same in other words: CRLF, comments, signs, tabs.
awk '{ sub(/7:/, "\t+7:"); printf "%s # %s\r\n", $0, "9:9" }' data >odd
"$plot" odd model odd.gp || fail "fails"
cmp figure.gp odd.gp || fail "the same rows in other words make another figure"

# Ten inputs, of which the model names one or two.
"$plot" "$DATA/friedman1.train" - figure.gp <<'END' || fail "a model that names x4 fails"
rvm_model 1
task regression
kernel_type none
nr_class 2
total_rv 0
examples 9
noise_variance 0.25
noise_fixed 0
log_evidence -4.5
converged 1
bias 2 0.5 0
basis x4 10 8
basis x4*x4 -1 16
factor 1e9 0 0
factor 1e9 0
factor 1e9
RV
end
END
grep -qx 'set xlabel "x4"' figure.gp || fail "another input"
block curve figure.gp | awk '
    { d = $2 - (2 + 10 * $1 - $1 ^ 2) }
    d > 1e-9 || d < -1e-9 { print; bad = 1 }
    END { exit bad || NR == 0 }' || fail "another curve"

awk '{ print ($1 > 14 ? 1 : -1), $0 }' "$DATA/friedman1.train" | cut -d ' ' -f 1,3- >classes
"$plot" classes - figure.gp <<'END' || fail "a model of weights of x2 and x5 fails"
rvm_model 1
task classification
kernel_type rbf
gamma 1
eta 2:1 5:0.5
nr_class 2
label 1 -1
total_rv 1
examples 9
log_evidence -4.5
converged 1
probability 0
factor 1e9
RV
1.5 1 1:0.25 2:0.5 5:0.75 9:1
end
END
grep -qx 'set xlabel "x2"' figure.gp && grep -qx 'set ylabel "x5"' figure.gp || fail "other inputs"
[ "$(block vectors figure.gp)" = '0.5 0.75' ] || fail "the vector: $(block vectors figure.gp)"
block surface figure.gp | awk 'NF > 0 {
    d = $3 - 1.5 * exp(-($1 - 0.5) ^ 2 - 0.5 * ($2 - 0.75) ^ 2)
    if (d > 1e-4 || d < -1e-4) { print; bad = 1 } }
    END { exit bad }' || fail "another surface"

# The spread of one value is not nothing.
printf '1 1:3\n2 1:3\n' >same
"$BIN/rvm-train" -q -s 3 same constant 2>/dev/null || fail "training fails"
"$plot" same constant same.gp || fail "fails"
block curve same.gp | awk 'NR == 1 { a = $1 } { b = $1 } END { exit !(a < 3 && b > 3) }' ||
    fail "a range of nothing"
clean

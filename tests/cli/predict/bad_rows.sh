# A fault in a test row, or no row at all: named by its place, and no output file.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "fails"
echo precious >old

refuse() { # PLACE FILE
    "$BIN/rvm-predict" "$2" model old >out 2>err
    [ $? = 1 ] || fail "$2 does not exit with 1"
    grep -q "^rvm-predict: $2:$1: ." err || fail "$2: not at $1: $(cat err)"
    grep -qx "rvm-predict: Wrong input format at line ${1%:*}" err || fail "libsvm's words miss: $(cat err)"
    [ "$(cat old)" = precious ] || fail "$2: the old output is gone"
    "$BIN/rvm-predict" "$2" model new >out 2>err && fail "$2 passes"
    [ ! -s out ] || fail "$2: stdout: $(cat out)"
    [ ! -e new ] || fail "$2: an output file is left"
}
printf '1 1:1\n2 1:2\n3 1:x\n' >bad
refuse 3:3 bad
: >empty
refuse 1:1 empty
# The fault comes after thousands of good rows.
awk 'BEGIN { for (i = 0; i < 5000; i++) print "0 1:" i; print "0 1:1 1:2" }' >late
refuse 5001:7 late

"$BIN/rvm-predict" nothing model new 2>err && fail "a missing file passes"
grep -q "^rvm-predict: can't open input file nothing: " err || fail "reads: $(cat err)"
"$BIN/rvm-predict" . model new 2>err && fail "a folder passes"
[ ! -e new ] || fail "an output file is left"
rm bad empty err late model old out
[ -z "$(ls)" ] || fail "files are left: $(ls)"

# Results beyond the range of numbers are refused with their row, in whatever block it is.
printf 'rvm_model 1\ntask regression\nkernel_type linear\nnr_class 2\ntotal_rv 1\nexamples 1\n' >large
printf 'noise_variance 1\nnoise_fixed 0\nlog_evidence 0\nconverged 1\nfactor 1\nRV\n1 1 1:1\nend\n' >>large
awk 'BEGIN { for (i = 0; i < 1000; i++) print "0 1:" i; print "0 1:1e200" }' >far
"$BIN/rvm-predict" far large new >out 2>err && fail "an infinite variance passes"
grep -q '^rvm-predict: far:1001:' err || fail "not at row 1001: $(cat err)"

# A fault in the data is named by file, line and column, and in libsvm's words.
set -u
fail() { echo "$*" >&2; exit 1; }

refuse() { # LINE COLUMN TEXT OPTION...
    printf "$3" >bad
    place=$1:$2
    line=$1
    shift 3
    "$BIN/rvm-train" "$@" bad model >out 2>err
    [ $? = 1 ] || fail "no exit 1 for $(cat bad)"
    [ ! -s out ] || fail "stdout: $(cat out)"
    [ ! -e model ] || fail "a model of bad data"
    grep -q "^rvm-train: bad:$place: ." err || fail "not at $place: $(cat err)"
    grep -qx "rvm-train: Wrong input format at line $line" err || fail "libsvm's words miss: $(cat err)"
}
refuse 2 7 '1 1:1\n1 2:1 2:3\n'
refuse 2 3 '1 1:1\n1 2:x\n'
refuse 3 1 '1 1:1\n1 2:1\n\n'
refuse 1 1 ''
refuse 1 1 '1.5 1:1\n2 1:2\n'
refuse 1 1 'yes 1:1\n' -s 3
refuse 1 3 '1 1:1\n2 1:2\n' -t 4

# What is no data at all is called by its name.
named() { # WORDS
    grep -q "^rvm-train: bad:1:1: .*$1" err || fail "'$1' is not in: $(cat err)"
}
refuse 1 1 '1.5,2,3\n2,3,4\n' -s 3
named 'CSV'
refuse 1 1 '1.5,2,3\n2,3,4\n'
named 'CSV'
refuse 1 1 '\037\213\010'
named 'gzip'
refuse 1 1 'x\n-1 1\n1 0 2\n'
named 'a range file of rvm-scale'
refuse 1 1 'rvm_model 1\ntask regression\n'
named 'a model of rvm-train'
refuse 1 1 '1:2 2:3\n'
named 'rows to be predicted any number does'

# A target need not be whole in a regression.
printf '1.5 1:1\n2 1:2\n1.2 1:0.5\n' >good
"$BIN/rvm-train" -q -s 3 good model || fail "a regression of three rows fails"
"$BIN/rvm-train" -q . model 2>err && fail "a folder passes as data"
grep -q "^rvm-train: can't open input file \.: " err || fail "reads: $(cat err)"

# Help, versions, and command lines that cannot be.

fail() { echo "$*" >&2; exit 1; }

printf '1 1:2\n2 1:6\n' >data

"$BIN/rvm-scale" --help >got 2>messages || fail "--help: exit $?"
[ ! -s messages ] || fail "--help: said $(cat messages)"
[ "$(head -n 1 got)" = 'Usage: rvm-scale [options] data_file' ] || fail "--help: $(head -n 1 got)"
for option in -l -u -y -s -r --help --version; do
    grep -q "^ *${option}[ ,]" got || fail "--help has no $option"
done
"$BIN/rvm-scale" --version >got || fail "--version: exit $?"
head -n 1 got | grep -Eq '^rvm-scale [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version: $(cat got)"
grep -q '^GSL [0-9]' got || fail "--version has no GSL"
grep -q '^BLAS: ..' got || fail "--version has no BLAS"

# refuse MESSAGE WORDS: MESSAGE alone on standard error, exit 1.
refuse() {
    message=$1
    shift
    "$BIN/rvm-scale" "$@" >got 2>messages
    [ $? = 1 ] || fail "$*: exit is not 1"
    [ "$(cat messages)" = "rvm-scale: $message (try rvm-scale --help)" ] ||
        fail "$*: said $(cat messages)"
    [ ! -s got ] || fail "$*: writes to stdout: $(cat got)"
}
"$BIN/rvm-scale" >got 2>messages
[ $? = 1 ] || fail "no word at all: exit is not 1"
[ "$(head -n 1 got)" = 'Usage: rvm-scale [options] data_file' ] || fail "no word at all: no usage"
refuse 'too few files' -l 0
refuse 'too many words: more' data more
refuse 'unknown option: -z' -z 1 data
refuse 'unknown option: --zeta' --zeta data
refuse 'option -l needs a value' -l
refuse 'option -y needs two values' -y 1
refuse '-l abc: expected a number' -l abc data
refuse '-u 1x: expected a number' -u 1x data
refuse '-y 1 data: expected two numbers' -y 1 data
refuse 'the value of -l must be a word of its own: -l0' -l0 data

# contradict MESSAGE WORDS: no usage, and no file is written.
contradict() {
    message=$1
    shift
    "$BIN/rvm-scale" "$@" data >got 2>messages
    [ $? = 1 ] || fail "$*: exit is not 1"
    [ "$(cat messages)" = "$message" ] || fail "$*: said $(cat messages)"
    [ ! -s got ] || fail "$*: wrote $(cat got)"
    [ ! -e range ] || fail "$*: wrote the range file"
}
limits='rvm-scale: inconsistent lower/upper specification'
contradict "$limits" -l 1
contradict "$limits" -l 1 -u 0 -s range
contradict "$limits" -l nan
contradict "$limits" -u inf
contradict "$limits" -y 1 1
contradict "$limits" -y 0 nan
contradict 'rvm-scale: cannot use -r and -s simultaneously' -s range -r range

# -- ends the options; another name changes nothing.
cp data ./-l
printf '1 1:-1 \n2 1:1 \n' >want
"$BIN/rvm-scale" -- -l >got 2>messages || fail "--: exit $?"
cmp -s got want || fail "-- gave: $(cat got)"
ln -s "$BIN/rvm-scale" svm-scale
./svm-scale data >got || fail "svm-scale: exit $?"
cmp -s got want || fail "svm-scale gave: $(cat got)"
./svm-scale no_such 2>messages && fail "svm-scale no_such: exit 0"
exit 0

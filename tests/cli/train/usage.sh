# Wrong command lines: the reason in one line on stderr, nothing on stdout, exit 1.
set -u
fail() { echo "$*" >&2; exit 1; }

printf '1 1:0.5 2:1\n-1 1:-0.5\n' >data

refuse() { # WORDS WORD...
    words=$1
    shift
    "$BIN/rvm-train" "$@" >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    [ ! -s out ] || fail "$*: writes to stdout: $(cat out)"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line on stderr: $(cat err)"
    grep -q '^rvm-train: .* (try rvm-train --help)$' err || fail "$*: $(cat err)"
    grep -q -e "$words" err || fail "$*: '$words' is not in: $(cat err)"
    [ "$(ls)" = "data
err
out" ] || fail "$* leaves files: $(ls)"
}

refuse . -q
refuse '-s' -s
refuse 'Unknown option: -z' -z 1 data
refuse 'abc' -g abc data
refuse '1\.5' -s 1.5 data
refuse '1x' -c 1x data
refuse '-c' -c3 data
refuse ': n-fold cross validation: n must >= 2' -v 1 data
refuse ': n-fold cross validation: n must >= 2' -v 0 data
refuse 'abc' -v abc data
refuse 'wavelet' --kernel wavelet data
refuse 'abc' -wabc 2 data
refuse 'x' -w1 x data
refuse 'extra' data model extra
refuse 'model_file' -

# Without a word, the usage: who calls it so wants to know.
"$BIN/rvm-train" >out 2>err
[ $? = 1 ] || fail "no word at all does not exit with 1"
[ "$(head -n 1 out)" = 'Usage: rvm-train [options] training_set_file [model_file]' ] ||
    fail "no usage on stdout"

"$BIN/rvm-train" --help >out 2>err || fail "--help fails"
[ "$(head -c 6 out)" = 'Usage:' ] || fail "--help shows no usage"
[ ! -s err ] || fail "--help writes to stderr"
"$BIN/rvm-train" --version >out || fail "--version fails"
grep -q '^rvm-train [0-9]*\.[0-9]*\.[0-9]*$' out || fail "--version shows no version"

# Wrong command lines: the reason in one line on stderr, nothing on stdout, exit 1.
set -u
fail() { echo "$*" >&2; exit 1; }

refuse() {
    "$BIN/rvm-predict" "$@" >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    [ ! -s out ] || fail "$*: writes to stdout: $(cat out)"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line on stderr: $(cat err)"
    grep -q '^rvm-predict: .* (try rvm-predict --help)$' err || fail "$*: $(cat err)"
}
"$BIN/rvm-predict" >out 2>err
[ $? = 1 ] || fail "no word at all does not exit with 1"
[ "$(head -n 1 out)" = 'Usage: rvm-predict [options] test_file model_file [output_file]' ] ||
    fail "no usage on stdout"
refuse test
refuse -b
refuse -b abc test model out
refuse -z 1 test model out
refuse --interval
refuse --interval x test model out
refuse test model out extra
"$BIN/rvm-predict" --help >out 2>err || fail "--help fails"
[ "$(head -c 6 out)" = 'Usage:' ] && [ ! -s err ] || fail "--help shows no usage"

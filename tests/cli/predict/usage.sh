# Wrong command lines: the reason on stderr, the usage on stdout, exit 1.
set -u
fail() { echo "$*" >&2; exit 1; }

refuse() {
    "$BIN/rvm-predict" "$@" >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    [ "$(head -n 1 out)" = 'Usage: rvm-predict [options] test_file model_file [output_file]' ] ||
        fail "$*: no usage on stdout"
    [ -s err ] || fail "$*: no reason on stderr"
}
refuse
refuse test
refuse -b
refuse -b abc test model out
refuse -z 1 test model out
refuse --interval
refuse --interval x test model out
refuse test model out extra
"$BIN/rvm-predict" --help >out 2>err || fail "--help fails"
[ "$(head -c 6 out)" = 'Usage:' ] && [ ! -s err ] || fail "--help shows no usage"

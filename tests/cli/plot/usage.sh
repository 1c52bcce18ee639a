# Wrong command lines: the reason in one line on stderr, nothing on stdout, exit 1.
set -u
. "$SRC/tests/cli/plot/setup.inc"

wrong() {
    "$plot" "$@" >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    [ ! -s out ] || fail "$*: writes to stdout: $(cat out)"
    grep -q '^rvm-plot: .* (try rvm-plot --help)$' err || fail "$*: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line on stderr: $(cat err)"
}
"$plot" >out 2>err
[ $? = 1 ] || fail "no word at all does not exit with 1"
[ "$(head -n 1 out)" = 'Usage: rvm-plot [options] data_file model_file [image_file]' ] ||
    fail "no usage on stdout"
wrong data
wrong data model a.svg extra
wrong -z data model
wrong --intervall 0.9 data model
wrong --interval
wrong --interval '' data model
wrong --size= data model
wrong --trace
wrong --trace run.trace a.svg extra
wrong --interval 0.9 --trace run.trace
wrong --calibration --trace run.trace
wrong --calibration --interval 0.9 data model
wrong --calibration=yes data model
wrong --calibration data
for size in 640 x 640x x480 640x480x2 -640x480 640.5x480 99x480 640x99 9999999x9999999; do
    wrong --size $size data model a.gp
done
"$plot" --help >out 2>err || fail "--help fails"
[ "$(head -c 6 out)" = 'Usage:' ] && [ ! -s err ] || fail "--help shows no usage"
"$plot" --version >out 2>err || fail "--version fails"
version=$("$BIN/rvm-predict" --version | sed -n '1s/.* //p')
[ "$(head -n 1 out)" = "rvm-plot $version" ] || fail "--version: $(cat out)"

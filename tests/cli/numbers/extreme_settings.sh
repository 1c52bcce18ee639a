# Numbers at the ends of their range, alone and two together, whose products and quotients leave the
# range of double or int: a model of finite numbers, or one line that says what is wrong; never an
# assertion, nor a crash.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'NR % 8 == 1' "$DATA/ripley.train" >classes
awk 'NR % 4 == 1' "$DATA/mcycle" >curve
train() { # DATA OPTION...
    data=$1
    shift
    timeout 60 "$BIN/rvm-train" -q "$@" $data model >out 2>err
    status=$?
    case $status in
        0) # of text a letter; numbers may have an e
            ! grep -E '(^| )-?(nan|inf)' model || fail "$* $data: not finite"
            "$BIN/rvm-predict" -q $data model predicted || fail "$*: prediction fails"
            ;;
        1) [ "$(wc -l <err)" = 1 ] || fail "$* $data: says $(cat err)" ;;
        *) fail "$* $data: exit $status: $(cat err)" ;;
    esac
}

for x in 1e-300 1e-100 1e100 1e300; do
    for option in -g -e -m --prune-margin; do
        train classes $option $x
        train curve -s 3 $option $x
    done
    train classes -t 1 -g $x -r $x
    train curve -s 3 --ard -g $x
    train curve -s 3 --noise-variance $x
    for y in 1e-300 1e300; do
        train classes -w1 $x -w1 $y
        train classes -w1 $x -w-1 $y -v 2
        train classes --prior gamma:$x,$y
        train curve -s 3 --prior gamma:$x,$y --noise-prior $y,$x
        train curve -s 3 --method gibbs --samples 4 --burn-in 1 --chains 1 --alpha-min $x --alpha-max $y
        train curve -s 3 --method gibbs --samples 4 --burn-in 1 --chains 1 --prior gamma:$x,$y
    done
done
for n in 2147483647 -2147483648 0; do
    train classes -t 1 -d $n -g 1e300
    train classes -v $n
    for option in --samples --burn-in --chains --thin --keep --threads; do
        train curve -s 3 --method gibbs --samples 4 --burn-in 1 --chains 1 $option $n
    done
done
exit 0

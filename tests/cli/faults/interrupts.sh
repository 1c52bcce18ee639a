# Ctrl-C and kill at random moments, RVM_INTERRUPTS (10) times each: afterwards there is a whole model
# or the old one, never a part, and no temporary file.  Whatever stands there, predictions work.
set -u
fail() { echo "$*" >&2; exit 1; }

times=${RVM_INTERRUPTS:-10}
timeout --foreground --preserve-status -s INT 5.5 true 2>/dev/null ||
    { echo "no timeout of GNU here"; exit 77; }

# So few rows that much of the time is that of reading and writing.
head -n 100 "$DATA/friedman1.train" >data
head -n 5 data >few
for _ in 1 2 3 4 5 6 7 8; do cat "$DATA/friedman1.test"; done >many
now() { date +%s.%N; }
start=$(now)
"$BIN/rvm-train" -q -s 3 data old || fail "training fails"
length=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')
"$BIN/rvm-predict" -q many old old.predictions || fail "prediction fails"
"$BIN/rvm-scale" -s old.range many >old.rows || fail "scaling fails"
files=$(printf 'data\nerr\nfew\nmany\nold\nold.predictions\nold.range\nold.rows\n' | sort)

# Moments from before the tool can do anything to after its end; $1 of $times, in $2 seconds.
moment() { awk -v i="$1" -v n="$times" -v l="$2" 'BEGIN { printf "%.4f", 1.1 * l * (i - 0.5) / n }'; }
stop() { # SIGNAL SECONDS TOOL WORD...; its exit status is in $status
    signal=$1 seconds=$2 tool=$3
    shift 3
    timeout --foreground --preserve-status -s "$signal" "$seconds" "$BIN/$tool" "$@" 2>err
    status=$?
    case $signal:$status in
        *:0 | INT:130 | TERM:143) ;;
        *) fail "$tool $* after $seconds s of SIG$signal: exit $status: $(cat err)" ;;
    esac
}
clean() { # FILE: what may be there beside the others
    # shellcheck disable=SC2010 # the names are our own
    left=$(find . ! -name . ! -name "$1" | sed 's|^\./||' | sort)
    [ "$left" = "$files" ] || fail "after SIG$signal at $seconds s: files are left: $left"
}

for signal in INT TERM; do
    i=0 whole=0
    while [ $i -lt "$times" ]; do
        i=$((i + 1))
        echo 'not this one' >model
        stop $signal "$(moment $i "$length")" rvm-train -q -s 3 data model
        clean model
        if [ "$(cat model)" = 'not this one' ]; then
            [ $status != 0 ] || fail "no model and exit 0"
        else
            [ "$(tail -n 1 model)" = end ] || fail "SIG$signal at $seconds s: a part of a model"
            "$BIN/rvm-predict" -q few model predictions || fail "SIG$signal: no valid model"
            rm predictions
            [ $status = 0 ] || grep -q interrupted err || [ $signal = TERM ] || fail "no word of it"
            [ $status != 0 ] || cmp old model || fail "exit 0 and another model"
            whole=$((whole + 1))
        fi
        rm model

        # Without an old model there is none, or a whole one.
        stop $signal "$(moment $i 0.1)" rvm-predict -q many old predictions
        clean predictions
        [ ! -e predictions ] || cmp old.predictions predictions || fail "a part of the predictions"
        [ $status != 0 ] || [ -e predictions ] || fail "no predictions and exit 0"
        rm -f predictions
        stop $signal "$(moment $i 0.1)" rvm-scale -s range many >rows
        [ ! -e range ] || cmp old.range range || fail "a part of the ranges"
        [ $status != 0 ] || cmp old.rows rows || fail "a part of the rows and exit 0"
        rm -f range rows
        clean none
    done
    echo "SIG$signal: $whole of $times runs left a model of their own"
done

# --auto: the command in the summary trains the same model to the byte, without --auto.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'NR % 2 == 1' "$DATA/friedman1.train" >rows
awk 'NR % 3 == 0' "$DATA/ripley.train" >classes
awk 'NR % 3 == 1' "$DATA/iris" >iris
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%g 1:%d\n", 3 + i / 7 + (i * i) % 5 / 4, i }' >line

again() { # OPTION... DATA
    "$BIN/rvm-train" "$@" 'the model' >out 2>err || fail "$* fails: $(cat err)"
    command=$(sed -n 's/^Same model = //p' out)
    [ -n "$command" ] || fail "$*: no command: $(cat out)"
    case $command in *--auto* | *-q*) fail "$*: says $command" ;; esac
    mv 'the model' found
    eval "$command" >out 2>err || fail "$command fails: $(cat err)"
    cmp found 'the model' || fail "$*: another model by $command"
}
says() { # WORDS: stand in the command
    case " $command " in *" $1 "*) ;; *) fail "no $1 in $command" ;; esac
}
lacks() { case " $command " in *" $1 "*) fail "$1 in $command" ;; esac; }

again -s 3 --auto rows # length-scales
says --ard
says --standardize
says '-b 1'
lacks '-t 2' # the default
again --auto classes
again -s 3 --auto line # straight, with a little beside it
again --auto=100 --seed 5 --vectors 9 --prior flat iris
says '--seed 5 --vectors 9 --prior flat'
again -w1 3 -w-1 2 -b 0 --auto --select rbf,linear classes
says '-w1 3 -w-1 2 -b 0'
lacks --select
lacks '-b 1'
again -s 3 -t 5 -g auto --auto --basis bias,linear rows
says '-t 5 --basis bias,linear'
lacks '-g auto'

# Names that mean something to a shell; a file whose name is a dash and more.
cp line "it's \$HOME; 1"
again -s 3 --auto -t 0 "it's \$HOME; 1"
cp line ./-line
again -s 3 --auto -t 0 -- -line

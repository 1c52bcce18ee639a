# Shell completion offers each option that --help lists, and words that the option takes. Of bash it is
# asked as the shell does; zsh reads its own, and says what it hands to _arguments.
set -eu
command -v bash >/dev/null || exit 77

cat >ask <<'END'
# ask SCRIPT FUNCTION WORD...: what is offered for the last word
. "./$1"
function=$2
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
compopt() { :; } # works only while the shell completes
$function
printf '%s\n' "${COMPREPLY[@]}"
END

for tool in rvm-train rvm-predict rvm-scale rvm-plot; do
    program=$BIN/$tool
    [ "$tool" != rvm-plot ] || program=$SRC/tools/rvm-plot
    "$SRC/tools/completions" bash "$program" >"$tool.bash"
    "$SRC/tools/completions" zsh "$program" >"_$tool"
    grep -q "^complete .* $tool\$" "$tool.bash"
    "$program" --help | sed -n 's/^  *\(-[^ ,]*\(, --[^ ]*\)*\).*/\1/p' | tr -d ' ' | tr , '\n' |
        sed 's/\[=.*/=/; s/^-wI$/-w/' | sort -u >listed
    bash ask "$tool.bash" "_$(echo "$tool" | tr - _)" "$tool" - | sort -u >offered
    diff listed offered
done

offers() { # OPTION START: the words, blanks between them
    bash ask rvm-train.bash _rvm_train rvm-train "$1" "$2" | tr '\n' ' '
}
[ "$(offers --kernel l)" = 'linear laplacian ' ] || { echo "kernels: $(offers --kernel l)"; exit 1; }
[ "$(offers -b '')" = '0 1 ' ]
[ "$(offers -e '')" = ' ' ] # a number
[ "$(offers --resume -)" = ' ' ] # a file

# Each of them is a value of the option.
for option in -s -t -d -g -r -b -h --kernel --select --basis --prior --multiclass --method --gibbs-basis; do
    for word in $(offers $option ''); do
        case $word in
            gamma:) word=gamma:1,1 ;;
            student:) word=student:3 ;;
        esac
        "$BIN/rvm-train" $option "$word" --version >/dev/null || { echo "$option $word"; exit 1; }
    done
done

command -v zsh >/dev/null || exit 0
for tool in rvm-train rvm-predict rvm-scale rvm-plot; do
    zsh -fc '_arguments() { print -rl -- "$@" }; . "./$1"' zsh "_$tool" >specs
    grep -q '^--version\|^(- \*)--version' specs
    grep -Fq '*:file:_files' specs
done

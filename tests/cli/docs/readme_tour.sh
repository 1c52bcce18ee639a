# The examples in the README run word for word, and print what is shown: every line that begins with
# a dollar sign is a command, the lines below it are its output, `...` stands for any lines.  What goes
# to standard output comes before the rest, as on a terminal.  Processors and libraries round
# differently, so numbers may differ by half a per cent, and seconds by any factor.
#
# Builds for checks are slow, and machines of another kind may lead training to another optimum: there
# the commands run on a third of the rows, and only have to succeed.
set -eu

case $FLAVOUR-$(uname -m) in
    release-x86_64) rows=1 ;;
    *) rows=3 ;;
esac
for tool in rvm-train rvm-predict rvm-scale; do
    ln -s "$BIN/$tool" $tool
done
mkdir tools
ln -s "$SRC/tools/rvm-plot" tools/
mkdir data
for file in "$DATA"/*; do
    [ ! -f "$file" ] || awk -v rows=$rows 'rows == 1 || NR % rows == 1' "$file" >"data/${file##*/}"
done

# 1.command and 1.shown, 2.command ...
awk '
    /^    \$ / { count++; in_output = 1; print substr($0, 7) >(count ".command"); next }
    !/^    / { in_output = 0 }
    in_output { print substr($0, 5) >(count ".shown") }
    END { exit count < 10 }' "$SRC/README" || { echo "the README has too few commands"; exit 1; }

# Whether the lines of SHOWN are those of PRINTED.
compare() { # SHOWN PRINTED
    awk '
        function alike(shown, printed) {
            if (shown ~ /^Seconds = /)
                return printed ~ /^Seconds = /
            while (match(shown, number)) {
                x = substr(shown, RSTART, RLENGTH)
                before = substr(shown, 1, RSTART - 1)
                shown = substr(shown, RSTART + RLENGTH)
                if (!match(printed, number) || substr(printed, 1, RSTART - 1) != before)
                    return 0
                y = substr(printed, RSTART, RLENGTH)
                printed = substr(printed, RSTART + RLENGTH)
                if ((x - y) ^ 2 > (0.005 * x) ^ 2)
                    return 0
            }
            return shown == printed
        }
        BEGIN { number = "[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?" }
        FNR == NR { shown[++lines] = $0; next }
        FNR == 1 { place = 1 }
        shown[place] == "..." { gap = 1; place++ }
        place <= lines && alike(shown[place], $0) { gap = 0; place++; next }
        !gap { print "printed: " $0; wrong = 1; exit }
        END {
            if (place <= lines && shown[place] == "...")
                place++
            if (place <= lines || wrong)
                print "shown:   " (place <= lines ? shown[place] : "no such line")
            exit wrong || place <= lines
        }' "$1" "$2"
}

k=1
while [ -f $k.command ]; do
    command=$(cat $k.command)
    case $command in
        *rvm-plot*) command -v gnuplot >/dev/null || command=true ;; # which not everybody has
    esac
    sh -c "$command" </dev/null >out 2>err || { echo "fails: $command"; cat out err; exit 1; }
    if [ $rows = 1 ]; then
        cat out err >printed
        if [ -f $k.shown ]; then
            compare $k.shown printed || { echo "by: $command"; exit 1; }
        elif [ -s printed ]; then
            echo "prints: $command" && cat printed && exit 1
        fi
    fi
    k=$((k + 1))
done

# Every option in a tool's --help stands in its manual page, and neither that page nor the README
# names one that no tool has.
set -eu

# The options that begin a line of standard input: `-g`, `--kernel`, `-h, --help`; `-wI` as `-w`.
options() {
    awk '/^ *-/ {
        print $1
        if ($1 ~ /,$/)
            print $2
    }' | sed 's/,$//; s/^-wI$/-w/; s/\[=.*//' | sort -u
}

bad=0
: >all
for tool in rvm-train rvm-predict rvm-scale rvm-plot; do
    case $tool in
        rvm-plot) "$SRC/tools/$tool" --help >help ;;
        *) "$BIN/$tool" --help >help ;;
    esac
    options <help >have
    [ "$(wc -l <have)" -ge 5 ] || { echo "$tool --help lists too few options"; cat have; bad=1; }

    # In the page an option opens a paragraph: .TP, then its words after a font macro.
    grep -A1 '^\.TP' "$SRC/man/$tool.1" | grep -E '^\.(B|BI|BR|I) ' |
        sed 's/^\.[A-Z]* //; s/\\-/-/g; s/"//g' | grep '^-' | options >in_page
    diff have in_page >difference ||
        { echo "$tool: --help (<) and man/$tool.1 (>) differ:"; cat difference; bad=1; }
    cat have >>all
done
grep -oE -e '--[a-z][a-z-]+' "$SRC/README" | sort -u >in_readme
[ -s in_readme ] || { echo "the README names no option"; bad=1; }
grep -vxF -f all in_readme && { echo "the README names options that no tool has"; bad=1; }
exit $bad

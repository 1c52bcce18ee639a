# data/skin.*: as many rows of each class as data/README says, colours from 0 to 255; and
# data/make-skin.sh takes such rows, each once, from a file of numbered ones, with every awk there is.
set -u
fail() { echo "$*" >&2; exit 1; }

count() { awk -v class="$1" '$1 == class' "$2" | wc -l | tr -d ' '; }
check_counts() { # FOLDER
    for want in 'train +1 385' 'train -1 105' 'test +1 1571' 'test -1 429'; do
        # shellcheck disable=SC2086 # three words
        set -- "$1" $want
        [ "$(count "$3" "$1/skin.$2")" = "$4" ] || fail "$1/skin.$2: not $4 rows of $3"
    done
}

check_counts "$DATA"
awk '
    $1 != "+1" && $1 != "-1" || NF > 4 { exit bad = 1 }
    {
        for (k = 2; k <= NF; k++)
            if ($k !~ /^[123]:[1-9][0-9]*$/ || substr($k, 3) + 0 > 255)
                exit bad = 1
    }
    END { exit bad }' "$DATA/skin.train" "$DATA/skin.test" || fail "a row that is no colour"

awk 'BEGIN { for (k = 1; k <= 5000; k++) print k % 2 + 1, "1:" k }' >numbered
for awk in awk mawk gawk original-awk; do
    command -v $awk >/dev/null || continue
    mkdir "by-$awk"
    (cd "by-$awk" && sed "s/awk '/$awk '/g" "$DATA/make-skin.sh" | sh -s ../numbered) ||
        fail "$awk: exit $?"
    check_counts "by-$awk"
    cmp by-awk/skin.train "by-$awk/skin.train" && cmp by-awk/skin.test "by-$awk/skin.test" ||
        fail "$awk differs"
done
awk '{ print $2 }' by-awk/skin.train by-awk/skin.test | sort | uniq -d | grep -q . && fail "a row twice"
awk '{ split($2, pair, ":"); if (($1 == "+1") != (pair[2] % 2 == 0)) exit bad = 1 } END { exit bad }' \
    by-awk/skin.train by-awk/skin.test || fail "a class that is not its row's"

# data/make-sinc.sh writes the very files that are shipped, with every awk there is.
set -eu

for awk in awk mawk gawk original-awk; do
    command -v $awk >/dev/null || continue
    mkdir "made-by-$awk"
    (cd "made-by-$awk" && sed "s/^awk/$awk/" "$DATA/make-sinc.sh" | sh)
    cmp "made-by-$awk/sinc.train" "$DATA/sinc.train"
    cmp "made-by-$awk/sinc.test" "$DATA/sinc.test"
done

# From the first row on a predictor allocates nothing, whatever the model.
set -eu
[ "$FLAVOUR" = release ] || { echo "$FLAVOUR has an allocator of its own"; exit 77; }
# shellcheck source=tests/cli/library/setup.inc
. "$SRC/tests/cli/library/setup.inc"
compile count "$SRC/tests/cli/library/no_allocation.c" 2>fault ||
    { echo "needs glibc's allocator"; exit 77; }

none() { # MODEL [SETTING VALUE ...]
    [ "$(./count "$@")" = 0 ] || { echo "count $*: $(./count "$@")"; exit 1; }
}

awk 'NR % 4 == 0' "$DATA/boston" >boston
"$BIN/rvm-scale" -l 0 boston >scaled
for options in '' '-t 0' '-t 1' '-t 5' '-t 6' '--standardize' '--prior kernel' '--basis bias,linear,quadratic' \
    '--ard' '-b 1'; do
    # shellcheck disable=SC2086
    "$BIN/rvm-train" -q -s 3 --restarts 1 $options scaled model
    none model
    none model variance 0
    none model interval 0.9
done
# Sparse rows of many features.
awk 'BEGIN { srand(1); for (i = 0; i < 60; i++) { printf "%g", rand(); for (j = 1; j < 300; j++)
    if (rand() < 0.05) printf " %d:%g", j, rand(); print "" } }' >sparse
for options in '' '-t 0' '-t 5' '-t 6' '--standardize'; do
    # shellcheck disable=SC2086
    "$BIN/rvm-train" -q -s 3 --restarts 1 $options sparse model
    none model
done
for options in '' '--multiclass ovr' '--prior kernel' '-b 1'; do
    # shellcheck disable=SC2086
    "$BIN/rvm-train" -q --restarts 1 $options "$DATA/iris" model
    none model
    none model mode 1
done

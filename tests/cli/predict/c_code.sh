# --c-code: the model as C compiles without a warning, and predicts what rvm-predict does; what cannot be
# written is refused, and leaves no file.
set -u
fail() { echo "$*" >&2; exit 1; }

refuse() { # MESSAGE WORDS...: exit 1, one line, no output
    want=$1
    shift
    "$BIN/rvm-predict" "$@" >out 2>err
    [ $? = 1 ] || fail "$* does not exit with 1"
    [ ! -s out ] || fail "$*: writes to stdout: $(cat out)"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line on stderr: $(cat err)"
    grep -q "^rvm-predict: $want" err || fail "$*: $(cat err)"
}

"$BIN/rvm-train" -q -s 3 -g 0.1 "$DATA/mcycle" model || fail "training fails"
"$BIN/rvm-predict" --c-code model model.c >out 2>err || fail "fails: $(cat err)"
[ ! -s out ] && [ ! -s err ] || fail "says: $(cat out err)"
"$BIN/rvm-predict" --c-code model >out || fail "no standard output"
cmp out model.c || fail "standard output and a file differ"
"$BIN/rvm-predict" --c-code - - <model | cmp - model.c || fail "streams do not pass"
evidence=$(sed -n 's/^log_evidence //p' model | cut -c 1-6)
for word in 'regression, 1 output' 'rbf, exp(-gamma |x-z|^2), gamma 0.1' 'features      1:' \
    "log evidence  $evidence" 'void rvm_predict(const double \*x, int n, double \*mean, double \*variance);'; do
    grep -q -- "$word" model.c || fail "the comment does not say: $word"
done
grep '^#' model.c | grep -vx '#include <math.h>' && fail "it includes more than <math.h>"

refuse 'too many words: x (try' --c-code model out.c x
refuse 'too few files' --c-code
refuse '--c-code goes with no other option (try' --c-code -q model out.c
refuse '--c-code goes with no other option (try' --variance --c-code model out.c
refuse "can't open model file nothing: " --c-code nothing out.c
refuse "can't open output file no_folder/x: " --c-code model no_folder/x
refuse 'model: input and output are the same file' --c-code model model
awk '{ printf "%s 0:%d", $1, NR
       for (j = 1; j <= 20; j++) printf " %d:%d", j, j == NR ? 2 : 1
       print "" } NR == 20 { exit }' "$DATA/mcycle" >matrix
"$BIN/rvm-train" -q -s 3 -t 4 matrix precomputed || fail "training fails"
echo old >old.c
refuse 'precomputed: its kernel is precomputed' --c-code precomputed old.c
[ "$(cat old.c)" = old ] || fail "a file is lost"
# A model of draws whose numbers are more than a million.
awk -v d=100000 'BEGIN {
        printf "rvm_model 1\ntask regression\nkernel_type none\nnr_class 2\ntotal_rv 0\nexamples 9\n"
        printf "noise_variance 1\nnoise_fixed 0\ndraws %d\nnoise_sd", d
        for (i = 0; i < d; i++) printf " 1"
        printf "\nlog_likelihood 0\nconverged 1\n"
        for (k = 1; k <= 12; k++) {
            printf "basis x%d", k
            for (i = 0; i < d; i++) printf " 1"
            printf "\n"
        }
        printf "RV\nend\n" }' >draws
refuse 'draws: as C the model has 1200.* numbers, and 1000000 at the most' --c-code draws out.c
[ ! -e out.c ] || fail "a file is left"
if [ -w /dev/full ]; then
    refuse "can't write output file /dev/full: " --c-code model /dev/full
fi

cc=
for name in cc gcc clang; do
    ! command -v $name >/dev/null || { cc=$name; break; }
done
[ -n "$cc" ] || { echo "(no C compiler)"; exit 77; }

cat >main.c <<'END'
#include "model.c"
#include <stdio.h>
int main(void)
{
    static double x[FEATURES];
    double a[32];
#ifndef CLASSES
    double b[32];
#endif
    int j, k;
    while (scanf("%lf", &x[0]) == 1) {
        for (j = 1; j < FEATURES; j++)
            if (scanf("%lf", &x[j]) != 1)
                return 1;
#ifdef CLASSES
        printf("%d", rvm_predict(x, FEATURES, a));
        for (k = 0; k < RVM_CLASSES; k++)
            printf(" %g", a[k]);
#else
        rvm_predict(x, FEATURES, a, b);
        for (k = 0; k < RVM_OUTPUTS; k++)
            printf("%s%.17g", k > 0 ? "," : "", a[k]);
        for (k = 0; k < RVM_OUTPUTS; k++)
            printf("%s%.17g", k > 0 ? "," : " ", b[k]);
#endif
        printf("\n");
    }
    return 0;
}
END

# As printed, or within 1e-12 of the largest number in the column.
compare() {
    awk '{ gsub(",", " ") }
        FNR == NR { for (j = 1; j <= NF; j++) {
                want[FNR, j] = $j
                size[j] = size[j] > $j ? size[j] : $j > 0 ? $j : -$j > size[j] ? -$j : size[j] }
            columns[FNR] = NF; rows = FNR; next }
        NF != columns[FNR] { bad = 1 }
        { for (j = 1; j <= NF; j++)
            if ($j != want[FNR, j]) {
                d = $j - want[FNR, j]
                if (d * d > (1e-12 * size[j]) ^ 2) { print FNR ": " $j " not " want[FNR, j]; bad = 1; exit }
            } }
        END { exit bad || FNR != rows || rows < 10 }' "$1" "$2"
}

check() { # FEATURES TRAIN TEST OPTIONS...: trains, compiles, compares
    features=$1 train=$2 test=$3
    shift 3
    "$BIN/rvm-train" -q "$@" "$train" model 2>err || fail "$*: training fails: $(cat err)"
    "$BIN/rvm-predict" --c-code model model.c || fail "$*: fails"
    case " $* " in
        *' -s 3 '*) classes='' want=--variance ;;
        *) classes=-DCLASSES want='-b 1' ;;
    esac
    $cc -std=c99 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Werror \
        $classes -DFEATURES="$features" main.c -o main -lm ||
        fail "$*: does not compile"
    awk -v n="$features" '{
        for (j = 1; j <= n; j++) x[j] = 0
        for (i = 2; i <= NF; i++) { split($i, pair, ":"); x[pair[1]] = pair[2] }
        for (j = 1; j <= n; j++) printf "%s ", x[j]
        print "" }' "$test" | ./main >got || fail "$*: does not run"
    # shellcheck disable=SC2086
    "$BIN/rvm-predict" -q $want "$test" model want || fail "$*: prediction fails"
    grep -v '^labels' want >wanted
    compare wanted got || fail "$*: predicts otherwise"
}

check 1 "$DATA/sinc.train" "$DATA/sinc.test" -s 3 -t 6
check 10 "$DATA/friedman1.train" "$DATA/friedman1.test" -s 3 --ard
check 13 "$DATA/boston" "$DATA/boston" -s 3 -g 0.1 --standardize --prior kernel -b 1
check 2 "$DATA/ripley.train" "$DATA/ripley.test" -b 1 -g 4
check 4 "$DATA/iris" "$DATA/iris" -g 0.5
check 3 "$DATA/linnerud" "$DATA/linnerud" -s 3 --standardize -t 7 --basis bias,linear

# --method: log evidence and vectors on the shipped data are those of a program in numpy that has
# nothing but the equations: columns as they are, Sigma by a general inverse, and for the sequential
# method Sigma, mu, S and Q computed anew after every move. Same starts, bounds and ends as
# rvm-train(1) says. The small -e is for the points where the methods come to rest, the usual one for
# the way there: it stops on the same iteration.
set -u
fail() { echo "$*" >&2; exit 1; }

"$BIN/rvm-scale" -l 0 -u 1 "$DATA/boston" >boston || fail "rvm-scale fails"

# FILE METHOD EPS VECTORS LOG_EVIDENCE OPTIONS...
check() {
    file=$1 method=$2 eps=$3 vectors=$4 evidence=$5
    shift 5
    "$BIN/rvm-train" -q --method "$method" -e "$eps" "$@" "$file" model 2>err ||
        fail "$file, $method: $(cat err)"
    [ ! -s err ] || fail "$file, $method says: $(cat err)"
    awk -v vectors="$vectors" -v evidence="$evidence" -v what="$file, $method, -e $eps" '
        $1 == "total_rv" && $2 != vectors { print what ": " $2 " vectors, not " vectors; bad = 1 }
        $1 == "log_evidence" && ($2 - evidence > 1e-3 || evidence - $2 > 1e-3) {
            print what ": log evidence " $2 ", not " evidence; bad = 1 }
        $1 == "log_evidence" { seen = 1 }
        END { exit bad || !seen }' model >&2 || exit 1
}

check "$DATA/sinc.train" mackay 0.001 17 8.409869 -s 3 -g 0.1
check "$DATA/friedman1.train" mackay 0.001 42 -522.323286 -s 3 -g 0.3
check "$DATA/ripley.train" mackay 0.001 6 -72.776717 -g 4
check "$DATA/pima_std.train" mackay 0.001 13 -94.785490 -g 0.1
check boston mackay 0.001 45 -1322.605284 -s 3 -g 0.5
check "$DATA/sinc.train" mackay 1e-09 4 8.485894 -s 3 -g 0.1
check "$DATA/friedman1.train" mackay 1e-09 35 -522.317772 -s 3 -g 0.3
check "$DATA/ripley.train" mackay 1e-09 4 -72.769783 -g 4
check "$DATA/pima_std.train" mackay 1e-09 6 -94.788664 -g 0.1
check boston mackay 1e-09 35 -1322.455250 -s 3 -g 0.5
check "$DATA/sinc.train" sequential 0.001 3 7.659535 -s 3 -g 0.1
check "$DATA/friedman1.train" sequential 0.001 8 -549.422371 -s 3 -g 0.3
check "$DATA/ripley.train" sequential 0.001 4 -72.770626 -g 4
check "$DATA/pima_std.train" sequential 0.001 6 -95.022286 -g 0.1
check boston sequential 0.001 28 -1344.181115 -s 3 -g 0.5
check "$DATA/sinc.train" sequential 1e-09 4 7.660558 -s 3 -g 0.1
check "$DATA/friedman1.train" sequential 1e-09 8 -549.421426 -s 3 -g 0.3
check "$DATA/ripley.train" sequential 1e-09 4 -72.769786 -g 4
check "$DATA/pima_std.train" sequential 1e-09 6 -94.986452 -g 0.1
check boston sequential 1e-09 26 -1344.165676 -s 3 -g 0.5
check "$DATA/sinc.train" em 0.001 100 8.157591 -s 3 -g 0.1
check "$DATA/friedman1.train" em 0.001 240 -517.116343 -s 3 -g 0.3
check "$DATA/pima_std.train" em 0.001 200 -95.942865 -g 0.1
check "$DATA/sinc.train" em 1e-06 83 8.437366 -s 3 -g 0.1
check "$DATA/sinc.train" mackay 1e-09 4 8.483137 -s 3 -g 0.1 --noise-variance 0.04
check "$DATA/friedman1.train" mackay 1e-09 39 -519.899822 -s 3 -g 0.3 --noise-variance 2
check "$DATA/sinc.train" sequential 1e-09 4 7.660502 -s 3 -g 0.1 --noise-variance 0.04
check "$DATA/friedman1.train" sequential 1e-09 37 -516.554621 -s 3 -g 0.3 --noise-variance 2
check "$DATA/sinc.train" em 0.001 100 8.163385 -s 3 -g 0.1 --noise-variance 0.04

# Where the noise is estimated all along, growth from nothing ends far below the way down from all
# functions, and the way down below the search that is the default.
"$BIN/rvm-train" -q -s 3 -g 0.3 "$DATA/friedman1.train" model || fail "auto fails"
awk '$1 == "log_evidence" { exit !($2 > -522.3177 + 5) }' model || fail "auto is no better"
"$BIN/rvm-train" -q -s 3 -g 0.3 --method auto "$DATA/friedman1.train" named || fail "auto fails"
cmp model named || fail "auto is not the default"

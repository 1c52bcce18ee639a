# Options that have no effect beside the others: a note each, with the reason, and none with -q; options
# that have one, and defaults, get none.
set -u
fail() { echo "$*" >&2; exit 1; }

head -n 20 "$DATA/mcycle" >line
head -n 20 "$DATA/ripley.train" >two
awk 'NR % 6 == 1' "$DATA/iris" >three
awk '{ $1 = $1 "," $1 * $1; print }' line >outputs

said() { # WORDS OPTION...
    words=$1
    shift
    "$BIN/rvm-train" "$@" model >out 2>err || fail "$* fails: $(cat err)"
    grep -qx "rvm-train: $words" err || fail "$*: '$words' is not in: $(cat err)"
    ! grep -q effect out || fail "$*: the note is on stdout"
    "$BIN/rvm-train" -q "$@" model >out 2>err || fail "$* fails: $(cat err)"
    ! grep -q 'no effect' err || fail "-q $*: $(cat err)"
}
silent() { # OPTION...
    "$BIN/rvm-train" "$@" model >out 2>err || fail "$* fails: $(cat err)"
    ! grep -q 'no effect' err || fail "$*: $(cat err)"
}
said '-d has no effect: the kernel (rbf) has no degree' -d 2 -g 1 two
said '-r has no effect: the kernel (rbf) has no coef0' -r 2 -g 1 two
said '-g has no effect: the kernel (linear) has no gamma' -t 0 -g 1 two
said '-g has no effect: the kernel (spline) has no gamma' -s 3 -t 6 -g 1 line
said '-w has no effect: this is a regression, which has no classes' -s 3 -w1 5 line
said '--multiclass has no effect: this is a regression, which has no classes' -s 3 --multiclass ovr line
said '--multiclass has no effect: there are not more than two classes' --multiclass ovr two
said '--shared-noise has no effect: there is one output' -s 3 --shared-noise line
said '--shared-noise has no effect: the noise is given' -s 3 --shared-noise --noise-variance 1 outputs
said '--restarts has no effect: methods of the papers have one start' --restarts 3 --method em -g 1 two
said '--multiclass has no effect: methods of the papers train each class against the rest' \
    --multiclass softmax --method em -g 1 three
said '-d has no effect: no kernel of the list has a degree' --select linear,rbf -g 1 -d 2 two
said '-t has no effect: --select lists the kernels' --select linear,rbf -g 1 -t 0 two
silent -g 1 two
silent -t 1 -d 2 -g 1 -r 1 two
silent -t 3 -g 0.1 -r -1 two
silent -g 1 -w1 2 two
silent -g 1 --multiclass ovr three
silent -g 1 --multiclass ovr --method em three
silent -g 1 --restarts 3 two
silent -s 3 --shared-noise outputs
silent --select linear,poly -g 1 -d 2 -r 1 two

# Index 0, in the words of rvm-scale; that of a kernel matrix is another matter.
printf '1 0:1 1:1\n2 0:2 1:2\n1 1:1\n2 1:2\n' >zero
"$BIN/rvm-train" zero model >out 2>err || fail "fails: $(cat err)"
grep -qx 'rvm-train: WARNING: minimal feature index is 0, but indices should start from 1' err ||
    fail "says: $(cat err)"
"$BIN/rvm-train" -q zero model 2>err || fail "fails: $(cat err)"
grep -q 'WARNING: minimal feature index is 0' err || fail "-q leaves out a warning"
printf '1 0:1 1:1 2:0\n2 0:2 1:0 2:1\n' >gram
"$BIN/rvm-train" -t 4 gram model >out 2>err || fail "fails: $(cat err)"
! grep -q index err || fail "says: $(cat err)"

# Labels without a rule: hardly any vectors, and nothing that is worse than guessing by more than
# chance, in the share of right answers and in the probabilities.
set -u
fail() { echo "$*" >&2; exit 1; }

flips() { awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed)
    for (i = 0; i < n; i++) print (i % 2 ? 1 : -1) " 1:" rand() " 2:" rand() }'; }
flips 400 5 >data
flips 2000 6 >others
for g in 0.5 4 30; do
    "$BIN/rvm-train" -g $g data model >out || fail "training fails"
    vectors=$(sed -n 's/^Relevance vectors = //p' out)
    [ "$vectors" -le 20 ] || fail "-g $g: $vectors vectors for noise"
    "$BIN/rvm-predict" others model got >out 2>loss || fail "prediction fails"
    # Of 2000 flips 50 % are right, with a standard deviation of 1.1 %.
    awk '/^Accuracy/ { sub(/%/, "", $3); exit !($3 + 0 > 45 && $3 + 0 < 55) }' out || fail "-g $g: $(cat out)"
    # ln 2 = 0.693 is the loss of 1/2 each time; a vector for nothing costs some 1/(2 * 400).
    awk '{ exit !($NF < 0.693147 + 0.05) }' loss || fail "-g $g: $(cat loss)"
    "$BIN/rvm-train" -g $g -v 5 data >out || fail "-v fails"
    # 2.5 % here.
    awk '{ sub(/%/, "", $NF); exit !($NF + 0 > 40 && $NF + 0 < 60) }' out || fail "-g $g -v: $(cat out)"
done

# Nine of ten rows of one class, again without a rule: never worse than the larger class.
awk '{ $1 = NR % 10 ? -1 : 1; print }' data >few
awk '{ $1 = NR % 10 ? -1 : 1; print }' others >many
"$BIN/rvm-train" -q -g 4 few model || fail "training fails"
"$BIN/rvm-predict" many model got >out 2>loss || fail "prediction fails"
awk '/^Accuracy/ { sub(/%/, "", $3); exit !($3 + 0 >= 89) }' out || fail "few: $(cat out)"
# -0.1 ln 0.1 - 0.9 ln 0.9 = 0.325083
awk '{ exit !($NF < 0.325083 + 0.05) }' loss || fail "few: $(cat loss)"

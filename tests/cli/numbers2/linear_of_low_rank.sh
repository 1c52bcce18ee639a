# A linear kernel over three features, one of which is 0 and one the sum of the others: least squares
# (solved here by hand) is found, with no more vectors than the rank of 2 and the noise that was added.
set -u
fail() { echo "$*" >&2; exit 1; }

awk 'BEGIN { srand(11); for (i = 0; i < 300; i++) {
    x = rand() - 0.5; y = rand() - 0.5; e = 0.1 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
    printf "%.8f 1:%.6f 2:%.6f 3:%.6f 4:0\n", 1 + 2 * x - 3 * y + e, x, y, x + y } }' >data
# Normal equations of t = a + b x + c y, by Cramer.
awk '{ t = $1; sub(/.*:/, "", $2); sub(/.*:/, "", $3); x = $2; y = $3
    n++; sx += x; sy += y; xx += x * x; xy += x * y; yy += y * y; st += t; tx += t * x; ty += t * y; tt += t * t }
    function det(a, b, c, d, e, f, g, h, i) { return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) }
    END { D = det(n, sx, sy, sx, xx, xy, sy, xy, yy)
        a = det(st, sx, sy, tx, xx, xy, ty, xy, yy) / D
        b = det(n, st, sy, sx, tx, xy, sy, ty, yy) / D
        c = det(n, sx, st, sx, xx, tx, sy, xy, ty) / D
        print a; print a + b; print a + c
        print sqrt((tt - a * st - b * tx - c * ty) / n) >"noise" }' data >wanted
"$BIN/rvm-train" -s 3 -t 0 data model >out || fail "training fails"
vectors=$(sed -n 's/^Relevance vectors = //p' out)
[ "$vectors" -le 2 ] || fail "$vectors vectors"
sed -n 's/^Noise.* = //p' out | paste - noise |
    awk '{ exit !($1 / $2 > 0.98 && $1 / $2 < 1.02) }' || fail "noise: $(cat out), not $(cat noise)"
printf '0 1:0\n0 1:1 3:1\n0 2:1 3:1\n' >points
"$BIN/rvm-predict" -q points model got || fail "prediction fails"
# The prior draws the weights to 0 by about one in (signal / noise of 300 rows).
paste wanted got | awk '{ d = $1 - $2; if (d > 0.01 || d < -0.01) exit 1 }' ||
    fail "predictions: $(cat got), not $(cat wanted)"

# Probabilities of more than two classes by draws of the weights from their posterior, from nothing
# but the model file and rows:
#   awk -v draws=D -f average_by_draws.awk MODEL ROWS
# Prints for each row the mean over the draws of the softmax of each class; rbf kernel only.
#
# The weights of class k are w = mu + R^-1 z, z ~ N(0, I), R upper triangular from its factor lines.

FNR == NR && !vectors {
    if ($1 == "gamma") gamma = $2
    else if ($1 == "label") C = NF - 1
    else if ($1 == "class") { K[++k] = 0; rows = 0 }
    else if ($1 == "bias") { mu[k, ++K[k]] = $2; at[k, K[k]] = 0; mean[k] = $4 }
    else if ($1 == "factor") { rows++; for (j = 2; j <= NF; j++) R[k, rows, rows + j - 2] = $j }
    else if ($1 == "RV") vectors = 1
    next
}
FNR == NR {
    if ($1 == "end") next
    v++
    for (k = 1; k <= C; k++)
        if ($(2 * k) != 0) { mu[k, ++K[k]] = $(2 * k - 1); at[k, K[k]] = v }
    for (i = 2 * C + 1; i <= NF; i++) { split($i, pair, ":"); z[v, pair[1]] = pair[2]; seen[pair[1]] = 1 }
    next
}
{
    n++
    for (i = 2; i <= NF; i++) { split($i, pair, ":"); x[n, pair[1]] = pair[2]; seen[pair[1]] = 1 }
}
END {
    srand(1)
    for (i = 1; i <= n; i++) for (j = 0; j <= v; j++) phi[i, j] = j == 0 ? 1 : kernel(i, j)
    for (d = 1; d <= draws; d++) {
        for (k = 1; k <= C; k++) draw(k)
        for (i = 1; i <= n; i++) {
            sum = 0
            for (k = 1; k <= C; k++) {
                f = mean[k]
                for (j = 1; j <= K[k]; j++) f += w[k, j] * phi[i, at[k, j]]
                sum += e[k] = exp(f)
            }
            for (k = 1; k <= C; k++) p[i, k] += e[k] / sum / draws
        }
    }
    for (i = 1; i <= n; i++) for (k = 1; k <= C; k++) printf "%.6f%s", p[i, k], k < C ? " " : "\n"
}

function draw(k,    j, l) {
    for (j = K[k]; j >= 1; j--) {
        w[k, j] = normal()
        for (l = j + 1; l <= K[k]; l++) w[k, j] -= R[k, j, l] * w[k, l]
        w[k, j] /= R[k, j, j]
    }
    for (j = 1; j <= K[k]; j++) w[k, j] += mu[k, j]
}
function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
function kernel(i, j,    l, d, square) {
    for (l in seen) { d = x[i, l] - z[j, l]; square += d * d }
    return exp(-gamma * square)
}

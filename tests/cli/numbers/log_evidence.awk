# Log evidence of a model by its formula, from nothing but the model file and its training rows:
#   awk -f log_evidence.awk MODEL ROWS
# Prints the number in the file and the number computed, both to 10 digits; RBF kernel only.
#
#   regression       -N/2 ln(2 pi s) - |t - f|^2 / (2 s)
#   classification   sum of ln of the probability of each row's class at the weights w
#
# each less 1/2 sum alpha w^2 and ln|A + Phi'B Phi|^(1/2) = sum ln R_ii, plus 1/2 sum ln alpha.

FNR == NR && !vectors {
    if ($1 == "task") task = $2
    else if ($1 == "gamma") gamma = $2
    else if ($1 == "label") first = $2
    else if ($1 == "noise_variance") s = $2
    else if ($1 == "log_evidence") saved = $2
    else if ($1 == "bias") { take($2, $3); mean = $4 }
    else if ($1 == "factor") ln_det += log($2)
    else if ($1 == "RV") vectors = 1
    next
}
FNR == NR {
    if ($1 == "end") next
    take($1, $2)
    v++
    for (i = 3; i <= NF; i++) { split($i, pair, ":"); z[v, pair[1]] = pair[2]; seen[pair[1]] = 1 }
    next
}
{
    n++
    t = $1
    split("", x)
    for (i = 2; i <= NF; i++) { split($i, pair, ":"); x[pair[1]] = pair[2]; seen[pair[1]] = 1 }
    f = mean + (v < K ? w[1] : 0)
    for (k = 1; k <= v; k++) f += w[K - v + k] * kernel(k)
    if (task == "regression") sum -= log(2 * pi * s) / 2 + (t - f) * (t - f) / (2 * s)
    else sum -= log(1 + exp(t == first ? -f : f))
}
BEGIN { pi = 3.14159265358979323846 }
END {
    for (k = 1; k <= K; k++) sum += log(alpha[k]) / 2 - alpha[k] * w[k] * w[k] / 2
    printf "%.10g %.10g\n", saved, sum - ln_det
}

function take(weight, precision) { K++; w[K] = weight; alpha[K] = precision }
function kernel(k,    j, d, square) {
    for (j in seen) { d = x[j] - z[k, j]; square += d * d }
    return exp(-gamma * square)
}

# bench: scikit-learn's Gaussian processes behind one command line, for bench/prior.sh.
#
#     python3 peer-gp.py TYPE TRAINING_FILE TEST_FILE
#     python3 peer-gp.py --version
#
# TYPE is svm-train's.  0, two classes: a constant times an rbf kernel of one width, by Laplace's
# method.  3, regression: a constant times an rbf kernel with a width for each input, and noise.  All
# of these maximise the evidence, from one start.  Prints the error (per cent, or the root of the mean
# square), the mean of -ln p(target), and per cent of the targets inside the 90 % intervals.

import sys
import warnings

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

# Of the standard normal law, for 0.95.
QUANTILE = 1.6448536269514722


def read_rows(name, inputs=0):
    """libsvm's text to a matrix of `inputs` columns (as many as the largest index by default)."""
    with open(name, encoding="ascii") as file:
        lines = [line.split() for line in file]
    pairs = [[pair.split(":") for pair in words[1:]] for words in lines]
    inputs = inputs or max(int(index) for row in pairs for index, _ in row)
    rows = np.zeros((len(lines), inputs))
    for n, row in enumerate(pairs):
        for index, value in row:
            if int(index) <= inputs:
                rows[n, int(index) - 1] = float(value)
    return rows, np.array([float(words[0]) for words in lines])


def classify(train, labels, test, truth):
    """Error and log loss."""
    kernel = ConstantKernel(1.0) * RBF(np.sqrt(train.shape[1]), (1e-2, 1e4))
    model = GaussianProcessClassifier(kernel).fit(train, labels)
    probability = model.predict_proba(test)
    own = probability[np.arange(len(truth)), np.searchsorted(model.classes_, truth)]
    wrong = model.classes_[probability.argmax(axis=1)] != truth
    return {"Error": 100 * wrong.mean(), "Loss": -np.log(np.maximum(own, 1e-15)).mean()}


def regress(train, targets, test, truth):
    """Error, negative log density and what intervals hold, in the targets' units."""
    inputs = train.shape[1]
    widths = RBF(np.full(inputs, np.sqrt(inputs)), (1e-2, 1e4))
    kernel = ConstantKernel(1.0, (1e-3, 1e5)) * widths + WhiteKernel(0.1, (1e-8, 1e2))
    model = GaussianProcessRegressor(kernel, normalize_y=True).fit(train, targets)
    mean, sd = model.predict(test, return_std=True)
    residual = (truth - mean) / sd
    return {
        "Error": np.sqrt(((truth - mean) ** 2).mean()),
        "Loss": (0.5 * np.log(2 * np.pi) + np.log(sd) + 0.5 * residual**2).mean(),
        "Inside": 100 * (abs(residual) <= QUANTILE).mean(),
    }


def main():
    """See the top."""
    if sys.argv[1:] == ["--version"]:
        print("scikit-learn", sklearn.__version__)
        return
    # That a width stops at a bound is no fault here: it switches an input off.
    warnings.simplefilter("ignore")
    train, targets = read_rows(sys.argv[2])
    test, truth = read_rows(sys.argv[3], train.shape[1])
    measure = classify if sys.argv[1] == "0" else regress
    for name, value in measure(train, targets, test, truth).items():
        print(f"{name} = {value:.9g}")


main()

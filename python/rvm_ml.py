"""Relevance vector machines (Tipping 2001) with the interface of scikit-learn.

A sparse model of kernel functions, as a support vector machine is one, with probabilities, error
bars and nothing to search a grid for.  This one file needs numpy and the library librvm-ml, which
is looked for in the environment variable RVM_ML_LIBRARY (the path of the file), where `make` and
`make install` put it, and among the system's libraries.  Where scikit-learn is installed, the
classes are estimators of it, for Pipeline, GridSearchCV and the others.

    from sklearn.datasets import load_iris
    from rvm_ml import RVMClassifier
    X, y = load_iris(return_X_y=True)
    model = RVMClassifier(standardize=True).fit(X[::2], y[::2])
    print(model.score(X[1::2], y[1::2]), model.predict_proba(X[1:4]), model.relevance_)

A regression has error bars, and auto=True finds kernel, widths, prior and scale:

    from rvm_ml import RVMRegressor
    model = RVMRegressor(auto=True).fit(X, y)
    mean, std = model.predict(X_new, return_std=True)

help(RVMRegressor) and help(RVMClassifier) describe the parameters, rvm-train(1) what is behind
them.
"""

import ctypes
import functools
import inspect
import os
import sys
import warnings

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import (ConvergenceWarning, DataConversionWarning,
                                    NotFittedError)
except ImportError:
    BaseEstimator = None

__all__ = ["RVMClassifier", "RVMRegressor"]

# ---- The library ---------------------------------------------------------------------------------

_SONAME = "librvm-ml.0.dylib" if sys.platform == "darwin" else "librvm-ml.so.0"
_NONE = ctypes.c_size_t(-1).value  # RVMML_NONE


class _Fault(ctypes.Structure):
    """rvmml_error."""

    _fields_ = [("status", ctypes.c_int), ("row", ctypes.c_size_t),
                ("column", ctypes.c_size_t), ("message", ctypes.c_char * 256)]


class _Prediction(ctypes.Structure):
    """rvmml_prediction."""

    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_void_p) for name in
        ("value", "variance", "low", "high", "probability", "log_probability")]


# Of rvmml_status; what is wrong with data, settings and texts is a ValueError.
_EXCEPTIONS = {4: OSError, 5: MemoryError, 6: FloatingPointError, 7: KeyboardInterrupt}

# Result and arguments in letters: p pointer, z size, t ptrdiff, i int, d double, s text.  A result
# of `status` has a rvmml_error behind the arguments.
_FUNCTIONS = {
    "version": ("s", ""), "free": (None, "p"),
    "data_dense": ("status", "ppzzttpz"), "data_csr": ("status", "ppppzzpz"),
    "data_kernel": ("status", "ppzttpz"), "data_free": (None, "p"),
    "settings_new": ("status", "p"), "settings_set": ("status", "pss"),
    "settings_free": (None, "p"),
    "trainer_new": ("status", "ppp"), "trainer_step": ("status", "pp"),
    "trainer_model": ("status", "pp"), "trainer_free": (None, "p"),
    "model_from_text": ("status", "psz"), "model_to_text": ("status", "ppp"),
    "model_free": (None, "p"),
    "model_task": ("i", "p"), "model_outputs": ("z", "p"), "model_classes": ("z", "p"),
    "model_labels": ("p", "p"), "model_columns": ("z", "p"), "model_examples": ("z", "p"),
    "model_log_evidence": ("d", "p"), "model_converged": ("i", "p"),
    "model_kernel": ("s", "p"), "model_gamma": ("d", "p"), "model_coef0": ("d", "p"),
    "model_degree": ("i", "p"), "model_relevance": ("status", "pp"),
    "model_vectors": ("z", "p"), "model_vector_size": ("z", "pz"),
    "model_vector_pairs": ("status", "pppz"), "model_vector_row": ("z", "pz"),
    "model_functions": ("z", "p"), "model_function_size": ("z", "pz"),
    "model_function_vector": ("z", "pzz"), "model_function_name": ("status", "ppzz"),
    "model_weights": ("status", "ppz"), "model_noise_variance": ("d", "pz"),
    "predictor_new": ("status", "ppp"), "predictor_free": (None, "p"),
    "predict_dense": ("status", "pppzztt"), "predict_csr": ("status", "pppppzz"),
}
_TYPES = {"p": ctypes.c_void_p, "z": ctypes.c_size_t, "t": ctypes.c_ssize_t, "i": ctypes.c_int,
          "d": ctypes.c_double, "s": ctypes.c_char_p, "status": ctypes.c_int, None: None}


def _open_library():
    """The shared library that RVM_ML_LIBRARY names, of the source tree, of the tree where `make
    install` has put both, or of the system."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, "..", "build", "release", _SONAME),
              os.path.join(here, "..", "..", "lib", _SONAME)]
    path = os.environ.get("RVM_ML_LIBRARY") or next(filter(os.path.exists, beside), _SONAME)
    try:
        return ctypes.CDLL(path)
    except OSError as fault:
        raise ImportError("rvm_ml needs the library librvm-ml; the environment variable "
                          "RVM_ML_LIBRARY may name its file (%s)" % fault) from fault


def _checked(function):
    """The function with an error that is raised."""
    @functools.wraps(function)
    def call(*arguments):
        fault = _Fault()
        status = function(*arguments, ctypes.byref(fault))
        if status == 0:
            return
        text = fault.message.decode("utf-8", "replace")
        if fault.row != _NONE:
            text += " (row %d%s)" % (fault.row, "" if fault.column == _NONE else
                                     ", column %d" % fault.column)
        raise _EXCEPTIONS.get(status, ValueError)(text)
    return call


class _Library:
    """The functions of rvm_ml.h by their names without rvmml_."""

    def __init__(self):
        shared = _open_library()
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(shared, "rvmml_" + name)
            function.restype = _TYPES[result]
            function.argtypes = [_TYPES[letter] for letter in arguments]
            if result == "status":
                function.argtypes = function.argtypes + [ctypes.c_void_p]
                function = _checked(function)
            setattr(self, name, function)


_lib = _Library()
__version__ = _lib.version().decode()


class _Handle:
    """An object of the library, made by a function whose first argument is where it goes."""

    pointer = None

    def __init__(self, kind, make, *arguments):
        self._free = getattr(_lib, kind + "_free")
        out = ctypes.c_void_p()
        make(ctypes.byref(out), *arguments)
        self.pointer = out.value

    def free(self):
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            self._free(pointer)

    def __del__(self):
        self.free()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()


def _word(value):
    """A setting as rvm-train would read it; None: an option without a value."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return b"1" if value else b"0"
    if isinstance(value, (float, np.floating)):
        value = repr(float(value))
    elif isinstance(value, (list, tuple)):
        value = ",".join(str(v) for v in value)
    return str(value).encode()


def _make_settings(words):
    settings = _Handle("settings", _lib.settings_new)
    for name, value in words.items():
        _lib.settings_set(settings.pointer, name.encode(), _word(value))
    return settings


def _train(data, words):
    """The model and the number of steps.  Between steps, which take about a second, Python looks
    for Ctrl-C."""
    done, steps = ctypes.c_int(0), 0
    with _make_settings(words) as settings, \
            _Handle("trainer", _lib.trainer_new, data.pointer, settings.pointer) as trainer:
        while not done.value:
            _lib.trainer_step(ctypes.byref(done), trainer.pointer)
            steps += 1
        return _Model(_lib.trainer_model, trainer.pointer), steps


class _Predictor(_Handle):
    """While in use it holds its model, which must not be freed before it."""

    def __init__(self, model, words):
        self.model = model
        with _make_settings(words) as settings:
            super().__init__("predictor", _lib.predictor_new, model.pointer, settings.pointer)


class _Model(_Handle):
    """A model; pickled and copied as its text, rvm-model(5)."""

    _KEPT = 3  # settings whose predictors are kept: those of values, variances and an interval
    # Predictors by settings that no thread has in use, the newest settings last.  Each is for one
    # thread at a time, and taking out of a list, or putting into it, is one step for all of them;
    # the dict itself is not changed but replaced.
    _idle = {}

    def __init__(self, make, *arguments):
        super().__init__("model", make, *arguments)

    def free(self):
        for predictors in self._idle.values():
            for predictor in predictors:
                predictor.free()
        self._idle = {}
        super().free()

    def __reduce__(self):
        return _model_from_text, (self.text(),)

    def text(self):
        out, length = ctypes.c_void_p(), ctypes.c_size_t()
        _lib.model_to_text(ctypes.byref(out), ctypes.byref(length), self.pointer)
        try:
            return ctypes.string_at(out.value, length.value).decode()
        finally:
            _lib.free(out)

    def get(self, name, *arguments):
        """rvmml_model_NAME of one that cannot fail."""
        value = getattr(_lib, "model_" + name)(self.pointer, *arguments)
        return value.decode() if isinstance(value, bytes) else value

    def labels(self):
        labels = ctypes.cast(self.get("labels") or 0, ctypes.POINTER(ctypes.c_int))
        return np.array(labels[:self.get("classes")], dtype=np.int64)

    def relevance(self, features):
        """A weight for each feature.  Columns that the model has nothing of are not in its text."""
        columns = self.get("columns")
        weight = np.ones(max(features, columns))
        _lib.model_relevance(weight.ctypes.data, self.pointer)
        weight[columns:] = float(np.all(weight[:columns] == 1))
        return weight[:features]

    def vector(self, number):
        """Columns and values of a relevance vector."""
        size = self.get("vector_size", number)
        column, value = np.empty(size, np.int32), np.empty(size)
        _lib.model_vector_pairs(column.ctypes.data, value.ctypes.data, self.pointer, number)
        return column, value

    def function(self, number):
        """Of a latent function the weights, the vector of each or -1, and the name of each."""
        size = self.get("function_size", number)
        weight, name = np.empty(size), ctypes.create_string_buffer(32)
        _lib.model_weights(weight.ctypes.data, self.pointer, number)
        vectors = np.empty(size, np.intp)
        names = []
        for i in range(size):
            vector = self.get("function_vector", number, i)
            vectors[i] = -1 if vector == _NONE else vector
            _lib.model_function_name(name, self.pointer, number, i)
            names.append(name.value.decode())
        return weight, vectors, names

    def predict(self, rows, words, **arrays):
        """Fills the arrays, whose names are those of rvmml_prediction."""
        to = _Prediction(size=ctypes.sizeof(_Prediction))
        for name, array in arrays.items():
            setattr(to, name, array.ctypes.data)
        key = tuple(sorted(words.items()))
        predictor = self._take(key) or _Predictor(self, words)
        try:
            rows.predict(to, predictor)
        except BaseException:
            predictor.free()
            raise
        self._give_back(key, predictor)

    def _take(self, key):
        """An idle predictor, or None."""
        try:
            predictor = self._idle[key].pop()
        except (KeyError, IndexError):
            return None
        predictor.model = self
        return predictor

    def _give_back(self, key, predictor):
        predictor.model = None  # no circle: what nobody needs is to be freed at once
        idle = self._idle
        if key not in idle:
            idle = dict(list(idle.items())[1 - self._KEPT:])
            idle[key] = []
            self._idle = idle
        idle[key].append(predictor)


def _model_from_text(text):
    text = text if isinstance(text, bytes) else text.encode()
    return _Model(_lib.model_from_text, text, len(text))


# ---- Arrays --------------------------------------------------------------------------------------


def _address(array):
    return None if array is None else array.ctypes.data


def _outputs(y):
    return 0 if y is None else 1 if y.ndim == 1 else y.shape[1]


class _Dense:
    """Rows of an array of doubles, in whatever order it has them in memory."""

    def __init__(self, x):
        strides = [s // x.itemsize for s in x.strides]
        if any(s % x.itemsize for s in x.strides) or not x.flags.aligned:
            x = np.require(x, requirements="CA")
            strides = [x.shape[1], 1]
        self.x, self.shape, self.strides = x, x.shape, strides

    def data(self, y):
        return _Handle("data", _lib.data_dense, self.x.ctypes.data, *self.shape, *self.strides,
                       _address(y), _outputs(y))

    def kernel(self, y):
        return _Handle("data", _lib.data_kernel, self.x.ctypes.data, self.shape[0],
                       *self.strides, _address(y), _outputs(y))

    def predict(self, to, predictor):
        _lib.predict_dense(ctypes.byref(to), predictor.pointer, self.x.ctypes.data, *self.shape,
                           *self.strides)

    def variance(self):
        with np.errstate(over="ignore"):
            return float(self.x.var())


class _Sparse:
    """Rows of a matrix of scipy.sparse."""

    def __init__(self, x):
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        self.shape = x.shape
        self.start = np.require(x.indptr, np.int64, "CA")
        self.index = np.require(x.indices, np.int32, "CA")
        self.value = np.require(x.data, np.float64, "CA")

    def _arrays(self):
        return self.start.ctypes.data, self.index.ctypes.data, self.value.ctypes.data

    def data(self, y):
        return _Handle("data", _lib.data_csr, *self._arrays(), *self.shape, _address(y),
                       _outputs(y))

    def predict(self, to, predictor):
        _lib.predict_csr(ctypes.byref(to), predictor.pointer, *self._arrays(), *self.shape)

    def variance(self):
        size = self.shape[0] * self.shape[1]
        with np.errstate(over="ignore"):
            mean = np.sum(self.value) / size
            squares = np.sum((self.value - mean) ** 2) + (size - self.value.size) * mean ** 2
        return float(squares / size)


def _is_sparse(x):
    """Without scipy being imported here: who has such a matrix has done so."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(x)


def _check_finite(values, name):
    with np.errstate(all="ignore"):
        if np.isfinite(np.sum(values)) or np.all(np.isfinite(values)):
            return
    what = "NaN" if np.any(np.isnan(values)) else \
        "infinity or a value too large for dtype('float64')"
    raise ValueError("Input %s contains %s." % (name, what))


def _as_floats(values, name):
    """An array of finite doubles, copied only where it must be."""
    array = np.asarray(values)
    if array.dtype.kind == "c" or (array.dtype == object and array.size > 0 and
                                   any(isinstance(v, complex) for v in array.flat)):
        raise ValueError("Complex data not supported\n%r\n" % (values,))
    with np.errstate(over="ignore"):
        array = array.astype(np.float64, copy=False)
    _check_finite(array, name)
    return array


def _as_rows(x):
    """Rows of features: _Dense or _Sparse."""
    sparse = _is_sparse(x)
    if not sparse:
        x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError("Expected 2D array, got %dD array instead.\nReshape your data either "
                         "using array.reshape(-1, 1) if your data has a single feature or "
                         "array.reshape(1, -1) if it contains a single sample." % x.ndim)
    for count, what in zip(x.shape, ("sample", "feature")):
        if count == 0:
            raise ValueError("Found array with 0 %s(s) (shape=%r) while a minimum of 1 is "
                             "required." % (what, tuple(x.shape)))
    if not sparse:
        return _Dense(_as_floats(x, "X"))
    x = x.tocsr()
    if x.shape[1] > np.iinfo(np.int32).max - 1:
        raise ValueError("X has %d features, more than fit in 32 bits" % x.shape[1])
    _as_floats(x.data, "X")
    return _Sparse(x)


def _check_lengths(rows, y):
    if y.shape[0] != rows.shape[0]:
        raise ValueError("Found input variables with inconsistent numbers of samples: %r" %
                         [rows.shape[0], y.shape[0]])


def _as_targets(y, rows):
    """n numbers or n x outputs of them."""
    y = np.require(_as_floats(y, "y"), requirements="CA")
    if y.ndim not in (1, 2) or y.size == 0:
        raise ValueError("y should be a 1d array, or a 2d one of several outputs, got an array "
                         "of shape %r instead." % (y.shape,))
    _check_lengths(rows, y)
    return y


def _as_classes(y, rows):
    """One label for each row, of any type that can be sorted."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change "
                      "the shape of y to (n_samples, ), for example using ravel().",
                      DataConversionWarning, stacklevel=4)
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError("y should be a 1d array, got an array of shape %r instead; several "
                         "labels of a row are unknown here." % (y.shape,))
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported\n%r\n" % (y,))
    if y.dtype.kind == "f":
        _check_finite(y, "y")
        if np.any(y != np.floor(y)):
            raise ValueError("Unknown label type: continuous. Labels of classes are whole "
                             "numbers, texts and the like; is this a regression?")
    if y.dtype.kind in "OmM" and any(label != label for label in y):
        raise ValueError("Input y contains NaN.")
    _check_lengths(rows, y)
    return y


def _codes(classes):
    """The number of each class in a model: the label itself where it is a whole number, so that
    rvm-predict(1) has the same labels, or the place in classes."""
    limits = np.iinfo(np.int32)
    if classes.dtype.kind in "iuf" and np.all((classes >= limits.min) & (classes <= limits.max)):
        return classes.astype(np.int64)
    return np.arange(len(classes))


def _names_of_columns(x):
    """Of a data frame, where all of them are texts."""
    names = getattr(x, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(names, dtype=object)


# ---- Without scikit-learn ------------------------------------------------------------------------


def _parameters(cls):
    """Names and default values of the parameters of the estimator."""
    return {name: p.default for name, p in inspect.signature(cls.__init__).parameters.items()
            if name != "self"}


if BaseEstimator is None:
    class ConvergenceWarning(UserWarning):
        """Training has ended early."""

    class DataConversionWarning(UserWarning):
        """Data had another shape than expected."""

    class NotFittedError(ValueError, AttributeError):
        """fit has not been called."""

    class BaseEstimator:
        """Parameters are the arguments of __init__, and attributes of the same names."""

        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in _parameters(type(self))}

        def set_params(self, **params):
            known = _parameters(type(self))
            for name, value in params.items():
                if name not in known:
                    raise ValueError("Invalid parameter %r for estimator %r. Valid parameters "
                                     "are: %r." % (name, self, list(known)))
                setattr(self, name, value)
            return self

        def __repr__(self):
            changed = ["%s=%r" % (name, getattr(self, name))
                       for name, default in _parameters(type(self)).items()
                       if repr(getattr(self, name)) != repr(default)]
            return "%s(%s)" % (type(self).__name__, ", ".join(changed))

    class RegressorMixin:
        """score of a regression."""

        _estimator_type = "regressor"

        def score(self, X, y, sample_weight=None):
            """R^2: 1 less the squared errors over the squared deviations of y from its mean; of
            several outputs the mean."""
            y = np.asarray(y, dtype=np.float64)
            weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
            deviation = y - np.average(y, axis=0, weights=weight)
            residual = weight @ (y - self.predict(X)) ** 2
            total = weight @ deviation ** 2
            with np.errstate(divide="ignore", invalid="ignore"):
                score = np.where(total == 0, residual == 0, 1 - residual / total)
            return float(np.mean(score))

    class ClassifierMixin:
        """score of a classifier."""

        _estimator_type = "classifier"

        def score(self, X, y, sample_weight=None):
            """The share of the rows whose class is found."""
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


# ---- Estimators ----------------------------------------------------------------------------------

_PARAMETERS = """
    Parameters
    ----------
    kernel : 'rbf', 'laplacian', 'linear', 'polynomial' ('poly'), 'sigmoid', 'spline',
            'precomputed' or 'none'.  Of a precomputed one X is K(row, row of training).
    gamma : 'scale', 'auto', None, 'search' or a number above 0.  'scale' is
            1 / (n_features * X.var()), 'auto' and None 1 / n_features, as in sklearn.svm.SVC;
            'search' finds gamma by cross-validation, as rvm-train -g auto does.
    degree, coef0 : of the kernels polynomial, and polynomial and sigmoid.
    ard : find a length-scale for each feature; they are in feature_relevance_.
    standardize : give the features mean 0 and variance 1 first; recommended unless they are
            alike in size.
    prior : 'flat', 'kernel' (the vectors are points of a Gaussian process: better error bars,
            more vectors), 'gamma:A,B' or 'student:NU'.
    auto : True, or at most so many seconds: find kernel, widths, prior, and whether to
            standardise.  A parameter that differs from its default is held then, and so is
            all that is in options.
    calibrate : fit %s to held-out rows, by five more trainings; with auto always.
    random_state : None, which is as good as any number, an int, or a generator of numpy.  What is
            found does not depend on the order of the rows.
    n_jobs : threads; None 1, -1 all processors.  Results do not depend on it.
    options : dict of other settings of rvm-train by their names, as {'restarts': 5,
            'basis': 'bias,linear', 'vectors': 20, 'm': 4000}.
"""

_CLASS_PARAMETERS = """\
    multi_class : 'softmax', one model of all classes, or 'ovr', each against the rest.
    class_weight : None, 'balanced' or a dict of weights by label (1): what an error on a row of
            the class costs.
"""

_ATTRIBUTES = """
    Attributes
    ----------
    relevance_ : rows of the training data that are relevance vectors; -1: not known.
    relevance_vectors_ : these rows, as an array, or a sparse matrix where X was one.
    dual_coef_, intercept_ : weights of their kernel functions, functions x vectors, and constants.
    terms_, term_coef_ : names and weights of other basis functions.
    log_evidence_ : natural logarithm of the probability of y.
    feature_relevance_ : weights of the features in the kernel (ard), 0 of those of no use.
    kernel_, gamma_, degree_, coef0_ : the kernel, 0 for what it has not.
    converged_, n_iter_ : whether training has come to its end, and the steps that it took.
    n_features_in_, feature_names_in_ : of X; the second where it was a data frame.
    model_text_ : the model as rvm-train writes it and rvm-predict reads it.
"""


# Settings that have another place, and what to say of it.
_NOT_OPTIONS = {
    "task": "the class says",
    "auto": "the parameter auto says",
    "interval": "the argument coverage of predict_interval says",
    "variance": "the argument return_std of predict says",
    "mode": "is of rvm-predict; predictions here are averages over the weights",
}


class _RVM(BaseEstimator):
    """What both have in common."""

    # -- training

    def _words(self, rows):
        """The settings of rvm-train that the parameters are."""
        open_to_choice = bool(self.auto) or "select" in (self.options or {})
        words = {"task": self._estimator_type.replace("classifier", "classification")
                                             .replace("regressor", "regression"),
                 "kernel": "polynomial" if self.kernel == "poly" else self.kernel,
                 "d": self.degree, "g": self.gamma, "r": self.coef0, "ard": self.ard,
                 "standardize": self.standardize, "prior": self.prior, "b": self.calibrate}
        parameter = {"d": "degree", "g": "gamma", "r": "coef0", "b": "calibrate"}
        if open_to_choice:
            default = _parameters(type(self))
            for name in list(words):
                key = parameter.get(name, name)
                if key in default and getattr(self, key) == default[key]:
                    del words[name]
        if "g" in words:
            words["g"] = self._gamma(rows)
        if self.auto:
            no_bound = isinstance(self.auto, (bool, np.bool_))
            words["auto"] = None if no_bound else float(self.auto)
        words["threads"] = self._threads()
        if self.random_state is not None:
            words["seed"] = self._seed()
        for name, value in (self.options or {}).items():
            name = name.replace("_", "-")
            if name in _NOT_OPTIONS:
                raise ValueError("options may not have %r, which %s" % (name, _NOT_OPTIONS[name]))
            words[name] = value
        return words

    def _gamma(self, rows):
        if isinstance(self.gamma, str) and self.gamma == "search":
            return "auto"
        if self.gamma is None or (isinstance(self.gamma, str) and self.gamma == "auto"):
            return 1.0 / rows.shape[1]
        if isinstance(self.gamma, str) and self.gamma == "scale":
            variance = 1.0 if self.standardize or self._is_precomputed() else rows.variance()
            gamma = 1.0 / (rows.shape[1] * (1.0 if variance == 0 else variance))
        elif isinstance(self.gamma, str):
            raise ValueError("gamma=%r: 'scale', 'auto', 'search', None and numbers are possible"
                             % self.gamma)
        else:
            gamma = float(self.gamma)
        if not 0 < gamma < np.inf:
            raise ValueError("gamma=%r is %g; it must be finite and above 0" % (self.gamma, gamma))
        return gamma

    def _seed(self):
        if isinstance(self.random_state, np.random.RandomState):
            return int(self.random_state.randint(np.iinfo(np.int32).max))
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(np.iinfo(np.int32).max))
        return int(self.random_state)

    def _threads(self):
        """Of the library, where 0 is as many as there are processors."""
        if self.n_jobs is None:
            return 1
        if self.n_jobs < -1:
            return max(1, (os.cpu_count() or 1) + 1 + int(self.n_jobs))
        return max(0, int(self.n_jobs))

    def _is_precomputed(self):
        return self.kernel == "precomputed"

    def _rows_to_fit(self, X, y, unknown):
        if unknown:
            raise TypeError("%s.fit takes X and y, not %s: the model has no weights of rows, "
                            "only RVMClassifier's class_weight" %
                            (type(self).__name__, ", ".join(unknown)))
        if y is None:
            raise ValueError("%s requires y to be passed, but the target y is None" %
                             type(self).__name__)
        if self._is_precomputed() and _is_sparse(X):
            X = X.toarray()
        rows = _as_rows(X)
        if self._is_precomputed() and rows.shape[0] != rows.shape[1]:
            raise ValueError("Precomputed matrix must be a square matrix. Input is a %dx%d "
                             "matrix." % rows.shape)
        return rows

    def _train(self, X, rows, y, words):
        """What both kinds of models have, as attributes of an estimator that has nothing else."""
        found = object.__new__(type(self))
        data = rows.kernel(y) if self._is_precomputed() else rows.data(y)
        with data:
            found._model, found.n_iter_ = _train(data, words)
        names = _names_of_columns(X)
        if names is not None:
            found.feature_names_in_ = names
        found._sparse = isinstance(rows, _Sparse)
        found._describe(rows.shape[1])
        return found

    def _become(self, found):
        """With all that training has found, at once: where it fails, what was there stays."""
        if not hasattr(found, "feature_names_in_"):
            self.__dict__.pop("feature_names_in_", None)
        self.__dict__.update(vars(found))
        if not self.converged_:
            warnings.warn("training has ended before it has converged; its model is the best so "
                          "far", ConvergenceWarning, stacklevel=3)
        return self

    # -- the model

    def _describe(self, features):
        model = self._model
        self.n_features_in_ = features
        self.log_evidence_ = model.get("log_evidence")
        self.converged_ = bool(model.get("converged"))
        self.kernel_ = model.get("kernel")
        self.gamma_ = model.get("gamma")
        self.degree_ = model.get("degree")
        self.coef0_ = model.get("coef0")
        self.feature_relevance_ = model.relevance(features)
        count = model.get("vectors")
        row = [model.get("vector_row", i) for i in range(count)]
        self.relevance_ = np.array([-1 if r == _NONE else r for r in row], dtype=np.intp)
        self._describe_functions([model.function(k) for k in range(model.get("functions"))], count)

    def _describe_functions(self, functions, vectors):
        names = []
        for _, _, own in functions:
            names += [name for name in own if name not in ("", "bias") and name not in names]
        place = {name: k for k, name in enumerate(names)}
        self.terms_ = names
        self.term_coef_ = np.zeros((len(functions), len(names)))
        self.dual_coef_ = np.zeros((len(functions), vectors))
        self.intercept_ = np.zeros(len(functions))
        for f, (weight, vector, own) in enumerate(functions):
            on_vector = vector >= 0
            self.dual_coef_[f, vector[on_vector]] = weight[on_vector]
            for i in np.flatnonzero(~on_vector):
                if own[i] == "bias":
                    self.intercept_[f] += weight[i]
                else:
                    self.term_coef_[f, place[own[i]]] = weight[i]

    @property
    def relevance_vectors_(self):
        self._check_fitted("relevance_vectors_")
        if self.kernel_ == "precomputed":
            raise AttributeError("relevance vectors of a precomputed kernel have no features; "
                                 "relevance_ has their rows")
        pairs = [self._model.vector(i) for i in range(len(self.relevance_))]
        if not self._sparse:
            vectors = np.zeros((len(pairs), self.n_features_in_))
            for vector, (column, value) in zip(vectors, pairs):
                vector[column] = value
            return vectors
        from scipy.sparse import csr_matrix
        column = np.concatenate([p[0] for p in pairs] or [np.empty(0, np.int32)])
        value = np.concatenate([p[1] for p in pairs] or [np.empty(0)])
        start = np.cumsum([0] + [len(p[0]) for p in pairs])
        return csr_matrix((value, column, start), shape=(len(pairs), self.n_features_in_))

    @property
    def model_text_(self):
        self._check_fitted("model_text_")
        return self._model.text()

    @classmethod
    def from_text(cls, text, n_features=None):
        """An estimator of a model that rvm-train, or model_text_, has written.

        n_features: columns of the rows to come; the largest that the model knows where it is None.
        A model with a feature 0, which arrays have no column for, is a ValueError.
        """
        model = _model_from_text(text)
        if (model.get("task") == 1) != (cls._estimator_type == "regressor"):
            raise ValueError("the model is not of a %s" % cls._estimator_type)
        if model.get("kernel") != "precomputed" and any(
                np.any(model.vector(i)[0] < 0) for i in range(model.get("vectors"))):
            raise ValueError("the model has a feature 0, and those of rows here begin with 1")
        columns = model.get("columns")
        if n_features is None:
            n_features = columns
        elif n_features < columns:
            raise ValueError("n_features=%d, and the model has %d" % (n_features, columns))
        self = cls(kernel=model.get("kernel"))
        self._model, self._sparse, self.n_iter_ = model, False, 0
        self._prepare_text()
        self._describe(n_features)
        return self

    # -- prediction

    def _check_fitted(self, attribute=None):
        if "_model" in self.__dict__:
            return
        if attribute is not None:
            raise AttributeError("%r object has no attribute %r before fit" %
                                 (type(self).__name__, attribute))
        raise NotFittedError("This %s instance is not fitted yet. Call 'fit' with appropriate "
                             "arguments before using this estimator." % type(self).__name__)

    def _check_names(self, X):
        names, own = _names_of_columns(X), getattr(self, "feature_names_in_", None)
        if names is None and own is None:
            return
        if own is None or names is None:
            warnings.warn("X %s feature names, but %s was fitted with%s feature names" %
                          (("has", type(self).__name__, "out") if own is None else
                           ("does not have valid", type(self).__name__, "")), stacklevel=4)
            return
        if np.array_equal(names, own):
            return
        text = "The feature names should match those that were passed during fit.\n"
        for title, of, others in (("Feature names unseen at fit time:", names, own),
                                  ("Feature names seen at fit time, yet now missing:", own, names)):
            listed = sorted(set(of) - set(others))
            if listed:
                text += "\n- ".join([title] + listed[:5]) + ("\n- ...\n" if listed[5:] else "\n")
        if set(names) == set(own):
            text += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(text)

    def _predict(self, X, words=(), **widths):
        """Arrays by the names of rvmml_prediction, n x width each."""
        self._check_fitted()
        self._check_names(X)
        if self.kernel_ == "precomputed" and _is_sparse(X):
            X = X.toarray()
        rows = _as_rows(X)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError("X has %d features, but %s is expecting %d features as input" %
                             (rows.shape[1], type(self).__name__, self.n_features_in_))
        arrays = {name: np.empty((rows.shape[0], width)) for name, width in widths.items()}
        words = dict(words, threads=self._threads())
        words["variance"] = set(arrays) != {"value"}
        self._model.predict(rows, words, **arrays)
        return arrays

    # -- what scikit-learn asks

    def _more_tags(self):
        return {"pairwise": self._is_precomputed(), "requires_y": True,
                "multioutput": self._estimator_type == "regressor"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed()
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._estimator_type == "regressor"
        return tags


class RVMRegressor(RegressorMixin, _RVM):
    __doc__ = (
        "Relevance vector regression of one or several outputs, with error bars.\n"
        + _PARAMETERS % "variances and intervals" + _ATTRIBUTES +
        "    noise_variance_ : of the target, a number; an array where y had two dimensions.\n")

    _estimator_type = "regressor"

    def __init__(self, kernel="rbf", gamma="scale", degree=3, coef0=0.0, *, ard=False,
                 standardize=False, prior="flat", auto=False, calibrate=False,
                 random_state=None, n_jobs=None, options=None):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ard = ard
        self.standardize = standardize
        self.prior = prior
        self.auto = auto
        self.calibrate = calibrate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.options = options

    def fit(self, X, y, **unknown):
        """Trains on rows X, array or sparse, and y: n numbers, or n x outputs."""
        rows = self._rows_to_fit(X, y, unknown)
        y = _as_targets(y, rows)
        found = self._train(X, rows, y, self._words(rows))
        found._flat = y.ndim == 1
        return self._become(found._set_noise())

    def _prepare_text(self):
        self._flat = self._model.get("outputs") == 1

    @classmethod
    def from_text(cls, text, n_features=None):
        return super().from_text(text, n_features)._set_noise()

    from_text.__func__.__doc__ = _RVM.from_text.__doc__

    def _set_noise(self):
        noise = np.array([self._model.get("noise_variance", k)
                          for k in range(self._model.get("outputs"))])
        self.noise_variance_ = float(noise[0]) if self._flat else noise
        return self

    def _arrays(self, X, names, words=()):
        self._check_fitted()
        outputs = self._model.get("outputs")
        arrays = self._predict(X, words, **{name: outputs for name in names})
        return [arrays[name][:, 0] if self._flat else arrays[name] for name in names]

    def predict(self, X, return_std=False):
        """Means of the targets of rows X; with return_std also their standard deviations, noise
        included."""
        if not return_std:
            return self._arrays(X, ["value"])[0]
        mean, variance = self._arrays(X, ["value", "variance"])
        return mean, np.sqrt(variance)

    def predict_interval(self, X, coverage=0.9):
        """Lower and upper ends of intervals that hold a target with that probability."""
        return tuple(self._arrays(X, ["low", "high"], {"interval": float(coverage)}))


class RVMClassifier(ClassifierMixin, _RVM):
    __doc__ = (
        "Relevance vector classification of two or more classes, with probabilities.\n"
        + _PARAMETERS % "probabilities" + _CLASS_PARAMETERS + _ATTRIBUTES +
        "    classes_ : the labels, sorted; columns of predict_proba.\n")

    _estimator_type = "classifier"

    def __init__(self, kernel="rbf", gamma="scale", degree=3, coef0=0.0, *, ard=False,
                 standardize=False, prior="flat", auto=False, calibrate=False,
                 multi_class="softmax", class_weight=None, random_state=None, n_jobs=None,
                 options=None):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ard = ard
        self.standardize = standardize
        self.prior = prior
        self.auto = auto
        self.calibrate = calibrate
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.options = options

    def fit(self, X, y, **unknown):
        """Trains on rows X, array or sparse, and their n labels y, of any type."""
        rows = self._rows_to_fit(X, y, unknown)
        y = _as_classes(y, rows)
        classes, number = np.unique(y, return_inverse=True)
        codes = _codes(classes)
        words = dict({"multiclass": self.multi_class}, **self._words(rows))
        words.update(self._class_weights(classes, codes, np.bincount(number)))
        found = self._train(X, rows, codes[number].astype(np.float64), words)
        return self._become(found._set_classes(classes, codes))

    def _class_weights(self, classes, codes, counts):
        if self.class_weight is None:
            return {}
        if isinstance(self.class_weight, str):
            if self.class_weight != "balanced":
                raise ValueError("class_weight=%r: None, 'balanced' and dicts are possible" %
                                 self.class_weight)
            weights = counts.sum() / (len(counts) * counts)
        else:
            weights = [self.class_weight.get(label, 1.0) for label in classes.tolist()]
        return {"w%d" % code: float(weight) for code, weight in zip(codes, weights)}

    def _prepare_text(self):
        classes = np.sort(self._model.labels())
        self._set_classes(classes, classes)

    def _set_classes(self, classes, codes):
        """classes_, and how the columns of the model are to be sorted."""
        self.classes_, self._codes = classes, codes
        self._order = np.argsort(self._model.labels())
        return self

    def _describe_functions(self, functions, vectors):
        """In the order of the classes; of two the function is the log-odds of the second."""
        labels = self._model.labels()
        if len(functions) == len(labels):
            functions = [functions[k] for k in np.argsort(labels)]
        elif len(labels) == 2 and labels[0] < labels[1]:
            functions = [(-weight, vector, names) for weight, vector, names in functions]
        super()._describe_functions(functions, vectors)

    def predict(self, X):
        """The most probable class of each of the rows X."""
        code = self._predict(X, value=1)["value"][:, 0]
        return self.classes_[np.searchsorted(self._codes, code)]

    def predict_proba(self, X):
        """Probabilities of rows X, a column for each of classes_."""
        return self._columns(X, "probability")

    def predict_log_proba(self, X):
        """Natural logarithms of probabilities, finite where these underflow."""
        return self._columns(X, "log_probability")

    def _columns(self, X, name):
        self._check_fitted()
        return self._predict(X, **{name: len(self.classes_)})[name][:, self._order]

    def decision_function(self, X):
        """Of two classes the log-odds of the second, of more the logarithm of each probability."""
        score = self.predict_log_proba(X)
        return score[:, 1] - score[:, 0] if len(self.classes_) == 2 else score

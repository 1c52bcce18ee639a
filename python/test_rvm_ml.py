"""Tests of rvm_ml.py: python3 python/test_rvm_ml.py.

They need numpy; those that need more (scikit-learn, scipy, pandas, rvm-train in the folder BIN) are
skipped where it is missing.  Expected numbers come from formulas written out here, from numpy, or
from the tools.
"""

import copy
import inspect
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rvm_ml  # noqa: E402
from rvm_ml import RVMClassifier, RVMRegressor  # noqa: E402

try:
    import sklearn
except ImportError:
    sklearn = None
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TOOL = os.path.join(os.environ.get("BIN", TOP), "rvm-train")
needs_sklearn = unittest.skipUnless(sklearn, "no scikit-learn here")
needs_scipy = unittest.skipUnless(sparse, "no scipy here")
needs_tool = unittest.skipUnless(os.access(TOOL, os.X_OK), "no rvm-train here")
BOTH = (RVMRegressor, RVMClassifier)


def shipped(*path):
    """Text of a file of the source."""
    with open(os.path.join(TOP, *path), encoding="utf-8") as text:
        return text.read()


def sinc(rows=80, seed=5):
    """sin(x)/x on -10 to 10 with noise of deviation 0.1."""
    random = np.random.RandomState(seed)
    x = random.uniform(-10, 10, (rows, 1))
    return x, np.sin(x[:, 0]) / x[:, 0] + 0.1 * random.standard_normal(rows)


def blobs(classes=2, rows=120, seed=3, spread=1.3):
    """Normal clouds around points of a circle of radius 2."""
    random = np.random.RandomState(seed)
    y = np.arange(rows) % classes
    angle = 2 * np.pi * y / classes
    centre = 2 * np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + spread * random.standard_normal((rows, 2)), y


def data_for(cls):
    return sinc() if cls is RVMRegressor else blobs()


def answer(model, x):
    """All that a model says of rows."""
    if isinstance(model, RVMRegressor):
        return np.column_stack(model.predict(x, return_std=True))
    return model.predict_proba(x)


def rbf(x, z, gamma):
    return np.exp(-gamma * np.sum((x[:, None, :] - z[None, :, :]) ** 2, axis=2))


class Frame:
    """As much of a pandas.DataFrame as a test needs."""

    def __init__(self, values, columns):
        self.values, self.columns = values, columns

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


class Mathematics(unittest.TestCase):
    def test_mean_is_the_weighted_sum_of_kernel_functions(self):
        x, y = sinc()
        for gamma in (0.2, "scale", "auto", None):
            model = RVMRegressor(gamma=gamma).fit(x, y)
            self.assertAlmostEqual(
                model.gamma_, {0.2: 0.2, "scale": 1 / np.var(x)}.get(gamma, 1.0))
            new = np.linspace(-12, 12, 50)[:, None]
            np.testing.assert_array_equal(model.relevance_vectors_, x[model.relevance_])
            mean = rbf(new, model.relevance_vectors_, model.gamma_) @ model.dual_coef_[0] \
                + model.intercept_[0]
            np.testing.assert_allclose(model.predict(new), mean, rtol=1e-9, atol=1e-12)

    def test_a_good_fit(self):
        x, y = sinc(rows=200)
        model = RVMRegressor(gamma=0.1).fit(x, y)
        new = np.linspace(-9, 9, 101)[:, None]
        self.assertLess(np.sqrt(np.mean((model.predict(new) - np.sinc(new[:, 0] / np.pi)) ** 2)),
                        0.05)
        self.assertLess(abs(np.sqrt(model.noise_variance_) - 0.1), 0.02)
        self.assertLess(len(model.relevance_), 20)
        self.assertTrue(model.converged_)
        self.assertGreaterEqual(model.n_iter_, 1)

    def test_evidence_of_a_constant(self):
        # The mean of N targets is set apart, and a weight N(0, 1/alpha) of the constant is left,
        # whose posterior variance 1 / (N + alpha) is beside the noise, 1, in that of a prediction.
        y = np.array([3.1, 2.2, 4.7, 3.9, 2.6, 3.3])
        model = RVMRegressor("none", options={"noise_variance": 1.0}).fit(np.ones((6, 1)), y)
        mean, std = model.predict([[1.0]], return_std=True)
        alpha = 1 / (std[0] ** 2 - 1) - 6
        covariance = np.eye(6) + 1 / alpha
        deviation = y - np.mean(y)
        evidence = -0.5 * (np.linalg.slogdet(2 * np.pi * covariance)[1]
                           + deviation @ np.linalg.solve(covariance, deviation))
        self.assertAlmostEqual(model.log_evidence_, evidence, places=9)
        self.assertAlmostEqual(mean[0], np.mean(y), places=12)
        self.assertEqual(model.intercept_[0], mean[0])
        self.assertEqual(model.relevance_vectors_.shape, (0, 1))

    def test_far_away_only_the_noise_is_left(self):
        x, y = sinc()
        model = RVMRegressor(gamma=0.1, options={"no-bias": True}).fit(x, y)
        mean, std = model.predict([[1e3]], return_std=True)
        self.assertEqual(mean[0], 0)
        self.assertAlmostEqual(std[0] ** 2, model.noise_variance_, places=12)

    def test_intervals_are_those_of_the_normal_distribution(self):
        x, y = sinc()
        model = RVMRegressor(gamma=0.1).fit(x, y)
        mean, std = model.predict(x, return_std=True)
        for coverage, quantile in ((0.9, 1.6448536269514722), (0.95, 1.959963984540054)):
            low, high = model.predict_interval(x, coverage)
            np.testing.assert_allclose(high - mean, quantile * std, rtol=1e-9)
            np.testing.assert_allclose(mean - low, quantile * std, rtol=1e-9)

    def test_precomputed_kernel(self):
        # Values of the kernel are the same but for rounding, and so is what becomes of them.
        x, y = sinc(40)
        new = np.linspace(-9, 9, 7)[:, None]
        model = RVMRegressor("precomputed").fit(rbf(x, x, 0.1), y)
        np.testing.assert_allclose(model.predict(rbf(new, x, 0.1)),
                                   RVMRegressor(gamma=0.1).fit(x, y).predict(new), atol=0.02)
        coef = model.dual_coef_[0]
        np.testing.assert_allclose(
            model.predict(rbf(new, x, 0.1)),
            rbf(new, x[model.relevance_], 0.1) @ coef + model.intercept_[0], rtol=1e-9)
        self.assertFalse(hasattr(model, "relevance_vectors_"))
        with self.assertRaisesRegex(ValueError, "square"):
            RVMRegressor("precomputed").fit(np.ones((5, 4)), np.arange(5))

    def test_terms(self):
        random = np.random.RandomState(0)
        x = random.standard_normal((60, 3))
        y = 2 * x[:, 1] + 5 + 0.01 * random.standard_normal(60)
        model = RVMRegressor("none", options={"basis": "bias,linear"}).fit(x, y)
        slope = dict(zip(model.terms_, model.term_coef_[0]))["x2"]
        self.assertAlmostEqual(slope, 2, delta=0.01)
        self.assertAlmostEqual(model.intercept_[0], 5, delta=0.01)

    def test_ard_finds_the_feature_that_counts(self):
        random = np.random.RandomState(1)
        x = random.uniform(-1, 1, (120, 3))
        y = np.sin(4 * x[:, 1]) + 0.1 * random.standard_normal(120)
        self.assertEqual(list(np.flatnonzero(RVMRegressor(ard=True).fit(x, y).feature_relevance_)),
                         [1])
        np.testing.assert_array_equal(RVMRegressor().fit(x, y).feature_relevance_, 1)

    def test_several_outputs(self):
        x, y = sinc()
        two = np.column_stack([y, 10 * y[::-1]])
        model = RVMRegressor(gamma=0.1).fit(x, two)
        mean, std = model.predict(x[:7], return_std=True)
        self.assertEqual((mean.shape, std.shape), ((7, 2), (7, 2)))
        self.assertEqual(model.noise_variance_.shape, (2,))
        self.assertEqual(model.dual_coef_.shape, (2, len(model.relevance_)))
        self.assertEqual(np.shape(model.predict_interval(x[:7])), (2, 7, 2))
        self.assertEqual(RVMRegressor().fit(x, y[:, None]).predict(x).shape, (80, 1))
        np.testing.assert_allclose(
            mean, rbf(x[:7], model.relevance_vectors_, 0.1) @ model.dual_coef_.T
            + model.intercept_, rtol=1e-8, atol=1e-10)


class Classes(unittest.TestCase):
    def test_labels_of_any_type(self):
        x, y = blobs(3)
        expected = RVMClassifier().fit(x, y).predict_proba(x)
        for names in (["a", "b", "longer"], [-7, 2, 5], [0.0, 1.0, 4.0], [1, 2 ** 40, 2 ** 41],
                      [b"a", b"b", b"c"]):
            labels = np.array(names)[y]
            model = RVMClassifier().fit(x, labels)
            np.testing.assert_array_equal(model.classes_, np.array(names))
            np.testing.assert_allclose(model.predict_proba(x), expected, atol=1e-6)
            np.testing.assert_array_equal(
                model.predict(x), model.classes_[np.argmax(model.predict_proba(x), axis=1)])
            self.assertEqual(model.predict(x).dtype, labels.dtype)
            self.assertGreater(model.score(x, labels), 0.75)
        self.assertEqual(list(RVMClassifier().fit(x, y == 1).classes_), [False, True])
        nothing = np.array(["no", np.nan, "so"], dtype=object)[y]
        for labels in (nothing, np.array(["2001", "NaT", "2003"], "M8[D]")[y]):
            with self.assertRaisesRegex(ValueError, "y contains NaN"):
                RVMClassifier().fit(x, labels)
        objects = RVMClassifier().fit(x, np.array(["no", "yes", "so"], dtype=object)[y])
        self.assertEqual(objects.predict(x[:1])[0], "no")

    def test_probabilities(self):
        for classes in (2, 3):
            x, y = blobs(classes)
            for options in (None, {"multiclass": "ovr"}):
                model = RVMClassifier(options=options).fit(x, y)
                p = model.predict_proba(x)
                np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
                np.testing.assert_allclose(model.predict_log_proba(x), np.log(p), atol=1e-9)
                score = model.decision_function(x)
                found = score > 0 if classes == 2 else np.argmax(score, axis=1)
                np.testing.assert_array_equal(model.predict(x), found)

    def test_order_of_first_rows_does_not_matter(self):
        x, y = blobs(3)
        a, b = (RVMClassifier().fit(x[::s], y[::s]) for s in (1, -1))
        np.testing.assert_allclose(a.predict_proba(x), b.predict_proba(x), atol=1e-6)
        np.testing.assert_allclose(a.intercept_, b.intercept_, atol=1e-4)

    def test_latent_function_of_two(self):
        # Log-odds of the second class; averaging over the weights draws it towards 0, no further.
        for labels in ([0, 1], [1, 0], [-1, 1], [1, -1]):
            x, y = blobs(2)
            y = np.array(labels)[y]
            model = RVMClassifier(gamma=0.3).fit(x, y)
            f = rbf(x, model.relevance_vectors_, 0.3) @ model.dual_coef_[0] + model.intercept_[0]
            score = model.decision_function(x)
            self.assertTrue(np.all(f * score >= 0))
            self.assertTrue(np.all(np.abs(score) <= np.abs(f) * (1 + 1e-9)))

    def test_one_class(self):
        model = RVMClassifier().fit([[1.0], [2.0]], ["it", "it"])
        self.assertEqual(list(model.predict([[7.0]])), ["it"])
        np.testing.assert_array_equal(model.predict_proba([[7.0]]), [[1.0]])

    def test_class_weight(self):
        x, y = blobs(2, spread=3)
        y[(y == 1) & (np.arange(len(y)) % 3 > 0)] = 0
        n, k = len(y), y.sum()

        def found(weight):
            return RVMClassifier(class_weight=weight).fit(x, y).predict_proba(x)
        np.testing.assert_array_equal(
            found("balanced"), found({0: n / (2 * (n - k)), 1: n / (2 * k)}))
        self.assertGreater(found({1: 20})[:, 1].mean(), found(None)[:, 1].mean())
        with self.assertRaisesRegex(ValueError, "balanced"):
            found("blanced")


class Arrays(unittest.TestCase):
    def test_every_layout_is_the_same(self):
        x, y = blobs(2)
        wide = np.zeros((240, 6))
        wide[::-2, ::3] = x
        back = wide[::-2, ::3]
        np.testing.assert_array_equal(back, x)
        expected = answer(RVMClassifier().fit(x, y), x)
        for same in (np.asfortranarray(x), back, x.tolist(), x.astype(">f8"), x.astype(object)):
            np.testing.assert_array_equal(answer(RVMClassifier().fit(same, y), same), expected)
        packed = np.zeros(120, dtype=[("flag", "u1"), ("x", "f8", 2)])
        packed["x"] = x  # not aligned
        np.testing.assert_array_equal(answer(RVMClassifier().fit(packed["x"], y), packed["x"]),
                                      expected)
        single = x.astype(np.float32)
        np.testing.assert_array_equal(
            answer(RVMClassifier().fit(single, y), single),
            answer(RVMClassifier().fit(single.astype(float), y), single.astype(float)))

    def test_the_library_is_given_aligned_arrays(self):
        shifted = np.frombuffer(b" " + np.ones(6).tobytes(), dtype=float, offset=1)
        self.assertFalse(shifted.flags.aligned)
        rows = rvm_ml._Dense(shifted.reshape(3, 2))
        self.assertTrue(rows.x.flags.aligned)
        self.assertEqual(rows.strides, [2, 1])
        self.assertTrue(rvm_ml._as_targets(shifted.reshape(3, 2), rows).flags.aligned)
        if sparse:
            matrix = sparse.csr_matrix(np.ones((3, 2)))
            matrix.data = shifted
            self.assertTrue(rvm_ml._Sparse(matrix).value.flags.aligned)

    def test_the_variance_of_features(self):
        # Var(c + 10 z) = 100 Var(z) for every c; of random numbers of variance 1 about 100.
        z = np.random.RandomState(8).standard_normal((500, 2))
        for x in (10 * z, 1e9 + 10 * z):
            self.assertAlmostEqual(rvm_ml._as_rows(x).variance(), 100 * z.var(), delta=1e-4)
            if sparse:
                rows = rvm_ml._as_rows(sparse.csr_matrix(x))
                self.assertAlmostEqual(rows.variance(), 100 * z.var(), delta=1e-4)
        if sparse:
            thin = np.where(z > 1, 10 + z, 0)
            self.assertAlmostEqual(rvm_ml._as_rows(sparse.csr_matrix(thin)).variance(),
                                   thin.var(), places=9)

    def test_large_numbers_are_no_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(rvm_ml._as_floats([[1.7e308], [1.7e308]], "X"), 1.7e308)
            with self.assertRaisesRegex(ValueError, "contains NaN"):
                rvm_ml._as_floats([np.inf, -np.inf, np.nan], "X")

    def test_input_is_left_alone(self):
        x, y = sinc()
        x.flags.writeable = y.flags.writeable = False
        RVMRegressor(standardize=True).fit(x, y).predict(x)

    def test_one_row_as_many(self):
        for cls in BOTH:
            x, y = data_for(cls)
            model = cls().fit(x, y)
            np.testing.assert_array_equal(
                np.vstack([answer(model, row[None, :]) for row in x]), answer(model, x))

    @needs_scipy
    def test_sparse(self):
        x, y = blobs(2)
        x[np.abs(x) < 0.7] = 0
        expected = RVMClassifier().fit(x, y)
        for form in ("csr", "csc", "coo", "lil", "dok"):
            rows = sparse.csr_matrix(x).asformat(form)
            model = RVMClassifier().fit(rows, y)
            np.testing.assert_allclose(model.gamma_, expected.gamma_, rtol=1e-12)
            np.testing.assert_allclose(model.predict_proba(rows), expected.predict_proba(x),
                                       atol=1e-6)
            self.assertTrue(sparse.issparse(model.relevance_vectors_))
            np.testing.assert_array_equal(model.relevance_vectors_.toarray(),
                                          x[model.relevance_])
        twice = sparse.csr_matrix((np.repeat(x[:, 0] / 2, 2), np.zeros(240, int),
                                   np.arange(0, 241, 2)), shape=(120, 2))
        np.testing.assert_array_equal(
            RVMClassifier(gamma=0.5).fit(twice, y).predict_proba(twice),
            RVMClassifier(gamma=0.5).fit(twice.toarray(), y).predict_proba(twice.toarray()))
        self.assertEqual(twice.nnz, 240)  # not changed

    def test_names_of_columns(self):
        x, y = blobs(2)
        model = RVMClassifier().fit(Frame(x, ["width", "height"]), y)
        self.assertEqual(list(model.feature_names_in_), ["width", "height"])
        model.predict(Frame(x, ["width", "height"]))
        with self.assertRaisesRegex(ValueError, "same order"):
            model.predict(Frame(x, ["height", "width"]))
        with self.assertRaisesRegex(ValueError, "unseen at fit time:\n- weight"):
            model.predict(Frame(x, ["height", "weight"]))
        with self.assertWarnsRegex(UserWarning, "valid feature names"):
            model.predict(x)
        model.fit(x, y)
        self.assertFalse(hasattr(model, "feature_names_in_"))

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas here")
        x, y = blobs(2)
        frame = pandas.DataFrame(x, columns=["a", "b"])
        model = RVMClassifier().fit(frame, pandas.Series(["no", "yes"])[y].reset_index(drop=True))
        self.assertEqual(list(model.feature_names_in_), ["a", "b"])
        np.testing.assert_array_equal(
            model.predict_proba(frame), RVMClassifier().fit(x, y).predict_proba(x))


class Faults(unittest.TestCase):
    def refused(self, text, *arguments, kind=ValueError, cls=RVMRegressor, **parameters):
        with self.assertRaisesRegex(kind, text):
            cls(**parameters).fit(*arguments)

    def test_data(self):
        x, y = sinc(20)
        bad = x.copy()
        bad[3, 0] = np.nan
        self.refused("X contains NaN", bad, y)
        self.refused("y contains infinity", x, np.where(y == y[4], np.inf, y))
        self.refused(r"inconsistent numbers of samples: \[20, 19\]", x, y[1:])
        self.refused("Reshape your data", x[:, 0], y)
        self.refused("0 sample", x[:0], y[:0])
        self.refused("0 feature", x[:, :0], y)
        self.refused("Complex data", x + 1j, y)
        self.refused("y is None", x, None)
        self.refused("Unknown label type", x, y, cls=RVMClassifier)
        self.refused("1d array", x, np.zeros((20, 2), int), cls=RVMClassifier)

    def test_settings(self):
        x, y = sinc(20)
        for gamma in (-1, 0, np.inf, np.nan):
            self.refused("gamma=.* must be finite and above 0", x, y, gamma=gamma)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.refused("gamma='scale' is 0; it must be finite and above 0", 1e300 * x, y)
        self.refused("'search'", x, y, gamma="wide")
        self.refused("no kernel of that name", x, y, kernel="cauchy")
        self.refused("no setting", x, y, options={"colour": 1})
        self.refused("no setting", x, y, options={"v": 5})
        self.refused("which the class says", x, y, options={"task": "regression"})
        for name, instead in (("auto", "parameter auto"), ("interval", "predict_interval"),
                              ("variance", "return_std"), ("mode", "averages")):
            self.refused("may not have '%s', which .*%s" % (name, instead), x, y,
                         options={name: None})
        self.refused("flat, kernel", x, y, prior="vague")

    def test_weights_of_rows(self):
        x, y = sinc(20)
        for cls in BOTH:
            with self.assertRaisesRegex(TypeError, "sample_weight: the model has no weights"):
                cls().fit(x, y > 0, sample_weight=np.ones(20))

    def test_not_fitted(self):
        for cls in BOTH:
            model = cls()
            with self.assertRaisesRegex(rvm_ml.NotFittedError, "not fitted yet"):
                model.predict([[1.0]])
            for name in ("relevance_", "relevance_vectors_", "log_evidence_", "model_text_"):
                self.assertFalse(hasattr(model, name))

    def test_number_of_features(self):
        model = RVMRegressor().fit(*sinc(20))
        with self.assertRaisesRegex(ValueError, "X has 2 features, but RVMRegressor is expecting "
                                    "1 features as input"):
            model.predict([[1.0, 2.0]])

    def test_warnings_not_prints(self):
        x, y = blobs(2)
        with self.assertWarnsRegex(rvm_ml.DataConversionWarning, "column-vector"):
            RVMClassifier().fit(x, y[:, None])
        program = ("import rvm_ml, numpy as np\n"
                   "x = np.arange(12.0)[:, None]\n"
                   "rvm_ml.RVMRegressor(auto=True).fit(x, np.sin(x[:, 0])).predict(x)\n")
        run = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=environment())
        self.assertEqual((run.returncode, run.stdout), (0, b""))

    def test_an_early_end_is_a_warning(self):
        converged = rvm_ml._Model.get
        x, y = sinc(20)
        with unittest.mock.patch.object(
                rvm_ml._Model, "get", lambda model, name, *a:
                0 if name == "converged" else converged(model, name, *a)):
            with self.assertWarns(rvm_ml.ConvergenceWarning):
                RVMRegressor().fit(x, y)

    def test_a_fit_that_fails_changes_nothing(self):
        x, y = sinc(20)
        model = RVMRegressor().fit(x, np.column_stack([y, -y]))
        before = answer(model, x)
        state = dict(vars(model))
        with self.assertRaisesRegex(ValueError, "no setting"):
            model.set_params(options={"colour": 1}).fit(x[:, [0, 0]], y)
        self.assertEqual({name: id(value) for name, value in vars(model.set_params(
            options=None)).items()}, {name: id(value) for name, value in state.items()})
        np.testing.assert_array_equal(answer(model, x), before)

    def test_a_warning_that_is_an_error_comes_last(self):
        x, y = blobs()
        model = RVMClassifier().fit(x, y + 5)
        get = rvm_ml._Model.get
        with unittest.mock.patch.object(
                rvm_ml._Model, "get", lambda model, name, *a:
                0 if name == "converged" else get(model, name, *a)), warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(rvm_ml.ConvergenceWarning):
                model.fit(x, y + 1)
        self.assertEqual(list(model.classes_), [1, 2])
        np.testing.assert_array_equal(model.predict(x), RVMClassifier().fit(x, y + 1).predict(x))

    def test_a_text_that_does_not_fit(self):
        text = RVMRegressor().fit(*sinc(20)).model_text_
        self.assertEqual(RVMRegressor.from_text(text, 3).n_features_in_, 3)
        with self.assertRaisesRegex(ValueError, "n_features=0, and the model has 1"):
            RVMRegressor.from_text(text, 0)
        self.assertIn(" 1:", text)
        with self.assertRaisesRegex(ValueError, "a feature 0"):
            RVMRegressor.from_text(text.replace(" 1:", " 0:"))
        x, y = sinc(20)
        text = RVMRegressor("precomputed").fit(rbf(x, x, 0.1), y).model_text_
        self.assertEqual(RVMRegressor.from_text(text, 20).predict(rbf(x, x, 0.1)).shape,
                         (20,))

    def test_the_name_of_the_library(self):
        for platform, name in (("linux", "librvm-ml.so.0"), ("freebsd14", "librvm-ml.so.0"),
                               ("darwin", "librvm-ml.0.dylib")):
            run = subprocess.run(
                [sys.executable, "-c", "import ctypes, numpy, sys; sys.platform = %r\n"
                 "import rvm_ml; print(rvm_ml._SONAME)" % platform], stdout=subprocess.PIPE,
                env=environment(RVM_ML_LIBRARY=rvm_ml._open_library()._name))
            self.assertEqual(run.stdout.decode().strip(), name)

    def test_library_that_is_not_there(self):
        run = subprocess.run([sys.executable, "-c", "import rvm_ml"], stderr=subprocess.PIPE,
                             env=environment(RVM_ML_LIBRARY="/no/library"))
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"ImportError: rvm_ml needs the library librvm-ml", run.stderr)


def environment(**more):
    return dict(os.environ, PYTHONPATH=os.path.dirname(os.path.abspath(rvm_ml.__file__)), **more)


class Life(unittest.TestCase):
    def test_copies(self):
        for cls in BOTH:
            x, y = data_for(cls)
            model = cls(prior="kernel").fit(x, y)
            for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model),
                         cls.from_text(model.model_text_)):
                np.testing.assert_array_equal(answer(same, x), answer(model, x))
                self.assertEqual(same.model_text_, model.model_text_)
                np.testing.assert_array_equal(same.relevance_, model.relevance_)
                np.testing.assert_array_equal(same.dual_coef_, model.dual_coef_)
        with self.assertRaisesRegex(ValueError, "not of a regressor"):
            RVMRegressor.from_text(model.model_text_)
        with self.assertRaises(ValueError):
            RVMRegressor.from_text("no model")

    def freed(self):
        """The predictors and models that are freed from now to the end of the test, in order."""
        names, free = [], rvm_ml._Handle.free

        def watched(handle):
            name = handle._free.__name__
            if handle.pointer is not None and name != "rvmml_settings_free":
                names.append(name)
            free(handle)
        patch = unittest.mock.patch.object(rvm_ml._Handle, "free", watched)
        patch.start()
        self.addCleanup(patch.stop)
        return names

    def test_a_predictor_goes_before_its_model(self):
        x, y = sinc(20)
        order = ["rvmml_predictor_free", "rvmml_model_free"]

        def fails(rows, to, predictor):
            raise FloatingPointError("predict")
        model = RVMRegressor().fit(x, y)
        model.predict(x)
        failing, held = (RVMRegressor().fit(x, y) for _ in range(2))
        freed = self.freed()
        del model
        self.assertEqual(freed, order)
        del freed[:]
        with unittest.mock.patch.object(rvm_ml._Dense, "predict", fails):
            with self.assertRaises(FloatingPointError):  # which clears the frames
                vars(failing).pop("_model").predict(rvm_ml._as_rows(x), {})
        self.assertEqual(freed, order)
        del freed[:]
        predictor = rvm_ml._Predictor(vars(held).pop("_model"), {})
        self.assertEqual(freed, [])
        del predictor
        self.assertEqual(freed, order)

    def test_few_predictors_are_kept(self):
        x, y = sinc(20)
        model = RVMRegressor().fit(x, y)
        expected = np.array(model.predict_interval(x, 0.5))
        freed = self.freed()
        for coverage in np.linspace(0.1, 0.9, 30):
            model.predict_interval(x, coverage)
        self.assertGreaterEqual(len(freed), 27)
        np.testing.assert_array_equal(np.array(model.predict_interval(x, 0.5)), expected)
        del freed[:]
        for _ in range(5):
            model.predict_interval(x, 0.5)
        self.assertEqual(freed, [])

    def test_parameters(self):
        model = RVMRegressor("laplacian", ard=True)
        self.assertEqual(model.get_params()["kernel"], "laplacian")
        self.assertEqual(model.set_params(gamma=2.0).gamma, 2.0)
        with self.assertRaisesRegex(ValueError, "Invalid parameter"):
            model.set_params(C=1)
        self.assertIn("ard=True", repr(model))
        for cls in BOTH:
            for name in inspect.signature(cls).parameters:
                self.assertRegex(cls.__doc__, r"\b%s\b" % name)
            for name in vars(cls().fit(*data_for(cls))):
                if name.endswith("_") and not name.startswith("_"):
                    self.assertRegex(cls.__doc__, r"\b%s\b" % name)

    def test_fit_again(self):
        x, y = sinc()
        model = RVMRegressor(random_state=7)
        first = model.fit(x, y).model_text_
        self.assertEqual(model.fit(x[:, [0, 0]], y).n_features_in_, 2)
        self.assertEqual(model.fit(x, y).model_text_, first)
        for state in (np.random.RandomState(0), np.random.default_rng(0)):
            RVMRegressor(random_state=state).fit(x, y)

    def test_auto(self):
        x, y = sinc(60)
        model = RVMRegressor(auto=True).fit(x, y)
        self.assertGreater(model.score(*sinc(200, seed=6)), 0.8)
        held = RVMRegressor("laplacian", auto=5.0).fit(x, y)
        self.assertEqual(held.kernel_, "laplacian")
        held = RVMRegressor(auto=True, options={"prior": "flat", "kernel": "rbf"}).fit(x, y)
        self.assertEqual(held.kernel_, "rbf")
        self.assertEqual(RVMRegressor(gamma="search").fit(x, y).kernel_, "rbf")

    def test_threads(self):
        x, y = blobs(3, rows=200)
        model = RVMClassifier().fit(x, y)
        expected, found = model.predict_proba(x), []
        self.assertEqual(RVMClassifier(n_jobs=-1).fit(x, y).model_text_, model.model_text_)

        def work():
            mine = RVMClassifier().fit(x, y)
            for _ in range(20):
                found.append(np.array_equal(model.predict_proba(x), expected))
            found.append(mine.model_text_ == model.model_text_)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 84)

    @unittest.skipUnless(hasattr(signal, "SIGINT") and os.name == "posix", "no signals here")
    def test_interrupt(self):
        random = np.random.RandomState(0)
        x = random.uniform(size=(20000, 10))
        y = np.sin(9 * x[:, 0]) * x[:, 1] + random.standard_normal(20000)
        model = RVMRegressor()
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        start = time.time()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            model.fit(x, y)
            model.fit(x, y[::-1])
        self.assertLess(time.time() - start, 60)
        self.assertFalse(hasattr(model, "log_evidence_"))
        self.assertTrue(model.fit(x[:50], y[:50]).converged_)

    def test_memory_is_given_back(self):
        try:
            import resource
        except ImportError:
            self.skipTest("no resource usage here")
        x, y = sinc(60)

        def peak():
            for _ in range(40):
                answer(copy.deepcopy(RVMRegressor(options={"restarts": 1}).fit(x, y)), x)
                try:
                    RVMRegressor(gamma=-1).fit(x, y)
                except ValueError:
                    pass
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = peak()
        self.assertLess(peak() - before, 2000)  # KB; 40 models and data of 60 rows have more

    def test_numpy_is_enough(self):
        program = (
            "import sys\n"
            "sys.modules['sklearn'] = sys.modules['scipy'] = None\n"
            "import rvm_ml, numpy as np, pickle\n"
            "x = np.linspace(-9, 9, 60)[:, None]\n"
            "y = np.sin(x[:, 0])\n"
            "r = rvm_ml.RVMRegressor(gamma=0.5).fit(x, y)\n"
            "assert r.score(x, y) > 0.99 and r.score(x, y, np.arange(60)) > 0.99\n"
            "assert rvm_ml.RVMRegressor().fit(x, np.c_[y, y]).score(x, np.c_[y, y]) > 0.5\n"
            "assert repr(r) == 'RVMRegressor(gamma=0.5)', r\n"
            "assert rvm_ml.RVMRegressor(**r.get_params()).set_params(gamma=1).gamma == 1\n"
            "c = rvm_ml.RVMClassifier().fit(x, y > 0)\n"
            "assert c.score(x, y > 0) > 0.9 and c._estimator_type == 'classifier'\n"
            "assert (pickle.loads(pickle.dumps(c)).predict(x) == c.predict(x)).all()\n"
            "try: c.set_params(C=1)\n"
            "except ValueError: pass\n"
            "else: raise SystemExit('C')\n"
            "try: rvm_ml.RVMClassifier().predict(x)\n"
            "except rvm_ml.NotFittedError: pass\n")
        run = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE,
                             env=environment())
        self.assertEqual((run.returncode, run.stderr.decode()), (0, ""))


class Tools(unittest.TestCase):
    @needs_tool
    @unittest.skipUnless(shutil.which("Rscript"), "no Rscript here")
    def test_r_says_as_much_of_one_row_as_of_many(self):
        text = "\n".join(re.findall(r"^\.nf\n(.*?)^\.fi", shipped("man", "rvm-tools.7"),
                                    re.DOTALL | re.MULTILINE))
        text = re.sub(r"^\.(sp|nf|fi).*", "", text, flags=re.MULTILINE)
        text = text.replace("\\-", "-").replace("\\e", "\\")
        text = text[:text.index("\nfit <- ")] + """
two <- rvm_tools(as.matrix(mtcars[, 3:6]), as.matrix(mtcars[, 1:2]), "--standardize")
one <- rvm_tools(mtcars[, 3:6], mtcars$mpg, "--standardize")
for (rows in list(7, 1:5)) {
    new <- mtcars[rows, 3:6]
    said <- c(predict(two, new, type = "variance"), list(predict(two, new)))
    for (part in said) stopifnot(identical(dim(part), c(length(rows), 2L)))
    said <- c(predict(one, new, type = "variance"), list(predict(one, new)))
    for (part in said) stopifnot(is.null(dim(part)), length(part) == length(rows))
}
"""
        path = os.path.abspath(os.path.dirname(TOOL)) + os.pathsep + os.environ["PATH"]
        run = subprocess.run(["Rscript", "--vanilla", "-e", text], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=dict(os.environ, PATH=path))
        self.assertEqual(run.returncode, 0, run.stdout.decode())

    @needs_tool
    def test_the_model_is_that_of_rvm_train(self):
        for cls, options in ((RVMRegressor, ["-s", "3"]), (RVMClassifier, ["-s", "0"])):
            x, y = data_for(cls)
            model = cls(gamma=0.25).fit(x, y)
            with tempfile.TemporaryDirectory() as folder:
                data, out = (os.path.join(folder, name) for name in ("data", "model"))
                with open(data, "w") as rows:
                    for target, row in zip(y, x):
                        rows.write("%r %s\n" % (target.item(), " ".join(
                            "%d:%r" % (j + 1, v.item()) for j, v in enumerate(row))))
                subprocess.check_call([TOOL, "-q"] + options + ["-g", "0.25", data, out])
                with open(out) as text:
                    written = text.read()
            self.assertEqual(model.model_text_, written)
            np.testing.assert_array_equal(answer(cls.from_text(written), x), answer(model, x))


@needs_sklearn
class ScikitLearn(unittest.TestCase):
    def test_the_example_of_the_readme(self):
        for text in (shipped("README"), rvm_ml.__doc__):
            lines = text[text.index("    from sklearn"):].split("\n\n")[0].splitlines()
            self.assertEqual(len(lines), 5)
            lines[-1] = lines[-1].replace("print", "said = ")
            names = {}
            exec("\n".join(line.strip() for line in lines), names)
            score, probability, relevance = names["said"]
            self.assertGreater(score, 0.93)
            self.assertEqual(probability.shape, (3, 3))
            self.assertTrue(0 < len(relevance) < 15)

    def test_check_estimator(self):
        from sklearn.utils.estimator_checks import check_estimator
        from unittest import SkipTest
        passed = 0
        for model in (RVMRegressor(), RVMClassifier()):
            for estimator, check in check_estimator(model, generate_only=True):
                name = getattr(check, "func", check).__name__
                with self.subTest(type(model).__name__ + " " + name), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        check(estimator)
                        passed += 1
                    except SkipTest as reason:
                        print("skipped: %s of %s: %s" % (name, type(model).__name__, reason))
        print("check_estimator: %d checks passed" % passed)

    def test_the_example_of_the_manual(self):
        page = shipped("man", "rvm-tools.7")
        code = page[page.index(".EX\n") + 4:page.index(".EE\n")].replace(
            "data/boston", os.path.join(TOP, "data", "boston"))
        self.assertEqual(len(code.splitlines()), 5)
        names = {}
        exec(code, names)
        deviation = (names["y"][1::2] - names["mean"]) / names["std"]
        self.assertGreater(names["model"].score(names["X"][1::2].toarray(), names["y"][1::2]), 0.8)
        self.assertTrue(0.8 < np.mean(np.abs(deviation) < 1.6449) < 0.97)

    def test_clone(self):
        from sklearn.base import clone
        model = RVMClassifier(kernel="linear", options={"restarts": 2})
        self.assertEqual(clone(model).get_params(), model.get_params())
        self.assertIn("kernel='linear'", repr(model))

    def test_pipeline_and_grid(self):
        from sklearn.datasets import load_iris
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        x, y = load_iris(return_X_y=True)
        grid = GridSearchCV(make_pipeline(StandardScaler(), RVMClassifier()),
                            {"rvmclassifier__gamma": [0.03, 0.3]}, cv=3, n_jobs=2)
        grid.fit(x, np.array(["a", "b", "c"])[y])
        self.assertGreater(grid.best_score_, 0.9)
        self.assertTrue(set(grid.predict(x)) <= {"a", "b", "c"})

    def test_calibrated(self):
        from sklearn.calibration import CalibratedClassifierCV
        x, y = blobs(3)
        model = CalibratedClassifierCV(RVMClassifier(), cv=3).fit(x, y)
        np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1)
        self.assertGreater(model.score(x, y), 0.7)

    def test_precomputed_kernels_are_cut_both_ways(self):
        from sklearn.model_selection import cross_val_score
        x, y = sinc(60)
        score = cross_val_score(RVMRegressor("precomputed"), rbf(x, x, 0.1), y, cv=3)
        self.assertGreater(score.min(), 0.3)


if __name__ == "__main__":
    unittest.main()

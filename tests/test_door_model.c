/* Models and predictions as programs have them: by hand, by dense matrices, and the bytes of the tools. */
#include "doors.h"
#include "trained.h"

/* phi(x) = (1, 2 x1, x1 + 3 x2), weights 0.25 + 0.5, 0.5, -1; the second vector is row 4. */
static const char by_hand[] = "rvm_model 1\ntask regression\nkernel_type linear\nnr_class 2\n"
                              "total_rv 2\nexamples 9\nrows 1 5\nnoise_variance 0.0400\n"
                              "noise_fixed 0\nlog_evidence -7\nconverged 1\nbias 0.25 1 0.5\n"
                              "factor 2 1 0.5\nfactor 4 -1\nfactor 5\nRV\n0.5 3 1:2\n"
                              "-1 0.125 1:1 2:3\nend\n";
/* Classes 5, -2 and 9, of which the last is f = 0. */
static const char three_classes[] = "rvm_model 1\ntask classification\nkernel_type linear\n"
                                    "nr_class 3\nlabel 5 -2 9\ntotal_rv 2\nexamples 9\n"
                                    "log_evidence 0\nconverged 0\nprobability 0\n"
                                    "class 5 2\nbias 0.25 1 0\nfactor 2 1\nfactor 4\n"
                                    "class -2 2\nfactor 4 -1\nfactor 5\nclass 9 0\nRV\n"
                                    "0.5 1 0.125 1 0 0 1:2\n0 0 -1 1 0 0 1:1 2:3\nend\n";
/* f(x) = 2 K(x, row 3) - K(x, row 5). */
static const char matrix[] = "rvm_model 1\ntask regression\nkernel_type precomputed\nnr_class 2\n"
                             "total_rv 2\nexamples 9\nnoise_variance 1\nnoise_fixed 1\n"
                             "log_evidence 0\nconverged 1\nfactor 1 0\nfactor 1\n"
                             "RV\n2 1 0:3\n-1 1 0:5\nend\n";

static rvmml_model *model_of(const char *text)
{
    rvmml_model *m = NULL;
    rvmml_error fault;

    DOOR_OK(rvmml_model_from_text(&m, text, strlen(text), &fault));
    return m;
}

static rvmml_predictor *predictor_of(const rvmml_model *m, const char *const *words)
{
    rvmml_predictor *p = NULL;
    rvmml_settings *s = settings_of(words);
    rvmml_error fault;

    DOOR_OK(rvmml_predictor_new(&p, m, s, &fault));
    rvmml_settings_free(s);
    return p;
}

static const char *const no_words[] = { NULL };

START_TEST(model_by_hand)
    {
        rvmml_model *m = model_of(by_hand);
        rvmml_error fault;
        double x[2], weight[3], alpha[3];
        int32_t column[2];

        ck_assert_int_eq(rvmml_model_task(m), RVMML_REGRESSION);
        ck_assert_uint_eq(rvmml_model_outputs(m), 1);
        ck_assert_uint_eq(rvmml_model_classes(m), 0);
        ck_assert_ptr_null(rvmml_model_labels(m));
        ck_assert_uint_eq(rvmml_model_columns(m), 2);
        ck_assert_uint_eq(rvmml_model_examples(m), 9);
        ck_assert_double_eq(rvmml_model_log_evidence(m), -7);
        ck_assert_int_eq(rvmml_model_converged(m), 1);
        ck_assert_str_eq(rvmml_model_kernel(m), "linear");
        ck_assert_double_eq(rvmml_model_gamma(m), 0);
        ck_assert_double_eq(rvmml_model_noise_variance(m, 0), 0.04);
        ck_assert_uint_eq(rvmml_model_vectors(m), 2);
        ck_assert_uint_eq(rvmml_model_vector_row(m, 0), 0);
        ck_assert_uint_eq(rvmml_model_vector_row(m, 1), 4);
        ck_assert_uint_eq(rvmml_model_vector_row(m, 2), RVMML_NONE);
        DOOR_OK(rvmml_model_vector(x, m, 1, &fault));
        ck_assert(x[0] == 1 && x[1] == 3);
        DOOR_OK(rvmml_model_vector(x, m, 0, &fault));
        ck_assert(x[0] == 2 && x[1] == 0);
        ck_assert_uint_eq(rvmml_model_vector_size(m, 0), 1);
        ck_assert_uint_eq(rvmml_model_vector_size(m, 1), 2);
        DOOR_OK(rvmml_model_vector_pairs(column, x, m, 1, &fault));
        ck_assert(column[0] == 0 && column[1] == 1 && x[0] == 1 && x[1] == 3);
        DOOR_FAILS(rvmml_model_vector(x, m, 2, &fault), RVMML_EARGUMENT, RVMML_NONE, "vector 2");
        ck_assert_uint_eq(rvmml_model_functions(m), 1);
        ck_assert_uint_eq(rvmml_model_function_size(m, 0), 3);
        ck_assert_uint_eq(rvmml_model_function_vector(m, 0, 0), RVMML_NONE);
        ck_assert_uint_eq(rvmml_model_function_vector(m, 0, 2), 1);
        DOOR_OK(rvmml_model_weights(weight, m, 0, &fault));
        ck_assert(weight[0] == 0.75 && weight[1] == 0.5 && weight[2] == -1);
        DOOR_OK(rvmml_model_precisions(alpha, m, 0, &fault));
        ck_assert(alpha[0] == 1 && alpha[1] == 3 && alpha[2] == 0.125);
        DOOR_OK(rvmml_model_relevance(x, m, &fault));
        ck_assert(x[0] == 1 && x[1] == 1);
        rvmml_model_free(m);
    }
END_TEST

START_TEST(names_of_functions)
    {
        rvmml_model *m =
            model_of("rvm_model 1\ntask regression\nkernel_type rbf\ngamma 0.5\neta 2:3 7:1\n"
                     "nr_class 2\ntotal_rv 1\nexamples 4\nnoise_variance 1\nnoise_fixed 0\n"
                     "log_evidence 0\nconverged 1\nbias 1 1 0\nbasis x3 2 1\nbasis x1*x9 3 1\n"
                     "factor 1 0 0 0\nfactor 1 0 0\nfactor 1 0\nfactor 1\nRV\n1 1 2:1\nend\n");
        static const char *const names[] = { "bias", "x3", "x1*x9", "" };
        rvmml_error fault;
        char name[RVMML_NAME_SIZE];
        double eta[9];

        for (size_t i = 0; i < 4; i++) {
            DOOR_OK(rvmml_model_function_name(name, m, 0, i, &fault));
            ck_assert_str_eq(name, names[i]);
        }
        DOOR_FAILS(rvmml_model_function_name(name, m, 0, 4, &fault), RVMML_EARGUMENT, RVMML_NONE,
                   "basis function 4");
        DOOR_FAILS(rvmml_model_function_name(name, m, 1, 0, &fault), RVMML_EARGUMENT, RVMML_NONE,
                   "latent function 1");
        ck_assert_double_eq(rvmml_model_gamma(m), 0.5);
        ck_assert_uint_eq(rvmml_model_columns(m), 9);
        DOOR_OK(rvmml_model_relevance(eta, m, &fault));
        for (size_t j = 0; j < 9; j++)
            ck_assert_double_eq(eta[j], j == 1 ? 3 : j == 6 ? 1 : 0);
        rvmml_model_free(m);
    }
END_TEST

/* Sigma (R'R) = 1 by plain products, and the variance 2.42125 of the row (1, 2), which is worked out
 * by hand in test_predict.c. */
START_TEST(covariance_by_dense_algebra)
    {
        static const double R[3][3] = { { 2, 1, 0.5 }, { 0, 4, -1 }, { 0, 0, 5 } };
        static const double phi[3] = { 1, 2, 7 };
        double sigma[9], variance = 0;
        rvmml_model *m = model_of(by_hand);
        rvmml_error fault;

        DOOR_OK(rvmml_model_covariance(sigma, m, 0, &fault));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = 0;
                for (int k = 0; k < 3; k++)
                    for (int l = 0; l < 3; l++)
                        sum += sigma[i * 3 + k] * R[l][k] * R[l][j];
                ck_assert_double_eq_tol(sum, i == j, 1e-14);
                ck_assert_double_eq(sigma[i * 3 + j], sigma[j * 3 + i]);
                variance += phi[i] * sigma[i * 3 + j] * phi[j];
            }
        ck_assert_double_eq_tol(variance, 2.42125, 1e-14);
        DOOR_FAILS(rvmml_model_covariance(NULL, m, 0, &fault), RVMML_EARGUMENT, RVMML_NONE, "NULL");
        rvmml_model_free(m);
    }
END_TEST

START_TEST(prediction_by_hand)
    {
        const double x[] = { 1, 2, 0, 0 };
        double value[2], variance[2], low[2], high[2];
        const rvmml_prediction to = {
            .size = sizeof to, .value = value, .variance = variance, .low = low, .high = high
        };
        const char *const words[] = { "interval", "0.95", NULL };
        rvmml_model *m = model_of(by_hand);
        rvmml_predictor *p = predictor_of(m, words);
        rvmml_error fault;

        DOOR_OK(rvmml_predict_dense(&to, p, x, 2, 2, 2, 1, &fault));
        ck_assert_double_eq_tol(value[0], -5.25, 1e-14);
        ck_assert_double_eq_tol(variance[0], 2.46125, 1e-14);
        ck_assert_double_eq_tol(value[1], 0.75, 1e-15);
        /* R: qnorm(0.975) */
        ck_assert_double_eq_tol(high[0] - low[0], 2 * 1.959963984540054 * sqrt(2.46125), 1e-13);
        /* Fewer columns: those behind are 0. More: nothing there is known of them. */
        DOOR_OK(rvmml_predict_one(&to, p, x, 0, &fault));
        ck_assert_double_eq_tol(value[0], 0.75, 1e-15);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
    }
END_TEST

START_TEST(classes_by_hand)
    {
        static const int labels[] = { 5, -2, 9 };
        const double x[] = { 1, 2 };
        double value, variance, probability[3], log_probability[3], weight[2];
        const rvmml_prediction to = { .size = sizeof to,
                                      .value = &value,
                                      .variance = &variance,
                                      .probability = probability,
                                      .log_probability = log_probability };
        const char *const words[] = { "mode", "1", NULL };
        rvmml_model *m = model_of(three_classes);
        rvmml_predictor *p = predictor_of(m, words);
        rvmml_error fault;

        ck_assert_uint_eq(rvmml_model_classes(m), 3);
        ck_assert_mem_eq(rvmml_model_labels(m), labels, sizeof labels);
        ck_assert_uint_eq(rvmml_model_functions(m), 3);
        ck_assert_uint_eq(rvmml_model_function_size(m, 2), 0);
        DOOR_OK(rvmml_model_weights(weight, m, 1, &fault));
        ck_assert(weight[0] == 0.125 && weight[1] == -1);
        ck_assert_uint_eq(rvmml_model_function_vector(m, 0, 1), 0);
        ck_assert_uint_eq(rvmml_model_function_vector(m, 1, 1), 1);
        ck_assert_int_eq(rvmml_model_converged(m), 0);
        DOOR_OK(rvmml_predict_one(&to, p, x, 2, &fault));
        /* f = 0.25 + 0.5 * 2, 0.125 * 2 - 7, 0: exp of these over their sum. */
        const double sum = exp(1.25) + exp(-6.75) + 1;
        ck_assert_double_eq(value, 5);
        ck_assert_double_eq_tol(probability[0], exp(1.25) / sum, 1e-14);
        ck_assert_double_eq_tol(probability[2], 1 / sum, 1e-14);
        ck_assert_double_eq_tol(log_probability[1], -6.75 - log(sum), 1e-14);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
    }
END_TEST

START_TEST(matrix_by_hand)
    {
        const double k[] = { 9, 9, 1, 9, 4, 9, 9, 9, 9 };
        double value, x[9];
        const rvmml_prediction to = { .size = sizeof to, .value = &value };
        rvmml_model *m = model_of(matrix);
        rvmml_predictor *p = predictor_of(m, no_words);
        rvmml_error fault;

        ck_assert_uint_eq(rvmml_model_columns(m), 9); /* of the examples */
        DOOR_OK(rvmml_predict_one(&to, p, k, 9, &fault));
        ck_assert_double_eq(value, 2 * 1 - 4);
        DOOR_FAILS(rvmml_model_vector(x, m, 0, &fault), RVMML_ENONE, RVMML_NONE, "no features");
        ck_assert_uint_eq(rvmml_model_vector_size(m, 0), 0);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
    }
END_TEST

/* Fewer values than rows of training are refused, as rvm-predict does, whichever way they come. */
START_TEST(matrix_of_few_values)
    {
        const double k[] = { 9, 9, 1, 9, 4, 9, 9, 9, 9 };
        const int64_t start[] = { 0, 2 };
        const int32_t index[] = { 2, 4 };
        const double value[] = { 1, 4 };
        double out;
        const rvmml_prediction to = { .size = sizeof to, .value = &out };
        rvmml_model *m = model_of(matrix);
        rvmml_predictor *p = predictor_of(m, no_words);
        rvmml_data *data = dense(k, 1, 8, NULL);
        rvmml_error fault;

        DOOR_FAILS(rvmml_predict_one(&to, p, k, 8, &fault), RVMML_EINPUT, 0, "9 training rows");
        DOOR_FAILS(rvmml_predict_dense(&to, p, k, 1, 8, 8, 1, &fault), RVMML_EINPUT, 0,
                   "8 values of the kernel");
        DOOR_FAILS(rvmml_predict_csr(&to, p, start, index, value, 1, 8, &fault), RVMML_EINPUT, 0,
                   "8 values of the kernel");
        DOOR_FAILS(rvmml_predict_data(&to, p, data, &fault), RVMML_EINPUT, 0,
                   "8 values of the kernel");
        DOOR_OK(rvmml_predict_csr(&to, p, start, index, value, 1, 9, &fault));
        ck_assert_double_eq(out, 2 * 1 - 4);
        rvmml_data_free(data);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
    }
END_TEST

START_TEST(matrix_is_no_features)
    {
        const double k[] = { 2, 1, 1, 2 };
        double out[2];
        const rvmml_prediction to = { .size = sizeof to, .value = out };
        rvmml_model *m = model_of(by_hand);
        rvmml_predictor *p = predictor_of(m, no_words);
        rvmml_data *data = NULL;
        rvmml_error fault;

        DOOR_OK(rvmml_data_kernel(&data, k, 2, 2, 1, NULL, 0, &fault));
        DOOR_FAILS(rvmml_predict_data(&to, p, data, &fault), RVMML_EINPUT, RVMML_NONE,
                   "values of a kernel");
        rvmml_data_free(data);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
    }
END_TEST

/* A model may go first; sanitizers see what freeing reads. */
START_TEST(freed_in_any_order)
    {
        const char *const text[] = { by_hand, three_classes, matrix };

        for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
            rvmml_model *m = model_of(text[i]);
            rvmml_predictor *p = predictor_of(m, no_words);

            rvmml_model_free(m);
            rvmml_predictor_free(p);
        }
    }
END_TEST

/* ---- What there is not ---------------------------------------------------------------------- */

START_TEST(what_is_not_on_offer)
    {
        double y[9];
        const double x[] = { 1, 2, 3, INFINITY };
        rvmml_error fault;
        const char *const bare[] = { "variance", "0", NULL }, *const odd[] = { "interval", "2",
                                                                               NULL };
        rvmml_model *regression = model_of(by_hand), *classes = model_of(three_classes);
        rvmml_predictor *r = predictor_of(regression, bare), *c = predictor_of(classes, bare);
        rvmml_predictor *full = predictor_of(regression, no_words), *none = NULL;
        rvmml_settings *wrong = settings_of(odd);
        struct {
            rvmml_prediction known;
            double *more;
        } later = { { .size = sizeof later }, NULL };
        rvmml_prediction to = { .size = sizeof to, .variance = y };

        DOOR_FAILS(rvmml_predict_one(&to, r, x, 2, &fault), RVMML_ESETTING, RVMML_NONE, "variance");
        to = (rvmml_prediction){ .size = sizeof to, .probability = y };
        DOOR_FAILS(rvmml_predict_one(&to, r, x, 2, &fault), RVMML_ENONE, RVMML_NONE, "regression");
        DOOR_FAILS(rvmml_predict_one(&to, c, x, 2, &fault), RVMML_ESETTING, RVMML_NONE,
                   "variance=1 or mode=1");
        to = (rvmml_prediction){ .size = sizeof to, .low = y };
        DOOR_FAILS(rvmml_predict_one(&to, c, x, 2, &fault), RVMML_ENONE, RVMML_NONE, "intervals");
        DOOR_FAILS(rvmml_predict_one(&to, full, x, 2, &fault), RVMML_ESETTING, RVMML_NONE,
                   "no interval");
        to = (rvmml_prediction){ .size = 8, .value = y };
        DOOR_FAILS(rvmml_predict_one(&to, r, x, 2, &fault), RVMML_EARGUMENT, RVMML_NONE, "size");
        DOOR_FAILS(rvmml_predict_one(NULL, r, x, 2, &fault), RVMML_EARGUMENT, RVMML_NONE, "NULL");
        to = (rvmml_prediction){ .size = sizeof to, .value = y };
        DOOR_FAILS(rvmml_predict_one(&to, NULL, x, 2, &fault), RVMML_EARGUMENT, RVMML_NONE, "NULL");
        DOOR_FAILS(rvmml_predict_one(&to, r, NULL, 2, &fault), RVMML_EARGUMENT, RVMML_NONE, "NULL");
        DOOR_FAILS(rvmml_predict_dense(&to, r, x, 2, 2, 2, 1, &fault), RVMML_EINPUT, 1, "inf");
        DOOR_FAILS(rvmml_predictor_new(&none, regression, wrong, &fault), RVMML_ESETTING,
                   RVMML_NONE, "interval is 2");
        /* A program with a later header. */
        ck_assert_int_eq(rvmml_predict_one(&later.known, r, x, 2, NULL), RVMML_OK);
        later.more = y;
        DOOR_FAILS(rvmml_predict_one(&later.known, r, x, 2, &fault), RVMML_EARGUMENT, RVMML_NONE,
                   "does not know");
        rvmml_settings_free(wrong);
        rvmml_predictor_free(r);
        rvmml_predictor_free(c);
        rvmml_predictor_free(full);
        rvmml_model_free(regression);
        rvmml_model_free(classes);
    }
END_TEST

/* A row that is out of range is named as it stands in the caller's array, beyond the first block. */
START_TEST(rows_out_of_range)
    {
        enum { ROWS = 5000, BAD = 4500 };
        double *x = calloc(ROWS * 2, sizeof *x), *value = calloc(ROWS, sizeof *value);
        const rvmml_prediction to = { .size = sizeof to, .value = value };
        rvmml_model *m = model_of(by_hand);
        rvmml_predictor *p = predictor_of(m, no_words);
        rvmml_error fault;

        ck_assert(x != NULL && value != NULL);
        x[2 * BAD] = 1.5e308;
        DOOR_FAILS(rvmml_predict_dense(&to, p, x, ROWS, 2, 2, 1, &fault), RVMML_ENUMERIC, BAD,
                   "range");
        ck_assert_double_eq_tol(value[0], 0.75, 1e-15);
        free(x);
        free(value);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
    }
END_TEST

/* ---- The same bytes as inside --------------------------------------------------------------- */

enum { N = 70, WIDE = 90, D = 4 };

/* N rows of `columns` numbers, of which each row has a few where there are many. */
static void fill_rows(double *x, double *y, size_t columns, bool classes)
{
    gsl_rng *rng = random_numbers(11);

    for (size_t i = 0; i < N; i++) {
        double f = 0;
        for (size_t j = 0; j < columns; j++) {
            const bool there = columns == D || gsl_rng_uniform(rng) < 0.1;
            x[i * columns + j] = there ? fabs(gsl_ran_gaussian(rng, 1)) : 0;
            f += sin(3 * x[i * columns + j]) * (j % 3 == 0 ? 1 : -0.3);
        }
        y[i] = classes ? (f > 0.3 ? 1 : f > -0.3 ? 2 : 3) : f + 0.1 * gsl_ran_gaussian(rng, 1);
    }
    gsl_rng_free(rng);
}

static rvm_problem *problem_of(const double *x, const double *y, size_t columns)
{
    rvm_problem *p = empty_problem();

    for (size_t i = 0; i < N; i++)
        append_dense(p, y[i], x + i * columns, columns);
    return p;
}

/* The same words for both sides; variances and probabilities of N rows. */
typedef struct {
    double value[N], variance[N], probability[3 * N];
} outcome;

static rvmml_prediction arrays_of(outcome *o, size_t row, bool classes)
{
    rvmml_prediction to = { .size = sizeof to,
                            .value = o->value + row,
                            .variance = o->variance + row };

    if (classes)
        to.probability = o->probability + 3 * row;
    return to;
}

static void check_outcome(const outcome *got, const rvm_prediction *wanted)
{
    ck_assert_mem_eq(got->value, wanted->value, N * sizeof(double));
    ck_assert_mem_eq(got->variance, wanted->variance, N * sizeof(double));
    if (wanted->classes > 0)
        ck_assert_mem_eq(got->probability, wanted->probability, 3 * N * sizeof(double));
}

/* Rows by dense and sparse arrays, together, as data, one by one, in turn with others. */
static void check_predictor(rvmml_predictor *p, const double *x, size_t columns,
                            const rvm_prediction *wanted)
{
    const bool classes = wanted->classes > 0;
    outcome o;
    rvmml_prediction to = arrays_of(&o, 0, classes);
    rvmml_data *data = dense(x, N, columns, NULL);
    rvmml_error fault;

    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < N; i++) {
        to = arrays_of(&o, i, classes);
        DOOR_OK(rvmml_predict_one(&to, p, x + i * columns, columns, &fault));
    }
    check_outcome(&o, wanted);
    memset(&o, 0, sizeof o);
    to = arrays_of(&o, 0, classes);
    DOOR_OK(rvmml_predict_dense(&to, p, x, N, columns, (ptrdiff_t)columns, 1, &fault));
    check_outcome(&o, wanted);
    to = arrays_of(&o, N - 1, classes);
    DOOR_OK(rvmml_predict_one(&to, p, x + (N - 1) * columns, columns, &fault));
    check_outcome(&o, wanted);
    memset(&o, 0, sizeof o);
    to = arrays_of(&o, 0, classes);
    DOOR_OK(rvmml_predict_data(&to, p, data, &fault));
    check_outcome(&o, wanted);
    rvmml_data_free(data);
}

static const struct {
    const char *task, *name, *value;
    size_t columns;
} ways[] = {
    { "regression", "kernel", "rbf", D },
    { "regression", "kernel", "linear", D },
    { "regression", "kernel", "spline", D },
    { "regression", "kernel", "rbf", WIDE },
    { "regression", "kernel", "polynomial", WIDE },
    { "regression", "kernel", "laplacian", WIDE },
    { "regression", "kernel", "spline", WIDE },
    { "regression", "standardize", "1", D },
    { "regression", "standardize", "1", WIDE },
    { "regression", "ard", "1", D },
    { "regression", "prior", "kernel", D },
    { "regression", "basis", "bias,linear,quadratic", D },
    { "regression", "b", "1", D },
    { "classification", "kernel", "rbf", D },
    { "classification", "kernel", "laplacian", WIDE },
    { "classification", "multiclass", "ovr", D },
    { "classification", "b", "1", D },
};

static rvm_settings plain_settings(size_t way)
{
    rvm_settings s = rvm_settings_default();
    rvm_error err = { 0 };

    s.task = strcmp(ways[way].task, "regression") == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
    s.probability = strcmp(ways[way].name, "b") == 0;
    if (!s.probability)
        CHECK_OK(rvm_settings_set(&s, ways[way].name, ways[way].value, &err));
    s.restarts = 2;
    return s;
}

START_TEST(predictions_as_inside)
    {
        const size_t way = (size_t)_i, columns = ways[way].columns;
        const char *const words[] = {
            "task", ways[way].task, ways[way].name, ways[way].value, "restarts", "2", NULL
        };
        const rvm_settings plain = plain_settings(way);
        double *x = calloc(N * columns, sizeof *x), y[N];
        rvmml_settings *s = settings_of(words);
        rvmml_model *m = NULL;
        rvmml_error fault;

        ck_assert_ptr_nonnull(x);
        fill_rows(x, y, columns, plain.task == RVM_CLASSIFICATION);
        rvmml_data *data = dense(x, N, columns, y);
        DOOR_OK(rvmml_train(&m, data, s, &fault));
        rvm_problem *p = problem_of(x, y, columns);
        rvm_model *inside = train(p, &plain);
        rvm_prediction wanted = predict(inside, p);
        rvmml_predictor *predictor = predictor_of(m, no_words);
        check_predictor(predictor, x, columns, &wanted);
        rvm_prediction_free(&wanted);
        rvm_model_free(inside);
        rvm_problem_free(p);
        rvmml_predictor_free(predictor);
        rvmml_model_free(m);
        rvmml_data_free(data);
        rvmml_settings_free(s);
        free(x);
    }
END_TEST

/* f(x) = sum w_i phi_i(x) and phi' Sigma phi + sigma^2, by the numbers that a model hands out. */
START_TEST(sums_of_what_models_say)
    {
        const char *const words[] = { "task", "regression", "g", "0.4", NULL };
        double x[N * D], y[N], value[N], variance[N], z[D], weight[N + 1], phi[N + 1];
        const rvmml_prediction to = { .size = sizeof to, .value = value, .variance = variance };
        rvmml_settings *s = settings_of(words);
        rvmml_model *m = NULL;
        rvmml_error fault;

        fill_rows(x, y, D, false);
        rvmml_data *data = dense(x, N, D, y);
        DOOR_OK(rvmml_train(&m, data, s, &fault));
        rvmml_predictor *p = predictor_of(m, no_words);
        DOOR_OK(rvmml_predict_data(&to, p, data, &fault));
        const size_t K = rvmml_model_function_size(m, 0);
        double *sigma = calloc(K * K, sizeof *sigma);
        ck_assert_ptr_nonnull(sigma);
        DOOR_OK(rvmml_model_weights(weight, m, 0, &fault));
        DOOR_OK(rvmml_model_covariance(sigma, m, 0, &fault));
        for (size_t i = 0; i < N; i++) {
            double f = 0, v = rvmml_model_noise_variance(m, 0);
            for (size_t k = 0; k < K; k++) {
                const size_t vector = rvmml_model_function_vector(m, 0, k);
                double square = 0;
                phi[k] = 1;
                if (vector != RVMML_NONE) {
                    DOOR_OK(rvmml_model_vector(z, m, vector, &fault));
                    for (size_t j = 0; j < D; j++)
                        square += gsl_pow_2(z[j] - x[i * D + j]);
                    phi[k] = exp(-0.4 * square);
                    ck_assert_mem_eq(z, x + rvmml_model_vector_row(m, vector) * D, sizeof z);
                }
                f += weight[k] * phi[k];
            }
            for (size_t k = 0; k < K; k++)
                for (size_t l = 0; l < K; l++)
                    v += phi[k] * sigma[k * K + l] * phi[l];
            check_close(value[i], f, 1e-12);
            check_close(variance[i], v, 1e-10);
        }
        free(sigma);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
        rvmml_data_free(data);
        rvmml_settings_free(s);
    }
END_TEST

START_TEST(folds_as_inside)
    {
        const bool classes = _i == 1;
        const char *const words[] = { "task", classes ? "classification" : "regression", "restarts",
                                      "2", NULL };
        double x[N * D], y[N], value[N], low[N], probability[3 * N];
        rvmml_prediction to = { .size = sizeof to, .value = value };
        rvm_settings plain = rvm_settings_default();
        rvm_prediction wanted = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        rvmml_settings *s = settings_of(words);
        rvmml_error fault;

        fill_rows(x, y, D, classes);
        plain.task = classes ? RVM_CLASSIFICATION : RVM_REGRESSION;
        plain.restarts = 2;
        *(classes ? &to.probability : &to.low) = classes ? probability : low;
        rvmml_data *data = dense(x, N, D, y);
        rvm_problem *p = problem_of(x, y, D);
        DOOR_OK(rvmml_cross_validate(&to, data, s, 4, &fault));
        CHECK_OK(rvm_cross_validate(&wanted, &finished, p, &plain, 4, &err));
        ck_assert_mem_eq(value, wanted.value, sizeof value);
        if (classes)
            ck_assert_mem_eq(probability, wanted.probability, sizeof probability);
        else
            ck_assert_mem_eq(low, wanted.low, sizeof low);
        DOOR_FAILS(rvmml_cross_validate(&to, data, s, 1, &fault), RVMML_EARGUMENT, RVMML_NONE,
                   "1 folds");
        rvm_prediction_free(&wanted);
        rvm_problem_free(p);
        rvmml_data_free(data);
        rvmml_settings_free(s);
    }
END_TEST

Suite *door_model_suite(void)
{
    Suite *suite = suite_create("door_model");
    TCase *tc = tcase_create("door_model");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, model_by_hand);
    tcase_add_test(tc, names_of_functions);
    tcase_add_test(tc, covariance_by_dense_algebra);
    tcase_add_test(tc, prediction_by_hand);
    tcase_add_test(tc, classes_by_hand);
    tcase_add_test(tc, matrix_by_hand);
    tcase_add_test(tc, matrix_of_few_values);
    tcase_add_test(tc, matrix_is_no_features);
    tcase_add_test(tc, freed_in_any_order);
    tcase_add_test(tc, what_is_not_on_offer);
    tcase_add_test(tc, rows_out_of_range);
    tcase_add_loop_test(tc, predictions_as_inside, 0, sizeof ways / sizeof ways[0]);
    tcase_add_test(tc, sums_of_what_models_say);
    tcase_add_loop_test(tc, folds_as_inside, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}

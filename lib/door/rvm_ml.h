/* Relevance vector machines for programs: librvm-ml, rvm-ml(3).
 *
 * A relevance vector machine (Tipping 2001) is a linear model over kernel functions placed at the
 * training rows, of which training keeps a few, the relevance vectors.  The path through this file:
 * errors, data, settings, training, models, prediction, cross-validation.
 *
 * Conventions.  Outputs come first, the error last.  What can fail returns an rvmml_status and, on
 * failure, describes it in *err, which is the caller's, or NULL where nobody asks.  An output is
 * set on RVMML_OK only.  _new, _copy, _read and their like go with _free, which accepts NULL;
 * "owned" means that the caller frees.  A pointer must not be NULL but where its comment says what
 * NULL stands for: in what returns a status that is RVMML_EARGUMENT.  Rows, columns, classes,
 * vectors are counted from 0; column j of an array is feature j + 1 of a file and of names such as
 * x3.
 *
 * Nothing here prints, exits, installs a signal handler or depends on the locale, but for messages:
 * numbers in them have its decimal point, and strerror's words are in its language.
 *
 * Threads.  Different objects may be used by different threads at the same time, training in
 * several included.  One object is used by one thread at a time, with the exception of data and
 * models: nothing changes them, and many may use the same one at once.
 *
 * The whole process.  GSL has one error handler and OpenBLAS one number of threads for all.  While
 * any call is under way that computes by them (all of training, cross-validation, making a
 * predictor, covariances; of predictions the intervals of draws alone), the handler is off and
 * OpenBLAS keeps to one thread; when the last of them returns, both are as the first one has found
 * them.
 * Threads that use GSL or OpenBLAS by themselves at that time see it.
 *
 * All types are opaque or of a size that is fixed, or said by the caller, so that a program that
 * was compiled with this header runs with any later library of the same soname. */
#ifndef RVM_ML_H
#define RVM_ML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define RVMML_API __attribute__((visibility("default")))
#else
#define RVMML_API
#endif

/* MAJOR.MINOR.PATCH of the library. */
RVMML_API const char *rvmml_version(void);

/* ---- Errors --------------------------------------------------------------------------------- */

typedef enum {
    RVMML_OK = 0,
    RVMML_EINPUT = 1,     /* the data: no finite number, no label, rows that do not fit */
    RVMML_ESETTING = 2,   /* a setting is out of range, or does not fit the others or the data */
    RVMML_EMODEL = 3,     /* a text is no model, rvm-model(5) */
    RVMML_EIO = 4,        /* reading or writing failed; the message ends in strerror's words */
    RVMML_ENOMEM = 5,     /* no memory */
    RVMML_ENUMERIC = 6,   /* a computation left the range of finite numbers */
    RVMML_EINTERRUPT = 7, /* the flag of rvmml_settings_interrupt, before there was a result */
    RVMML_EARGUMENT = 8,  /* a call that is wrong whatever the data: NULL, a number out of range */
    RVMML_ENONE = 9       /* this model has none of what is asked for */
} rvmml_status;

/* No row, no column, no vector. */
#define RVMML_NONE ((size_t)-1)

/* Of this size for ever. */
typedef struct {
    rvmml_status status;
    size_t row;        /* that it is about, or line of a text; RVMML_NONE: no certain one */
    size_t column;     /* of that row, or byte of that line; likewise */
    char message[256]; /* one sentence without a newline: what is wrong, found, expected */
} rvmml_error;

/* Gives back memory that the library has handed out. */
RVMML_API void rvmml_free(void *memory);

/* ---- Data: rows and their targets ----------------------------------------------------------- */

/* What is passed in is copied.  Values are finite; those of 0 take no memory.  y: rows x outputs,
 * row by row, numbers of a regression or labels of classes, which are whole and in the range of
 * int; NULL: rows that are only predicted.  RVMML_EINPUT says where a value is not finite. */
typedef struct rvmml_data rvmml_data;
typedef struct rvmml_settings rvmml_settings; /* the next section */

/* Element (i, j) of an array is x[i * row_stride + j * column_stride]: of a C array of arrays the
 * strides are columns and 1, of a Fortran one 1 and rows. */
RVMML_API rvmml_status rvmml_data_dense(rvmml_data **out, const double *x, size_t rows,
                                        size_t columns, ptrdiff_t row_stride,
                                        ptrdiff_t column_stride, const double *y, size_t outputs,
                                        rvmml_error *err);
/* Compressed sparse rows: row i has value[k] in column index[k], start[i] <= k < start[i + 1], in
 * any order, each column once. */
RVMML_API rvmml_status rvmml_data_csr(rvmml_data **out, const int64_t *start, const int32_t *index,
                                      const double *value, size_t rows, size_t columns,
                                      const double *y, size_t outputs, rvmml_error *err);
/* Values of a kernel: element (i, j) is K(x_i, x_j).  Training takes the setting
 * kernel=precomputed, or RVMML_ESETTING, and prediction a model of it, or RVMML_EINPUT. */
RVMML_API rvmml_status rvmml_data_kernel(rvmml_data **out, const double *k, size_t rows,
                                         ptrdiff_t row_stride, ptrdiff_t column_stride,
                                         const double *y, size_t outputs, rvmml_error *err);

/* One row on its way from the caller.  Columns come in any order, each once, those not given being
 * 0; each target has to be given.  What is wrong is remembered and returned by rvmml_data_rows. */
typedef struct rvmml_row rvmml_row;
RVMML_API void rvmml_row_add(rvmml_row *to, size_t column, double value);
RVMML_API void rvmml_row_target(rvmml_row *to, size_t output, double value);

/* Fills in row `number`; anything but 0 ends it all with RVMML_EINPUT. */
typedef int rvmml_row_source(void *context, size_t number, rvmml_row *to);
/* outputs 0: rows without targets. */
RVMML_API rvmml_status rvmml_data_rows(rvmml_data **out, size_t rows, size_t columns,
                                       size_t outputs, rvmml_row_source *source, void *context,
                                       rvmml_error *err);
/* Text of libsvm, `label index:value ...`, to its end, as rvm-train reads it for a training with
 * these settings; NULL: rows of any kind, which may lack a label or have `?` for it.  Index 0 of a
 * file is a feature that no array has, or the serial number of a row of a precomputed kernel. */
RVMML_API rvmml_status rvmml_data_read(rvmml_data **out, FILE *in, const rvmml_settings *settings,
                                       rvmml_error *err);

RVMML_API void rvmml_data_free(rvmml_data *data);
RVMML_API size_t rvmml_data_row_count(const rvmml_data *data);
RVMML_API size_t rvmml_data_columns(const rvmml_data *data); /* read: the largest index */
RVMML_API size_t rvmml_data_outputs(const rvmml_data *data); /* 0: no targets */

/* ---- Settings ------------------------------------------------------------------------------- */

RVMML_API rvmml_status rvmml_settings_new(rvmml_settings **out, rvmml_error *err);
RVMML_API rvmml_status rvmml_settings_copy(rvmml_settings **out, const rvmml_settings *s,
                                           rvmml_error *err);
RVMML_API void rvmml_settings_free(rvmml_settings *s);

/* One setting by its name, value as text.  Of training: `task`, which is `classification`, the
 * default, or `regression`, and the options of rvm-train(1) by their names there without dashes, as
 * in ("g", "0.5"), ("kernel", "laplacian"), ("ard", "1"), ("w2", "10").  Not those that are about
 * files, output or cross-validation (v), nor s, which `task` stands for, help, and c, n, p and h,
 * which rvm-train takes for svm-train's sake and leaves.  Of prediction: `variance`, 0 or 1, the
 * default; `mode`, 1: probabilities at the most probable weights; `interval`, a probability.
 * `threads` is of both.  RVMML_ESETTING, and nothing changed, where there is no such name or value;
 * ranges are checked with the rest.  A value of NULL or of no text is an option without one: a
 * flag, or `auto`. */
RVMML_API rvmml_status rvmml_settings_set(rvmml_settings *s, const char *name, const char *value,
                                          rvmml_error *err);
/* The text that it was set to last, borrowed until it is set again; NULL: it was not. */
RVMML_API const char *rvmml_settings_get(const rvmml_settings *s, const char *name);
/* When *flag, borrowed, becomes other than 0, which a signal handler or another thread may make it,
 * training ends within about a second at the best so far.  NULL: never, the default. */
RVMML_API rvmml_status rvmml_settings_interrupt(rvmml_settings *s, const volatile int *flag,
                                                rvmml_error *err);
/* All of them, alone, together, and for training on the data, where those are not NULL.  Whatever
 * uses settings checks them. */
RVMML_API rvmml_status rvmml_settings_check(const rvmml_settings *s, const rvmml_data *data,
                                            rvmml_error *err);

/* ---- Training ------------------------------------------------------------------------------- */

typedef struct rvmml_model rvmml_model;

/* To its end; or to an interrupt, and then the best so far.  settings NULL: the defaults. */
RVMML_API rvmml_status rvmml_train(rvmml_model **out, const rvmml_data *data,
                                   const rvmml_settings *settings, rvmml_error *err);

/* The same in steps, of about a second as a rule, for whoever wants to look or stop between
 * them. */
typedef struct rvmml_trainer rvmml_trainer;

/* data: borrowed, until the trainer is freed.  Settings are copied. */
RVMML_API rvmml_status rvmml_trainer_new(rvmml_trainer **out, const rvmml_data *data,
                                         const rvmml_settings *settings, rvmml_error *err);
/* *done: 1 when nothing is left to do, and once a step was interrupted, for good, whatever becomes
 * of the flag: rvmml_model_converged tells which. */
RVMML_API rvmml_status rvmml_trainer_step(int *done, rvmml_trainer *t, rvmml_error *err);
/* How it stands.  The stage is tune, widths, search, points, sample or calibrate, of those that are
 * wanted; progress a guess of the share that is done, 0 to 1; evidence the natural logarithm of
 * that of the rows in use; functions the active basis functions.  0 where the stage knows nothing
 * of it. */
RVMML_API const char *rvmml_trainer_stage(const rvmml_trainer *t);
RVMML_API double rvmml_trainer_progress(const rvmml_trainer *t);
RVMML_API double rvmml_trainer_log_evidence(const rvmml_trainer *t);
RVMML_API size_t rvmml_trainer_functions(const rvmml_trainer *t);
/* Of the best so far, after the first step at any time. */
RVMML_API rvmml_status rvmml_trainer_model(rvmml_model **out, const rvmml_trainer *t,
                                           rvmml_error *err);
RVMML_API void rvmml_trainer_free(rvmml_trainer *t);

/* ---- Models --------------------------------------------------------------------------------- */

/* The text of rvm-model(5): what rvm-train writes and rvm-predict reads, from a stream of which
 * nothing has been read, to its end. */
RVMML_API rvmml_status rvmml_model_read(rvmml_model **out, FILE *in, rvmml_error *err);
RVMML_API rvmml_status rvmml_model_write(const rvmml_model *m, FILE *out, rvmml_error *err);
/* The same in memory.  *text: owned (rvmml_free), *length bytes and a NUL behind them; length may
 * be NULL. */
RVMML_API rvmml_status rvmml_model_from_text(rvmml_model **out, const char *text, size_t length,
                                             rvmml_error *err);
RVMML_API rvmml_status rvmml_model_to_text(char **text, size_t *length, const rvmml_model *m,
                                           rvmml_error *err);
RVMML_API void rvmml_model_free(rvmml_model *m);

typedef enum { RVMML_CLASSIFICATION = 0, RVMML_REGRESSION = 1 } rvmml_task;

RVMML_API rvmml_task rvmml_model_task(const rvmml_model *m);
/* Values that a row is predicted: targets of a regression; 1, the label, of classes. */
RVMML_API size_t rvmml_model_outputs(const rvmml_model *m);
RVMML_API size_t rvmml_model_classes(const rvmml_model *m);    /* 0: regression */
RVMML_API const int *rvmml_model_labels(const rvmml_model *m); /* borrowed, classes; NULL: none */
/* The columns that it looks at are among so many first ones.  A row may have fewer, those behind
 * being 0, or more.  Of a precomputed kernel: the rows of the training data, and a row to predict
 * has a value for each, or RVMML_EINPUT. */
RVMML_API size_t rvmml_model_columns(const rvmml_model *m);
RVMML_API size_t rvmml_model_examples(const rvmml_model *m); /* rows that it was trained on */
/* Natural logarithm, of all outputs; of draws (method gibbs) the mean log likelihood. */
RVMML_API double rvmml_model_log_evidence(const rvmml_model *m);
RVMML_API int rvmml_model_converged(const rvmml_model *m); /* 1: training has come to its end */

/* Name as in the setting `kernel`, borrowed, and its numbers, 0 where it has no such one. */
RVMML_API const char *rvmml_model_kernel(const rvmml_model *m);
RVMML_API double rvmml_model_gamma(const rvmml_model *m);
RVMML_API double rvmml_model_coef0(const rvmml_model *m);
RVMML_API int rvmml_model_degree(const rvmml_model *m);
/* Filled: columns numbers, the weight of each input in the kernel (ard), 0 of those that do not
 * count; all 1 where it has no such weights.  The features are then the standardised ones, where
 * the setting `standardize` has made them. */
RVMML_API rvmml_status rvmml_model_relevance(double *weight, const rvmml_model *m,
                                             rvmml_error *err);

/* Relevance vectors, of all latent functions together, as they stood in the data. */
RVMML_API size_t rvmml_model_vectors(const rvmml_model *m);
/* Filled: columns numbers; of a precomputed kernel RVMML_ENONE. */
RVMML_API rvmml_status rvmml_model_vector(double *x, const rvmml_model *m, size_t vector,
                                          rvmml_error *err);
/* The same without what is 0.  Filled: `size` pairs, columns ascending; index 0 of a file, which no
 * array has, is column -1. */
RVMML_API size_t rvmml_model_vector_size(const rvmml_model *m, size_t vector);
RVMML_API rvmml_status rvmml_model_vector_pairs(int32_t *column, double *value,
                                                const rvmml_model *m, size_t vector,
                                                rvmml_error *err);
/* Its row of the training data; RVMML_NONE: not known. */
RVMML_API size_t rvmml_model_vector_row(const rvmml_model *m, size_t vector);

/* Latent functions: one for each output, one for two classes, the log-odds of the first label, one
 * for each of more classes.
 *
 *     f(x) = sum_i w_i phi_i(x)
 *
 * over `size` basis functions: terms (bias, features, products) and kernel functions at vectors.
 * That of the bias includes the mean of the target that training has set apart. */
RVMML_API size_t rvmml_model_functions(const rvmml_model *m);
RVMML_API size_t rvmml_model_function_size(const rvmml_model *m, size_t function);
/* Which vector basis function i sits on; RVMML_NONE: a term. */
RVMML_API size_t rvmml_model_function_vector(const rvmml_model *m, size_t function, size_t i);
/* Name of basis function i: bias, x3, x1*x3 in the numbers of files; empty: a kernel function. */
#define RVMML_NAME_SIZE 32
RVMML_API rvmml_status rvmml_model_function_name(char name[RVMML_NAME_SIZE], const rvmml_model *m,
                                                 size_t function, size_t i, rvmml_error *err);
/* Filled, size numbers: posterior means of the weights; precisions of their prior, where each has
 * one (neither draws nor prior=kernel, which are RVMML_ENONE). */
RVMML_API rvmml_status rvmml_model_weights(double *mean, const rvmml_model *m, size_t function,
                                           rvmml_error *err);
RVMML_API rvmml_status rvmml_model_precisions(double *alpha, const rvmml_model *m, size_t function,
                                              rvmml_error *err);
/* Filled, size x size: posterior covariance.  RVMML_ENONE: draws, or classes with prior=kernel.
 * With prior=kernel the latent function has more variance than that of its weights. */
RVMML_API rvmml_status rvmml_model_covariance(double *covariance, const rvmml_model *m,
                                              size_t function, rvmml_error *err);
/* Regression: sigma^2 of an output; classes: 0. */
RVMML_API double rvmml_model_noise_variance(const rvmml_model *m, size_t output);

/* ---- Prediction ----------------------------------------------------------------------------- */

/* Where predictions go: the caller's arrays, each NULL where it is not wanted.  `size` is
 * sizeof(rvmml_prediction); the rest to be 0 but for what is wanted, as more may come behind. */
typedef struct {
    size_t size;
    double *value;    /* rows x outputs: predictive mean; the label of the most probable class */
    double *variance; /* rows x outputs: predictive variance, noise included; of the log-odds of two
                         classes, of more of the latent function of the predicted one; RVMML_ENONE:
                         classes with prior=kernel */
    double *low, *high;      /* rows x outputs: regression, the central interval of the settings */
    double *probability;     /* rows x classes, in the order of the labels; each row sums to 1 */
    double *log_probability; /* its natural logarithm, finite where that underflows */
} rvmml_prediction;

/* A model made ready to predict with the settings of prediction; NULL: the defaults.  m: borrowed,
 * as long as the predictor predicts; they are freed in any order.  Without `variance` neither
 * variance, interval nor, unless `mode`, probabilities can be had (RVMML_ESETTING), and values come
 * faster.  Threads take some hundred rows each; a server gives each of its threads a predictor of
 * its own, with threads=1. */
typedef struct rvmml_predictor rvmml_predictor;

RVMML_API rvmml_status rvmml_predictor_new(rvmml_predictor **out, const rvmml_model *m,
                                           const rvmml_settings *settings, rvmml_error *err);
RVMML_API void rvmml_predictor_free(rvmml_predictor *p);

/* Rows as for rvmml_data_dense and rvmml_data_csr; of a precomputed kernel element (i, j) is K(x_i,
 * row j of the training data).  What is predicted of a row depends on that row alone, to the last
 * bit.  RVMML_EINPUT: a value is not finite; RVMML_ENUMERIC: a prediction is not; the arrays then
 * have predictions for rows before that one, at the most. */
RVMML_API rvmml_status rvmml_predict_dense(const rvmml_prediction *to, rvmml_predictor *p,
                                           const double *x, size_t rows, size_t columns,
                                           ptrdiff_t row_stride, ptrdiff_t column_stride,
                                           rvmml_error *err);
RVMML_API rvmml_status rvmml_predict_csr(const rvmml_prediction *to, rvmml_predictor *p,
                                         const int64_t *start, const int32_t *index,
                                         const double *value, size_t rows, size_t columns,
                                         rvmml_error *err);
RVMML_API rvmml_status rvmml_predict_data(const rvmml_prediction *to, rvmml_predictor *p,
                                          const rvmml_data *data, rvmml_error *err);
/* One row, x[0 .. columns - 1].  Neither allocates memory, where columns is not above
 * rvmml_model_columns or a row before had as many, nor takes a lock; but for intervals of draws
 * (method gibbs), which GSL finds. */
RVMML_API rvmml_status rvmml_predict_one(const rvmml_prediction *to, rvmml_predictor *p,
                                         const double *x, size_t columns, rvmml_error *err);

/* ---- Cross-validation ----------------------------------------------------------------------- */

/* Predictions of every row by a model that was trained without its fold, with intervals of
 * probability 0.9 in regression.  Columns of classes are those of a model of all rows.  `folds`: 2
 * or more; beyond the number of rows it counts as that number.  RVMML_EINTERRUPT: interrupted,
 * nothing filled.  The variance of classes is RVMML_ENONE. */
RVMML_API rvmml_status rvmml_cross_validate(const rvmml_prediction *to, const rvmml_data *data,
                                            const rvmml_settings *settings, size_t folds,
                                            rvmml_error *err);

#ifdef __cplusplus
}
#endif
#endif

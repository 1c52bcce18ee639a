/* The interface between the tools and the library.  Programs have door/rvm_ml.h instead, which this one
 * may leave behind whenever the tools need something else.
 *
 * A relevance vector machine (Tipping 2001) is a linear model over kernel functions placed at the
 * training rows, with one prior precision alpha_i for each weight; maximising the evidence over
 * the alphas sends most of them to infinity, and the few rows that remain are the relevance
 * vectors.  The sections below follow a user's path: error, problem, settings, trainer, model,
 * prediction, cross-validation, scores, scaling.
 *
 * Conventions.  Functions that can fail return an rvm_status and describe a failure in *err, which
 * the caller owns, or NULL where nobody asks; outputs come first, the error last.  An output pointer
 * is set only on RVM_OK.  Every *_free accepts NULL.  Nothing here prints, exits, installs a signal handler or depends on
 * the locale.  Call gsl_set_error_handler_off() once before the first call: failures of GSL are
 * reported as a status. */
#ifndef RVM_H
#define RVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RVM_VERSION "0.1.0"
#define RVM_CHECKED __attribute__((warn_unused_result))

/* ---- Errors --------------------------------------------------------------------------------- */

typedef enum {
    RVM_OK,
    RVM_EINPUT,    /* a data or range file does not follow its grammar */
    RVM_ESETTING,  /* a setting is out of range, or does not fit the problem */
    RVM_EMODEL,    /* a model file does not follow rvm-model(5) */
    RVM_EIO,       /* reading or writing failed; message ends in strerror's words */
    RVM_ENOMEM,    /* no memory */
    RVM_ENUMERIC,  /* a computation left the range of finite numbers */
    RVM_EINTERRUPT /* rvm_settings.interrupted ended it before there was a model */
} rvm_status;

typedef struct {
    rvm_status status;
    size_t line, column; /* counted from 1; 0: the error is not about a place in a file */
    char message[240];   /* one sentence without a newline: what is wrong, found, expected */
} rvm_error;

/* ---- Problems: sparse rows and their targets ------------------------------------------------ */

/* Text of `label index:value ...`, one row a line; the grammar is in rvm-train(1).  A problem
 * holds rows in file order, so row i stands in line i + 1. */
typedef struct rvm_problem rvm_problem;

typedef struct {
    bool class_labels; /* labels must be whole numbers in the range of int */
    bool precomputed;  /* rows are rows of a kernel matrix, the first pair is 0:serial */
    size_t columns;    /* precomputed, in blocks: values of each row; 0: any number */
    bool outputs;      /* a label may be several numbers, `t1,t2,...`, as many in each row */
    size_t unlabelled; /* rows may have no label, or `?`: so many targets, all nan; 0: none may */
} rvm_grammar;

/* Reads `in` to its end.  At least one row is required.  *out owned by the caller. */
RVM_CHECKED rvm_status rvm_problem_read(rvm_problem **out, FILE *in, rvm_grammar grammar,
                                        rvm_error *err);
void rvm_problem_free(rvm_problem *p);
size_t rvm_problem_rows(const rvm_problem *p);
int rvm_problem_last_feature(const rvm_problem *p);          /* largest index, -1 without pairs */
double rvm_problem_target(const rvm_problem *p, size_t row); /* the first one */
/* Targets of a row, 1 or more; all of them, borrowed. */
size_t rvm_problem_outputs(const rvm_problem *p);
const double *rvm_problem_targets(const rvm_problem *p, size_t row);

/* The same text in blocks, for streams: memory does not grow with the length of the file. */
typedef struct rvm_reader rvm_reader;

RVM_CHECKED rvm_status rvm_reader_alloc(rvm_reader **out, FILE *in, rvm_grammar grammar,
                                        rvm_error *err);
/* Replaces the content of *block (owned by the caller, made by the first call when NULL) by the
 * next rows, at most max_rows and no more than are there without waiting once one row is complete.
 * No row left: RVM_OK and a block of 0 rows. */
RVM_CHECKED rvm_status rvm_reader_next(rvm_problem **block, rvm_reader *r, size_t max_rows,
                                       rvm_error *err);
void rvm_reader_free(rvm_reader *r);

/* ---- Settings ------------------------------------------------------------------------------- */

typedef enum { RVM_CLASSIFICATION, RVM_REGRESSION } rvm_task;

/* Numbers are libsvm's values of -t where it has them. */
typedef enum {
    RVM_LINEAR,      /* x'z */
    RVM_POLYNOMIAL,  /* (gamma x'z + coef0)^degree */
    RVM_RBF,         /* exp(-gamma |x-z|^2) */
    RVM_SIGMOID,     /* tanh(gamma x'z + coef0) */
    RVM_PRECOMPUTED, /* the file holds the values */
    RVM_LAPLACIAN,   /* exp(-gamma |x-z|_1) */
    RVM_SPLINE,      /* product over the inputs of 1 + xz + xz min - (x+z)/2 min^2 + min^3/3 */
    RVM_NO_KERNEL    /* 0: no kernel functions at all */
} rvm_kernel_type;

enum { RVM_KERNEL_TYPES = RVM_NO_KERNEL + 1 };

/* Weights of inputs, the eta of Tipping (2001), section 4.3: the term of an input in a sum over the
 * inputs, x_j z_j, (x_j - z_j)^2 or |x_j - z_j|, is multiplied by the weight of its feature. */
typedef struct {
    size_t count;
    const int *index;     /* ascending; a feature that is not among them has weight 0 */
    const double *weight; /* finite, 0 or more */
} rvm_input_weights;

typedef struct {
    rvm_kernel_type type;
    int degree;
    double gamma; /* 0 in settings: 1 / largest feature index of the problem, or 1 with weights */
    double coef0;
    const rvm_input_weights *inputs; /* borrowed; NULL: all 1. Not of precomputed and spline */
} rvm_kernel;

/* More than two classes. */
typedef enum {
    RVM_SOFTMAX,    /* one model: P(k) = exp f_k / sum_j exp f_j */
    RVM_ONE_VS_REST /* a two-class model for each class; P(k) is its probability over their sum */
} rvm_multiclass;

/* How the evidence is climbed (rvm-train(1), TRAINING). All but the first keep the columns of all
 * candidates, know one output, and take more than two classes one against the rest. */
typedef enum {
    RVM_METHOD_AUTO,       /* the search of this program, from many starts or in rounds */
    RVM_METHOD_MACKAY,     /* alpha = gamma / mu^2, from all functions downwards */
    RVM_METHOD_EM,         /* alpha = 1 / (mu^2 + Sigma_ii), likewise */
    RVM_METHOD_SEQUENTIAL, /* one function at a time (Tipping and Faul 2003) */
    RVM_METHOD_GIBBS       /* draws from the posterior of everything, from where the first one ends;
                              two classes, by a probit model, and regression of one output */
} rvm_method;

/* ---- of RVM_METHOD_GIBBS */

enum { RVM_KEEP_MAX = 100000 };

typedef enum {
    RVM_BASIS_AUTO, /* all functions up to some hundred, else active ones and others at random */
    RVM_BASIS_ALL,
    RVM_BASIS_ACTIVE
} rvm_gibbs_basis;

typedef struct {
    int samples; /* draws of each chain that count, 4 or more, */
    int burn_in; /* after so many that do not */
    int thin;    /* of so many draws one counts */
    int chains;
    int keep; /* most draws that the model keeps, of all chains together, up to RVM_KEEP_MAX */
    rvm_gibbs_basis basis;
    double alpha_min,
        alpha_max;    /* bounds of the alphas, in the units of the target; 0: by default */
    bool prior_given; /* weight_prior is that of an alpha; else it is flat between the bounds, in
                         regression in ln alpha */
    bool
        noise_prior_given; /* noise_prior is that of beta; else it is flat in regression, and a weak
                               one of two classes */
    bool mixture; /* two alphas for all weights, each with that prior, and a share of weights that
                         have the second one, which is Beta(1/2, 1/2) */
} rvm_sampling;

/* What an error on a row of the class costs: the log likelihood of its rows is multiplied by the
 * weight as a share of the largest one in the data, so that no row counts more than once. */
typedef struct {
    int label;
    double weight;
} rvm_class_weight;

/* A gamma prior of a precision x, in ln x: a density in proportion to x^shape exp(-rate x). Both 0:
 * flat. Student's t with nu degrees of freedom over a weight is shape = rate = nu / 2. */
typedef struct {
    double shape, rate;
} rvm_gamma_prior;

/* What of the kernel is left to be chosen; the other numbers are taken from `kernel`. */
typedef struct {
    bool gamma, degree, coef0;
    rvm_kernel_type type[RVM_KERNEL_TYPES]; /* to choose from; none: kernel.type */
    size_t type_count;
    /* By a race instead (below): also ARD length-scales for the rbf kernel, linear terms beside it,
     * the prior of the weights and whether features are standardised, each where it is open. Polynomial kernels
     * are of degree 2 and 3 then, coef0 1. */
    bool race, ard, linear, prior, standardize;
    double seconds; /* that all of training may take, about; 0: as many as the data deserve */
} rvm_tuning;

typedef struct {
    rvm_task task;
    rvm_kernel kernel;
    rvm_tuning tune;
    /* Each feature x is replaced by (x - m) / s, mean and standard deviation of the training rows
     * (s only where there are more than 32 features and less than a quarter of the pairs), before
     * all else: kernel, other basis functions and priors are of these. One that does not vary is
     * left out. The model says so, and predicts rows as the file has them. Not precomputed. */
    bool standardize;
    /* A relevance of each input is found first, by the evidence, and takes the place of gamma;
     * kernels that are a covariance: linear, polynomial of coef0 >= 0, rbf, laplacian. */
    bool ard;
    bool bias;             /* a constant basis function beside the kernel functions, */
    bool linear;           /* one for each feature, x_j, */
    bool quadratic;        /* one for each pair of features and each square, x_i x_j */
    double noise_variance; /* regression: sigma^2 held at this value; 0: estimated */
    bool shared_noise; /* several outputs: the noise is the same share of the variance of each */
    /* Of the precision of each weight, that of the raw basis function in the units of the target;
     * of several outputs, of targets divided by their standard deviation. A shape needs a rate. */
    rvm_gamma_prior weight_prior;
    /* In the place of these precisions: the relevance vectors that they lead to become the points
     * of a Gaussian process, w ~ N(0, s K_ZZ^-1), and others join them. Kernels that are a
     * covariance, whose gamma or weights of inputs a regression goes on to learn. */
    bool kernel_prior;
    int vectors; /* most relevance vectors that a model has; 0: as many as it takes */
    rvm_gamma_prior noise_prior; /* regression: of 1 / sigma^2 in the units of the target */
    double tolerance;            /* gain in log evidence that is still worth an iteration, nats */
    double prune_margin; /* nats of log evidence that a function is to be worth, or it is deleted */
    double budget_mb;    /* memory for cached columns, MiB */
    int restarts;        /* number of starts, of which the best counts; 0: automatic */
    unsigned long seed;
    int threads; /* 0: as many as the machine offers */
    /* Borrowed; NULL: never. When it becomes non-zero, which a signal handler may make it, what is
     * being computed ends within about a second, at the best solution so far; it must stay so. */
    const volatile int *interrupted;
    bool
        resumable; /* rvm_trainer_write and rvm_trainer_read may be called: what it takes is kept */
    rvm_method method;
    rvm_sampling sampling;
    rvm_multiclass multiclass;
    bool probability;                      /* libsvm's -b 1: probabilities and variances are fitted
                                              to rows that 5-fold cross-validation leaves out */
    const rvm_class_weight *class_weights; /* borrowed; classification only; repeated: multiplied */
    size_t class_weight_count;
    rvm_class_weight *own_weights; /* private: those that rvm_settings_set has added */
    struct rvm_journal *journal;   /* private: where folds of a training keep what they come to */
} rvm_settings;

rvm_settings rvm_settings_default(void);
/* One setting by the name of its option in rvm-train(1), a long name or a letter of libsvm's, from
 * the text of its value; a flag takes 0 or 1, or NULL for 1. `w1` adds a weight of class 1 to those
 * there are. RVM_ESETTING, and nothing changed, where there is no such setting or value; ranges are
 * checked with the rest. */
RVM_CHECKED rvm_status rvm_settings_set(rvm_settings *s, const char *name, const char *value,
                                        rvm_error *err);
/* Frees the weights of classes that were set by name, which copies of *s borrow. */
void rvm_settings_clear(rvm_settings *s);
/* Checks every setting, alone and against the problem (which may be NULL). */
RVM_CHECKED rvm_status rvm_settings_check(const rvm_settings *s, const rvm_problem *p,
                                          rvm_error *err);
/* Names as in --kernel and in the model file; NULL, or false, when there is none. */
const char *rvm_kernel_name(rvm_kernel_type type);
bool rvm_kernel_by_name(rvm_kernel_type *out, const char *name);
/* As for kernels, of --multiclass. */
const char *rvm_multiclass_name(rvm_multiclass multiclass);
bool rvm_multiclass_by_name(rvm_multiclass *out, const char *name);
/* The same as in --method. */
const char *rvm_method_name(rvm_method method);
bool rvm_method_by_name(rvm_method *out, const char *name);

/* ---- Choosing a kernel ---------------------------------------------------------------------- */

/* By cross-validation on the rows of the problem, or on a sample of many: the kernel of least loss,
 * which is the error rate and a part of the log loss in classification, the squared error as a
 * share of the variance in regression, averaged over the outputs. It does not depend on the order
 * of the rows. This is the first stage of training where something is open. */
typedef struct rvm_tuner rvm_tuner;

typedef struct {
    rvm_kernel kernel;
    double loss, error, log_loss, cover; /* of the rows left out: the loss that decides, and, where
                                            it is finite, those of rvm_fold_score */
    size_t rows; /* that were looked at; 0: it was not tried, or there was nothing to try */
} rvm_choice;

bool rvm_tuning_is_open(const rvm_tuning *tune); /* something is left to be chosen */
/* The best so far, of all kernels or of one type (0 .. types - 1, in the order of the settings). */
rvm_choice rvm_tuner_best(const rvm_tuner *t);
size_t rvm_tuner_types(const rvm_tuner *t);
rvm_choice rvm_tuner_best_of_type(const rvm_tuner *t, size_t type);
/* All that have been tried, those of a type by ascending width. */
size_t rvm_tuner_tried(const rvm_tuner *t);
rvm_choice rvm_tuner_trial(const rvm_tuner *t, size_t number);

/* A race chooses more than a width. Kernels are screened on a few hundred rows, by Gaussian processes
 * that predict each row from the others; those within reach of the best run with each prior, fold by
 * fold, on at most some 1500 rows. One that is clearly behind stops. Of those that are not worse than
 * the best by more than a standard error, row by row, the sparsest wins; a machine that has collapsed,
 * with a vector for every other row, or without a noise while rows left out are not much better
 * predicted than by a constant, does not, unless all have. It does not depend on the order of the
 * rows, nor, without a bound of seconds, on the time it takes. */
typedef struct rvm_race rvm_race;

typedef struct {
    rvm_kernel kernel; /* without weights of inputs, which training finds with ard */
    bool ard, linear, kernel_prior;
} rvm_entrant;

typedef enum {
    RVM_SCREENED, /* it did not run */
    RVM_RUNNING,
    RVM_STOPPED,  /* clearly behind */
    RVM_FINISHED, /* all folds */
} rvm_lap;

typedef struct {
    rvm_entrant what;
    rvm_lap lap;
    double loss;   /* mean of -ln P(class), or of -ln p(target), of rows left out; calibrated as by
                           settings.probability. Of the screen, where it did not run */
    double error;  /* rate of wrong classes, or mean squared error; 0 where it did not run */
    double behind; /* loss beyond that of the winner on rows that both have predicted, */
    double uncertainty; /* and its standard error */
    double vectors;     /* relevance vectors, mean over the folds */
    size_t rows;        /* that were looked at */
    bool collapsed;
} rvm_contender;

/* Those that ran come first, by their loss; the others by that of the screen. */
size_t rvm_race_contenders(const rvm_race *r);
rvm_contender rvm_race_contender(const rvm_race *r, size_t number);
/* Which of them is the best so far. */
size_t rvm_race_winner(const rvm_race *r);
/* Loss of a constant beyond that of the winner, and its standard error; 0 where nothing has run. */
double rvm_race_gain(double *uncertainty, const rvm_race *r);
/* How it stands. */
typedef struct {
    rvm_entrant what; /* the one that runs, or is screened, next */
    bool screening;
    size_t first, last, folds; /* folds of it, from 1, of all; 0 of the screen */
    double seconds_left;       /* until training has ended, about; 0: no idea yet */
} rvm_race_state;
rvm_race_state rvm_race_now(const rvm_race *r);
/* Whether it was better than a constant by 1.5 standard errors; else training ends with one. */
bool rvm_race_has_learned(const rvm_race *r);

/* ---- Training ------------------------------------------------------------------------------- */

/* rvm_trainer_step is called until report.done; between steps the caller may look at the report,
 * or take a model of what has been found so far, which is valid at any time
 * after the first step. Once *settings.interrupted is non-zero steps do nothing more and are never
 * done; RVM_EINTERRUPT where that was so before anything was found. */
typedef struct rvm_trainer rvm_trainer;

/* One after the other, those that are wanted. */
typedef enum {
    RVM_TUNE,     /* what settings.tune leaves open is chosen */
    RVM_WIDTHS,   /* settings.ard: length-scales; the evidence is that of all functions together */
    RVM_SEARCH,   /* functions and their precisions */
    RVM_POINTS,   /* settings.kernel_prior: further points, and the process */
    RVM_SAMPLE,   /* RVM_METHOD_GIBBS: draws */
    RVM_CALIBRATE /* settings.probability: held-out predictions */
} rvm_stage;

typedef struct {
    rvm_stage stage; /* what the other numbers are about; those that it knows nothing of are 0 */
    bool stage_over; /* the next step begins another one, if there is one */
    int trials, trials_expected; /* RVM_TUNE: cross-validations so far, and a guess of all;
                                    RVM_CALIBRATE: folds */
    int start, starts;   /* which start this is, from 1, and of how many; which class, where a
                            method of the papers trains each against the rest */
    int round;           /* steps taken in this start */
    size_t rows;         /* rows in use: large problems begin with a part of them, */
    double log_evidence; /* and this is the log evidence of that part, natural logarithm, with the
                            log prior of the precisions where they have one. RVM_POINTS: that of the
                            process; of classes the mean log probability of rows left out */
    double credit;       /* nats for each function that are added to it where the best of several
                            starts is chosen; 0: the log evidence itself decides */
    double progress;     /* guess of the share of all work that is done; 0: no idea */
    size_t functions;    /* active basis functions, the bias among them; RVM_POINTS: those so far */
    double noise_sd;     /* regression of one output; else 0 */
    size_t draw, draws;  /* RVM_SAMPLE: draws of each chain so far, and in all. `log_evidence` is
                            then the log likelihood of the last one of the first chain, and
                            `functions` are those sampled */
    bool done;           /* nothing is left to do */
    bool converged;      /* no step known to the trainer gains more than the tolerance, or one nat
                            where that is what additions had to gain; large problems: rounds have
                            nothing more to gain (rvm-train(1), TRAINING) */
    bool noise_at_bound; /* the target, or one of several, looks free of noise: sigma^2 was held at
                            its lower bound */
} rvm_report;

/* p is borrowed and must outlive the trainer; *s is copied (class_weights borrowed). */
RVM_CHECKED rvm_status rvm_trainer_alloc(rvm_trainer **out, const rvm_problem *p,
                                         const rvm_settings *s, rvm_error *err);
RVM_CHECKED rvm_status rvm_trainer_step(rvm_report *out, rvm_trainer *tr, rvm_error *err);
/* That of the last step; also before the first one, of RVM_TUNE. */
rvm_report rvm_trainer_report(const rvm_trainer *tr);
/* The kernels that were compared, borrowed; NULL where nothing was left open. */
const rvm_tuner *rvm_trainer_tuner(const rvm_trainer *tr);
/* The candidates of a race, borrowed; NULL where settings.tune asks for none. */
const rvm_race *rvm_trainer_race(const rvm_trainer *tr);

/* Checkpoints, with settings.resumable: files from which another trainer goes on, and comes to the
 * same model to the last bit. Whether a checkpoint now would have all that has been found: between
 * two stages; in RVM_SEARCH, where not all columns fit in memory, between rounds that see all rows
 * and between parts of the rows; in RVM_TUNE and RVM_CALIBRATE after each step. */
bool rvm_trainer_rests(const rvm_trainer *tr);
RVM_CHECKED rvm_status rvm_trainer_write(const rvm_trainer *tr, FILE *out, rvm_error *err);
/* Before the first step of a trainer of the same rows, in any order, and settings but for threads:
 * RVM_ESETTING if they are others, RVM_EMODEL if `in` is no checkpoint or is damaged. After a failure
 * the trainer is good for nothing but rvm_trainer_free. Processes that share the rows all call it;
 * the one of rank 0 reads. */
RVM_CHECKED rvm_status rvm_trainer_read(rvm_trainer *tr, FILE *in, rvm_error *err);

typedef struct rvm_model rvm_model;

/* The model of the best solution so far; *out owned by the caller.  May be called at any time. */
RVM_CHECKED rvm_status rvm_trainer_model(rvm_model **out, const rvm_trainer *tr, rvm_error *err);
void rvm_trainer_free(rvm_trainer *tr);

/* The draws of RVM_METHOD_GIBBS, of the functions that do most at the training rows. */
typedef struct rvm_chains rvm_chains;

typedef struct {
    size_t chains, draws; /* draws of each chain */
    size_t sampled;       /* basis functions that were sampled, */
    size_t functions; /* and those of them that the model keeps: the others do nothing that could
                              be seen */
    double log_likelihood; /* mean over all draws, its split R-hat and its effective sample size */
    double log_likelihood_rhat, log_likelihood_size;
    double prediction_rhat; /* the largest split R-hat of the log-odds, or means, that are predicted
                               at the training rows; 0: the chains did not come to their end */
} rvm_chains_info;

typedef struct {
    char name[48]; /* w0: the bias; w3: the kernel function of row 3 of the file; x1*x2 */
    double mean, low,
        high;          /* posterior mean and central 95 % interval; of two classes of the weight
                               divided by sigma, as in the model */
    double rhat, size; /* split R-hat, effective sample size */
} rvm_weight_summary;

/* *out, owned by the caller, is NULL where nothing has been drawn that counts. */
RVM_CHECKED rvm_status rvm_trainer_chains(rvm_chains **out, const rvm_trainer *tr, rvm_error *err);
RVM_CHECKED rvm_status rvm_chains_describe(rvm_chains_info *out, const rvm_chains *c,
                                           rvm_error *err);
/* Of function k of those that are reported, the one first that does most. */
RVM_CHECKED rvm_status rvm_chains_weight(rvm_weight_summary *out, const rvm_chains *c, size_t k,
                                         rvm_error *err);
/* One line for each draw behind a line of names: chain draw log_likelihood sigma w0 w3 ... */
RVM_CHECKED rvm_status rvm_chains_write(const rvm_chains *c, FILE *out, rvm_error *err);
void rvm_chains_free(rvm_chains *c);

/* Trains to the end, or to an interrupt: alloc, steps, model. */
RVM_CHECKED rvm_status rvm_train(rvm_model **out, const rvm_problem *p, const rvm_settings *s,
                                 rvm_error *err);

/* ---- Models --------------------------------------------------------------------------------- */

typedef struct {
    rvm_task task;
    rvm_kernel kernel;           /* its inputs are borrowed from the model */
    size_t examples;             /* rows that it was trained on */
    size_t vectors;              /* relevance vectors */
    bool has_terms;              /* some basis function is x_j or x_i x_j */
    bool has_bias;               /* the bias is one of the basis functions */
    size_t classes;              /* 0 for regression */
    rvm_multiclass multiclass;   /* of more than two classes */
    const int *labels;           /* borrowed from the model; classes entries, in libsvm's order */
    const size_t *class_rows;    /* likewise: rows of each in training; NULL: not known */
    const double *class_weights; /* likewise: their weights, the largest 1; NULL: all equal */
    size_t outputs;              /* targets of a row; 0 for classification */
    size_t functions;            /* one for each output, or class of more than two */
    size_t draws;          /* RVM_METHOD_GIBBS: of the weights, that the model keeps; else 0 */
    double log_evidence;   /* natural logarithm; of several outputs the sum; of a model of draws
                                  the mean of the log likelihood */
    bool kernel_prior;     /* the vectors are points of a Gaussian process; of classes it gives
                                  probabilities at the most probable weights, and no variance */
    bool has_prior;        /* the precisions have a prior that is not flat, */
    double log_prior;      /* and this is its log density, which training adds to the evidence */
    double noise_variance; /* regression; of the first output */
    bool noise_fixed;      /* it was given, not estimated */
    bool probability;      /* trained with -b 1 */
    bool converged;
    bool standardized; /* trained with rvm_settings.standardize, */
    bool centred;      /* and means are taken off; */
    size_t varied;     /* features that vary, which are all that count */
} rvm_model_info;

/* Central intervals of the predictive distribution, of probability 0.5, 0.9 and 0.95, of which is
 * counted how many targets they hold. */
#define RVM_COVERS 3

/* What 5-fold cross-validation has shown of a model's predictions, and what was fitted to that. */
typedef struct {
    size_t rows;        /* that were left out, each once: of many only a part of all; 0: not trained
                           with -b 1, or too few */
    double temperature; /* classification: what the features say of a class, its probability as a
                           multiple of its share in training, is raised to the power of
                           1 / temperature */
    double loss;        /* mean of -ln p(target) over these rows, as the model predicts now, rows of
                        classes counting by the weight of theirs */
    double error; /* share of them that were wrong; mean squared error, mean over the outputs */
    double cover[RVM_COVERS]; /* regression: shares of the targets that their central intervals of
                                 rvm_score_interval held */
} rvm_calibration_info;

rvm_calibration_info rvm_model_calibration(const rvm_model *m);
RVM_CHECKED rvm_status rvm_model_read(rvm_model **out, FILE *in, rvm_error *err);
RVM_CHECKED rvm_status rvm_model_write(const rvm_model *m, FILE *out, rvm_error *err);
/* As one function of C99 that predicts a row, rvm_predict(), with its numbers and how to call it; it
 * needs <math.h> alone. Probabilities are averages, and calibrated where the model is. RVM_EMODEL where
 * the kernel is precomputed, or numbers are more than a million. */
RVM_CHECKED rvm_status rvm_model_write_c(const rvm_model *m, FILE *out, rvm_error *err);
rvm_model_info rvm_model_describe(const rvm_model *m);
double rvm_model_noise_variance(const rvm_model *m, size_t output); /* regression */
/* s of a latent function, its variance before any target is seen, as a share of k(x,x); 0 without
 * the kernel prior. One for all classes. */
double rvm_model_process_variance(const rvm_model *m, size_t function);
/* The names of the basis functions that are no kernel's, each once, in the order bias, x1, x2, ...,
 * x1*x1, x1*x2, ... with blanks between them: *names is owned by the caller (free). */
RVM_CHECKED rvm_status rvm_model_terms(char **names, const rvm_model *m, rvm_error *err);
/* Weight of a feature, of a product of two, or of the bias: posterior mean and standard deviation,
 * of the raw feature, or of the standardised one, in the units of the target (the log-odds of a
 * class). */
typedef struct {
    char name[32]; /* bias, x3, x1*x3 */
    double mean, sd;
} rvm_coefficient;
/* Those of one function: an output, a class of several, or 0. *out is owned by the caller; *count
 * is 0 for models of draws, which have no such distribution, and RVM_EMODEL says that classes with
 * the kernel prior have no standard deviations. Cost count x K^2. */
RVM_CHECKED rvm_status rvm_model_coefficients(rvm_coefficient **out, size_t *count,
                                              const rvm_model *m, size_t function, rvm_error *err);
/* Effect of each input of a kernel with weights, kernel.inputs->count of them in that order: by how
 * much, as a root mean square over at most 100 rows of p, the predictive mean changes when the
 * input is held at its mean, in units of the noise; in classification by how much the logarithms of
 * the probabilities do. p: at least one row. Cost rows x vectors x inputs^2. */
RVM_CHECKED rvm_status rvm_model_effects(double *effect, const rvm_model *m, const rvm_problem *p,
                                         rvm_error *err);
/* What the model would lose on other rows, estimated from those of its training (at most 1000 of
 * them): each is predicted by the posterior that the other rows leave, at the same precisions. */
typedef struct {
    size_t rows;     /* of which something can be said; 0: none, as of draws, of one class, of
                        classes with the kernel prior, or of more than 20 classes or outputs */
    double loss;     /* regression: mean squared error, as a share of that of the mean of the other
                        rows, averaged over the outputs; classification: mean log loss */
    double constant; /* the same of predictions that ignore the features; regression: 1 */
} rvm_held_out;

/* p and *s: what it was trained with. Cost of a prediction with variances. */
RVM_CHECKED rvm_status rvm_model_held_out(rvm_held_out *out, const rvm_model *m,
                                          const rvm_problem *p, const rvm_settings *s,
                                          rvm_error *err);
void rvm_model_free(rvm_model *m);

/* ---- Prediction ----------------------------------------------------------------------------- */

/* Filled by prediction, which grows the arrays as needed; zero it before the first use. */
typedef struct {
    size_t rows, classes;
    size_t outputs;   /* regression: targets of a row; classification: 1 */
    double *value;    /* rows x outputs: predictive mean, or the label of the most probable class */
    double *variance; /* rows x outputs: predictive variance (regression, noise included); the
                            variance of the log-odds (two classes) or, of more classes, of the
                            latent function of the predicted one; 0 of classes with the kernel
                            prior, which have none */
    double *low, *high;  /* rows x outputs: the interval of the settings, where they have one */
    double *degrees;     /* rows x outputs, regression: the target has Student's t distribution of
                            so many degrees of freedom, with that mean and variance; 0, or NULL: a
                            normal one */
    double *residual;    /* rows, regression: the share of k(x,x) that the vectors leave
                            unsaid of the row, 1 - k_Z' K_ZZ^-1 k_Z / k(x,x), 1 without vectors;
                            0 where the kernel is precomputed or no covariance */
    double *probability; /* rows x classes, classification only; averaged over the posterior of the
                            weights (MacKay 1992) unless `mode`; every row sums to 1 */
    double *log_probability; /* its natural logarithm, finite where the probability underflows */
    size_t capacity;         /* private: doubles that each array has room for */
} rvm_prediction;

typedef struct {
    bool mode;       /* classification: probabilities at the most probable weights, not averaged;
                        with the kernel prior they always are */
    bool variance;   /* fill everything. Without, `variance` is not valid, nor are the probabilities
                      unless `mode`; `value` is the same, and comes many times faster where
                      there are many vectors: a variance costs their number squared */
    bool residual;   /* regression: fill that, which takes `variance` */
    double interval; /* regression: probability of the central interval to fill, above 0 and below
                        1, which takes `variance`; 0: none */
    /* Classification, borrowed: shares of the classes, in the order of the labels, among the rows
     * that are predicted, from 0 to 1 each and 1 together; probabilities and the most probable
     * class are corrected to them. NULL: those of training, rows counting by the weight of their
     * class. */
    const double *prevalence;
    int threads; /* up to 1024; 0: as many as the machine offers; results do not depend on it */
} rvm_predictor_settings;

/* A model made ready for predicting block after block.  m is borrowed and must outlive it. */
typedef struct rvm_predictor rvm_predictor;

RVM_CHECKED rvm_status rvm_predictor_alloc(rvm_predictor **out, const rvm_model *m,
                                           const rvm_predictor_settings *s, rvm_error *err);
/* A row's prediction depends on that row alone, to the last bit.  A result beyond the finite
 * numbers is RVM_ENUMERIC, err->line the row in question, counted from 1; *out is then undefined
 * but can be used again. */
RVM_CHECKED rvm_status rvm_predictor_run(rvm_prediction *out, rvm_predictor *pr,
                                         const rvm_problem *rows, rvm_error *err);
void rvm_predictor_free(rvm_predictor *pr);

/* All of one problem: alloc, run, free, with `variance` and all threads. */
RVM_CHECKED rvm_status rvm_predict(rvm_prediction *out, const rvm_model *m, const rvm_problem *rows,
                                   bool mode, rvm_error *err);
void rvm_prediction_free(rvm_prediction *p); /* frees the arrays, zeroes *p */

/* ---- Cross-validation ----------------------------------------------------------------------- */

#define RVM_FOLD_INTERVAL 0.9

/* Predictions of every row by a model that was trained without its fold, in regression with the
 * interval of probability RVM_FOLD_INTERVAL.  Folds are drawn from s->seed, the same on every
 * machine; classification folds are stratified, and a class that a fold's training has not seen has
 * probability 0 there.  `folds` above the number of rows counts as that number.  Interrupted, it
 * stops with RVM_OK and *finished false. */
RVM_CHECKED rvm_status rvm_cross_validate(rvm_prediction *out, bool *finished, const rvm_problem *p,
                                          const rvm_settings *s, size_t folds, rvm_error *err);

/* ---- Scores --------------------------------------------------------------------------------- */

/* Sums over rows; feed any number of blocks, then read the averages.
 * Never nan but where stated. */
typedef struct {
    size_t rows, correct;
    double log_loss; /* sum of -ln p(class); rows of known classes */
    double brier;    /* of the same rows the sum of sum_c (p(c) - [it is c])^2, 0 to 2 each */
    size_t log_loss_rows;
    double error2;                           /* sum of squared errors */
    double nlpd;                             /* sum of -ln p(target) */
    size_t held[RVM_COVERS];                 /* targets within each interval */
    double mean_p, mean_t, m_pp, m_tt, m_pt; /* running means and central second moments */
} rvm_score;

/* Of *m the task and, for the log loss, the classes with their labels; without classes there is
 * no log loss. */
void rvm_score_add(rvm_score *score, const rvm_model_info *m, const rvm_prediction *p,
                   const rvm_problem *rows);
/* The same for one of several outputs, which `rows` must have as many of as p. */
void rvm_score_add_output(rvm_score *score, const rvm_prediction *p, const rvm_problem *rows,
                          size_t output);
double rvm_score_accuracy(const rvm_score *score); /* per cent */
double rvm_score_mean_squared_error(const rvm_score *score);
double rvm_score_squared_correlation(const rvm_score *score); /* nan: one row, or a constant */
/* Means over the scores of several outputs, 1 or more; nan where one of them is. */
double rvm_score_mean_error_over(const rvm_score *score, size_t outputs);
double rvm_score_correlation_over(const rvm_score *score, size_t outputs);
/* The probability of interval 0 .. RVM_COVERS - 1, and the share of the targets that it held, the
 * mean over the outputs. */
double rvm_score_interval(size_t which);
double rvm_score_cover_over(const rvm_score *score, size_t outputs, size_t which);

/* What rvm_cross_validate has predicted, beside the truth. */
typedef struct {
    double error;    /* share of the rows that are wrong; mean squared error, mean over outputs */
    double log_loss; /* mean of -ln p(target): of the classes of rows whose class the fold's
                        training has seen, 0 without any; of all targets in regression */
    size_t unseen;   /* classification: rows of other classes */
    double cover;    /* regression: share of the targets that the intervals hold */
} rvm_fold_score;

RVM_CHECKED rvm_status rvm_score_folds(rvm_fold_score *out, const rvm_prediction *prediction,
                                       const rvm_problem *p, rvm_error *err);

/* ---- Scaling -------------------------------------------------------------------------------- */

/* Linear scaling of each feature to [lower, upper] by its smallest and largest value, an absent
 * pair counting as 0; of the target likewise with scale_target, of several targets each by itself.
 * Same range files as svm-scale. */
typedef struct rvm_scaling rvm_scaling;

typedef struct {
    double lower, upper;
    bool scale_target;
    double target_lower, target_upper;
} rvm_scaling_limits;

/* RVM_ESETTING unless lower < upper, likewise for the target if that is scaled, all finite. */
RVM_CHECKED rvm_status rvm_scaling_limits_check(const rvm_scaling_limits *limits, rvm_error *err);
/* Index 0 is special, as in svm-scale: absent it does not count as 0, and it is never written. */
RVM_CHECKED rvm_status rvm_scaling_learn(rvm_scaling **out, const rvm_problem *p,
                                         const rvm_scaling_limits *limits, rvm_error *err);
/* Reads a range file; its limits are those that count. */
RVM_CHECKED rvm_status rvm_scaling_read(rvm_scaling **out, FILE *in, rvm_error *err);
RVM_CHECKED rvm_status rvm_scaling_write(const rvm_scaling *s, FILE *out, rvm_error *err);
/* The smallest and the largest range, max - min, of the features that vary; 0 where none does. */
void rvm_scaling_spread(double *smallest, double *largest, const rvm_scaling *s);
/* Takes over from `learned` what s, read from a file, lacks: the range of index 0, and that of the
 * target where learned scales it; *target_taken says whether that was done. */
RVM_CHECKED rvm_status rvm_scaling_complete(rvm_scaling *s, bool *target_taken,
                                            const rvm_scaling *learned, rvm_error *err);
/* Features that vary in `learned` but have no range in s, and so are left out by rvm_scaling_apply:
 * *index is owned by the caller (free), *count long, ascending. */
RVM_CHECKED rvm_status rvm_scaling_unseen(int **index, size_t *count, const rvm_scaling *s,
                                          const rvm_scaling *learned, rvm_error *err);

typedef struct {
    size_t pairs_in, pairs_out; /* pairs of the problem; pairs other than 0 once scaled */
    bool index_zero;            /* the problem has an index 0 */
} rvm_scaling_counts;

/* Writes the scaled rows of p to `out`, byte for byte as svm-scale does. out NULL: computes and
 * counts only, and so tells beforehand whether a value leaves the range of finite numbers, which is
 * RVM_ENUMERIC. RVM_ESETTING when s scales another number of targets than p has. */
RVM_CHECKED rvm_status rvm_scaling_apply(rvm_scaling_counts *counts, const rvm_scaling *s,
                                         const rvm_problem *p, FILE *out, rvm_error *err);
void rvm_scaling_free(rvm_scaling *s);

#ifdef __cplusplus
}
#endif
#endif

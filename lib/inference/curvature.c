/* The Gram matrix of columns in the metric of the curvature of a likelihood. */
#include "inference/curvature.h"

#include <gsl/gsl_math.h>
#include <math.h>

#include "base/parallel.h"

/* ---- Rows of little curvature --------------------------------------------------------------- */

enum {
    MANY_ROWS = 20000, /* from which on rows are thinned out */
    ONE_IN = 8,
    WORTH_A_TEAM = 1000000, /* numbers of a strip from which on threads share its scaling, */
    SCALED_TOGETHER = 32    /* so many columns at a time */
};

/* Curvature, against its mean, below which it is little: all such rows together have less than
 * that share of the whole. */
static const double little = 0.1;

/* Where most rows are far from the boundary of two classes, most rows have next to no curvature,
 * and one in eight of them, eight times over, says as much. */
typedef struct {
    const double *curvature; /* borrowed, as is `scaled` */
    gsl_matrix *scaled;
    int threads;
    double cut;    /* curvature below is little; 0: none is */
    size_t span;   /* rows of a span, in each of which they are counted anew, so that it does not
                      matter what other rows there are: */
    size_t passed; /* rows of little curvature so far */
} thinning;

static rvm_status find_cut(thinning *thin, const rvm_spans *spans, rvm_error *err)
{
    double sum = 0;
    if (spans->N < MANY_ROWS)
        return RVM_OK;
    const rvm_status status = rvm_spans_total(&sum, thin->curvature, spans, err);
    thin->cut = little * sum / (double)spans->N;
    return status;
}

/* The rows of a strip, from row `first` on, that count, and the root of what each counts for;
 * returns how many. */
static size_t choose_rows(size_t *row, double *root, thinning *thin, size_t first, size_t rows)
{
    size_t count = 0;
    for (size_t n = 0; n < rows; n++) {
        double weight = thin->curvature[first + n];
        if (weight < thin->cut) {
            if (thin->passed++ % ONE_IN != 0)
                continue;
            weight *= ONE_IN;
        }
        row[count] = n;
        root[count++] = sqrt(weight);
    }
    return count;
}

/* Borrowed. */
typedef struct {
    gsl_matrix *out;
    const gsl_matrix *strip;
    const size_t *row;
    const double *root;
    size_t rows;
} scale_job;

static rvm_status scale_piece(void *context, size_t piece, int worker, rvm_error *err)
{
    const scale_job *j = context;
    const size_t end = GSL_MIN((piece + 1) * SCALED_TOGETHER, j->strip->size1);
    (void)worker, (void)err;
    for (size_t i = piece * SCALED_TOGETHER; i < end; i++) {
        const double *from = gsl_matrix_const_ptr(j->strip, i, 0);
        double *to = gsl_matrix_ptr(j->out, i, 0);
        for (size_t n = 0; n < j->rows; n++)
            to[n] = from[j->row[n]] * j->root[n];
    }
    return RVM_OK;
}

/* Those rows of the strip, times the root of the curvature. */
static gsl_matrix_view scale_rows(const gsl_matrix *strip, size_t first, void *context)
{
    thinning *thin = context;
    size_t row[RVM_STRIP];
    double root[RVM_STRIP];
    if (first % thin->span == 0)
        thin->passed = 0;
    const size_t rows = choose_rows(row, root, thin, first, strip->size2), K = strip->size1;
    gsl_matrix_view out = gsl_matrix_submatrix(thin->scaled, 0, 0, K, rows > 0 ? rows : 1);
    if (rows == 0) {
        gsl_matrix_set_zero(&out.matrix);
        return out;
    }
    scale_job job = { &out.matrix, strip, row, root, rows };
    rvm_share((K + SCALED_TOGETHER - 1) / SCALED_TOGETHER, scale_piece, &job,
              K * rows > WORTH_A_TEAM ? thin->threads : 1, NULL);
    return out;
}

/* ---- The sum -------------------------------------------------------------------------------- */

rvm_status rvm_curvature_gram(gsl_matrix *G, double *p, rvm_columns *c, gsl_matrix *scaled,
                              const double *curvature, const double *z, bool thin, rvm_error *err)
{
    const rvm_spans *spans = &c->basis.spans;
    thinning how = {
        .curvature = curvature, .scaled = scaled, .threads = c->threads, .span = spans->rows
    };
    const rvm_status status = thin ? find_cut(&how, spans, err) : RVM_OK;
    return status == RVM_OK ? rvm_columns_gram(G, p, c, 0, z, scale_rows, &how, err) : status;
}

/* The posterior that is saved.
 *
 * In scaled weights u = A^1/2 w (likelihood.h) the posterior has precision H = I + D Phi'B Phi D,
 * and H = R'R with R from the QR factorisation of [ B^1/2 Phi D ; I ]. Rows are folded in strip by
 * strip, R := qr([R; strip]), so that memory does not grow with N. For weights of functions that
 * are not normalised, in units of the data, the factor is R A^1/2. */
#include "product/finish.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "data/order.h"
#include "data/problem.h"

enum {
    MOST_STEPS = 20, /* to the mode of a likelihood that is not normal; */
    HASTY_STEPS = 3, /* where somebody waits */
    STRIP = 2048,    /* rows that are folded in together: more than K, or the K rows of R are most
                        of the work */
    PARTS = 8        /* of the rows, factored side by side */
};

/* Twice the nats that a step to the mode must promise. */
static const double at_mode = 1e-12;

/* Error of a pivot, 1 or more, that a factor in haste may have (gaussian.c). */
static const double pivot_noise = 0.01;

typedef struct {
    const rvm_study *y;
    const rvm_columns *c;
    bool hasty;
    size_t K, N;
    size_t *column;    /* owned: of each function in the order of the model */
    double *D;         /* owned, K: alpha^-1/2 of columns of unit norm */
    double *u;         /* owned, K */
    double *f;         /* owned, N: activations */
    double *b;         /* owned, N: root of the curvature */
    double *g;         /* owned, N: slope */
    double beta;       /* regression, in reduced units */
    gsl_matrix *R;     /* owned, K x K */
    gsl_matrix *strip; /* owned, K x STRIP: columns at some rows */
} posterior;

static void posterior_free(posterior *q)
{
    free(q->column);
    free(q->D);
    free(q->u);
    free(q->f);
    free(q->b);
    free(q->g);
    gsl_matrix_free(q->R);
    gsl_matrix_free(q->strip);
}

/* The order of the model: terms, then vectors in canonical order. */
static void order_functions(posterior *q, const rvm_solved *solved)
{
    for (size_t k = 0; k < q->K; k++)
        q->D[k] = (double)solved->id[k];
    gsl_sort_index(q->column, q->D, 1, q->K);
    for (size_t k = 0; k < q->K; k++) {
        const size_t from = q->column[k];
        size_t column = 0;
        while (q->c->id[column] != solved->id[from])
            column++;
        q->column[k] = column;
        q->D[k] = exp(-0.5 * solved->ln_alpha[from]);
        q->u[k] = solved->u[from];
    }
}

static rvm_status posterior_init(posterior *q, const rvm_solved *solved, const rvm_study *y,
                                 const rvm_columns *c, rvm_error *err)
{
    const size_t K = solved->K, N = y->observed.N;
    *q = (posterior){ .y = y, .c = c, .K = K, .N = N, .beta = exp(solved->ln_beta) };
    q->column = rvm_array(K, sizeof *q->column);
    q->D = rvm_array(K, sizeof *q->D);
    q->u = rvm_array(K, sizeof *q->u);
    q->f = rvm_array(N, sizeof *q->f);
    q->b = rvm_array(N, sizeof *q->b);
    q->g = rvm_array(N, sizeof *q->g);
    q->R = gsl_matrix_alloc(K > 0 ? K : 1, K > 0 ? K : 1);
    q->strip = gsl_matrix_alloc(K > 0 ? K : 1, STRIP);
    if (q->column == NULL || q->D == NULL || q->u == NULL || q->f == NULL || q->b == NULL ||
        q->g == NULL || q->R == NULL || q->strip == NULL)
        return rvm_fail_memory(err, "the posterior");
    order_functions(q, solved);
    return RVM_OK;
}

static double weight_of_row(const rvm_observed *o, size_t n)
{
    return o->row_weight == NULL ? 1 : o->row_weight[n];
}

/* Rows first .. first + out->size2 - 1 of the functions, in their order. */
static rvm_status read_strip(gsl_matrix *out, const posterior *q, size_t first, rvm_error *err)
{
    return rvm_columns_pick(out, q->c, &q->y->basis, q->column, first, err);
}

/* f = offset + Phi D u, and slope and root of the curvature there. */
static rvm_status activate(posterior *q, rvm_error *err)
{
    const rvm_observed *o = &q->y->observed;
    rvm_status status = RVM_OK;
    gsl_vector_view f = gsl_vector_view_array(q->f, q->N);
    if (o->offset != NULL)
        memcpy(q->f, o->offset, q->N * sizeof *q->f);
    else
        gsl_vector_set_zero(&f.vector);
    for (size_t n = 0; n < q->N && q->K > 0; n += STRIP) {
        gsl_matrix_view strip =
            gsl_matrix_submatrix(q->strip, 0, 0, q->K, GSL_MIN(STRIP, q->N - n));
        status = read_strip(&strip.matrix, q, n, err);
        if (status != RVM_OK)
            return status;
        gsl_vector_view part = gsl_vector_subvector(&f.vector, n, strip.matrix.size2);
        for (size_t i = 0; i < q->K; i++) {
            gsl_vector_const_view column = gsl_matrix_const_row(&strip.matrix, i);
            gsl_blas_daxpy(q->D[i] * q->u[i], &column.vector, &part.vector);
        }
    }
    for (size_t n = 0; n < q->N; n++) {
        if (!o->likelihood->curved) {
            q->b[n] = sqrt(q->beta);
            q->g[n] = q->beta * (o->t[n] - q->f[n]);
            continue;
        }
        const double c = weight_of_row(o, n), e = exp(-fabs(q->f[n]));
        q->b[n] = sqrt(c * e) / (1 + e);
        q->g[n] = c * (o->t[n] - (q->f[n] >= 0 ? 1 : e) / (1 + e));
    }
    return RVM_OK;
}

/* ---- The factor ----------------------------------------------------------------------------- */

/* Scratch of one thread. */
typedef struct {
    gsl_matrix *stack; /* (K + most rows at a time) x K */
    gsl_matrix *tau;   /* K x K */
    gsl_matrix *strip; /* K x STRIP */
} folder;

static bool folder_init(folder *f, size_t K)
{
    f->stack = gsl_matrix_alloc(K + GSL_MAX(K, STRIP), K);
    f->tau = gsl_matrix_alloc(K, K);
    f->strip = gsl_matrix_alloc(K, STRIP);
    return f->stack != NULL && f->tau != NULL && f->strip != NULL;
}

static void folder_free(folder *f)
{
    gsl_matrix_free(f->stack);
    gsl_matrix_free(f->tau);
    gsl_matrix_free(f->strip);
}

/* Folds rows first .. end - 1 of B^1/2 Phi D into R. */
static rvm_status fold_rows(gsl_matrix *R, const posterior *q, folder *f, size_t first, size_t end,
                            rvm_error *err)
{
    const size_t K = q->K;
    for (size_t at = first; at < end; at += STRIP) {
        const size_t rows = GSL_MIN(STRIP, end - at);
        gsl_matrix_view strip = gsl_matrix_submatrix(f->strip, 0, 0, K, rows);
        const rvm_status status = read_strip(&strip.matrix, q, at, err);
        if (status != RVM_OK)
            return status;
        for (size_t n = 0; n < rows; n++)
            for (size_t i = 0; i < K; i++)
                gsl_matrix_set(f->stack, K + n, i,
                               q->b[at + n] * q->D[i] * gsl_matrix_get(&strip.matrix, i, n));
        if (!rvm_qr_fold(R, f->stack, f->tau, rows))
            return rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
    }
    return RVM_OK;
}

/* The rows in parts: borrowed. */
typedef struct {
    gsl_matrix **R;
    const posterior *q;
    size_t span;
    folder *f; /* owned, one for each thread */
} parts_job;

static rvm_status part_piece(void *context, size_t p, int worker, rvm_error *err)
{
    const parts_job *j = context;
    folder *f = &j->f[worker];
    const size_t first = GSL_MIN(p * j->span, j->q->N), end = GSL_MIN(first + j->span, j->q->N);
    if (f->stack == NULL && !folder_init(f, j->q->K))
        return rvm_fail_memory(err, "the posterior");
    return fold_rows(j->R[p], j->q, f, first, end, err);
}

/* Factors of the rows of each part, side by side; PARTS of them, whatever the number of threads. */
static rvm_status factor_parts(gsl_matrix **R, const posterior *q, size_t parts, rvm_error *err)
{
    const size_t strips = (q->N + STRIP - 1) / STRIP, span = (strips + parts - 1) / parts * STRIP;
    const int threads = q->c->threads > 1 ? q->c->threads : 1;
    parts_job job = { R, q, span, rvm_array((size_t)threads, sizeof *job.f) };
    if (job.f == NULL)
        return rvm_fail_memory(err, "the posterior");
    const rvm_status status = rvm_share(parts, part_piece, &job, threads, err);
    for (int w = 0; w < threads; w++)
        folder_free(&job.f[w]);
    free(job.f);
    return status;
}

/* R[0] := the factor of all parts together. */
static rvm_status join_parts(gsl_matrix **R, const posterior *q, size_t parts, rvm_error *err)
{
    folder f = { 0 };
    rvm_status status = folder_init(&f, q->K) ? RVM_OK : rvm_fail_memory(err, "the posterior");
    for (size_t p = 1; p < parts && status == RVM_OK; p++) {
        gsl_matrix_view below = gsl_matrix_submatrix(f.stack, q->K, 0, q->K, q->K);
        gsl_matrix_memcpy(&below.matrix, R[p]);
        if (!rvm_qr_fold(R[0], f.stack, f.tau, q->K))
            status = rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
    }
    folder_free(&f);
    return status;
}

/* The lower triangle of R := I + D Phi'B Phi D. */
static rvm_status fill_precision(posterior *q, rvm_error *err)
{
    for (size_t at = 0; at < q->N; at += STRIP) {
        gsl_matrix_view X = gsl_matrix_submatrix(q->strip, 0, 0, q->K, GSL_MIN(STRIP, q->N - at));
        const rvm_status status = read_strip(&X.matrix, q, at, err);
        if (status != RVM_OK)
            return status;
        for (size_t i = 0; i < q->K; i++) {
            double *x = gsl_matrix_ptr(&X.matrix, i, 0);
            for (size_t n = 0; n < X.matrix.size2; n++)
                x[n] *= q->D[i] * q->b[at + n];
        }
        rvm_gram_add(q->R, &X.matrix, 0, at == 0, q->c->threads);
    }
    for (size_t i = 0; i < q->K; i++)
        *gsl_matrix_ptr(q->R, i, i) += 1;
    return RVM_OK;
}

/* R by Cholesky: a tenth of the time, and half of the digits. *found: these suffice. */
static rvm_status factor_in_haste(bool *found, posterior *q, rvm_error *err)
{
    const rvm_status status = fill_precision(q, err);
    double largest = 0;
    for (size_t i = 0; i < q->K; i++)
        largest = fmax(largest, gsl_matrix_get(q->R, i, i));
    *found = status == RVM_OK && largest * (double)q->K * DBL_EPSILON < pivot_noise &&
             rvm_cholesky(q->R, q->c->threads);
    if (*found)
        gsl_matrix_transpose(q->R);
    return status;
}

/* R of the posterior: the prior's I is folded in with the first part. */
static rvm_status factor(posterior *q, rvm_error *err)
{
    bool found = false;
    if (q->hasty) {
        const rvm_status hasty = factor_in_haste(&found, q, err);
        if (hasty != RVM_OK || found)
            return hasty;
    }
    const size_t parts = GSL_MAX(1, GSL_MIN(PARTS, q->N / (4 * STRIP)));
    gsl_matrix *R[PARTS] = { q->R };
    rvm_status status = RVM_OK;
    gsl_matrix_set_identity(q->R);
    for (size_t p = 1; p < parts; p++) {
        R[p] = gsl_matrix_calloc(q->K, q->K);
        if (R[p] == NULL)
            status = rvm_fail_memory(err, "the posterior");
    }
    if (status == RVM_OK)
        status = factor_parts(R, q, parts, err);
    if (status == RVM_OK)
        status = join_parts(R, q, parts, err);
    for (size_t p = 1; p < parts; p++)
        gsl_matrix_free(R[p]);
    return status;
}

/* ---- The mode ------------------------------------------------------------------------------- */

/* One Newton step to the mode from where u is: H^-1 g with g = D Phi' slope - u;
 * *promise = g'H^-1 g, twice the gain. */
static rvm_status step_to_mode(double *promise, posterior *q, double *step, rvm_error *err)
{
    gsl_vector_view s = gsl_vector_view_array(step, q->K);
    gsl_vector_set_zero(&s.vector);
    for (size_t n = 0; n < q->N; n += STRIP) {
        gsl_matrix_view rows = gsl_matrix_submatrix(q->strip, 0, 0, q->K, GSL_MIN(STRIP, q->N - n));
        const rvm_status status = read_strip(&rows.matrix, q, n, err);
        if (status != RVM_OK)
            return status;
        gsl_vector_const_view slope = gsl_vector_const_view_array(q->g + n, rows.matrix.size2);
        gsl_blas_dgemv(CblasNoTrans, 1, &rows.matrix, &slope.vector, 1, &s.vector);
    }
    for (size_t i = 0; i < q->K; i++)
        step[i] = q->D[i] * step[i] - q->u[i];
    gsl_blas_dtrsv(CblasUpper, CblasTrans, CblasNonUnit, q->R, &s.vector);
    gsl_blas_ddot(&s.vector, &s.vector, promise);
    gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, q->R, &s.vector);
    for (size_t i = 0; i < q->K; i++)
        q->u[i] += step[i];
    return RVM_OK;
}

static double log_likelihood(const posterior *q)
{
    const rvm_observed *o = &q->y->observed;
    double sum = 0;
    for (size_t n = 0; n < q->N; n++) {
        const double r = o->t[n] - q->f[n], f = q->f[n];
        if (!o->likelihood->curved)
            sum -= 0.5 * q->beta * r * r;
        else
            sum += weight_of_row(o, n) * (o->t[n] * f - fmax(f, 0) - log1p(exp(-fabs(f))));
    }
    if (!o->likelihood->curved)
        sum += (double)q->N * (0.5 * log(q->beta / (2 * M_PI)) - log(q->y->t_scale));
    return sum;
}

/* 1/2 u'u + 1/2 ln|H|: what the prior and the width of the posterior take off the evidence. */
static double penalty(const posterior *q)
{
    double sum = 0;
    for (size_t i = 0; i < q->K; i++)
        sum += 0.5 * q->u[i] * q->u[i] + log(gsl_matrix_get(q->R, i, i));
    return sum;
}

static bool all_saved_numbers_are_sound(const rvm_latent *f)
{
    const double *entry = f->factor;
    for (size_t i = 0; i < f->count; i++) {
        if (!isfinite(f->weight[i]) || !isfinite(f->alpha[i]) || !(f->alpha[i] > 0) ||
            !(entry[0] > 0))
            return false;
        for (size_t j = i; j < f->count; j++)
            if (!isfinite(*entry++))
                return false;
    }
    return true;
}

static rvm_status copy_functions(rvm_latent *latent, const posterior *q, rvm_error *err)
{
    const rvm_basis *b = &q->y->basis;
    size_t terms = 0;
    while (terms < q->K && rvm_basis_is_term(b, q->c->id[q->column[terms]]))
        terms++;
    if (!rvm_latent_alloc(latent, q->K, terms))
        return rvm_fail_memory(err, "the model");
    double *to = latent->factor;
    for (size_t i = 0; i < q->K; i++) {
        const size_t id = q->c->id[q->column[i]];
        const double norm = q->c->norm[q->column[i]];
        latent->weight[i] = q->D[i] * q->u[i] / norm * q->y->t_scale;
        latent->alpha[i] = gsl_pow_2(norm / (q->D[i] * q->y->t_scale));
        if (i < terms)
            latent->term[i] = rvm_basis_term(b, id);
        else
            latent->vector[i - terms] = rvm_basis_row(b, id);
        for (size_t j = i; j < q->K; j++) /* column j times alpha_j^1/2 */
            *to++ =
                gsl_matrix_get(q->R, i, j) * q->c->norm[q->column[j]] / (q->D[j] * q->y->t_scale);
    }
    latent->bias_mean = rvm_latent_has_bias(latent) ? q->y->t_mean : 0;
    if (!all_saved_numbers_are_sound(latent))
        return rvm_fail(err, RVM_ENUMERIC,
                        "the model leaves the range of finite numbers: scale the data");
    return RVM_OK;
}

/* To the mode from the point, and the factor there. For normal noise one step is exact and the
 * second refines it against rounding; else the search has ended near the mode, of these rows or of
 * a part of them, and the steps converge. */
static rvm_status settle_at_mode(posterior *q, rvm_error *err)
{
    const bool normal = !q->y->observed.likelihood->curved;
    const int most = normal ? (q->hasty ? 1 : 2) : q->hasty ? HASTY_STEPS : MOST_STEPS;
    double *step = rvm_array(q->K, sizeof *step), promise = INFINITY;
    rvm_status status = step == NULL ? rvm_fail_memory(err, "the posterior") : RVM_OK;
    for (int k = 0; k < most && q->K > 0 && status == RVM_OK && promise > at_mode; k++) {
        status = activate(q, err);
        if (status == RVM_OK && (k == 0 || !normal))
            status = factor(q, err);
        if (status == RVM_OK)
            status = step_to_mode(&promise, q, step, err);
        if (normal)
            promise = INFINITY;
    }
    free(step);
    if (status == RVM_OK)
        status = activate(q, err);
    return status == RVM_OK && q->K > 0 && !normal ? factor(q, err) : status;
}

rvm_status rvm_finish_latent(rvm_latent *latent, rvm_finished *numbers, const rvm_solved *solved,
                             const rvm_study *y, const rvm_columns *c, rvm_error *err)
{
    posterior q;
    rvm_status status = posterior_init(&q, solved, y, c, err);
    q.hasty = numbers->hasty;
    if (status == RVM_OK)
        status = settle_at_mode(&q, err);
    if (status == RVM_OK) {
        numbers->log_likelihood = log_likelihood(&q);
        numbers->penalty = penalty(&q);
        numbers->log_prior = rvm_log_prior(&y->observed, solved->norm, NULL, solved->ln_alpha,
                                           solved->K, solved->ln_beta);
        if (numbers->activation != NULL)
            memcpy(numbers->activation, q.f, q.N * sizeof *q.f);
        status = copy_functions(latent, &q, err);
    }
    posterior_free(&q);
    if (status == RVM_OK && !isfinite(numbers->log_likelihood - numbers->penalty))
        return rvm_fail(err, RVM_ENUMERIC, "the log evidence is not a finite number");
    return status;
}

/* A precomputed kernel's vector is its serial number alone. */
static void keep_serials_only(rvm_problem *vectors)
{
    for (size_t i = 0; i < vectors->rows; i++) {
        vectors->index[i] = vectors->index[vectors->start[i]];
        vectors->value[i] = vectors->value[vectors->start[i]];
    }
    for (size_t i = 0; i <= vectors->rows; i++)
        vectors->start[i] = i;
    vectors->max_index = vectors->rows > 0 ? 0 : -1;
}

static size_t kernel_functions(const rvm_latent *f)
{
    return f->count - f->terms;
}

/* place[row] = 1 + number of the vector at that row, 0 where there is none; row lists the vectors'
 * rows. Returns how many there are. */
static size_t number_vectors(size_t *place, size_t *row, const rvm_model *m, size_t N)
{
    size_t count = 0;
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++)
            place[m->latent[k].vector[i]] = 1;
    for (size_t n = 0; n < N; n++)
        if (place[n] != 0) {
            row[count++] = n;
            place[n] = count;
        }
    return count;
}

/* m->row of the `count` vectors at the rows row[] of the study. */
static rvm_status find_rows(rvm_model *m, const size_t *row, size_t count, const rvm_problem *file,
                            rvm_error *err)
{
    size_t *order = NULL;

    m->row = rvm_array(count, sizeof *m->row);
    if (m->row == NULL)
        return rvm_fail_memory(err, "the model");
    const rvm_status status = rvm_order_rows(&order, file, err);
    for (size_t i = 0; status == RVM_OK && i < count; i++)
        m->row[i] = order[row[i]] + 1;
    free(order);
    return status;
}

rvm_status rvm_finish_vectors(rvm_model *m, const rvm_study *y, const rvm_problem *file,
                              rvm_error *err)
{
    const size_t N = y->observed.N;
    size_t *place = rvm_array(N, sizeof *place), *row = rvm_array(N, sizeof *row);
    if (place == NULL || row == NULL) {
        free(place);
        free(row);
        return rvm_fail_memory(err, "the model");
    }
    const size_t count = number_vectors(place, row, m, N);
    rvm_status status = find_rows(m, row, count, file, err);
    m->vectors = rvm_problem_subset(y->p, row, count);
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++)
            m->latent[k].vector[i] = place[m->latent[k].vector[i]] - 1;
    free(place);
    free(row);
    if (status != RVM_OK)
        return status;
    if (m->vectors == NULL)
        return rvm_fail_memory(err, "the model");
    m->vectors->outputs = 1;
    for (size_t i = 0; i < m->vectors->rows; i++)
        m->vectors->target[i] = 0;
    if (m->kernel.type == RVM_PRECOMPUTED)
        keep_serials_only(m->vectors);
    return RVM_OK;
}

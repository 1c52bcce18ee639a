/* Level 5: the posterior that is saved.
 *
 * In scaled weights u = A^1/2 w (likelihood.h) the posterior has precision H = I + D Phi'B Phi D, and
 * H = R'R with R from the QR factorisation of [ B^1/2 Phi D ; I ]. Rows are folded in strip by
 * strip, R := qr([R; strip]), so that memory does not grow with N. For weights of functions that
 * are not normalised, in units of the data, the factor is R A^1/2. */
#include "finish.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "linalg.h"
#include "problem.h"

/* Rows that are folded in together: many for each function, or the K rows of R are most of the
 * work. */
enum { STRIP = 2048 };

typedef struct {
    const rvm_study *y;
    const rvm_columns *c;
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
    int threads;
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

/* The order of the model: the bias, then vectors in canonical order. */
static void order_functions(posterior *q, const rvm_point *point)
{
    for (size_t k = 0; k < q->K; k++) {
        size_t at = k;
        for (; at > 0 && q->c->id[q->column[at - 1]] > q->c->id[point->column[k]]; at--) {
            q->column[at] = q->column[at - 1];
            q->D[at] = q->D[at - 1];
            q->u[at] = q->u[at - 1];
        }
        q->column[at] = point->column[k];
        q->D[at] = exp(-0.5 * point->ln_alpha[k]);
        q->u[at] = point->u[k];
    }
}

static rvm_status posterior_init(posterior *q, const rvm_point *point, const rvm_study *y,
                                 const rvm_columns *c, rvm_error *err)
{
    const size_t K = point->K, N = y->observed.N;
    *q = (posterior){ .y = y, .c = c, .K = K, .N = N, .beta = exp(point->ln_beta) };
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
    order_functions(q, point);
    return RVM_OK;
}

static double weight_of_row(const rvm_observed *o, size_t n)
{
    return o->row_weight == NULL ? 1 : o->row_weight[n];
}

/* Rows first .. first + rows - 1 of the functions, in their order, K x rows. */
static rvm_status read_strip(gsl_matrix_view *out, posterior *q, size_t first, size_t rows,
                             rvm_error *err)
{
    *out = gsl_matrix_submatrix(q->strip, 0, 0, q->K, rows);
    return rvm_columns_pick(&out->matrix, q->c, &q->y->basis, q->column, first, err);
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
        gsl_matrix_view strip;
        status = read_strip(&strip, q, n, GSL_MIN(STRIP, q->N - n), err);
        if (status != RVM_OK)
            return status;
        gsl_vector_view part = gsl_vector_subvector(&f.vector, n, strip.matrix.size2);
        for (size_t i = 0; i < q->K; i++) {
            gsl_vector_const_view column = gsl_matrix_const_row(&strip.matrix, i);
            gsl_blas_daxpy(q->D[i] * q->u[i], &column.vector, &part.vector);
        }
    }
    for (size_t n = 0; n < q->N; n++) {
        if (o->likelihood->owns_noise) {
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

/* R := qr([R; rows first .. of B^1/2 Phi D]). W: (K + count) x K. */
static bool fold_strip(posterior *q, gsl_matrix *W, gsl_matrix *tau, const gsl_matrix *rows,
                       size_t first)
{
    const size_t K = q->K, count = rows->size2;
    gsl_matrix_view top = gsl_matrix_submatrix(W, 0, 0, K, K);
    gsl_matrix_memcpy(&top.matrix, q->R);
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < K; i++)
            gsl_matrix_set(W, K + n, i, q->b[first + n] * q->D[i] * gsl_matrix_get(rows, i, n));
    gsl_matrix_view used = gsl_matrix_submatrix(W, 0, 0, K + count, K);
    if (!rvm_qr_factor(&used.matrix, tau))
        return false;
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++)
            gsl_matrix_set(q->R, i, j, j >= i ? gsl_matrix_get(W, i, j) : 0);
    return true;
}

static rvm_status factor(posterior *q, rvm_error *err)
{
    const size_t K = q->K;
    gsl_matrix *W = gsl_matrix_alloc(K + STRIP, K), *tau = gsl_matrix_alloc(K, K);
    rvm_status status = RVM_OK;
    if (W == NULL || tau == NULL)
        status = rvm_fail_memory(err, "the posterior");
    gsl_matrix_set_identity(q->R);
    for (size_t n = 0; n < q->N && status == RVM_OK; n += STRIP) {
        gsl_matrix_view rows;
        status = read_strip(&rows, q, n, GSL_MIN(STRIP, q->N - n), err);
        if (status == RVM_OK && !fold_strip(q, W, tau, &rows.matrix, n))
            status = rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
    }
    gsl_matrix_free(W);
    gsl_matrix_free(tau);
    return status;
}

/* One Newton step to the mode from where u is: H^-1 (D Phi' slope - u). */
static rvm_status step_to_mode(posterior *q, double *step, rvm_error *err)
{
    gsl_vector_view s = gsl_vector_view_array(step, q->K);
    gsl_vector_set_zero(&s.vector);
    for (size_t n = 0; n < q->N; n += STRIP) {
        gsl_matrix_view rows;
        const rvm_status status = read_strip(&rows, q, n, GSL_MIN(STRIP, q->N - n), err);
        if (status != RVM_OK)
            return status;
        gsl_vector_const_view slope = gsl_vector_const_view_array(q->g + n, rows.matrix.size2);
        gsl_blas_dgemv(CblasNoTrans, 1, &rows.matrix, &slope.vector, 1, &s.vector);
    }
    for (size_t i = 0; i < q->K; i++)
        step[i] = q->D[i] * step[i] - q->u[i];
    gsl_blas_dtrsv(CblasUpper, CblasTrans, CblasNonUnit, q->R, &s.vector);
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
        if (o->likelihood->owns_noise)
            sum -= 0.5 * q->beta * r * r;
        else
            sum += weight_of_row(o, n) * (o->t[n] * f - fmax(f, 0) - log1p(exp(-fabs(f))));
    }
    if (o->likelihood->owns_noise)
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
    if (!rvm_latent_alloc(latent, q->K))
        return rvm_fail_memory(err, "the model");
    double *to = latent->factor;
    size_t vectors = 0;
    for (size_t i = 0; i < q->K; i++) {
        const size_t source = q->y->basis.source[q->c->id[q->column[i]]];
        const double norm = q->c->norm[q->column[i]];
        latent->weight[i] = q->D[i] * q->u[i] / norm * q->y->t_scale;
        latent->alpha[i] = gsl_pow_2(norm / (q->D[i] * q->y->t_scale));
        if (source == RVM_BIAS)
            latent->bias = true;
        else
            latent->vector[vectors++] = source;
        for (size_t j = i; j < q->K; j++) /* column j times alpha_j^1/2 */
            *to++ =
                gsl_matrix_get(q->R, i, j) * q->c->norm[q->column[j]] / (q->D[j] * q->y->t_scale);
    }
    latent->bias_mean = latent->bias ? q->y->t_mean : 0;
    if (!all_saved_numbers_are_sound(latent))
        return rvm_fail(err, RVM_ENUMERIC,
                        "the model leaves the range of finite numbers: scale the data");
    return RVM_OK;
}

/* To the mode from the point, and the factor there. For normal noise one step is exact and the
 * second refines it against rounding. */
static rvm_status settle_at_mode(posterior *q, rvm_error *err)
{
    double *step = rvm_array(q->K, sizeof *step);
    rvm_status status = step == NULL ? rvm_fail_memory(err, "the posterior") : RVM_OK;
    for (int pass = 0; pass < 2 && status == RVM_OK && q->K > 0; pass++) {
        status = activate(q, err);
        if (status == RVM_OK && (pass == 0 || !q->y->observed.likelihood->owns_noise))
            status = factor(q, err);
        if (status == RVM_OK)
            status = step_to_mode(q, step, err);
    }
    free(step);
    if (status == RVM_OK)
        status = activate(q, err);
    if (status != RVM_OK)
        return status;
    return q->K > 0 && !q->y->observed.likelihood->owns_noise ? factor(q, err) : RVM_OK;
}

rvm_status rvm_finish_latent(rvm_latent *latent, rvm_finished *numbers, const rvm_point *point,
                             const rvm_study *y, const rvm_columns *c, rvm_error *err)
{
    posterior q;
    rvm_status status = posterior_init(&q, point, y, c, err);
    if (status == RVM_OK)
        status = settle_at_mode(&q, err);
    if (status == RVM_OK) {
        numbers->log_likelihood = log_likelihood(&q);
        numbers->penalty = penalty(&q);
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
    return f->count - (f->bias ? 1 : 0);
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

rvm_status rvm_finish_vectors(rvm_model *m, const rvm_study *y, rvm_error *err)
{
    const size_t N = y->observed.N;
    size_t *place = rvm_array(N, sizeof *place), *row = rvm_array(N, sizeof *row);
    if (place == NULL || row == NULL) {
        free(place);
        free(row);
        return rvm_fail_memory(err, "the model");
    }
    m->vectors = rvm_problem_subset(y->p, row, number_vectors(place, row, m, N));
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++)
            m->latent[k].vector[i] = place[m->latent[k].vector[i]] - 1;
    free(place);
    free(row);
    if (m->vectors == NULL)
        return rvm_fail_memory(err, "the model");
    for (size_t i = 0; i < m->vectors->rows; i++)
        m->vectors->target[i] = 0;
    if (m->kernel.type == RVM_PRECOMPUTED)
        keep_serials_only(m->vectors);
    return RVM_OK;
}

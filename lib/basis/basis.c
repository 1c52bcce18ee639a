/* Candidate basis functions of a problem and their columns. */
#include "basis/basis.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/vecmath.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"

/* Rows that one thread evaluates at a time: a multiple of the kernel's tile, fixed so that results
 * do not depend on the number of threads. */
enum { STRIP = 1024 };

/* ---- Candidates ----------------------------------------------------------------------------- */

/* A function for each row that does not repeat the features of the one before; of all processes. */
static rvm_status seat_functions(rvm_basis *b, const rvm_problem *p, rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(p->team);
    bool repeats = false;
    size_t found = 0;
    const rvm_status status = rvm_shard_repeats(&repeats, p, err);
    if (status != RVM_OK)
        return status;
    for (size_t i = 0; i < p->rows; i++)
        if (i == 0 ? !repeats : !rvm_order_same(p, i - 1, i))
            b->row[found++] = i;
    b->count += rvm_team_total(p->team, found);
    if (p->team == NULL)
        return RVM_OK;
    size_t *first = rvm_array(size + 1, sizeof *first);
    if (first == NULL)
        return rvm_fail_memory(err, "the candidates");
    rvm_team_offsets(first, p->team, found);
    b->seats =
        rvm_seats_alloc(p, b->rows, &b->kernel, b->row, first[rvm_team_rank(p->team)], found);
    free(first);
    return b->seats == NULL ? rvm_fail_memory(err, "the candidates") : RVM_OK;
}

rvm_status rvm_basis_init(rvm_basis *b, const rvm_problem *p, const rvm_kernel_rows *rows,
                          const rvm_kernel *kernel, unsigned degrees, rvm_error *err)
{
    size_t features = 0;
    memset(b, 0, sizeof *b);
    if (degrees > 1 && !rvm_problem_features(&b->feature, &features, p))
        return rvm_fail_memory(err, "the candidates");
    const rvm_status status = rvm_term_list_init(&b->term_list, degrees, b->feature, features, err);
    if (status != RVM_OK)
        return status;
    const bool kernels = kernel->type != RVM_NO_KERNEL;
    b->N = p->rows;
    b->spans = rvm_problem_spans(p);
    b->count = b->terms = rvm_term_list_count(&b->term_list);
    b->bias = degrees & 1;
    b->kernel = *kernel;
    b->rows = b->at = rows;
    b->at_p = p;
    b->row = rvm_array(kernels ? p->rows : 0, sizeof *b->row);
    if (b->row == NULL)
        return rvm_fail_memory(err, "the candidates");
    const rvm_status found = kernels ? seat_functions(b, p, err) : RVM_OK;
    if (found != RVM_OK)
        return found;
    return b->count > 0 ? RVM_OK
                        : rvm_fail(err, RVM_ESETTING,
                                   "there is no basis function: the rows have no features");
}

void rvm_basis_free(rvm_basis *b)
{
    rvm_seats_free(b->seats);
    free(b->row);
    free(b->feature);
    memset(b, 0, sizeof *b);
}

bool rvm_basis_is_term(const rvm_basis *b, size_t id)
{
    return id < b->terms;
}

bool rvm_basis_is_bias(const rvm_basis *b, size_t id)
{
    return b->bias && id == 0;
}

rvm_term rvm_basis_term(const rvm_basis *b, size_t id)
{
    return rvm_term_list_get(&b->term_list, id);
}

size_t rvm_basis_row(const rvm_basis *b, size_t id)
{
    return b->seats == NULL ? b->row[id - b->terms]
                            : b->seats->place[rvm_seats_find(b->seats, id - b->terms)];
}

/* Where the row is in what the kernels sit on. */
static size_t seat_of(const rvm_basis *b, size_t id)
{
    return b->seats == NULL ? b->row[id - b->terms] : rvm_seats_find(b->seats, id - b->terms);
}

rvm_status rvm_basis_bring(const rvm_basis *b, const size_t *id, size_t count, const size_t *other,
                           size_t others, rvm_error *err)
{
    if (b->seats == NULL)
        return RVM_OK;
    size_t *function = rvm_array(count + others, sizeof *function), many = 0;
    if (function == NULL)
        return rvm_fail_memory(err, "the rows of basis functions");
    for (size_t k = 0; k < count + others; k++) {
        const size_t wanted = k < count ? id[k] : other[k - count];
        if (!rvm_basis_is_term(b, wanted))
            function[many++] = wanted - b->terms;
    }
    many = rvm_sort_unique_numbers(function, many);
    const rvm_status status = rvm_seats_bring(b->seats, function, many, err);
    free(function);
    return status;
}

rvm_problem *rvm_basis_rows_at(const rvm_basis *b, const rvm_problem *p, const size_t *id,
                               size_t count)
{
    size_t *row = rvm_array(count, sizeof *row);
    rvm_problem *rows = NULL;
    for (size_t k = 0; k < count && row != NULL; k++)
        row[k] = seat_of(b, id[k]);
    if (row != NULL)
        rows = rvm_problem_subset(b->seats == NULL ? p : b->seats->rows, row, count);
    free(row);
    return rows;
}

gsl_matrix *rvm_basis_terms(const rvm_basis *b, const size_t *id, size_t count,
                            const rvm_problem *rows)
{
    gsl_matrix *T = gsl_matrix_alloc(GSL_MAX(count, 1), rows->rows);
    for (size_t i = 0; i < count && T != NULL; i++) {
        const rvm_term term = rvm_basis_term(b, id[i]);
        rvm_term_values(gsl_matrix_ptr(T, i, 0), &term, rows, 0, rows->rows);
    }
    return T;
}

size_t rvm_basis_groups(size_t end[RVM_BASIS_GROUPS], const rvm_basis *b)
{
    const size_t *of_degree = b->term_list.end;
    size_t groups = 0;
    for (int d = 1; d < RVM_TERM_DEGREES; d++)
        if (of_degree[d] > of_degree[d - 1])
            end[groups++] = of_degree[d];
    if (groups == 0 || b->count > end[groups - 1])
        end[groups++] = b->count;
    return groups;
}

/* ---- Strips of columns ---------------------------------------------------------------------- */

enum {
    FEW = 64
}; /* columns that a thread evaluates at a time: with STRIP rows they fit its cache */

/* Values of at most FEW functions at rows first .. first + block->size2 - 1 <= STRIP: terms one by
 * one, kernel functions in runs. Both may stand anywhere among them. */
static rvm_status evaluate(gsl_matrix *block, const rvm_basis *b, const size_t *id, size_t first,
                           rvm_error *err)
{
    const size_t count = block->size1;
    const rvm_kernel_rows *sit = b->seats == NULL ? b->rows : b->seats->sit;
    rvm_status status = RVM_OK;
    for (size_t k = 0, end; k < count && status == RVM_OK; k = end) {
        size_t row[FEW];
        for (end = k; end < count && !rvm_basis_is_term(b, id[end]); end++)
            row[end - k] = seat_of(b, id[end]);
        if (end > k) {
            gsl_matrix_view run = gsl_matrix_submatrix(block, k, 0, end - k, block->size2);
            status = rvm_kernel_block(&run.matrix, &b->kernel, sit, row, b->at, first, err);
        } else {
            const rvm_term term = rvm_basis_term(b, id[end++]);
            rvm_term_values(gsl_matrix_ptr(block, k, 0), &term, b->at_p, first, block->size2);
        }
    }
    return status;
}

/* A strip in tiles of FEW functions at STRIP rows: borrowed. */
typedef struct {
    gsl_matrix *block;
    const double *norm;
    const rvm_basis *b;
    const size_t *id;
    size_t count, first, across;
} strip_job;

static rvm_status strip_piece(void *context, size_t t, int worker, rvm_error *err)
{
    const strip_job *j = context;
    const size_t k = t / j->across * FEW, n = t % j->across * STRIP;
    gsl_matrix_view tile = gsl_matrix_submatrix(j->block, k, n, GSL_MIN(FEW, j->count - k),
                                                GSL_MIN(STRIP, j->block->size2 - n));
    const rvm_status status = evaluate(&tile.matrix, j->b, j->id + k, j->first + n, err);
    (void)worker;
    for (size_t i = 0; j->norm != NULL && i < tile.matrix.size1; i++) {
        gsl_vector_view column = gsl_matrix_row(&tile.matrix, i);
        gsl_vector_scale(&column.vector, 1 / j->norm[k + i]);
    }
    return status;
}

rvm_status rvm_basis_strip(gsl_matrix *block, const double *norm, const rvm_basis *b,
                           const size_t *id, size_t count, size_t first, int threads,
                           rvm_error *err)
{
    const size_t across = (block->size2 + STRIP - 1) / STRIP, down = (count + FEW - 1) / FEW;
    strip_job job = { block, norm, b, id, count, first, across };
    return rvm_share(down * across, strip_piece, &job, threads, err);
}

/* ---- Sums over rows ------------------------------------------------------------------------- */

/* With phi a column of values and w the weights of rows, 1 where there are none,
 *
 *     norm = sqrt(sum w phi^2)    Q = phi'slope / norm    S = phi'B phi / norm^2
 *
 * A span of rows is summed in its order, and spans by their tree: the same bits for any number of
 * threads and processes, and for columns that are in memory. */

/* Of some rows, before anything is divided by the norm. */
typedef struct {
    double square, Q, S;
} row_sums;

enum { SUMS = sizeof(row_sums) / sizeof(double) };

/* Sums over spans of FEW columns at a time: borrowed, but for sums and tiles. */
typedef struct {
    row_sums *sums;      /* owned, spans x count */
    gsl_matrix **tile;   /* owned, one for each thread, FEW x STRIP */
    gsl_matrix *columns; /* their values, or NULL: they are evaluated */
    const rvm_basis *b;
    const size_t *id;
    size_t count, spans; /* spans of this process */
    const double *slope, *curvature;
} project_job;

static void add_rows(row_sums *sums, const double *phi, const project_job *j, size_t first,
                     size_t width)
{
    const double *weight = j->b->row_weight == NULL ? NULL : j->b->row_weight + first;
    sums->square +=
        weight == NULL ? rvm_vec_dot(phi, phi, width) : rvm_vec_weighted_square(weight, phi, width);
    if (j->slope != NULL)
        sums->Q += rvm_vec_dot(phi, j->slope + first, width);
    if (j->curvature != NULL)
        sums->S += rvm_vec_weighted_square(j->curvature + first, phi, width);
}

/* Values of columns k .. k + count - 1 at rows n .. n + width - 1; tile: where they are evaluated. */
static rvm_status take_values(gsl_matrix_view *values, gsl_matrix **tile, const project_job *j,
                              size_t k, size_t count, size_t n, size_t width, rvm_error *err)
{
    if (j->columns != NULL) {
        *values = gsl_matrix_submatrix(j->columns, k, n, count, width);
        return RVM_OK;
    }
    if (*tile == NULL)
        *tile = gsl_matrix_alloc(FEW, STRIP);
    if (*tile == NULL)
        return rvm_fail_memory(err, "the columns");
    *values = gsl_matrix_submatrix(*tile, 0, 0, count, width);
    return evaluate(&values->matrix, j->b, j->id + k, n, err);
}

/* One task: at most FEW columns over one span of rows. */
static rvm_status project_piece(void *context, size_t t, int worker, rvm_error *err)
{
    const project_job *j = context;
    const size_t k = t / j->spans * FEW, s = t % j->spans, count = GSL_MIN(FEW, j->count - k);
    const size_t rows = j->b->spans.rows, end = GSL_MIN((s + 1) * rows, j->b->N);
    row_sums *sums = j->sums + s * j->count + k;
    for (size_t n = s * rows; n < end; n += STRIP) {
        const size_t width = GSL_MIN(STRIP, end - n);
        gsl_matrix_view values;
        const rvm_status status =
            take_values(&values, &j->tile[worker], j, k, count, n, width, err);
        if (status != RVM_OK)
            return status;
        for (size_t i = 0; i < count; i++)
            add_rows(&sums[i], gsl_matrix_const_ptr(&values.matrix, i, 0), j, n, width);
    }
    return RVM_OK;
}

/* Over all rows. */
static rvm_status add_up(row_sums *all, project_job *j, int threads, rvm_error *err)
{
    const rvm_spans *spans = &j->b->spans;
    j->spans = spans->end - spans->first;
    j->sums = rvm_array(j->spans * j->count, sizeof *j->sums);
    j->tile = rvm_array((size_t)threads, sizeof *j->tile);
    rvm_status status =
        j->sums == NULL || j->tile == NULL ? rvm_fail_memory(err, "the columns") : RVM_OK;
    if (status == RVM_OK)
        status = rvm_share((j->count + FEW - 1) / FEW * j->spans, project_piece, j, threads, err);
    status = rvm_spans_add_up((double *)all, SUMS * j->count, spans, (const double *)j->sums,
                              status, err);
    for (int w = 0; j->tile != NULL && w < threads; w++)
        gsl_matrix_free(j->tile[w]);
    free(j->tile);
    free(j->sums);
    return status;
}

/* Sums of squares of values beyond 1e154 are not finite. */
static rvm_status check_norms(const double *norm, size_t count, rvm_error *err)
{
    if (rvm_vec_all_finite(norm, count))
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC,
                    "the values of a basis function are too large for their norm: scale the data");
}

/* Q and S may be NULL. */
static rvm_status project(double *norm, double *Q, double *S, project_job *j, int threads,
                          rvm_error *err)
{
    row_sums *all = rvm_array(j->count, sizeof *all);
    rvm_status status =
        all == NULL ? rvm_fail_memory(err, "the columns") : add_up(all, j, threads, err);
    for (size_t k = 0; k < j->count && status == RVM_OK; k++) {
        norm[k] = sqrt(all[k].square);
        if (Q != NULL)
            Q[k] = norm[k] > 0 ? all[k].Q / norm[k] : 0;
        if (S != NULL)
            S[k] = norm[k] > 0 ? all[k].S / all[k].square : 0;
    }
    free(all);
    return status == RVM_OK ? check_norms(norm, j->count, err) : status;
}

rvm_status rvm_basis_columns(gsl_matrix *block, double *norm, const rvm_basis *b, const size_t *id,
                             size_t count, int threads, rvm_error *err)
{
    if (count == 0)
        return RVM_OK;
    gsl_matrix_view columns = gsl_matrix_submatrix(block, 0, 0, count, b->N);
    project_job job = { .b = b, .columns = &columns.matrix, .count = count };
    rvm_status status = rvm_basis_strip(&columns.matrix, NULL, b, id, count, 0, threads, err);
    status = rvm_team_agree(b->spans.team, status, err); /* a value may be out of range on one */
    if (status == RVM_OK)
        status = project(norm, NULL, NULL, &job, threads, err);
    for (size_t k = 0; k < count && status == RVM_OK; k++) {
        gsl_vector_view column = gsl_matrix_row(&columns.matrix, k);
        if (norm[k] > 0)
            gsl_vector_scale(&column.vector, 1 / norm[k]);
    }
    return status;
}

rvm_status rvm_basis_project(double *norm, double *Q, double *S, const rvm_basis *b,
                             const size_t *id, size_t count, const double *slope,
                             const double *curvature, int threads, rvm_error *err)
{
    project_job job = { .b = b, .id = id, .count = count, .slope = slope, .curvature = curvature };
    return project(norm, Q, S, &job, threads, err);
}

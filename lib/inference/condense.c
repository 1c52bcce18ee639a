/* Draws of many functions, said again by few of them. */
#include "inference/condense.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_heapsort.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"

/* What is left of a column of norm 1 below which it is one with those chosen. */
static const double least_left = 1e-10;

typedef struct {
    size_t M, D, K;
    const gsl_matrix *G;
    gsl_matrix *L;  /* M x M: L[k] of all functions */
    gsl_matrix *A;  /* M x D: a_kd, the part of f_d along the k-th direction */
    gsl_matrix *C;  /* M x D */
    double *c;      /* M; 0: chosen */
    size_t *choice; /* M, of them K in the order of choice */
    double left;    /* of sum_d |f_d|^2 */
} pursuit;

static void pursuit_free(pursuit *p)
{
    gsl_matrix_free(p->L);
    gsl_matrix_free(p->A);
    gsl_matrix_free(p->C);
    free(p->c);
    free(p->choice);
}

static rvm_status pursuit_init(pursuit *p, const gsl_matrix *G, const gsl_matrix *W, rvm_error *err)
{
    *p = (pursuit){ .M = W->size1, .D = W->size2, .G = G };
    p->L = gsl_matrix_alloc(p->M, p->M);
    p->A = gsl_matrix_alloc(p->M, p->D);
    p->C = gsl_matrix_alloc(p->M, p->D);
    p->c = rvm_array(p->M, sizeof *p->c);
    p->choice = rvm_array(p->M, sizeof *p->choice);
    if (p->L == NULL || p->A == NULL || p->C == NULL || p->c == NULL || p->choice == NULL)
        return rvm_fail_memory(err, "the draws");
    gsl_matrix_const_view g = gsl_matrix_const_submatrix(G, 0, 0, p->M, p->M);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &g.matrix, W, 0, p->C);
    for (size_t m = 0; m < p->M; m++) {
        double product;
        gsl_vector_const_view w = gsl_matrix_const_row(W, m), c = gsl_matrix_const_row(p->C, m);
        gsl_blas_ddot(&w.vector, &c.vector, &product);
        p->left += product;
        p->c[m] = gsl_matrix_get(G, m, m);
    }
    return RVM_OK;
}

/* The function with the largest gain; M: all are one with those chosen. */
static size_t best_function(const pursuit *p)
{
    size_t best = p->M;
    double most = 0;
    for (size_t m = 0; m < p->M; m++) {
        gsl_vector_const_view c = gsl_matrix_const_row(p->C, m);
        const double size = p->c[m] > least_left ? gsl_blas_dnrm2(&c.vector) : 0;
        if (size > 0 && size * size / p->c[m] > most) {
            most = size * size / p->c[m];
            best = m;
        }
    }
    return best;
}

static void choose(pursuit *p, size_t m)
{
    const double root = sqrt(p->c[m]);
    gsl_vector_view l = gsl_matrix_row(p->L, p->K), a = gsl_matrix_row(p->A, p->K);
    for (size_t i = 0; i < p->M; i++)
        gsl_vector_set(&l.vector, i, gsl_matrix_get(p->G, m, i));
    if (p->K > 0) {
        gsl_matrix_const_view before = gsl_matrix_const_submatrix(p->L, 0, 0, p->K, p->M);
        gsl_vector_const_view own = gsl_matrix_const_subcolumn(p->L, m, 0, p->K);
        gsl_blas_dgemv(CblasTrans, -1, &before.matrix, &own.vector, 1, &l.vector);
    }
    gsl_vector_scale(&l.vector, 1 / root);
    gsl_matrix_get_row(&a.vector, p->C, m);
    gsl_vector_scale(&a.vector, 1 / root);
    gsl_blas_dger(-1, &l.vector, &a.vector, p->C);
    for (size_t i = 0; i < p->M; i++)
        p->c[i] -= gsl_vector_get(&l.vector, i) * gsl_vector_get(&l.vector, i);
    p->c[m] = 0;
    const double gain = gsl_blas_dnrm2(&a.vector);
    p->left -= gain * gain;
    p->choice[p->K++] = m;
}

/* Least squares: with T_kj = L_j of the k-th function chosen, T'w = a. The rows of A become the
 * weights, in the order of choice. */
static rvm_status solve(pursuit *p, rvm_error *err)
{
    gsl_matrix *T = gsl_matrix_calloc(p->K, p->K);
    if (T == NULL)
        return rvm_fail_memory(err, "the draws");
    for (size_t k = 0; k < p->K; k++)
        for (size_t j = 0; j <= k; j++)
            gsl_matrix_set(T, k, j, gsl_matrix_get(p->L, j, p->choice[k]));
    gsl_matrix_view a = gsl_matrix_submatrix(p->A, 0, 0, p->K, p->D);
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasTrans, CblasNonUnit, 1, T, &a.matrix);
    gsl_matrix_free(T);
    return RVM_OK;
}

static int compare(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* In the order of the functions. */
static rvm_status hand_out(rvm_condensed *out, const pursuit *p, rvm_error *err)
{
    size_t *order = rvm_array(p->K, sizeof *order);
    out->count = p->K;
    out->function = rvm_array(p->K, sizeof *out->function);
    out->weight = gsl_matrix_alloc(p->K, p->D);
    if (order == NULL || out->function == NULL || out->weight == NULL) {
        free(order);
        return rvm_fail_memory(err, "the draws");
    }
    gsl_heapsort_index(order, p->choice, p->K, sizeof *p->choice, compare);
    for (size_t k = 0; k < p->K; k++) {
        gsl_vector_view w = gsl_matrix_row(p->A, order[k]);
        out->function[k] = p->choice[order[k]];
        gsl_matrix_set_row(out->weight, k, &w.vector);
    }
    free(order);
    return RVM_OK;
}

rvm_status rvm_condense(rvm_condensed *out, const gsl_matrix *G, const gsl_matrix *W,
                        const bool *first, double most, rvm_error *err)
{
    pursuit p;
    *out = (rvm_condensed){ 0 };
    rvm_status status = pursuit_init(&p, G, W, err);
    for (size_t m = 0; m < W->size1 && status == RVM_OK; m++)
        if (first[m] && p.c[m] > least_left)
            choose(&p, m);
    while (status == RVM_OK && p.left > most && p.K < p.M) {
        const size_t m = best_function(&p);
        if (m == p.M)
            break;
        choose(&p, m);
    }
    if (status == RVM_OK && p.K > 0)
        status = solve(&p, err);
    if (status == RVM_OK && p.K > 0)
        status = hand_out(out, &p, err);
    pursuit_free(&p);
    if (status != RVM_OK)
        rvm_condensed_free(out);
    return status;
}

void rvm_condensed_free(rvm_condensed *c)
{
    free(c->function);
    gsl_matrix_free(c->weight);
    *c = (rvm_condensed){ 0 };
}

/* More than two classes: the latent functions that are saved, at the joint mode of all weights. */
#include "product/joint_mode.h"

#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "inference/classes.h"
#include "product/finish.h"

enum { MOST_PASSES = 60 };

/* Change of the log evidence by a pass, for each row, at which the mode is reached. */
static const double at_mode = 1e-12;

/* Multiplications, about, of all passes on the way there. */
static const double patience = 1e9;

typedef struct {
    const rvm_search_type *type;
    const void *search; /* borrowed */
    const size_t *place;
    rvm_study view; /* of the study, which observes the class in hand */
    double *t;      /* owned, N: its targets */
    double *f;      /* owned, N: its activations, offset included */
    rvm_classes classes;
    double work; /* of a pass */
    bool hasty;
} joint_mode;

static void joint_mode_free(joint_mode *j)
{
    rvm_classes_free(&j->classes);
    free(j->t);
    free(j->f);
}

/* f += Phi w of the rows from `first` on, as many as X has columns. */
static rvm_status add_strip(double *f, gsl_matrix *X, const joint_mode *j, const rvm_solved *s,
                            size_t first, int threads, rvm_error *err)
{
    gsl_vector_view sum = gsl_vector_view_array(f + first, X->size2);
    const rvm_status status =
        rvm_basis_strip(X, s->norm, &j->view.basis, s->id, s->K, first, threads, err);
    for (size_t i = 0; i < s->K && status == RVM_OK; i++) {
        gsl_vector_const_view column = gsl_matrix_const_row(X, i);
        gsl_blas_daxpy(exp(-0.5 * s->ln_alpha[i]) * s->u[i], &column.vector, &sum.vector);
    }
    return status;
}

/* Of the rows that are here. */
static rvm_status add_functions(double *f, const joint_mode *j, const rvm_solved *s, int threads,
                                rvm_error *err)
{
    const size_t K = s->K, N = j->view.observed.N;
    gsl_matrix *X = gsl_matrix_alloc(K > 0 ? K : 1, RVM_STRIP);
    rvm_status status = X == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    for (size_t n = 0; n < N && K > 0 && status == RVM_OK; n += RVM_STRIP) {
        gsl_matrix_view x = gsl_matrix_submatrix(X, 0, 0, K, N - n < RVM_STRIP ? N - n : RVM_STRIP);
        status = add_strip(f, &x.matrix, j, s, n, threads, err);
    }
    gsl_matrix_free(X);
    return rvm_team_agree(j->view.observed.spans.team, status, err);
}

/* The activations of class k where the search has left it. */
static rvm_status activate(joint_mode *j, size_t k, rvm_error *err)
{
    const rvm_found found = j->type->solution(j->search, k);
    const rvm_solved *s = found.solved;
    const size_t K = s->K, N = j->view.observed.N;
    rvm_status status =
        rvm_basis_bring(&j->view.basis, s->id, K, found.columns.id, found.columns.count, err);
    j->work += (double)K * (double)K * (double)j->view.observed.spans.N;
    rvm_classes_select(&j->classes, &j->view.observed, k);
    memcpy(j->f, j->classes.offset, N * sizeof *j->f);
    if (status == RVM_OK)
        status = add_functions(j->f, j, s, found.columns.threads, err);
    rvm_classes_set(&j->classes, k, j->f);
    return status;
}

static rvm_status joint_mode_init(joint_mode *j, const rvm_study *y, rvm_multiclass model,
                                  rvm_error *err)
{
    const size_t N = y->observed.N;
    j->view = *y;
    j->view.observed.t = j->t = rvm_array(N, sizeof *j->t);
    j->f = rvm_array(N, sizeof *j->f);
    if (j->t == NULL || j->f == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_status status = rvm_classes_init(&j->classes, y->class_of_row, y->classes, N, model, err);
    for (size_t k = 0; k < y->classes && status == RVM_OK; k++)
        status = activate(j, k, err);
    return status;
}

/* Every class to the mode that the others leave it. */
static rvm_status pass_over_classes(rvm_model *m, joint_mode *j, rvm_error *err)
{
    double penalties = 0;
    rvm_status status = RVM_OK;
    m->log_prior = 0;
    for (size_t k = 0; k < j->classes.count && status == RVM_OK; k++) {
        const rvm_found f = j->type->solution(j->search, k);
        rvm_latent *latent = &m->latent[j->place[k]];
        rvm_finished numbers = { .activation = j->f, .hasty = j->hasty };
        rvm_classes_select(&j->classes, &j->view.observed, k);
        rvm_latent_free(latent);
        status = rvm_finish_latent(latent, &numbers, f.solved, &j->view, &f.columns, err);
        rvm_classes_set(&j->classes, k, j->f);
        penalties += numbers.penalty;
        m->log_prior += f.log_prior;
    }
    m->log_evidence = rvm_classes_log_likelihood(&j->classes, &j->view.observed) - penalties;
    rvm_classes_refresh(&j->classes);
    return status;
}

rvm_status rvm_joint_mode_finish(rvm_model *m, const rvm_study *y, const size_t *place,
                                 const rvm_search_type *type, const void *search,
                                 rvm_search_stand stand, rvm_error *err)
{
    joint_mode j = {
        .type = type, .search = search, .place = place, .hasty = stand == RVM_CUT_SHORT
    };
    double change = INFINITY;
    if (!rvm_model_alloc_latents(m, y->classes))
        return rvm_fail_memory(err, "the model");
    rvm_status status = joint_mode_init(&j, y, m->multiclass, err);
    const double most = stand == RVM_ON_ITS_WAY ? fmin(MOST_PASSES, patience / j.work) : 1;
    for (int pass = 0; status == RVM_OK && fabs(change) > at_mode * (double)y->observed.spans.N &&
                       (pass == 0 || pass < most);
         pass++) {
        change = -m->log_evidence;
        status = pass_over_classes(m, &j, err);
        change += m->log_evidence;
    }
    joint_mode_free(&j);
    return status;
}

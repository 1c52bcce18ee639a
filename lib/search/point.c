/* What there is to keep of a local optimum. */
#include "search/point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Nats in L - K within which two optima count as of one kind. Collapsed ones on pure noise differ
 * by 50 and more, sound ones of 35 to 50 functions by 1 to 8. */
static const double close_call = 10;

static bool make_room(rvm_point *p, size_t K)
{
    if (K <= p->capacity && p->column != NULL)
        return true;
    rvm_point_free(p);
    p->column = rvm_array(K, sizeof *p->column);
    p->ln_alpha = rvm_array(K, sizeof *p->ln_alpha);
    p->u = rvm_array(K, sizeof *p->u);
    if (p->column == NULL || p->ln_alpha == NULL || p->u == NULL) {
        rvm_point_free(p);
        return false;
    }
    p->capacity = K;
    return true;
}

/* A point without functions may have no arrays, and memcpy wants pointers even for nothing. */
static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

bool rvm_point_save(rvm_point *to, const rvm_fit *from, double margin, bool converged)
{
    if (!make_room(to, from->K))
        return false;
    to->K = from->K;
    copy(to->column, from->column, from->K * sizeof *to->column);
    copy(to->ln_alpha, from->ln_alpha, from->K * sizeof *to->ln_alpha);
    copy(to->u, from->u, from->K * sizeof *to->u);
    to->ln_beta = from->ln_beta;
    to->log_evidence = from->log_evidence;
    to->margin = margin;
    to->converged = converged;
    return true;
}

void rvm_point_load(rvm_fit *to, const rvm_point *from)
{
    to->K = from->K;
    copy(to->column, from->column, from->K * sizeof *to->column);
    copy(to->ln_alpha, from->ln_alpha, from->K * sizeof *to->ln_alpha);
    copy(to->u, from->u, from->K * sizeof *to->u);
    to->ln_beta = from->ln_beta;
    to->log_evidence = from->log_evidence;
}

void rvm_point_free(rvm_point *p)
{
    free(p->column);
    free(p->ln_alpha);
    free(p->u);
    memset(p, 0, sizeof *p);
}

void rvm_point_swap(rvm_point *a, rvm_point *b)
{
    const rvm_point kept = *a;
    *a = *b;
    *b = kept;
}

double rvm_point_criterion(const rvm_point *p)
{
    return p->log_evidence - (double)p->K;
}

bool rvm_point_prefer(const rvm_point *a, const rvm_point *b, double top, double credit)
{
    const bool a_sound = rvm_point_criterion(a) >= top - close_call;
    const bool b_sound = rvm_point_criterion(b) >= top - close_call;
    if (a_sound != b_sound)
        return b_sound;
    const double gain = b->log_evidence - a->log_evidence;
    return gain + credit * ((double)b->K - (double)a->K) > 1e-6 * fabs(a->log_evidence);
}

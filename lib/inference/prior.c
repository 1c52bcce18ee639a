/* The prior of a precision. */
#include "inference/prior.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>

const rvm_prior rvm_prior_flat = { 0 };

rvm_prior rvm_prior_make(const rvm_gamma_prior *g, double ln_unit)
{
    rvm_prior p = { .shape = g->shape, .rate = g->rate, .ln_unit = ln_unit };
    if (g->shape > 0 && g->rate > 0)
        p.constant = g->shape * log(g->rate) - gsl_sf_lngamma(g->shape);
    return p;
}

rvm_prior rvm_prior_shift(const rvm_prior *p, double ln_unit)
{
    rvm_prior shifted = *p;
    shifted.ln_unit += ln_unit;
    return shifted;
}

bool rvm_prior_is_flat(const rvm_prior *p)
{
    return p->shape == 0 && p->rate == 0;
}

/* 0, and not the product of 0 and infinity, without a rate. */
double rvm_prior_bx(const rvm_prior *p, double ln_x)
{
    return p->rate > 0 ? p->rate * exp(ln_x + p->ln_unit) : 0;
}

double rvm_prior_log(const rvm_prior *p, double ln_x)
{
    if (rvm_prior_is_flat(p))
        return 0;
    return p->shape * (ln_x + p->ln_unit) - rvm_prior_bx(p, ln_x) + p->constant;
}

double rvm_prior_gradient(const rvm_prior *p, double ln_x)
{
    return p->shape - rvm_prior_bx(p, ln_x);
}

double rvm_prior_second(const rvm_prior *p, double ln_x)
{
    return -rvm_prior_bx(p, ln_x);
}

double rvm_prior_mode(const rvm_prior *p)
{
    return log(p->shape / p->rate) - p->ln_unit;
}

double rvm_prior_most(const rvm_prior *p)
{
    return p->shape > 0 ? rvm_prior_log(p, rvm_prior_mode(p)) : 0;
}

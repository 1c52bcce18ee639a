/* Random draws from normal and gamma distributions that are cut off. */
#include "base/truncated.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* ---- Normal ---------------------------------------------------------------------------------- */

/* By how much a standard normal number exceeds s > 0, given that it does: an exponential number y
 * of rate l is taken with probability exp(-(y + s - l)^2 / 2), l = (s + sqrt(s^2 + 4)) / 2 (Robert
 * 1995). s - l = -1 / l, so that neither s nor s + y is needed: nothing cancels. */
static double excess_over(gsl_rng *rng, double s)
{
    const double rate = (s + hypot(s, 2)) / 2;
    double y, off;
    do {
        y = -log(gsl_rng_uniform_pos(rng)) / rate;
        off = y - 1 / rate;
    } while (gsl_rng_uniform(rng) >= exp(-off * off / 2));
    return y;
}

static double above_zero(gsl_rng *rng, double mean, double sd)
{
    double x;
    if (mean < 0)
        return fmax(sd * excess_over(rng, -mean / sd), DBL_MIN);
    do
        x = mean + gsl_ran_gaussian_ziggurat(rng, sd);
    while (x <= 0);
    return fmax(x, DBL_MIN);
}

double rvm_truncated_normal(gsl_rng *rng, double mean, double sd, bool positive)
{
    assert(isfinite(mean) && isfinite(sd) && sd > 0);
    return positive ? above_zero(rng, mean, sd) : -above_zero(rng, -mean, sd);
}

/* ---- Gamma -----------------------------------------------------------------------------------
 *
 *   a, r    shape and rate
 *   c       where the density of ln x is largest in [low, high]: a / r, or the nearer end
 *   b       r c
 *   sign    1 on the side of c where x is larger, -1 on the other one
 *   u       |ln(x / c)|, from 0 to the reach of the side: ln(high / c) or ln(c / low)
 *   D(u)    b (exp(sign u) - 1) - sign a u: by how much the log density of ln x is lower than at c
 *
 * x has no log-concave density if a < 1, but ln x has one for any a: D is convex, and 0 where it is
 * least. So on each side it is nowhere below 0 nor below its tangent at p, where D(p) is about 1:
 *
 *     hat(u) = 1 up to `flat`, where the tangent crosses 0; exp(-slope (u - flat)) beyond
 *
 * A proposal from the hat is taken with probability exp(-D) / hat. With D(p) = 1 the area under the
 * hat is p at most, and that under exp(-D) is p (1 - 1/e) at least, since D(u) <= u / p before p:
 * 1.58 proposals on average at worst, and near 1 in a tail, where D is straight. An interval that
 * ends before p has D <= 1 in all of it and needs no tangent. All is computed from ln(x / c), so
 * that neither a narrow interval nor one far out loses digits. */

/* Keeps b finite. From far less on, all the mass is within rounding of low. */
static const double largest_product = 1e300;

typedef struct {
    double sign;
    double reach; /* infinite when low is 0 */
    double flat, slope;
    double area; /* under the hat */
} gamma_side;

static double fall(double shape, double b, double sign, double u)
{
    return b * expm1(sign * u) - sign * shape * u;
}

static double fall_slope(double shape, double b, double sign, double u)
{
    return sign * (b * exp(sign * u) - shape);
}

/* About the p > 0 with D(p) = 1; there is a valid hat for any other one. q is right where D is a
 * parabola: exp(u) - 1 - u > u^2 / 2 > exp(-u) - 1 + u, so D(q) > 1 on the upper side, where one
 * step of u = ln(1 + u + (1 - D'(0) u) / b) comes near, and D(q) < 1 on the lower one, where D is
 * nearly straight beyond q and Newton's step is enough. */
static double one_down(double shape, double b, double sign)
{
    const double start = fmax(sign * (b - shape), 0); /* D'(0) */
    const double q = 2 / (start + hypot(start, sqrt(2 * b)));
    if (sign > 0)
        return log1p(q + fmax(1 - start * q, 0) / b);
    return q + (1 - fall(shape, b, sign, q)) / fall_slope(shape, b, sign, q);
}

static gamma_side side_of(double shape, double b, double sign, double reach)
{
    gamma_side s = { .sign = sign, .reach = reach, .flat = reach, .area = reach };
    if (reach <= 0)
        return s;
    const double p = one_down(shape, b, sign);
    if (p >= reach)
        return s;
    s.slope = fall_slope(shape, b, sign, p);
    s.flat = fmax(p - fall(shape, b, sign, p) / s.slope, 0);
    s.area = s.flat - expm1(-s.slope * (reach - s.flat)) / s.slope;
    return s;
}

/* The place in the side with the part `below` of the area under the hat between it and c; *fallen
 * is minus the logarithm of the hat there. */
static double place_under_hat(double *fallen, const gamma_side *s, double below)
{
    *fallen = 0;
    if (below <= s->flat)
        return below;
    *fallen = -log1p(-s->slope * (below - s->flat));
    return fmin(s->flat + *fallen / s->slope, s->reach);
}

static double under_a_hat(gsl_rng *rng, double shape, double b, double c, double low, double high)
{
    const gamma_side up = side_of(shape, b, 1, log1p((high - c) / c));
    const gamma_side down = side_of(shape, b, -1, log1p((c - low) / low));
    const gamma_side *s;
    double u, fallen;
    do {
        const double below = gsl_rng_uniform(rng) * (down.area + up.area);
        s = below < down.area ? &down : &up;
        u = place_under_hat(&fallen, s, s == &down ? below : below - down.area);
    } while (gsl_rng_uniform(rng) >= exp(fallen - fall(shape, b, s->sign, u)));
    return fmax(low, fmin(c + c * expm1(s->sign * u), high));
}

double rvm_truncated_gamma(gsl_rng *rng, double shape, double rate, double low, double high)
{
    assert(shape > 0 && rate >= 0 && isfinite(rate));
    assert(0 <= low && low < high && isfinite(high));
    const double c = fmax(low, fmin(shape / rate, high)); /* high when rate is 0 */
    /* A draw of the whole distribution that is in the interval is one of the law wanted; so is what
     * comes after one that is not. It costs little, so it is tried where it should hit. */
    if (low < c && c < high / 2) {
        const double x = gsl_ran_gamma(rng, shape, 1 / rate);
        if (low <= x && x <= high)
            return x;
    }
    return under_a_hat(rng, shape, fmin(rate * c, largest_product), c, low, high);
}

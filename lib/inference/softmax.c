/* The average of a softmax over functions whose values are normal.
 *
 *   m_k, s_k   mean and standard deviation of f_k, C of each
 *   g_k        noise of Gumbel's distribution, P(g < x) = exp(-exp(-x)), independent of all else
 *
 * For given f, class k has the largest of all f_j + g_j with probability exp(f_k) / sum_j exp(f_j)
 * (Yellott 1977). So the average over f too is the probability that k has it; and since the
 * f_j + g_j are independent, that is an integral over the value t of the largest,
 *
 *     P(k) = int F_k'(t) prod_{j != k} F_j(t) dt = int exp(H) (ln F_k)' dt,   H = sum_j ln F_j,
 *
 * F_j the distribution function of f_j + g_j. Nothing is left out, and the work grows with C alone.
 * Of one class, with z = t - m, x ~ N(0, 1),
 *
 *     F(z)  = E exp(-exp(-(z - s x))) over x  = E Phi((z - g) / s) over g,
 *     F'(z) = exp(s^2 / 2 - z) F(z - s^2),
 *
 * the latter by completing a square, which keeps the digits of small probabilities. For small s the
 * first form of F is summed by the trapezoidal rule, for large s the second by Gauss's rule for g.
 *
 * The integral is a trapezoidal sum too, over y in t = low + STRETCH sinh(y), from where H is so
 * low that nothing is lost. A class that still rises at t began to rise below low: its rise is the
 * wider, the farther t is from low, and steps may grow with the distance. So their number grows
 * with the logarithm of the range. */
#include "inference/softmax.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdbool.h>

enum { REACH = 18, NODES = 2 * REACH + 1, MOST_MOVES = 60 };

static const double spacing = 0.45;     /* of x; twice as much up to half of large_s */
static const double large_s = 1.5;      /* from here on by the second form */
static const double stretch = 6;        /* t is spread evenly that far */
static const double step = 0.1;         /* of y */
static const double nothing = -200;     /* H at low is at least that, */
static const double little = -60;       /* and this is what low is sought for */
static const double certain = 30;       /* exp(-30) is nothing beside 1 */
static const double most = DBL_MAX / 8; /* of differences of means: no sum of two is infinite */
/* A class whose mean is t + below s + below_g has H < little; none rises above t + above s. */
static const double below = 8, below_g = 3.5, above = 7;

/* Gauss's rule for Gumbel's distribution: exact for polynomials up to degree 23. */
static const struct {
    double g, weight;
} gumbel[] = {
    { -1.7637846966977221985, 1.39434804959917054562e-02 },
    { -0.91457528534291687716, 1.87459339487558745985e-01 },
    { 0.1039318416025816344, 4.19628697002602357724e-01 },
    { 1.4195101547386470564, 2.85564947697072690769e-01 },
    { 3.1449587207282774237, 8.08603069507177474318e-02 },
    { 5.3599506959404168427, 1.15966986397288106259e-02 },
    { 8.1203006354195448324, 9.07966423977356437876e-04 },
    { 11.495975110955308551, 3.77983116332124329190e-05 },
    { 15.601138632969316689, 7.58845184054560723047e-07 },
    { 20.631522637432812672, 6.13150261984908819708e-09 },
    { 26.965578542860189515, 1.40270149922594115283e-11 },
    { 35.574494934100705734, 3.74201941257997996378e-15 },
};

typedef struct {
    const double *mean, *variance; /* borrowed, C each */
    size_t C;
    size_t first; /* t counts from the mean of this class, so that means far from 0 lose nothing */
    double low;   /* of t */
    double w[NODES]; /* of the trapezoidal rule for x */
} average;

/* ln F and its derivative. */
typedef struct {
    double log_F, slope;
} rise;

/* ---- One class at one t --------------------------------------------------------------------- */

static rise rise_of_small(const double *w, double z, double s)
{
    const int stride = s > large_s / 2 ? 1 : 2;
    const double factor = exp(s * spacing * stride);
    double v = exp(-z - s * spacing * REACH), total = 0, F = 0, derivative = 0;

    for (int i = 0; i < NODES; i += stride, v *= factor) {
        const double p = w[i] * exp(-v);
        total += w[i];
        F += p;
        derivative += p * v;
    }
    return (rise){ log(F / total), derivative / F };
}

static double large_F(double z, double s)
{
    double F = 0;

    for (size_t i = 0; i < sizeof gumbel / sizeof gumbel[0]; i++)
        F += gumbel[i].weight * 0.5 * erfc((gumbel[i].g - z) / s * M_SQRT1_2);
    return F;
}

static double large_density(double z, double s)
{
    double sum = 0;

    for (size_t i = 0; i < sizeof gumbel / sizeof gumbel[0]; i++)
        sum += gumbel[i].weight * exp(-0.5 * gsl_pow_2((z - gumbel[i].g) / s));
    return sum / (s * M_SQRT2 * M_SQRTPI);
}

static rise rise_of_large(double z, double s)
{
    const double F = large_F(z, s);
    const double derivative =
        2 * z < s * s ? large_density(z, s) : exp(0.5 * s * s - z) * large_F(z - s * s, s);

    return (rise){ log(F), derivative / F };
}

/* What t = 0 is for class k. */
static double origin(const average *a, size_t k)
{
    return fmax(-most, fmin(a->mean[a->first] - a->mean[k], most));
}

static rise rise_of(const average *a, size_t k, double t)
{
    const double z = origin(a, k) + t, s = sqrt(a->variance[k]);

    if (s == 0)
        return (rise){ -exp(-z), exp(-z) };
    if (z > s * s + certain)
        return (rise){ 0, exp(0.5 * s * s - z) };
    return s < large_s ? rise_of_small(a->w, z, s) : rise_of_large(z, s);
}

/* Whether class k has risen at low, all but exp(-certain) of it. From there on F' is
 * exp(s^2 / 2 - z). */
static bool is_above(const average *a, size_t k)
{
    return origin(a, k) + a->low > a->variance[k] + certain;
}

/* ---- The integral --------------------------------------------------------------------------- */

/* (ln F_k)' of the classes that are not above yet into slope, the sum of all ln F_k into H and the
 * derivative of that into dH. */
static void rise_of_all(double *H, double *dH, double *slope, const average *a, double t)
{
    *H = *dH = 0;
    for (size_t k = 0; k < a->C; k++) {
        if (is_above(a, k))
            continue;
        const rise r = rise_of(a, k, t);
        slope[k] = r.slope;
        *H += r.log_F;
        *dH += r.slope;
    }
}

/* The class whose rise begins last, low there, and from there to the right. H is concave, so that
 * Newton's method never goes too far. slope: scratch, C. */
static void find_low(average *a, double *slope)
{
    for (size_t k = 1; k < a->C; k++)
        if (a->mean[k] / 2 - below / 2 * sqrt(a->variance[k]) >
            a->mean[a->first] / 2 - below / 2 * sqrt(a->variance[a->first]))
            a->first = k;
    a->low = -below * sqrt(a->variance[a->first]) - below_g;
    for (int move = 0; move < MOST_MOVES; move++) {
        double H, dH;
        rise_of_all(&H, &dH, slope, a, a->low);
        if (H >= nothing)
            return;
        a->low += (little - H) / dH;
    }
}

/* The farthest that a class rises, from low. */
static double find_range(const average *a)
{
    double farthest = 0;

    for (size_t k = 0; k < a->C; k++)
        farthest = fmax(farthest, above * sqrt(a->variance[k]) - origin(a, k) - a->low);
    return farthest + certain;
}

/* The sums for all classes into p, but for those that are above, which have one in common. */
static double integrate(double *p, double *slope, const average *a)
{
    const double end = asinh(find_range(a) / stretch);
    double in_common = 0;

    for (size_t k = 0; k < a->C; k++)
        p[k] = 0;
    for (double i = 0; i * step <= end; i++) {
        const double d = stretch * sinh(i * step);
        double H, dH;
        rise_of_all(&H, &dH, slope, a, a->low + d);
        const double weight = step * stretch * cosh(i * step) * exp(H);
        for (size_t k = 0; k < a->C; k++)
            if (!is_above(a, k))
                p[k] += weight * slope[k];
        in_common += weight * exp(-d);
    }
    return in_common;
}

/* ln p; where p is too small for a double, that of the density of f alone where H begins. */
static double log_of_small(const average *a, size_t k, double p)
{
    const double z = (origin(a, k) + a->low) / sqrt(a->variance[k]);

    return p > DBL_MIN ? log(p) : log(DBL_MIN) - 0.5 * fmin(gsl_pow_2(z), most);
}

void rvm_softmax_average(double *log_p, double *scratch, const double *mean, const double *variance,
                         size_t C)
{
    average a = { .mean = mean, .variance = variance, .C = C };

    for (int i = 0; i < NODES; i++)
        a.w[i] = exp(-0.5 * gsl_pow_2((i - REACH) * spacing));
    find_low(&a, scratch);
    const double log_common = log(integrate(scratch, log_p, &a));
    for (size_t k = 0; k < C; k++)
        log_p[k] = is_above(&a, k) ? log_common + 0.5 * variance[k] - origin(&a, k) - a.low
                                   : log_of_small(&a, k, scratch[k]);
}

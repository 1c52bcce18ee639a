/* bench: data of any size for the scripts beside, the same wherever GSL's generators are.
 *
 *     friedman NAME ROWS SEED [clean]
 *
 *     friedman1, 2, 3   regression, Friedman (1991)
 *     sinc-normal       regression, sin(x) / x and normal noise of standard deviation 0.2
 *     sinc-small        the same of standard deviation 0.1
 *     sinc-uniform      the same uniform on -0.2 .. 0.2
 *     sinc-linear       regression, sin(x1) / x1 + x2 / 10, Tipping (2001)
 *     noise             regression, nothing to be learnt
 *     twonorm           two classes, Breiman (1996)
 *     step              two classes, for certain or by a coin
 *
 * writes ROWS rows of libsvm's text to standard output, targets of a regression without noise if
 * asked for clean ones.  Different seeds give independent rows. */

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { MOST_INPUTS = 10, TWONORM_INPUTS = 20 };

static void write_inputs(FILE *out, const double *x, int inputs)
{
    for (int i = 0; i < inputs; i++)
        fprintf(out, " %d:%.6f", i + 1, x[i]);
    putc('\n', out);
}

/* ---- Regression ---------------------------------------------------------------------------- */

/* x6 to x10 do not matter. */
static double friedman1(const double *x)
{
    return 10.0 * sin(M_PI * x[0] * x[1]) + 20.0 * gsl_pow_2(x[2] - 0.5) + 10.0 * x[3] + 5.0 * x[4];
}

static double friedman2(const double *x)
{
    return hypot(x[0], x[1] * x[2] - 1.0 / (x[1] * x[3]));
}

static double friedman3(const double *x)
{
    return atan((x[1] * x[2] - 1.0 / (x[1] * x[3])) / x[0]);
}

static double sinc(const double *x)
{
    return x[0] == 0.0 ? 1.0 : sin(x[0]) / x[0];
}

static double sinc_and_line(const double *x)
{
    return sinc(x) + 0.1 * x[1];
}

static double nothing(const double *x)
{
    (void)x;
    return 0.0;
}

/* Inputs: independent and uniform between limits, or one that is equally spaced. */
typedef struct {
    int inputs;
    bool spaced;
    double low[MOST_INPUTS], high[MOST_INPUTS];
} box;

static const box cube = { 10, false, { 0 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
static const box circuit = { 4, false, { 0, 40 * M_PI, 0, 1 }, { 100, 560 * M_PI, 1, 11 } };
static const box line = { 1, true, { -10 }, { 10 } };
static const box square = { 2, false, { -10, -10 }, { 10, 10 } };

typedef struct {
    const char *name;
    double (*function)(const double *x);
    const box *inputs;
    double normal, uniform; /* standard deviation, and half of the width, of the noise */
} regression;

static const regression regressions[] = {
    { "friedman1", friedman1, &cube, 1.0, 0.0 },
    { "friedman2", friedman2, &circuit, 125.0, 0.0 },
    { "friedman3", friedman3, &circuit, 0.1, 0.0 },
    { "sinc-normal", sinc, &line, 0.2, 0.0 },
    { "sinc-small", sinc, &line, 0.1, 0.0 },
    { "sinc-uniform", sinc, &line, 0.0, 0.2 },
    { "sinc-linear", sinc_and_line, &square, 0.1, 0.0 },
    { "noise", nothing, &cube, 1.0, 0.0 },
};

/* The inputs of a clean row are those of the noisy row of the same seed. */
static void write_regression(FILE *out, const regression *r, unsigned long rows, bool clean,
                             gsl_rng *rng)
{
    const box *in = r->inputs;
    double x[MOST_INPUTS];

    for (unsigned long row = 0; row < rows; row++) {
        for (int i = 0; i < in->inputs; i++) {
            const double share =
                in->spaced ? (double)row / fmax((double)rows - 1.0, 1.0) : gsl_rng_uniform(rng);
            x[i] = in->low[i] + (in->high[i] - in->low[i]) * share;
        }
        const double noise = r->uniform > 0.0 ? gsl_ran_flat(rng, -r->uniform, r->uniform)
                                              : gsl_ran_gaussian(rng, r->normal);
        fprintf(out, "%.6f", r->function(x) + (clean ? 0.0 : noise));
        write_inputs(out, x, in->inputs);
    }
}

/* ---- Classes ------------------------------------------------------------------------------- */

/* Unit normals around (a, a, ...) or (-a, -a, ...), a = 2 / sqrt(20), with equal probability. The
 * best possible rule is wrong for 1 row in 44, those beyond 2 standard deviations. */
static void write_twonorm(FILE *out, gsl_rng *rng)
{
    const bool positive = gsl_rng_uniform(rng) < 0.5;
    const double mean = (positive ? 2.0 : -2.0) / sqrt(TWONORM_INPUTS);
    double x[TWONORM_INPUTS];

    for (int i = 0; i < TWONORM_INPUTS; i++)
        x[i] = mean + gsl_ran_gaussian(rng, 1.0);
    fputs(positive ? "+1" : "-1", out);
    write_inputs(out, x, TWONORM_INPUTS);
}

/* One uniform input: class +1 below 1/2, and either class with equal probability above. The best
 * possible rule is wrong for 1 row in 4. */
static void write_step(FILE *out, gsl_rng *rng)
{
    const double x = gsl_rng_uniform(rng);
    const bool tails = gsl_rng_uniform(rng) < 0.5;

    fputs(x >= 0.5 && tails ? "-1" : "+1", out);
    write_inputs(out, &x, 1);
}

typedef struct {
    const char *name;
    void (*write_row)(FILE *out, gsl_rng *rng);
} classes;

static const classes classifications[] = {
    { "twonorm", write_twonorm },
    { "step", write_step },
};

/* ---- The program --------------------------------------------------------------------------- */

static const regression *find_regression(const char *name)
{
    for (size_t i = 0; i < sizeof regressions / sizeof *regressions; i++)
        if (strcmp(regressions[i].name, name) == 0)
            return &regressions[i];
    return NULL;
}

static const classes *find_classes(const char *name)
{
    for (size_t i = 0; i < sizeof classifications / sizeof *classifications; i++)
        if (strcmp(classifications[i].name, name) == 0)
            return &classifications[i];
    return NULL;
}

/* A whole number above 0; false otherwise. */
static bool read_count(unsigned long *out, const char *text)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && *text >= '0' && *text <= '9' && *out > 0;
}

int main(int argc, char **argv)
{
    const bool clean = argc == 5 && strcmp(argv[4], "clean") == 0;
    const bool worded = argc == 4 || clean;
    const regression *r = worded ? find_regression(argv[1]) : NULL;
    const classes *c = worded && !clean ? find_classes(argv[1]) : NULL;
    unsigned long rows, seed;

    if ((r == NULL && c == NULL) || !read_count(&rows, argv[2]) || !read_count(&seed, argv[3])) {
        fputs("usage: friedman NAME ROWS SEED [clean], see the head of bench/friedman.c\n", stderr);
        return 1;
    }
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    if (r != NULL)
        write_regression(stdout, r, rows, clean, rng);
    for (unsigned long row = 0; c != NULL && row < rows; row++)
        c->write_row(stdout, rng);
    gsl_rng_free(rng);
    if (fclose(stdout) != 0) {
        fprintf(stderr, "friedman: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

/* bench: data of any size for bench/run.sh, the same wherever GSL's generators are.
 *
 *     friedman friedman1 ROWS SEED      regression, Friedman (1991)
 *     friedman twonorm ROWS SEED        two classes, Breiman (1996)
 *     friedman noise ROWS SEED          regression, nothing to be learnt
 *
 * writes ROWS rows of libsvm's text to standard output. Different seeds give independent rows. */

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { FRIEDMAN_INPUTS = 10, TWONORM_INPUTS = 20 };

static void write_inputs(FILE *out, const double *x, int inputs)
{
    for (int i = 0; i < inputs; i++)
        fprintf(out, " %d:%.6f", i + 1, x[i]);
    putc('\n', out);
}

/* 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 and noise of variance 1; x6 to x10 do not
 * matter. */
static void write_friedman1(FILE *out, gsl_rng *rng)
{
    double x[FRIEDMAN_INPUTS];

    for (int i = 0; i < FRIEDMAN_INPUTS; i++)
        x[i] = gsl_rng_uniform(rng);
    const double target = 10.0 * sin(M_PI * x[0] * x[1]) + 20.0 * gsl_pow_2(x[2] - 0.5) +
                          10.0 * x[3] + 5.0 * x[4] + gsl_ran_gaussian(rng, 1.0);
    fprintf(out, "%.6f", target);
    write_inputs(out, x, FRIEDMAN_INPUTS);
}

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

/* Uniform inputs, and a unit normal that has nothing to do with them. */
static void write_noise(FILE *out, gsl_rng *rng)
{
    double x[FRIEDMAN_INPUTS];

    for (int i = 0; i < FRIEDMAN_INPUTS; i++)
        x[i] = gsl_rng_uniform(rng);
    fprintf(out, "%.6f", gsl_ran_gaussian(rng, 1.0));
    write_inputs(out, x, FRIEDMAN_INPUTS);
}

typedef struct {
    const char *name;
    void (*write_row)(FILE *out, gsl_rng *rng);
} problem;

static const problem problems[] = {
    { "friedman1", write_friedman1 },
    { "twonorm", write_twonorm },
    { "noise", write_noise },
};

static const problem *find_problem(const char *name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
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
    const problem *chosen = argc == 4 ? find_problem(argv[1]) : NULL;
    unsigned long rows, seed;

    if (chosen == NULL || !read_count(&rows, argv[2]) || !read_count(&seed, argv[3])) {
        fputs("usage: friedman friedman1|twonorm|noise ROWS SEED\n", stderr);
        return 1;
    }
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    for (unsigned long row = 0; row < rows; row++)
        chosen->write_row(stdout, rng);
    gsl_rng_free(rng);
    if (fclose(stdout) != 0) {
        fprintf(stderr, "friedman: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

/* A server's hot loop: reads a model, then requests, and answers each before it waits for the next.
 *
 *     cc -o serve serve.c $(pkg-config --cflags --libs rvm-ml)
 *     ./serve sinc.model <requests
 *
 * A request is a line of numbers, the columns of a row.  The answer is a mean and a variance, or a
 * class and the probabilities of all classes.  From the first request on the library allocates
 * nothing and takes no lock: a server of several threads shares the model and gives each thread a
 * predictor of its own. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <rvm-ml/rvm_ml.h>

typedef struct {
    rvmml_predictor *predictor;
    size_t columns, classes;
    double *x, value, variance, *probability;
    rvmml_prediction to;
} server;

static void check(rvmml_status status, const rvmml_error *err)
{
    if (status == RVMML_OK)
        return;
    fprintf(stderr, "serve: %s\n", err->message);
    exit(1);
}

static rvmml_model *read_model(const char *name)
{
    rvmml_model *model;
    rvmml_error err;
    FILE *in = fopen(name, "r");

    if (in == NULL) {
        perror(name);
        exit(1);
    }
    check(rvmml_model_read(&model, in, &err), &err);
    fclose(in);
    return model;
}

static void start(server *s, const rvmml_model *model)
{
    rvmml_settings *settings;
    rvmml_error err;

    s->columns = rvmml_model_columns(model);
    s->classes = rvmml_model_classes(model);
    s->x = malloc((s->columns + 1) * sizeof *s->x);
    s->probability = malloc((s->classes + 1) * sizeof *s->probability);
    if (s->x == NULL || s->probability == NULL || rvmml_model_outputs(model) != 1) {
        fprintf(stderr, "serve: no memory, or a model of several outputs\n");
        exit(1);
    }
    s->to.size = sizeof s->to;
    s->to.value = &s->value;
    if (s->classes > 0)
        s->to.probability = s->probability;
    else
        s->to.variance = &s->variance;
    check(rvmml_settings_new(&settings, &err), &err);
    check(rvmml_settings_set(settings, "threads", "1", &err), &err);
    check(rvmml_predictor_new(&s->predictor, model, settings, &err), &err);
    rvmml_settings_free(settings);
}

/* Returns 0 at the end. */
static int read_request(server *s)
{
    for (size_t j = 0; j < s->columns; j++)
        if (scanf("%lf", &s->x[j]) != 1)
            return 0;
    return 1;
}

/* A request that has no answer is no reason to stop. */
static void answer(server *s)
{
    rvmml_error err;

    if (rvmml_predict_one(&s->to, s->predictor, s->x, s->columns, &err) != RVMML_OK) {
        printf("error: %s\n", err.message);
        return;
    }
    printf("%.10g", s->value);
    for (size_t k = 0; k < s->classes; k++)
        printf(" %.10g", s->probability[k]);
    if (s->classes == 0)
        printf(" %.10g", s->variance);
    putchar('\n');
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static server s;
    rvmml_model *model;
    double seconds = 0;
    unsigned long requests = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: serve MODEL <requests\n");
        return 1;
    }
    model = read_model(argv[1]);
    start(&s, model);
    while (read_request(&s)) {
        seconds -= now();
        answer(&s);
        seconds += now();
        requests++;
        fflush(stdout);
    }
    if (requests > 0)
        fprintf(stderr, "%lu requests, %.1f microseconds each\n", requests,
                1e6 * seconds / (double)requests);
    rvmml_predictor_free(s.predictor);
    rvmml_model_free(model);
    free(s.x);
    free(s.probability);
    return 0;
}

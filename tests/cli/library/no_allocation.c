/* Counts what is allocated between the first call of rvmml_predict_one and the last:
 *
 *     no_allocation MODEL [NAME VALUE ...]
 *
 * The names are settings.  The allocator of glibc is taken by its inner names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rvm-ml/rvm_ml.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static unsigned long calls;

void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    calls++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size)
{
    calls++;
    return __libc_memalign(alignment, size);
}

static void check(rvmml_status status, const rvmml_error *err)
{
    if (status == RVMML_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static rvmml_predictor *prepare(rvmml_model **model, int argc, char **argv)
{
    FILE *in = fopen(argv[1], "r");
    rvmml_settings *settings;
    rvmml_predictor *predictor;
    rvmml_error err;

    if (in == NULL)
        exit(1);
    check(rvmml_model_read(model, in, &err), &err);
    fclose(in);
    check(rvmml_settings_new(&settings, &err), &err);
    check(rvmml_settings_set(settings, "threads", "1", &err), &err);
    for (int k = 2; k + 1 < argc; k += 2)
        check(rvmml_settings_set(settings, argv[k], argv[k + 1], &err), &err);
    check(rvmml_predictor_new(&predictor, *model, settings, &err), &err);
    rvmml_settings_free(settings);
    return predictor;
}

int main(int argc, char **argv)
{
    rvmml_model *model;
    rvmml_predictor *predictor = prepare(&model, argc, argv);
    const size_t columns = rvmml_model_columns(model);
    double *x = malloc((columns + 1) * sizeof *x), value = 0;
    const rvmml_prediction to = { .size = sizeof to, .value = &value };
    const unsigned long before = calls;
    double sum = 0;
    rvmml_error err;

    for (int row = 0; x != NULL && row < 200; row++) {
        for (size_t j = 0; j < columns; j++) /* from hardly any column to all of them */
            x[j] = (int)(j % 200) <= row ? sin(row + (double)j) : 0;
        check(rvmml_predict_one(&to, predictor, x, columns, &err), &err);
        sum += value;
    }
    printf("%lu\n", calls - before);
    rvmml_predictor_free(predictor);
    rvmml_model_free(model);
    free(x);
    return !(sum - sum == 0 && before > 0);
}

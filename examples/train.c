/* Trains on arrays, predicts other rows with their intervals, and saves the model:
 *
 *     cc -o train train.c $(pkg-config --cflags --libs rvm-ml) -lm
 *     ./train sinc.model
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rvm-ml/rvm_ml.h>

enum { ROWS = 80, NEW_ROWS = 5 };

static void check(rvmml_status status, const rvmml_error *err)
{
    if (status == RVMML_OK)
        return;
    fprintf(stderr, "train: %s\n", err->message);
    exit(1);
}

/* sin(x) / x and a little that looks like noise. */
static void make_data(double *x, double *y)
{
    for (int i = 0; i < ROWS; i++) {
        x[i] = -10 + 20.0 * (i + 0.5) / ROWS;
        y[i] = sin(x[i]) / x[i] + 0.1 * sin(1e3 * i);
    }
}

static rvmml_model *train(void)
{
    double x[ROWS], y[ROWS];
    rvmml_error err;
    rvmml_data *data;
    rvmml_settings *settings;
    rvmml_model *model;

    make_data(x, y);
    check(rvmml_data_dense(&data, x, ROWS, 1, 1, 1, y, 1, &err), &err);
    check(rvmml_settings_new(&settings, &err), &err);
    check(rvmml_settings_set(settings, "task", "regression", &err), &err);
    check(rvmml_settings_set(settings, "g", "0.1", &err), &err);
    check(rvmml_train(&model, data, settings, &err), &err);
    rvmml_settings_free(settings);
    rvmml_data_free(data); /* the model has copies of its vectors */
    return model;
}

static void predict(const rvmml_model *model)
{
    double x[NEW_ROWS] = { -8, -4, 0.5, 4, 8 }, value[NEW_ROWS], low[NEW_ROWS], high[NEW_ROWS];
    rvmml_prediction to = { .size = sizeof to, .value = value, .low = low, .high = high };
    rvmml_error err;
    rvmml_settings *settings;
    rvmml_predictor *predictor;

    check(rvmml_settings_new(&settings, &err), &err);
    check(rvmml_settings_set(settings, "interval", "0.95", &err), &err);
    check(rvmml_predictor_new(&predictor, model, settings, &err), &err);
    check(rvmml_predict_dense(&to, predictor, x, NEW_ROWS, 1, 1, 1, &err), &err);
    for (int i = 0; i < NEW_ROWS; i++)
        printf("f(%g) = %.3f, in 95 of 100 cases %.3f to %.3f\n", x[i], value[i], low[i], high[i]);
    rvmml_predictor_free(predictor);
    rvmml_settings_free(settings);
}

int main(int argc, char **argv)
{
    rvmml_model *model = train();
    rvmml_error err;
    FILE *out;

    printf("%zu of %zu rows are relevance vectors:", rvmml_model_vectors(model),
           rvmml_model_examples(model));
    for (size_t i = 0; i < rvmml_model_vectors(model); i++)
        printf(" %zu", rvmml_model_vector_row(model, i));
    printf("\nnoise %.3f, log evidence %.2f\n", sqrt(rvmml_model_noise_variance(model, 0)),
           rvmml_model_log_evidence(model));
    predict(model);
    if (argc > 1) {
        out = fopen(argv[1], "w");
        if (out == NULL) {
            perror(argv[1]);
            return 1;
        }
        check(rvmml_model_write(model, out, &err), &err);
        if (fclose(out) != 0) {
            perror(argv[1]);
            return 1;
        }
    }
    rvmml_model_free(model);
    return 0;
}

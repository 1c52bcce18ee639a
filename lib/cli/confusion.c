/* Which class was taken for which, and figures from it. */
#include "cli/confusion.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLASSES_SHOWN = 20 };

bool cli_confusion_init(cli_confusion *c, const rvm_model_info *m)
{
    const size_t K = m->classes;

    *c = (cli_confusion){ .classes = K, .label = m->labels };
    if (K < SIZE_MAX / (K + 1))
        c->count = calloc((K + 1) * K, sizeof *c->count);
    return c->count != NULL;
}

void cli_confusion_free(cli_confusion *c)
{
    free(c->count);
}

/* The class of that label; the number of classes where it is none of theirs. */
static size_t place_of_label(const cli_confusion *c, double label)
{
    size_t k = 0;

    while (k < c->classes && label != c->label[k])
        k++;
    return k;
}

void cli_confusion_add(cli_confusion *c, const rvm_prediction *p, const rvm_problem *rows)
{
    for (size_t i = 0; i < p->rows; i++) {
        const double target = rvm_problem_target(rows, i);
        const size_t as = place_of_label(c, p->value[i]);

        if (!isnan(target) && as < c->classes)
            c->count[place_of_label(c, target) * c->classes + as]++;
    }
}

static size_t rows_of(const cli_confusion *c, size_t k)
{
    size_t sum = 0;

    for (size_t j = 0; j < c->classes; j++)
        sum += c->count[k * c->classes + j];
    return sum;
}

static size_t predicted_as(const cli_confusion *c, size_t k)
{
    size_t sum = 0;

    for (size_t i = 0; i <= c->classes; i++)
        sum += c->count[i * c->classes + k];
    return sum;
}

static void print_row(const cli_confusion *c, size_t i)
{
    if (i < c->classes)
        fprintf(stderr, "%11d", c->label[i]);
    else
        fprintf(stderr, "%11s", "others");
    for (size_t j = 0; j < c->classes; j++)
        fprintf(stderr, " %7zu", c->count[i * c->classes + j]);
    fputc('\n', stderr);
}

static void print_table(const cli_confusion *c)
{
    fprintf(stderr, "Rows of each class (lines) by the class that was predicted (columns):\n");
    fprintf(stderr, "%11s", "");
    for (size_t j = 0; j < c->classes; j++)
        fprintf(stderr, " %7d", c->label[j]);
    fputc('\n', stderr);
    for (size_t i = 0; i < c->classes; i++)
        print_row(c, i);
    if (rows_of(c, c->classes) > 0)
        print_row(c, c->classes);
}

static void print_share(double part, double whole)
{
    if (whole > 0)
        fprintf(stderr, " %9.4f", part / whole);
    else
        fprintf(stderr, " %9s", "-");
}

void cli_confusion_print(const cli_confusion *c)
{
    if (c->classes <= CLASSES_SHOWN)
        print_table(c);
    fprintf(stderr, "%11s %9s %9s %9s %9s\n", "class", "precision", "recall", "F1", "rows");
    for (size_t k = 0; k < c->classes; k++) {
        const double hits = (double)c->count[k * c->classes + k];
        const double rows = (double)rows_of(c, k), as = (double)predicted_as(c, k);

        fprintf(stderr, "%11d", c->label[k]);
        print_share(hits, as);
        print_share(hits, rows);
        print_share(2 * hits, rows + as);
        fprintf(stderr, " %9.0f\n", rows);
    }
}

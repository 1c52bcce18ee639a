/* The weights of features in the summary of training. */
#include "cli/cli_coefficients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COEFFICIENTS_SHOWN = 20 };

/* The larger distance from 0 in standard deviations first; names decide between equals. */
static int compare(const void *a, const void *b)
{
    const rvm_coefficient *p = a, *q = b;
    const double x = fabs(p->mean) / p->sd, y = fabs(q->mean) / q->sd;

    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(p->name, q->name);
}

static void print_function(FILE *out, const char *heading, rvm_coefficient *list, size_t count)
{
    qsort(list, count, sizeof *list, compare);
    fprintf(out, "%-20s %12s %12s\n", heading, "mean", "sd");
    for (size_t i = 0; i < count && i < COEFFICIENTS_SHOWN; i++)
        fprintf(out, "%-20s %12.6g %12.6g\n", list[i].name, list[i].mean, list[i].sd);
    if (count > COEFFICIENTS_SHOWN)
        fprintf(out, "and %zu nearer to 0\n", count - COEFFICIENTS_SHOWN);
}

static size_t functions_of(const rvm_model_info *info)
{
    if (info->task == RVM_REGRESSION)
        return info->outputs;
    return info->classes > 2 ? info->classes : 1;
}

void cli_print_coefficients(FILE *out, const cli_tool *tool, const rvm_model *m)
{
    const rvm_model_info info = rvm_model_describe(m);
    const size_t functions = functions_of(&info);

    if (!info.has_terms || info.draws > 0)
        return;
    for (size_t k = 0; k < functions; k++) {
        rvm_coefficient *list = NULL;
        size_t count = 0;
        rvm_error err = { 0 };
        char heading[40] = "weight";

        if (functions > 1 && info.task == RVM_REGRESSION)
            snprintf(heading, sizeof heading, "output %zu: weight", k + 1);
        else if (functions > 1)
            snprintf(heading, sizeof heading, "class %d: weight", info.labels[k]);
        if (rvm_model_coefficients(&list, &count, m, k, &err) != RVM_OK) {
            cli_note(tool, "weights: %s", err.message);
            return;
        }
        if (count > 0)
            print_function(out, heading, list, count);
        free(list);
    }
}

/* Which class was taken for which, and figures from it. */
#ifndef RVM_CLI_CONFUSION_H
#define RVM_CLI_CONFUSION_H

#include "rvm.h"

/* Counts of rows: of class i (classes + 1 of them, the last one for labels that the model does not
 * know), predicted as class j. */
typedef struct {
    size_t classes;
    const int *label; /* borrowed: classes */
    size_t *count;    /* owned: (classes + 1) x classes */
} cli_confusion;

/* All zero; false without memory. To be freed in any case. */
bool cli_confusion_init(cli_confusion *c, const rvm_model_info *m);
void cli_confusion_free(cli_confusion *c);
/* Rows of which both labels are known; those without a label are left out. */
void cli_confusion_add(cli_confusion *c, const rvm_prediction *p, const rvm_problem *rows);
/* The table, where there are at most 20 classes, and for each class, with TP the rows of it that
 * were predicted so,
 *
 *     precision = TP / predicted as it,  recall = TP / rows of it,
 *     F1 = 2 TP / (predicted as it + rows of it)
 *
 * and `-` where the divisor is 0. On standard error. */
void cli_confusion_print(const cli_confusion *c);

#endif

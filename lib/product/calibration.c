/* Calibrations as models have them.
 *
 * How many rows does one take? k numbers that were fitted to n rows cost k / (2 n) nats a row more than
 * the best ones would (the half of a chi-squared variable of k degrees of freedom; Akaike 1974): of
 * the three of a regression and 2000 rows .0008. The temperature of classes costs half a nat in all.
 * Where m of n rows are not of the commonest class, the shares alone lose m (1 + ln(n / m)) nats or
 * so; half a nat is a small part of that, .0013 at the most, from 100 of them on. Which of the rare
 * classes they are of is of no account: the temperature is one for all. */
#include "product/calibration.h"

#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { ENOUGH_ROWS = 2000, ENOUGH_OTHERS = 100 };

/* The least whole number of folds, of `rows` rows together, that hold so many out. */
static size_t folds_of(size_t rows, size_t enough)
{
    const size_t fold = rows / RVM_CALIBRATION_FOLDS;
    if (fold == 0)
        return RVM_CALIBRATION_FOLDS;
    return GSL_MIN((enough + fold - 1) / fold, (size_t)RVM_CALIBRATION_FOLDS);
}

size_t rvm_calibration_folds(size_t rows, size_t others)
{
    return GSL_MAX(folds_of(rows, ENOUGH_ROWS), folds_of(others, ENOUGH_OTHERS));
}

void rvm_calibration_free(rvm_calibration *c)
{
    free(c->spread);
    memset(c, 0, sizeof *c);
}

bool rvm_calibration_copy(rvm_calibration *to, const rvm_calibration *from)
{
    *to = *from;
    if (from->spread == NULL)
        return true;
    to->spread = rvm_array(from->outputs, sizeof *to->spread);
    if (to->spread == NULL)
        return false;
    memcpy(to->spread, from->spread, from->outputs * sizeof *to->spread);
    return true;
}

bool rvm_calibration_tempers(const rvm_calibration *c)
{
    return c->info.rows > 0 && c->spread == NULL && c->info.temperature != 1;
}

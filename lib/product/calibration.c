/* Calibrations as models have them. */
#include "product/calibration.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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

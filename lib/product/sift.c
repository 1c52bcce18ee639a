/* The best rung of a ladder of widths, as far as a screen of few rows can tell.
 *
 * A rung costs milliseconds, where a cross-validation takes a hundred times as long; so all of
 * the ladder is looked at, every second rung and then those beside the best one, since the loss may
 * have more than one minimum. A process has all functions of the kernel, a sparse machine some of them:
 * their best widths differ, by a rung or two, which is for cross-validation to find. */
#include "product/sift.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "basis/kernel.h"
#include "basis/spacing.h"

enum { MOST_RUNGS = 64 }; /* of a ladder */

/* The process of a regression learns its own gamma, but its points are found with the one that is
 * given, and from a narrower one there are more of them (nats behind the best rung, nine sets: .10, .06, .04,
 * .04 with 0 to 3); that of classes is held (five sets: .014, .031, .068 with -1, 0, 1). A flat prior of a
 * regression with narrow kernels is on the way to the collapse (medians of six sets: .47, .04, .03, .04 with
 * 0, -2, -3, -4). */
enum { OF_OUTPUTS = 2, OF_CLASSES = -1, OF_FLAT_OUTPUTS = -2, OF_FLAT_CLASSES = 0 };

/* What is known of a ladder. */
typedef struct {
    bool tried[MOST_RUNGS]; /* from its widest rung on */
    int best;
    double least;
} walk;

static bool is_tried(const walk *w, const rvm_sift_ladder *ladder, int rung)
{
    return w->tried[rung - ladder->widest];
}

/* The next rung; false when there is none. */
static bool next_rung(int *rung, const walk *w, const rvm_sift_ladder *ladder)
{
    *rung = 0;
    if (!ladder->searched)
        return !is_tried(w, ladder, 0);
    for (*rung = ladder->first; *rung <= ladder->last; *rung += 2)
        if (!is_tried(w, ladder, *rung))
            return true;
    for (int step = 2; step > 0; step--)
        for (int side = -1; side <= 1; side += 2) {
            *rung = w->best + side * step;
            if (*rung >= ladder->widest && *rung <= ladder->narrowest &&
                !is_tried(w, ladder, *rung))
                return true;
        }
    return false;
}

static rvm_status judge_rung(walk *w, double *row_loss, rvm_screen *screen,
                             const rvm_sift_ladder *ladder, int rung, rvm_error *err)
{
    rvm_kernel kernel = ladder->kernel;
    double loss = INFINITY;
    if (ladder->searched)
        kernel.gamma = ldexp(kernel.gamma, rung);
    const rvm_status status = rvm_screen_judge(&loss, screen, &kernel, ladder->linear, err);
    w->tried[rung - ladder->widest] = true;
    if (status == RVM_OK && (loss < w->least || (loss == w->least && rung < w->best))) {
        w->least = loss;
        w->best = rung;
        memcpy(row_loss, rvm_screen_rows(screen), rvm_screen_count(screen) * sizeof *row_loss);
    }
    return status;
}

rvm_status rvm_sift_search(int *best, double *loss, double *row_loss, rvm_screen *screen,
                           const rvm_sift_ladder *ladder, const volatile int *interrupted,
                           rvm_error *err)
{
    walk w = { .best = *best, .least = INFINITY };
    rvm_status status = RVM_OK;
    int rung = 0;
    while (status == RVM_OK && !rvm_interrupted(interrupted) && next_rung(&rung, &w, ladder))
        status = judge_rung(&w, row_loss, screen, ladder, rung, err);
    *best = w.best;
    *loss = w.least;
    return status;
}

int rvm_sift_rung_of_spacing(const rvm_problem *rows, const rvm_kernel *kernel, int least, int most)
{
    const double wide = 4; /* of gamma, where the neighbour has a value of exp(-1/4) */
    const rvm_combination by = rvm_kernel_combination(kernel->type);
    if (by != RVM_BY_SQUARES && by != RVM_BY_DISTANCES)
        return least;
    const double gamma = 1 / (wide * rvm_spacing_nearest(kernel->type, rows));
    return (int)fmax(least, fmin(ceil(log2(gamma / kernel->gamma)), most));
}

int rvm_sift_shift(rvm_task task, rvm_kernel_type type, bool kernel_prior)
{
    if (!rvm_kernel_decays(type))
        return 0;
    if (task == RVM_REGRESSION)
        return kernel_prior ? OF_OUTPUTS : OF_FLAT_OUTPUTS;
    return kernel_prior ? OF_CLASSES : OF_FLAT_CLASSES;
}

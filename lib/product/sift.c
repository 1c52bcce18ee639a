/* The best rung of a ladder of widths, as far as a screen of few rows can tell.
 *
 * A rung costs milliseconds, where a cross-validation takes a hundred times as long; so all of
 * the ladder is looked at, every second rung and then those beside the best one, since the loss may
 * have more than one minimum. A process has all functions of the kernel, a sparse machine some of them:
 * their best widths differ, by a rung or two, which is for cross-validation to find. */
#include "product/sift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "data/problem.h"
#include "product/screen.h"

enum {
    MOST_ROWS = 300, /* of the screen */
    MOST_RUNGS = 64  /* of a ladder */
};

struct rvm_sift {
    rvm_problem *rows;  /* owned */
    rvm_screen *screen; /* owned */
    bool linear;
    const volatile int *interrupted; /* borrowed */
};

/* What is known of a ladder. */
typedef struct {
    bool tried[MOST_RUNGS]; /* from its widest rung on */
    int best;
    double least;
} walk;

rvm_status rvm_sift_alloc(rvm_sift **out, const rvm_problem *p, const rvm_settings *s, gsl_rng *rng,
                          rvm_error *err)
{
    rvm_sift *f = rvm_array(1, sizeof *f);
    if (f == NULL)
        return rvm_fail_memory(err, "the screen");
    f->linear = s->linear;
    f->interrupted = s->interrupted;
    rvm_status status = rvm_screen_draw(&f->rows, p, NULL, MOST_ROWS, s->task, rng, err);
    if (status == RVM_OK)
        status = rvm_screen_alloc(&f->screen, f->rows, s, err);
    if (status != RVM_OK) {
        rvm_sift_free(f);
        return status;
    }
    *out = f;
    return RVM_OK;
}

void rvm_sift_free(rvm_sift *f)
{
    if (f == NULL)
        return;
    rvm_screen_free(f->screen);
    rvm_problem_free(f->rows);
    free(f);
}

size_t rvm_sift_rows(const rvm_sift *f)
{
    return f->rows->rows;
}

/* ---- Rungs ---------------------------------------------------------------------------------- */

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

static rvm_status judge_rung(walk *w, double *row_loss, rvm_sift *f, const rvm_sift_ladder *ladder,
                             int rung, rvm_error *err)
{
    rvm_kernel kernel = ladder->kernel;
    double loss = INFINITY;
    if (ladder->searched)
        kernel.gamma = ldexp(kernel.gamma, rung);
    const rvm_status status = rvm_screen_judge(&loss, f->screen, &kernel, f->linear, err);
    w->tried[rung - ladder->widest] = true;
    if (status == RVM_OK && (loss < w->least || (loss == w->least && rung < w->best))) {
        w->least = loss;
        w->best = rung;
        memcpy(row_loss, rvm_screen_rows(f->screen), f->rows->rows * sizeof *row_loss);
    }
    return status;
}

rvm_status rvm_sift_search(int *best, double *loss, double *row_loss, rvm_sift *f,
                           const rvm_sift_ladder *ladder, rvm_error *err)
{
    walk w = { .best = *best, .least = INFINITY };
    rvm_status status = RVM_OK;
    int rung = 0;
    while (status == RVM_OK && !rvm_interrupted(f->interrupted) && next_rung(&rung, &w, ladder))
        status = judge_rung(&w, row_loss, f, ladder, rung, err);
    *best = w.best;
    *loss = w.least;
    return status;
}

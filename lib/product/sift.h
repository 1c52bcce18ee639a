/* The best rung of a ladder of widths, as far as a screen of few rows can tell. */
#ifndef RVM_SIFT_H
#define RVM_SIFT_H

#include "product/screen.h"

/* A ladder: kernel with gamma times 2^k at rung k. */
typedef struct {
    rvm_kernel kernel; /* at rung 0, the only one where gamma is not searched */
    bool linear;       /* with the linear kernel beside it */
    bool searched;
    int first, last;       /* rungs that are tried in any case, every second one */
    int widest, narrowest; /* the ends */
} rvm_sift_ladder;

/* *best: the rung of least *loss, the wider one of equals; loss is infinite where no rung has any.
 * row_loss, as many as the screen has rows: that of each there. interrupted: as in the settings; it
 * ends the search early. */
RVM_CHECKED rvm_status rvm_sift_search(int *best, double *loss, double *row_loss,
                                       rvm_screen *screen, const rvm_sift_ladder *ladder,
                                       const volatile int *interrupted, rvm_error *err);

/* The rung, between these ends, of a ladder with that kernel at rung 0, at which of the rows a neighbour is
 * one width away, more or less: narrower kernels tell nothing. least where the kernel knows no distance. */
int rvm_sift_rung_of_spacing(const rvm_problem *rows, const rvm_kernel *kernel, int least,
                             int most);

/* How many rungs from the best one of a screen, in which all functions take part, the best one of a
 * training is: of the kernel prior, or the flat one. 0 for a kernel that does not fall off. */
int rvm_sift_shift(rvm_task task, rvm_kernel_type type, bool kernel_prior);

#endif

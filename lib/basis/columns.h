/* Columns of chosen functions, read strip by strip of rows.
 *
 * Whoever sums over rows does so in strips of RVM_STRIP rows, in order. A strip comes from memory
 * while the columns are kept there, and from the kernel when they are not: to the last bit the same
 * numbers, so that the budget changes the time and nothing else. */
#ifndef RVM_COLUMNS_H
#define RVM_COLUMNS_H

#include "base/spans.h"
#include "basis/basis.h"

/* Columns of unit norm, one a row of PhiT since functions come and go while rows stay. */
typedef struct {
    rvm_basis basis; /* a copy, since studies are seen by views; its arrays are borrowed */
    size_t N;        /* rows, of this process */
    size_t count, capacity;
    size_t *id;          /* owned, capacity: candidate of each column */
    double *norm;        /* owned, capacity: what its values are divided by */
    gsl_matrix *PhiT;    /* owned, capacity x N or as many as fit; NULL: computed each time */
    gsl_matrix *strip;   /* owned, capacity x RVM_STRIP; in place of PhiT */
    size_t kept_numbers; /* numbers that PhiT may have */
    gsl_matrix *G;       /* owned, capacity x capacity: Phi'Phi; NULL where it is not kept */
    double *p;           /* owned, capacity: Phi't; with G */
    const double *t;     /* borrowed, N; with G */
    int threads;
    const volatile int *interrupted; /* borrowed, or NULL: ends what takes long where non-zero */
} rvm_columns;

/* Room for `capacity` functions, all of them in memory where kept_numbers is INFINITY; PhiT is
 * given up when count times N passes kept_numbers. b->interrupted ends what takes long. */
RVM_CHECKED rvm_status rvm_columns_init(rvm_columns *c, const rvm_basis *b, size_t capacity,
                                        double kept_numbers, int threads, rvm_error *err);
/* Keeps G and p of the columns that come; of those that are there already they are the caller's to
 * fill. */
RVM_CHECKED rvm_status rvm_columns_keep_gram(rvm_columns *c, const double *t, rvm_error *err);
void rvm_columns_free(rvm_columns *c);

/* Adds candidates id[0 .. count) and their norms; those of norm 0 are left out. RVM_EINTERRUPT
 * where there are only some of them when c->interrupted ends it. */
RVM_CHECKED rvm_status rvm_columns_append(rvm_columns *c, const size_t *id, size_t count,
                                          rvm_error *err);
/* Keeps the columns listed in keep (ascending), which become 0 .. count - 1. */
void rvm_columns_keep(rvm_columns *c, const size_t *keep, size_t count);

/* The strip of all columns that begins at row `first`, a multiple of RVM_STRIP: count x RVM_STRIP,
 * or what rows are left; valid until the next call. count > 0. */
RVM_CHECKED rvm_status rvm_columns_strip(gsl_matrix_view *out, rvm_columns *c, size_t first,
                                         rvm_error *err);

/* What of a strip, of the rows from `first` on, is to go into a Gram matrix. */
typedef gsl_matrix_view rvm_columns_scaler(const gsl_matrix *strip, size_t first, void *context);

/* Row and column `first` and beyond of G = Phi'Phi (count x count, both triangles), where each strip
 * of rows of Phi is what `scale` (NULL: nothing) makes of it, and of p = Phi'z, with Phi as it is.
 * RVM_EINTERRUPT by c->interrupted. */
RVM_CHECKED rvm_status rvm_columns_gram(gsl_matrix *G, double *p, rvm_columns *c, size_t first,
                                        const double *z, rvm_columns_scaler *scale, void *context,
                                        rvm_error *err);
/* All of G = Phi'Phi, and p[k] = Phi'z[k] for each of so many targets, in one pass over the rows. */
RVM_CHECKED rvm_status rvm_columns_gram_targets(gsl_matrix *G, double *const *p, rvm_columns *c,
                                                const double *const *z, size_t targets,
                                                rvm_error *err);
/* f = Phi w. */
RVM_CHECKED rvm_status rvm_columns_apply(double *f, rvm_columns *c, const double *w,
                                         rvm_error *err);

/* Rows first .. first + out->size2 - 1 of column[0 .. out->size1), in that order; on the rows of
 * `basis`, which may be others than those that the columns are kept for. May be called by several
 * threads at once. */
RVM_CHECKED rvm_status rvm_columns_pick(gsl_matrix *out, const rvm_columns *c,
                                        const rvm_basis *basis, const size_t *column, size_t first,
                                        rvm_error *err);

#endif

/* Terms, the basis functions that are no kernel's: 1, x_i, x_i x_j. */
#ifndef RVM_TERM_H
#define RVM_TERM_H

#include "rvm.h"

/* A product of `degree` features: the bias, a linear or a quadratic term. */
enum { RVM_TERM_DEGREES = 3 };
/* `bias`, `linear`, `quadratic`. */
const char *rvm_term_degree_name(int degree);

typedef struct {
    int degree;
    int feature[RVM_TERM_DEGREES - 1]; /* `degree` indices as in the file, ascending; a square has
                                          the same one twice; the others are 0 */
} rvm_term;

/* Terms have an order: by degree, then feature by feature. */
int rvm_term_compare(const rvm_term *a, const rvm_term *b);

/* The term at rows first .. first + count - 1 of p; an absent feature is 0. */
void rvm_term_values(double *value, const rvm_term *term, const rvm_problem *p, size_t first,
                     size_t count);

/* `bias`, `x3`, `x1*x3`; returns text. */
enum { RVM_TERM_NAME_SIZE = sizeof "x2147483647*x2147483647" };
const char *rvm_term_name(char text[RVM_TERM_NAME_SIZE], const rvm_term *term);
/* text[0 .. length - 1] as a name, to the letter; false when it is none. */
bool rvm_term_by_name(rvm_term *out, const char *text, size_t length);

/* Degrees of the terms that the settings ask for: bit d stands for degree d. */
unsigned rvm_term_wanted(const rvm_settings *s);

/* ---- All terms of some features -------------------------------------------------------------- */

/* Terms of the degrees that were asked for, numbered in their order. None is stored: quadratic ones
 * of a few thousand features are millions. */
typedef struct {
    const int *feature; /* borrowed, features: indices, ascending */
    size_t features;
    size_t end[RVM_TERM_DEGREES]; /* number of the first term beyond that degree */
} rvm_term_list;

/* wanted: bit d is set for terms of degree d. RVM_ESETTING when they are too many. */
RVM_CHECKED rvm_status rvm_term_list_init(rvm_term_list *list, unsigned wanted, const int *feature,
                                          size_t features, rvm_error *err);
size_t rvm_term_list_count(const rvm_term_list *list);
rvm_term rvm_term_list_get(const rvm_term_list *list, size_t number);

#endif

/* Terms, the basis functions that are no kernel's: 1, x_i, x_i x_j. */
#include "basis/term.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "data/problem.h"

/* A candidate takes a few tens of bytes in a search, and a look at each row once in a while. */
static const size_t most_terms = 5000000;

/* ---- Degrees -------------------------------------------------------------------------------- */

static const char *const degree_name[RVM_TERM_DEGREES] = { "bias", "linear", "quadratic" };

/* Terms of degree 2 whose first feature is before number i of F. */
static size_t products_before(size_t i, size_t F)
{
    return i * F - i * (i - 1) / 2;
}

/* Terms of that degree of F features. */
static size_t terms_of(int degree, size_t F)
{
    return degree == 0 ? 1 : degree == 1 ? F : products_before(F, F);
}

const char *rvm_term_degree_name(int degree)
{
    return degree_name[degree];
}

unsigned rvm_term_wanted(const rvm_settings *s)
{
    const bool wanted[RVM_TERM_DEGREES] = { s->bias, s->linear, s->quadratic };
    unsigned bits = 0;
    for (int d = 0; d < RVM_TERM_DEGREES; d++)
        bits |= (unsigned)wanted[d] << d;
    return bits;
}

/* ---- One term ------------------------------------------------------------------------------- */

int rvm_term_compare(const rvm_term *a, const rvm_term *b)
{
    if (a->degree != b->degree)
        return a->degree < b->degree ? -1 : 1;
    for (int k = 0; k < a->degree; k++)
        if (a->feature[k] != b->feature[k])
            return a->feature[k] < b->feature[k] ? -1 : 1;
    return 0;
}

/* A row that leaves no feature out has it at that very place, any other one before it. */
static double feature_of(const rvm_problem *p, size_t row, int feature)
{
    const size_t first = p->start[row], count = p->start[row + 1] - first;
    if (count == 0 || feature < p->index[first])
        return 0;
    const size_t place = (size_t)feature - (size_t)p->index[first];
    const size_t at = rvm_sort_find(p->index + first, count, feature, place);
    return at < count ? p->value[first + at] : 0;
}

void rvm_term_values(double *value, const rvm_term *term, const rvm_problem *p, size_t first,
                     size_t count)
{
    for (size_t n = 0; n < count; n++) {
        value[n] = 1;
        for (int k = 0; k < term->degree && value[n] != 0; k++)
            value[n] *= feature_of(p, first + n, term->feature[k]);
    }
}

/* ---- Names ---------------------------------------------------------------------------------- */

const char *rvm_term_name(char text[RVM_TERM_NAME_SIZE], const rvm_term *term)
{
    const int *x = term->feature;
    if (term->degree == 0)
        snprintf(text, RVM_TERM_NAME_SIZE, "%s", degree_name[0]);
    else if (term->degree == 1)
        snprintf(text, RVM_TERM_NAME_SIZE, "x%d", x[0]);
    else
        snprintf(text, RVM_TERM_NAME_SIZE, "x%d*x%d", x[0], x[1]);
    return text;
}

/* `x3`; *used: its length. */
static bool read_factor(int *feature, size_t *used, const char *text, size_t length)
{
    const char *const star = memchr(text, '*', length);
    *used = star == NULL ? length : (size_t)(star - text);
    return *used > 1 && text[0] == 'x' &&
           rvm_text_index(feature, text + 1, *used - 1) == RVM_NUMBER_OK;
}

bool rvm_term_by_name(rvm_term *out, const char *text, size_t length)
{
    char name[RVM_TERM_NAME_SIZE];
    rvm_term term = { 0 };
    size_t at = 0, used = 0;

    if (length != strlen(degree_name[0]) || memcmp(text, degree_name[0], length) != 0)
        for (; at <= length && term.degree < RVM_TERM_DEGREES - 1; at += used + 1)
            if (!read_factor(&term.feature[term.degree++], &used, text + at, length - at))
                return false;
    /* What is read otherwise than it is written, as x03 or x1*x1*x1, is no name. */
    rvm_term_name(name, &term);
    if (strlen(name) != length || memcmp(name, text, length) != 0 ||
        (term.degree == 2 && term.feature[0] > term.feature[1]))
        return false;
    *out = term;
    return true;
}

/* ---- All terms ------------------------------------------------------------------------------ */

rvm_status rvm_term_list_init(rvm_term_list *list, unsigned wanted, const int *feature,
                              size_t features, rvm_error *err)
{
    size_t count = 0;

    *list = (rvm_term_list){ .feature = feature, .features = features };
    for (int d = 0; d < RVM_TERM_DEGREES; d++) {
        const size_t more = wanted >> d & 1 ? terms_of(d, features) : 0;
        if (more > most_terms)
            return rvm_fail(err, RVM_ESETTING,
                            "%zu features have %zu %s basis functions; at most %zu are possible",
                            features, more, degree_name[d], most_terms);
        count += more;
        list->end[d] = count;
    }
    return RVM_OK;
}

size_t rvm_term_list_count(const rvm_term_list *list)
{
    return list->end[RVM_TERM_DEGREES - 1];
}

/* The first feature of product q, by bisection. */
static size_t first_feature(size_t q, size_t F)
{
    size_t low = 0, high = F;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (products_before(middle, F) <= q)
            low = middle;
        else
            high = middle;
    }
    return low;
}

rvm_term rvm_term_list_get(const rvm_term_list *list, size_t number)
{
    rvm_term term = { 0 };
    while (number >= list->end[term.degree])
        term.degree++;
    const size_t q = term.degree > 0 ? number - list->end[term.degree - 1] : 0;
    if (term.degree == 1)
        term.feature[0] = list->feature[q];
    if (term.degree == 2) {
        const size_t i = first_feature(q, list->features);
        term.feature[0] = list->feature[i];
        term.feature[1] = list->feature[i + q - products_before(i, list->features)];
    }
    return term;
}

/* ARD length-scales: a relevance for each input, by the log evidence (Tipping 2001, section 4.3).
 *
 * The evidence that decides is that of the model in which all functions take part: the Gaussian
 * process whose covariance is the kernel, with a variance and a noise (MacKay 1994; Neal 1996).
 * That of a relevance vector machine is no judge of widths. Its functions were picked from as many
 * as there are rows, each with a precision of its own, and with the widths free as well it rises
 * ever further above what the targets bear out, in many local maxima; the process has one parameter
 * for each input and two more. */
#ifndef RVM_WIDTHS_H
#define RVM_WIDTHS_H

#include "base/codec.h"
#include "search/study.h"

typedef struct rvm_widths rvm_widths;

/* What y observes: a regression, whose outputs have the relevances in common, two classes, or more of
 * them, one against the rest, with the relevances in common too (classes above 2, class_of_row[n]
 * below it; else 0 and NULL). The kernel, which weighs inputs, is that of its basis. Many rows are
 * represented by a random part of them. All borrowed during the call, the class weights of s
 * for longer; y observes its first output afterwards. */
RVM_CHECKED rvm_status rvm_widths_alloc(rvm_widths **out, const rvm_study *y,
                                        const size_t *class_of_row, size_t classes,
                                        const rvm_settings *s, rvm_error *err);
void rvm_widths_free(rvm_widths *w);
/* Some steps uphill. *done: nothing more is to be gained. */
RVM_CHECKED rvm_status rvm_widths_step(bool *done, rvm_widths *w, rvm_error *err);
/* Fills rows, progress and log_evidence, the best so far. */
void rvm_widths_report(rvm_report *r, const rvm_widths *w);
/* The best relevances so far, owned by w and valid until the next step; an input of no use is not
 * listed. */
const rvm_input_weights *rvm_widths_best(rvm_widths *w);
/* Writes them; or reads them, and nothing more is to be gained. */
void rvm_widths_code(rvm_codec *c, rvm_widths *w);

#endif

/* The order in which training takes more than two classes.
 *
 * It decides which optimum is found. So it follows from the rows and what they share, whatever the
 * labels are called and wherever the rows stand in their file: classes are in the order of their
 * first row in canonical order, where these are alike of the next one, and so on. */
#ifndef RVM_CLASS_ORDER_H
#define RVM_CLASS_ORDER_H

#include "data/labels.h"
#include "search/study.h"

/* Fills y->class_of_row. place (as many as there are labels): position in labels of class 0, 1, ...
 * Rows of y with the same features, which canonical order sorts by their labels, have their classes in
 * the order of these, and with the classes their weights; targets in y->p stay as they are. O(N ln N).
 * The processes of a team have the same order. */
RVM_CHECKED rvm_status rvm_class_order(size_t *place, rvm_study *y, const rvm_labels *labels,
                                       rvm_error *err);

#endif

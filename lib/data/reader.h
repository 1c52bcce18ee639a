/* What a reader (rvm.h) does beside handing out blocks: parts of a file, which several read. */
#ifndef RVM_READER_H
#define RVM_READER_H

#include "data/problem.h"

/* Only the rows that begin at bytes from .. to - 1; SIZE_MAX: to the end, so that with 0 before it any
 * stream will do. There may be none. Lines count from the first of them. */
RVM_CHECKED rvm_status rvm_reader_part(rvm_reader *r, size_t from, size_t to, rvm_error *err);
/* Appends rows to *p: so many, or fewer at the end. */
RVM_CHECKED rvm_status rvm_reader_append(rvm_problem *p, rvm_reader *r, size_t max_rows,
                                         rvm_error *err);
/* Lines read so far, and labels of each; 0: not known yet, or those of a first row with a fault behind
 * them. */
size_t rvm_reader_lines(const rvm_reader *r);
size_t rvm_reader_outputs(const rvm_reader *r);
/* The first row of all has so many labels; an error where the first one here, the only one that was
 * read, has others. */
RVM_CHECKED rvm_status rvm_reader_expect(rvm_reader *r, size_t outputs, rvm_error *err);

/* What is known when all rows have been read: there are features, unless there is one label. */
RVM_CHECKED rvm_status rvm_reader_check_features(size_t outputs, int max_index, rvm_error *err);
/* There were no rows. */
RVM_CHECKED rvm_status rvm_reader_fail_empty(rvm_error *err);

#endif

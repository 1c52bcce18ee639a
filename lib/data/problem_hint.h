/* What a file that is no data seems to be. */
#ifndef RVM_PROBLEM_HINT_H
#define RVM_PROBLEM_HINT_H

#include <stddef.h>

/* What line 1 of a file shows the file to be, in a clause; NULL where it may be data. */
const char *rvm_problem_hint_of_file(const char *line, size_t length);
/* What to say behind a fault of the word `text` of a line; "" where nothing is known. */
const char *rvm_problem_hint_of_word(const char *line, size_t line_length, const char *text,
                                     size_t length);

#endif

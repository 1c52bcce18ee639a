/* Tables of numbers in C, whose numbers come one by one. */
#ifndef RVM_C_TABLE_H
#define RVM_C_TABLE_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *out; /* borrowed */
    size_t count;
} rvm_c_table;

/* static const TYPE rvm_NAME[] = ... */
rvm_c_table rvm_c_table_open(FILE *out, const char *type, const char *name);
void rvm_c_table_add_real(rvm_c_table *t, double x);
void rvm_c_table_add_whole(rvm_c_table *t, size_t x);
void rvm_c_table_add_int(rvm_c_table *t, int x);
/* An upper triangle of K rows, given row by row, column by column. */
void rvm_c_table_add_triangle(rvm_c_table *t, const double *R, size_t K);
void rvm_c_table_close(rvm_c_table *t);

/* Open, add, close. */
void rvm_c_table_write_reals(FILE *out, const char *name, const double *x, size_t count);
void rvm_c_table_write_ints(FILE *out, const char *name, const int *x, size_t count);

#endif

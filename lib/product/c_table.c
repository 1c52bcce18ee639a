/* Tables of numbers in C, whose numbers come one by one. */
#include "product/c_table.h"

#include "base/text.h"

enum { COLUMNS = 4 };

rvm_c_table rvm_c_table_open(FILE *out, const char *type, const char *name)
{
    fprintf(out, "static const %s rvm_%s[] = {", type, name);
    return (rvm_c_table){ out, 0 };
}

static void add_word(rvm_c_table *t, const char *word)
{
    const char *const gap = t->count % COLUMNS == 0 ? "\n    " : " ";

    fprintf(t->out, "%s%s%s", t->count > 0 ? "," : "", gap, word);
    t->count++;
}

/* 17 digits are enough for every double to come back as it was. */
void rvm_c_table_add_real(rvm_c_table *t, double x)
{
    char text[RVM_REAL_SIZE];

    add_word(t, rvm_text_format(text, x, 17));
}

void rvm_c_table_add_whole(rvm_c_table *t, size_t x)
{
    char text[RVM_REAL_SIZE];

    snprintf(text, sizeof text, "%zu", x);
    add_word(t, text);
}

void rvm_c_table_add_int(rvm_c_table *t, int x)
{
    char text[RVM_REAL_SIZE];

    snprintf(text, sizeof text, "%d", x);
    add_word(t, text);
}

void rvm_c_table_add_triangle(rvm_c_table *t, const double *R, size_t K)
{
    for (size_t j = 0; j < K; j++)
        for (size_t i = 0; i <= j; i++)
            rvm_c_table_add_real(t, R[i * K - i * (i + 1) / 2 + j]);
}

/* C has no empty tables. */
void rvm_c_table_close(rvm_c_table *t)
{
    if (t->count == 0)
        add_word(t, "0");
    fputs("\n};\n", t->out);
}

void rvm_c_table_write_reals(FILE *out, const char *name, const double *x, size_t count)
{
    rvm_c_table t = rvm_c_table_open(out, "double", name);

    for (size_t i = 0; i < count; i++)
        rvm_c_table_add_real(&t, x[i]);
    rvm_c_table_close(&t);
}

void rvm_c_table_write_ints(FILE *out, const char *name, const int *x, size_t count)
{
    rvm_c_table t = rvm_c_table_open(out, "int", name);

    for (size_t i = 0; i < count; i++)
        rvm_c_table_add_int(&t, x[i]);
    rvm_c_table_close(&t);
}

/* make bench-read: speed of reading, MB/s of rvm_problem_read on one core, for rows made here, and
 * whether each number came out as strtod reads it.
 *
 *     read [ROWS]      200000 rows of each kind are the default */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/problem.h"

enum { REPEATS = 5, PAIRS = 10, LINE = 1024 };

typedef struct {
    const char *name;
    int digits; /* of %.*g */
    int stride; /* indices grow by 1 to this */
} row_kind;

static const row_kind kinds[] = {
    { "dense rows of 10, %.6g", 6, 1 },
    { "dense rows of 10, %.17g", 17, 1 },
    { "sparse rows of 10, %.6g", 6, 1000 },
};

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* About normal: the sum of twelve that are uniform. */
static double next_normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(next_bits(state) >> 11) * 0x1p-53;
    return sum;
}

static void write_rows(FILE *out, const row_kind *kind, size_t rows)
{
    uint64_t state = 1;

    for (size_t i = 0; i < rows; i++) {
        int index = 0;

        fputs(next_bits(&state) % 2 == 0 ? "+1" : "-1", out);
        for (int k = 0; k < PAIRS; k++) {
            index += 1 + (int)(next_bits(&state) % (uint64_t)kind->stride);
            fprintf(out, " %d:%.*g", index, kind->digits, next_normal(&state));
        }
        fputc('\n', out);
    }
}

/* Seconds of processor time that reading takes; *p is owned by the caller. Ends on an error. */
static double time_reading(rvm_problem **p, FILE *in)
{
    rvm_error err = { 0 };

    rewind(in);
    const clock_t start = clock();
    if (rvm_problem_read(p, in, (rvm_grammar){ 0 }, &err) != RVM_OK) {
        fprintf(stderr, "read: line %zu: %s\n", err.line, err.message);
        exit(1);
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Values of p that differ from what strtod makes of the text. */
static size_t count_differences(const rvm_problem *p, FILE *in)
{
    char line[LINE];
    size_t k = 0, differences = 0;

    rewind(in);
    while (fgets(line, sizeof line, in) != NULL)
        for (const char *at = line; (at = strchr(at, ':')) != NULL; k++) {
            const double value = strtod(++at, NULL);

            differences +=
                k >= p->start[p->rows] || memcmp(&value, &p->value[k], sizeof value) != 0;
        }
    return differences + (k != p->start[p->rows]);
}

/* One line of the report; false when a number differs. */
static bool report(const row_kind *kind, size_t rows)
{
    double best = HUGE_VAL;
    rvm_problem *p = NULL;
    FILE *file = tmpfile();

    if (file == NULL) {
        perror("read: no temporary file");
        exit(1);
    }
    write_rows(file, kind, rows);
    fflush(file);
    const double bytes = (double)ftell(file);
    for (int i = 0; i < REPEATS; i++) {
        rvm_problem_free(p);
        p = NULL;
        best = fmin(best, time_reading(&p, file));
    }
    const size_t differences = count_differences(p, file);
    printf("%-26s %6.0f MB/s, %zu numbers, %zu other than strtod's\n", kind->name,
           1e-6 * bytes / best, p->start[p->rows], differences);
    rvm_problem_free(p);
    fclose(file);
    return differences == 0;
}

int main(int argc, char **argv)
{
    const long rows = argc > 1 ? strtol(argv[1], NULL, 10) : 200000;
    bool right = true;

    if (rows < 1) {
        fputs("usage: read [ROWS]\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        right = report(&kinds[i], (size_t)rows) && right;
    return right ? 0 : 1;
}

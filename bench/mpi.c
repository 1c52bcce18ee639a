/* make bench-mpi: what training on several processes costs, and would cost on many.
 *
 *     mpi [ROWS]
 *
 * Trains on Friedman 1 as teams of 1, 2 and 4 threads that share the rows and send each other what
 * processes would, with one thread each, and looks at the rounds that see all rows:
 *
 *     seconds of a round and process = a N / P + b     a: a row; b: what each of them does
 *     bytes of a round and process: received and sent, a broadcast once for each that hears it
 *
 * a and b by least squares from the seconds of the processor, so that other programs beside do little
 * harm.  The bytes are compared with those of the model below, which then says what more rows and
 * processes would take. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "../tests/team_threads.h"
#include "data/problem.h"
#include "data/shard.h"

enum { INPUTS = 10, DRAWN = 1000, MOST_STEPS = 500, TEAMS = 3, MOST_SIZE = 4 };

static const int team_sizes[TEAMS] = { 1, 2, MOST_SIZE };

static void need(bool there)
{
    if (there)
        return;
    fputs("bench-mpi: failed\n", stderr);
    exit(EXIT_FAILURE);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Row `row` of all, which are drawn some at a time, whoever has them. */
static void append_rows(rvm_problem *p, size_t first, size_t end)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    need(rng != NULL);
    for (size_t block = first / DRAWN * DRAWN; block < end; block += DRAWN) {
        gsl_rng_set(rng, block / DRAWN + 1);
        for (size_t row = block; row < GSL_MIN(block + DRAWN, end); row++) {
            int index[INPUTS];
            double x[INPUTS];
            for (int i = 0; i < INPUTS; i++) {
                index[i] = i;
                x[i] = gsl_rng_uniform(rng);
            }
            const double t = 10 * sin(M_PI * x[0] * x[1]) + 20 * gsl_pow_2(x[2] - 0.5) + 10 * x[3] +
                             5 * x[4] + gsl_ran_gaussian(rng, 1);
            if (row >= first)
                need(rvm_problem_append(p, t, index, x, INPUTS));
        }
    }
    gsl_rng_free(rng);
}

/* ---- Counting ------------------------------------------------------------------------------- */

/* What a process sends and receives, beside the way that it takes. */
typedef struct {
    const rvm_team_type *type;
    void *self;
    int rank, size;
    double bytes, calls;
} counter;

static void count_send(void *self, const void *bytes, size_t count, int to)
{
    counter *c = self;
    c->bytes += (double)count;
    c->calls++;
    c->type->send(c->self, bytes, count, to);
}

static void count_receive(void *self, void *bytes, size_t count, int from)
{
    counter *c = self;
    c->bytes += (double)count;
    c->calls++;
    c->type->receive(c->self, bytes, count, from);
}

static void count_broadcast(void *self, void *bytes, size_t count, int from)
{
    counter *c = self;
    c->bytes += (double)count;
    c->calls++;
    c->type->broadcast(c->self, bytes, count, from);
}

static void count_gather(void *self, const void *mine, void *all, const size_t *count)
{
    counter *c = self;
    for (int r = 0; r < c->size; r++)
        c->bytes += (double)count[r];
    c->calls++;
    c->type->gather(c->self, mine, all, count);
}

static void count_exchange(void *self, const void *out, const size_t *out_count, void *in,
                           const size_t *in_count)
{
    counter *c = self;
    for (int r = 0; r < c->size; r++)
        c->bytes += r == c->rank ? 0 : (double)(out_count[r] + in_count[r]);
    c->calls++;
    c->type->exchange(c->self, out, out_count, in, in_count);
}

static const rvm_team_type counting = { count_send, count_receive, count_broadcast, count_gather,
                                        count_exchange };

/* ---- Training ------------------------------------------------------------------------------- */

typedef struct {
    size_t rows, functions;
    double seconds, bytes, calls; /* of a process; later means over the team */
} step;

typedef struct {
    size_t N;
    int size;
    size_t steps;
    step of_rank[MOST_SIZE][MOST_STEPS];
} run;

/* Of this thread: threads that wait for others take none. */
static double seconds_of_thread(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static rvm_settings settings(void)
{
    rvm_settings s = rvm_settings_default();
    s.task = RVM_REGRESSION;
    s.kernel.gamma = 0.3;
    s.threads = 1;
    return s;
}

static void train(run *r, const rvm_problem *p, counter *c)
{
    const rvm_settings s = settings();
    rvm_trainer *trainer = NULL;
    rvm_report report = { .done = false };
    rvm_error err = { 0 };
    size_t k = 0;
    need(rvm_trainer_alloc(&trainer, p, &s, &err) == RVM_OK);
    for (; !report.done && k < MOST_STEPS; k++) {
        const double seconds = seconds_of_thread(), bytes = c->bytes, calls = c->calls;
        need(rvm_trainer_step(&report, trainer, &err) == RVM_OK);
        r->of_rank[c->rank][k] =
            (step){ report.rows, report.functions, seconds_of_thread() - seconds, c->bytes - bytes,
                    c->calls - calls };
    }
    if (c->rank == 0)
        r->steps = k;
    rvm_trainer_free(trainer);
}

static void work(void *context, rvm_team *team)
{
    run *r = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    counter c = { team->type, team->self, team->rank, team->size, 0, 0 };
    rvm_problem *p = rvm_problem_alloc();
    rvm_error err = { 0 };
    need(p != NULL);
    append_rows(p, rank * r->N / size, (rank + 1) * r->N / size);
    need(rvm_shard_spread(&p, rank * r->N / size, team, &err) == RVM_OK);
    team->type = &counting;
    team->self = &c;
    train(r, p, &c);
    team->type = c.type;
    team->self = c.self;
    rvm_problem_free(p);
}

/* Means over the team, in the place of rank 0. */
static void take_means(run *r)
{
    for (size_t k = 0; k < r->steps; k++)
        for (int rank = 0; rank < r->size; rank++) {
            const step *from = &r->of_rank[rank][k];
            step *to = &r->of_rank[0][k];
            to->seconds = (rank > 0 ? to->seconds : 0) + from->seconds / (rank > 0 ? r->size : 1);
            to->bytes = (rank > 0 ? to->bytes : 0) + from->bytes / (rank > 0 ? r->size : 1);
            if (rank == 0) {
                to->seconds /= r->size;
                to->bytes /= r->size;
            }
        }
}

/* Whether a step is a round of all rows, as the one before is: not the first of them, which brings the
 * functions there, nor the last, which settles. */
static bool is_round(const run *r, size_t k)
{
    const step *s = r->of_rank[0];
    return k > 0 && k + 1 < r->steps && s[k].rows == r->N && s[k - 1].rows == r->N;
}

/* ---- The model ------------------------------------------------------------------------------ */

/* As lib/search/rounds.h and working_set.c have them: candidates scored, and let in at the most. */
enum { SCORED = 2000, LEAST_CHUNK = 200, MOST_CHUNK = 400 };

/* A row with its features, target and two numbers about it (lib/data/shard.c). */
static const double row_bytes = INPUTS * (8 + 4) + 8 + 16;

/* Functions that come in beside K. */
static double chunk_beside(double K)
{
    return fmax(LEAST_CHUNK, fmin(MOST_CHUNK, K / 2));
}

/* Sums over rows of a round: of norm, Q and S of a candidate three, and those of the Gram matrix of
 * the functions that come in with all others and the targets. */
static double bytes_of_sums(double K)
{
    const double in = chunk_beside(K);
    return 8 * (3 * (SCORED + in) + in * K + in * (in + 1) / 2 + in);
}

/* What all processes get to know of single rows: those that candidates and functions sit on, those
 * that shares are measured at (300 and 2 for each function), and the shares. */
static double bytes_of_rows(double K)
{
    return row_bytes * (SCORED + K + 300 + 2 * K) + 8 * SCORED;
}

/* Rows of `rows` that are shared by P: how many the process with most has, and how often sums go from
 * one to another on their way up the tree (lib/base/spans.h). */
typedef struct {
    double most, edges;
} sharing;

static double edges_below(const rvm_spans *s, size_t first, size_t spans)
{
    const size_t half = spans / 2;
    if (half == 0 || first >= s->count)
        return 0;
    const double below = edges_below(s, first, half) + edges_below(s, first + half, half);
    return first + half < s->count && rvm_spans_owner(s, first * s->rows) !=
                                          rvm_spans_owner(s, (first + half) * s->rows)
               ? below + 1
               : below;
}

static sharing share_rows(double rows, int P)
{
    rvm_team team = { .size = P };
    const rvm_spans s = rvm_spans_make((size_t)rows, &team);
    const size_t size = (size_t)P, spans = (s.count + size - 1) / size;
    return (sharing){ fmin((double)(spans * s.rows), rows), edges_below(&s, 0, RVM_SPANS_MOST) };
}

/* Of a round and process, received and sent, the mean over P: sums go up the tree and come down to
 * all; what is told of single rows is told to all. */
static double bytes_of_round(double K, double rows, int P)
{
    return bytes_of_sums(K) * (1 + 2 * share_rows(rows, P).edges / P) + bytes_of_rows(K);
}

typedef struct {
    double row, fixed;    /* seconds of a round: for each row, and of each process */
    double calls, rounds; /* calls of a round that talk; rounds that see all rows */
    double K;             /* functions in these, the mean */
} constants;

static const struct {
    const char *name;
    double bytes_per_second, latency;
} networks[] = { { "10 GbE", 1.25e9, 30e-6 }, { "100 GbE", 1.25e10, 10e-6 } };

/* Stages of fewer rows come before, a fifth of the rows each, of six rounds or so. */
static double rounds_in_all(const constants *c, double rows)
{
    return c->rounds + 6 * fmax(0, log(rows / 4000) / log(5));
}

static double seconds_computing(const constants *c, double rows, int P)
{
    return c->rounds * c->row * share_rows(rows, P).most * 1.25 + c->fixed * rounds_in_all(c, rows);
}

/* The longest way of a round: sums up the tree, and all of it down; each call as many messages one
 * after the other as the tree has levels. */
static double seconds_talking(const constants *c, double rows, int P, size_t network)
{
    const double levels = log2(P), sums = bytes_of_sums(c->K), all = sums + bytes_of_rows(c->K);
    return rounds_in_all(c, rows) *
           ((levels * sums + 2 * all) / networks[network].bytes_per_second +
            c->calls * levels * networks[network].latency);
}

/* ---- What is printed ------------------------------------------------------------------------ */

static constants measure(run *runs)
{
    constants c = { 0 };
    double share[TEAMS], seconds[TEAMS], unused[4];
    for (int t = 0; t < TEAMS; t++) {
        const run *r = &runs[t];
        double rounds = 0, sum = 0, calls = 0, K = 0;
        for (size_t k = 0; k < r->steps; k++) {
            if (!is_round(r, k))
                continue;
            rounds++;
            sum += r->of_rank[0][k].seconds;
            calls += r->of_rank[0][k].calls;
            K += (double)r->of_rank[0][k - 1].functions;
        }
        need(rounds > 0);
        share[t] = (double)r->N / r->size;
        seconds[t] = sum / rounds;
        c.rounds = rounds + 2; /* and the first and the last */
        c.calls = calls / rounds;
        c.K = K / rounds;
    }
    gsl_fit_linear(share, 1, seconds, 1, TEAMS, &c.fixed, &c.row, &unused[0], &unused[1],
                   &unused[2], &unused[3]);
    c.fixed = fmax(0, c.fixed);
    return c;
}

static void print_bytes(const run *r)
{
    double worst = 1;
    printf("\nBytes of a round and process, P = %d: received and sent, the mean over the team.\n\n"
           "| functions |  measured |     model | ratio |\n| ---: | ---: | ---: | ---: |\n",
           r->size);
    for (size_t k = 0; k < r->steps; k++) {
        if (!is_round(r, k))
            continue;
        const double K = (double)r->of_rank[0][k - 1].functions, bytes = r->of_rank[0][k].bytes;
        const double model = bytes_of_round(K, (double)r->N, r->size);
        worst = fmax(worst, fmax(bytes / model, model / bytes));
        printf("| %9.0f | %9.0f | %9.0f | %5.2f |\n", K, bytes, model, bytes / model);
    }
    printf("\nWorst ratio, either way: %.2f.\n", worst);
}

static void print_table(const constants *c)
{
    static const double rows[] = { 1e8, 1e9 };
    static const int ranks[] = { 16, 64, 256, 1024 };
    printf("\n|  rows | processes | computing, s | talking, s, %s | %s | MB a round and process |\n"
           "| ---: | ---: | ---: | ---: | ---: | ---: |\n",
           networks[0].name, networks[1].name);
    for (size_t n = 0; n < 2; n++)
        for (size_t k = 0; k < 4; k++)
            printf("| %5.0e | %9d | %12.0f | %20.1f | %7.1f | %22.1f |\n", rows[n], ranks[k],
                   seconds_computing(c, rows[n], ranks[k]),
                   seconds_talking(c, rows[n], ranks[k], 0),
                   seconds_talking(c, rows[n], ranks[k], 1),
                   bytes_of_round(c->K, rows[n], ranks[k]) / 1e6);
}

int main(int argc, char **argv)
{
    const size_t N = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    run *runs = calloc(TEAMS, sizeof *runs);
    need(runs != NULL && N >= 20000);
    gsl_set_error_handler_off();
    for (int t = 0; t < TEAMS; t++) {
        runs[t].N = N;
        runs[t].size = team_sizes[t];
        team_threads_run(team_sizes[t], work, &runs[t]);
        take_means(&runs[t]);
        need(runs[t].steps == runs[0].steps);
    }
    const constants c = measure(runs);
    printf("Friedman 1, %zu rows: %.0f rounds see all of them, with %.0f functions.\n\n"
           "    seconds of a row and round       %.3g\n"
           "    seconds of a round, replicated   %.3g\n"
           "    calls of a round that talk       %.0f\n",
           N, c.rounds, c.K, c.row, c.fixed, c.calls);
    for (int t = 1; t < TEAMS; t++)
        print_bytes(&runs[t]);
    print_table(&c);
    free(runs);
    return EXIT_SUCCESS;
}

/* A team of threads, for tests: what several processes do, in one.
 *
 * Each pair of ranks has a box of one message; the sender waits until it has been taken. */
#include "team_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *bytes; /* NULL: empty */
    size_t count;
} box;

typedef struct {
    int size;
    pthread_mutex_t lock;
    pthread_cond_t *changed; /* of each rank, which waits for one box at a time */
    box *boxes;              /* size x size: from, to */
} post;

/* One rank. */
typedef struct {
    post *post;
    rvm_team team;
    void (*work)(void *context, rvm_team *team);
    void *context;
    pthread_t thread;
} member;

/* Also of the benchmarks, where check is not at work. */
static void need(bool there)
{
    if (there)
        return;
    fputs("a team of threads does not fit together\n", stderr);
    abort();
}

static box *box_of(post *p, int from, int to)
{
    return &p->boxes[from * p->size + to];
}

static void send_bytes(void *self, const void *bytes, size_t count, int to)
{
    const member *m = self;
    post *p = m->post;
    box *b = box_of(p, m->team.rank, to);
    if (count == 0)
        return;
    pthread_mutex_lock(&p->lock);
    need(b->bytes == NULL);
    *b = (box){ bytes, count };
    pthread_cond_signal(&p->changed[to]);
    while (b->bytes != NULL)
        pthread_cond_wait(&p->changed[m->team.rank], &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void receive_bytes(void *self, void *bytes, size_t count, int from)
{
    const member *m = self;
    post *p = m->post;
    box *b = box_of(p, from, m->team.rank);
    if (count == 0)
        return;
    pthread_mutex_lock(&p->lock);
    while (b->bytes == NULL)
        pthread_cond_wait(&p->changed[m->team.rank], &p->lock);
    need(b->count == count); /* both sides mean the same message */
    memcpy(bytes, b->bytes, count);
    b->bytes = NULL;
    pthread_cond_signal(&p->changed[from]);
    pthread_mutex_unlock(&p->lock);
}

static void broadcast_bytes(void *self, void *bytes, size_t count, int from)
{
    const member *m = self;
    for (int r = 0; r < m->team.size; r++)
        if (m->team.rank == from && r != from)
            send_bytes(self, bytes, count, r);
    if (m->team.rank != from)
        receive_bytes(self, bytes, count, from);
}

static void gather_bytes(void *self, const void *mine, void *all, const size_t *count)
{
    const member *m = self;
    char *at = all;
    for (int r = 0; r < m->team.size; at += count[r++]) {
        if (r == m->team.rank && count[r] > 0)
            memcpy(at, mine, count[r]);
        broadcast_bytes(self, at, count[r], r);
    }
}

static void exchange_bytes(void *self, const void *out, const size_t *out_count, void *in,
                           const size_t *in_count)
{
    const member *m = self;
    const char *from = out;
    for (int r = 0; r < m->team.size; r++) { /* rank r sends to all others */
        if (r == m->team.rank) {
            for (int to = 0; to < m->team.size; from += out_count[to++])
                if (to != r)
                    send_bytes(self, from, out_count[to], to);
        } else {
            char *at = in;
            for (int k = 0; k < r; k++)
                at += in_count[k];
            receive_bytes(self, at, in_count[r], r);
        }
    }
    const char *own = out;
    char *to_own = in;
    for (int k = 0; k < m->team.rank; k++) {
        own += out_count[k];
        to_own += in_count[k];
    }
    if (out_count[m->team.rank] > 0)
        memcpy(to_own, own, out_count[m->team.rank]);
}

static const rvm_team_type by_threads = { send_bytes, receive_bytes, broadcast_bytes, gather_bytes,
                                          exchange_bytes };

static void *run(void *self)
{
    member *m = self;
    m->work(m->context, &m->team);
    return NULL;
}

void team_threads_run(int size, void (*work)(void *context, rvm_team *team), void *context)
{
    post p = { .size = size,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .changed = calloc((size_t)size, sizeof *p.changed),
               .boxes = calloc((size_t)size * (size_t)size, sizeof(box)) };
    member *m = calloc((size_t)size, sizeof *m);
    need(p.boxes != NULL && p.changed != NULL && m != NULL);
    for (int r = 0; r < size; r++) {
        need(pthread_cond_init(&p.changed[r], NULL) == 0);
        m[r] = (member){ .post = &p, .work = work, .context = context };
        need(rvm_team_init(&m[r].team, r, size, &by_threads, &m[r]));
    }
    for (int r = 0; r < size; r++)
        need(pthread_create(&m[r].thread, NULL, run, &m[r]) == 0);
    for (int r = 0; r < size; r++)
        pthread_join(m[r].thread, NULL);
    for (int r = 0; r < size; r++) {
        rvm_team_free(&m[r].team);
        pthread_cond_destroy(&p.changed[r]);
    }
    free(m);
    free(p.changed);
    free(p.boxes);
}

rvm_problem *team_threads_slice(const rvm_problem *p, rvm_team *team)
{
    const rvm_spans spans = rvm_spans_make(p->rows, team);
    const size_t count = rvm_spans_here(&spans);
    size_t *row = calloc(count + 1, sizeof *row);
    for (size_t i = 0; i < count; i++)
        row[i] = rvm_spans_first_row(&spans) + i;
    rvm_problem *slice = rvm_problem_subset(p, row, count);
    need(slice != NULL);
    slice->team = team;
    slice->all = p->rows;
    slice->max_index = p->max_index;
    slice->outputs = p->outputs;
    free(row);
    return slice;
}

/* columns.c: strips of rows, kept or computed again, against whole columns; sums against loops. */
#include "basis/columns.h"
#include "inference/curvature.h"
#include "problems.h"
#include "suites.h"

/* Two strips and a bit, the last of an odd number of rows; a part of a tile of 1024 as well. */
enum { ROWS = 2 * RVM_STRIP + 1037, CAPACITY = 90 };

static const double everything = 1e18, nothing = 0;

static void study_of(rvm_study *y, rvm_problem *p, const rvm_settings *s)
{
    rvm_error err = { 0 };
    const int first = s->task == RVM_CLASSIFICATION ? (int)p->target[0] : 0;
    CHECK_OK(rvm_study_init(y, p, s, &s->kernel, first, &err));
    rvm_problem_free(p);
}

static void smooth_study(rvm_study *y, size_t N)
{
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.7);
    study_of(y, smooth_problem(N, 1), &s);
}

/* Candidates 0 (the bias), 61, 122, ... */
static void spread_ids(size_t *id, size_t count)
{
    for (size_t k = 0; k < count; k++)
        id[k] = 61 * k;
}

static void columns_of(rvm_columns *c, const rvm_study *y, const size_t *id, size_t count,
                       double kept, int threads)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_columns_init(c, &y->basis, CAPACITY, kept, threads, &err));
    CHECK_OK(rvm_columns_append(c, id, count, &err));
}

/* All strips one after the other: count x N, owned by the caller. */
static gsl_matrix *gather(rvm_columns *c)
{
    const size_t N = c->basis.N;
    gsl_matrix *all = gsl_matrix_alloc(c->count, N);
    rvm_error err = { 0 };
    ck_assert_ptr_nonnull(all);
    for (size_t at = 0; at < N; at += RVM_STRIP) {
        gsl_matrix_view strip;
        CHECK_OK(rvm_columns_strip(&strip, c, at, &err));
        ck_assert_uint_eq(strip.matrix.size2, N - at < RVM_STRIP ? N - at : RVM_STRIP);
        gsl_matrix_view place = gsl_matrix_submatrix(all, 0, at, c->count, strip.matrix.size2);
        gsl_matrix_memcpy(&place.matrix, &strip.matrix);
    }
    return all;
}

static void check_same(const gsl_matrix *a, const gsl_matrix *b)
{
    ck_assert_uint_eq(a->size1, b->size1);
    ck_assert_uint_eq(a->size2, b->size2);
    ck_assert(gsl_matrix_equal(a, b));
}

/* ---- Strips --------------------------------------------------------------------------------- */

/* The same as whole columns, whose norms are summed in another order. */
START_TEST(strips_are_the_columns)
    {
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        size_t id[70];
        double norm[70];
        smooth_study(&y, ROWS);
        spread_ids(id, 70);
        gsl_matrix *want = gsl_matrix_alloc(70, ROWS);
        CHECK_OK(rvm_basis_columns(want, norm, &y.basis, id, 70, 1, &err));
        columns_of(&c, &y, id, 70, _i == 0 ? everything : nothing, 1);
        gsl_matrix *got = gather(&c);
        ck_assert_uint_eq(c.count, 70);
        for (size_t k = 0; k < 70; k++) {
            ck_assert_uint_eq(c.id[k], id[k]);
            check_close(c.norm[k], norm[k], 1e-13);
            for (size_t n = k % 5; n < ROWS; n += 5)
                check_close(norm[k] * gsl_matrix_get(got, k, n),
                            norm[k] * gsl_matrix_get(want, k, n), 1e-13);
        }
        gsl_matrix_free(want);
        gsl_matrix_free(got);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* The bias among them may come late: two classes drop it and take it up again. */
static const size_t late_bias[] = { 7, 40, 3, 9, 0, 12, 2, 5 };
enum { LATE = 4, WITH_BIAS = 8 };

START_TEST(bias_that_comes_late)
    {
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.7);
        study_of(&y, cloud_problem(100, 1), &s);
        columns_of(&c, &y, late_bias, LATE, _i == 0 ? everything : nothing, 1);
        CHECK_OK(rvm_columns_append(&c, late_bias + LATE, WITH_BIAS - LATE, &err));
        gsl_matrix *got = gather(&c), *again = gsl_matrix_alloc(WITH_BIAS, 100);
        const size_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
        for (size_t n = 0; n < 100; n++)
            ck_assert_double_eq_tol(gsl_matrix_get(got, 4, n), 0.1, 1e-15);
        for (size_t k = 0; k < WITH_BIAS; k++) {
            if (k == 4)
                continue;
            for (size_t n = 0; n < 100; n++)
                check_close(c.norm[k] * gsl_matrix_get(got, k, n),
                            kernel_by_formula(&s.kernel, y.p, n, y.p,
                                              rvm_basis_row(&y.basis, late_bias[k]), 2),
                            1e-13);
        }
        CHECK_OK(rvm_columns_pick(again, &c, &y.basis, all, 0, &err));
        check_same(again, got);
        gsl_matrix_free(got);
        gsl_matrix_free(again);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

START_TEST(kept_or_computed_again_to_the_last_bit)
    {
        rvm_study y;
        rvm_columns kept, again;
        size_t id[CAPACITY];
        smooth_study(&y, ROWS);
        spread_ids(id, CAPACITY);
        columns_of(&kept, &y, id, CAPACITY, everything, 1);
        gsl_matrix *want = gather(&kept);
        ck_assert_ptr_nonnull(kept.PhiT);
        for (int threads = 1; threads <= 3; threads++) {
            columns_of(&again, &y, id, CAPACITY, nothing, threads);
            gsl_matrix *got = gather(&again);
            ck_assert_ptr_null(again.PhiT);
            ck_assert_mem_eq(again.norm, kept.norm, sizeof(double) * CAPACITY);
            check_same(got, want);
            gsl_matrix_free(got);
            rvm_columns_free(&again);
        }
        gsl_matrix_free(want);
        rvm_columns_free(&kept);
        rvm_study_free(&y);
    }
END_TEST

/* Memory for 5 columns and a half: the sixth makes it give them up, and nothing else changes. */
START_TEST(memory_is_given_up_when_it_is_full)
    {
        rvm_study y;
        rvm_columns c, kept;
        rvm_error err = { 0 };
        size_t id[9];
        smooth_study(&y, 300);
        for (size_t k = 0; k < 9; k++)
            id[k] = 31 * k;
        columns_of(&kept, &y, id, 9, everything, 1);
        columns_of(&c, &y, id, 4, 5.5 * 300, 1);
        CHECK_OK(rvm_columns_append(&c, id + 4, 1, &err));
        ck_assert_ptr_nonnull(c.PhiT);
        CHECK_OK(rvm_columns_append(&c, id + 5, 4, &err));
        ck_assert_ptr_null(c.PhiT);
        ck_assert_uint_eq(c.count, 9);
        gsl_matrix *got = gather(&c), *want = gather(&kept);
        check_same(got, want);
        gsl_matrix_free(got);
        gsl_matrix_free(want);
        rvm_columns_free(&c);
        rvm_columns_free(&kept);
        rvm_study_free(&y);
    }
END_TEST

START_TEST(columns_that_are_kept_keep_their_numbers)
    {
        const size_t id[] = { 0, 4, 9, 20, 33 }, keep[] = { 1, 2, 4 }, more[] = { 20, 5 };
        const size_t left[] = { 4, 9, 33, 20, 5 };
        rvm_study y;
        rvm_columns c, fresh;
        rvm_error err = { 0 };
        smooth_study(&y, 50);
        columns_of(&c, &y, id, 5, _i == 0 ? everything : nothing, 1);
        columns_of(&fresh, &y, left, 5, nothing, 1);
        rvm_columns_keep(&c, keep, 3);
        ck_assert_uint_eq(c.count, 3);
        CHECK_OK(rvm_columns_append(&c, more, 2, &err));
        CHECK_OK(rvm_columns_append(&c, more, 0, &err));
        ck_assert_uint_eq(c.count, 5);
        ck_assert_mem_eq(c.id, left, sizeof left);
        ck_assert_mem_eq(c.norm, fresh.norm, 5 * sizeof(double));
        gsl_matrix *got = gather(&c), *want = gather(&fresh);
        check_same(got, want);
        gsl_matrix_free(got);
        gsl_matrix_free(want);
        rvm_columns_free(&c);
        rvm_columns_free(&fresh);
        rvm_study_free(&y);
    }
END_TEST

/* Linear kernels at -1, 0 and 4 of the rows -1, 0, 4: the one at 0 is 0 everywhere. */
START_TEST(columns_of_zeros_are_left_out)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        const size_t id[] = { 0, 1, 2, 3 }, left[] = { 0, 1, 3 };
        rvm_study y;
        rvm_columns c;
        study_of(&y, problem_from_text("1 1:-1\n2\n3 1:4\n", (rvm_grammar){ 0 }), &s);
        columns_of(&c, &y, id, 4, _i == 0 ? everything : nothing, 1);
        ck_assert_uint_eq(c.count, 3);
        ck_assert_mem_eq(c.id, left, sizeof left);
        ck_assert_double_eq_tol(c.norm[0], sqrt(3), 1e-15);
        ck_assert_double_eq_tol(c.norm[1], sqrt(17), 1e-15);
        ck_assert_double_eq_tol(c.norm[2], 4 * sqrt(17), 1e-14);
        gsl_matrix *got = gather(&c);
        const double values[] = { 1 / sqrt(17), 0, -4 / sqrt(17) };
        for (size_t n = 0; n < 3; n++) {
            ck_assert_double_eq_tol(gsl_matrix_get(got, 1, n), values[n], 1e-15);
            ck_assert_double_eq_tol(gsl_matrix_get(got, 2, n), -values[n], 1e-15);
        }
        gsl_matrix_free(got);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* Rows of another part, with the norms of these. */
START_TEST(picked_for_other_rows)
    {
        const size_t id[] = { 0, 4, 9, 20, 33 }, column[] = { 4, 0, 2 }, row[] = { 3, 8, 11, 47 };
        rvm_study y, part;
        rvm_columns c;
        rvm_error err = { 0 };
        smooth_study(&y, 50);
        columns_of(&c, &y, id, 5, _i == 0 ? everything : nothing, 1);
        CHECK_OK(rvm_study_part(&part, &y, row, 4, &err));
        gsl_matrix *all = gather(&c), *got = gsl_matrix_alloc(3, 4);
        CHECK_OK(rvm_columns_pick(got, &c, &part.basis, column, 0, &err));
        for (size_t k = 0; k < 3; k++)
            for (size_t n = 0; n < 4; n++)
                check_close(gsl_matrix_get(got, k, n), gsl_matrix_get(all, column[k], row[n]),
                            1e-15);
        gsl_matrix_free(all);
        gsl_matrix_free(got);
        rvm_study_free(&part);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* ---- The Gram matrix that is kept ----------------------------------------------------------- */

/* G and p against sums over the columns as they are. */
static void check_kept_gram(const rvm_columns *c)
{
    for (size_t i = 0; i < c->count; i++) {
        double pt = 0;
        for (size_t n = 0; n < c->N; n++)
            pt += gsl_matrix_get(c->PhiT, i, n) * c->t[n];
        check_close(c->p[i], pt, 1e-13);
        for (size_t j = 0; j < c->count; j++) {
            double sum = 0;
            for (size_t n = 0; n < c->N; n++)
                sum += gsl_matrix_get(c->PhiT, i, n) * gsl_matrix_get(c->PhiT, j, n);
            check_close(gsl_matrix_get(c->G, i, j), sum, 1e-13);
        }
        check_close(gsl_matrix_get(c->G, i, i), 1, 1e-13);
    }
}

START_TEST(gram_matrix_grows_and_shrinks)
    {
        const size_t first[] = { 0, 3, 8 }, second[] = { 1, 20, 31, 32 }, keep[] = { 0, 2, 3, 6 };
        const size_t left[] = { 0, 8, 1, 32 };
        rvm_error err = { 0 };
        rvm_columns c;
        rvm_study y;
        smooth_study(&y, 40);
        CHECK_OK(rvm_columns_init(&c, &y.basis, 9, INFINITY, 2, &err));
        CHECK_OK(rvm_columns_keep_gram(&c, y.observed.t, &err));
        CHECK_OK(rvm_columns_append(&c, first, 3, &err));
        check_kept_gram(&c);
        CHECK_OK(rvm_columns_append(&c, second, 4, &err));
        ck_assert_uint_eq(c.count, 7);
        check_kept_gram(&c);
        rvm_columns_keep(&c, keep, 4);
        ck_assert_uint_eq(c.count, 4);
        ck_assert_mem_eq(c.id, left, sizeof left);
        check_kept_gram(&c);
        /* The columns belong to their candidates still. */
        gsl_matrix *again = gsl_matrix_alloc(4, 40);
        double norm[4];
        CHECK_OK(rvm_basis_columns(again, norm, &y.basis, left, 4, 1, &err));
        ck_assert_mem_eq(again->data, c.PhiT->data, 4 * 40 * sizeof(double));
        ck_assert_mem_eq(norm, c.norm, sizeof norm);
        gsl_matrix_free(again);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* ---- Sums over rows ------------------------------------------------------------------------- */

/* sum over n of B_n phi_i phi_j, and of phi_i z, in long double. */
static double plain_gram(const gsl_matrix *PhiT, size_t i, size_t j, const double *curvature)
{
    const double *a = gsl_matrix_const_ptr(PhiT, i, 0), *b = gsl_matrix_const_ptr(PhiT, j, 0);
    long double sum = 0;
    for (size_t n = 0; n < PhiT->size2; n++)
        sum += (long double)a[n] * b[n] * (curvature == NULL ? 1 : curvature[n]);
    return (double)sum;
}

static double plain_pull(const gsl_matrix *PhiT, size_t i, const double *z)
{
    const double *a = gsl_matrix_const_ptr(PhiT, i, 0);
    long double sum = 0;
    for (size_t n = 0; n < PhiT->size2; n++)
        sum += (long double)a[n] * z[n];
    return (double)sum;
}

static double *random_array(size_t N, double least, double most, unsigned long seed)
{
    double *a = calloc(N, sizeof *a);
    gsl_rng *rng = random_numbers(seed);
    ck_assert_ptr_nonnull(a);
    for (size_t n = 0; n < N; n++)
        a[n] = least + (most - least) * gsl_rng_uniform(rng);
    gsl_rng_free(rng);
    return a;
}

/* Of all columns, weighted by a curvature unless that is NULL. */
static void curved_gram(gsl_matrix *G, double *p, rvm_columns *c, const double *curvature,
                        const double *z)
{
    rvm_error err = { 0 };
    gsl_matrix *scaled = gsl_matrix_alloc(CAPACITY, RVM_STRIP);
    ck_assert_ptr_nonnull(scaled);
    if (curvature == NULL)
        CHECK_OK(rvm_columns_gram(G, p, c, 0, z, NULL, NULL, &err));
    else
        CHECK_OK(rvm_curvature_gram(G, p, c, scaled, curvature, z, true, &err));
    gsl_matrix_free(scaled);
}

enum { FEW = 12 };

static void check_gram(const gsl_matrix *G, const double *p, const gsl_matrix *PhiT,
                       const double *curvature, const double *z)
{
    for (size_t i = 0; i < PhiT->size1; i++) {
        check_close(p[i], plain_pull(PhiT, i, z), 1e-12);
        for (size_t j = 0; j < PhiT->size1; j++)
            check_close(gsl_matrix_get(G, i, j), plain_gram(PhiT, i, j, curvature), 1e-13);
    }
}

/* In one step and, without a curvature, in two. */
START_TEST(gram_matrix_is_the_sum)
    {
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        size_t id[FEW];
        double p[CAPACITY], p2[CAPACITY];
        smooth_study(&y, ROWS);
        spread_ids(id, FEW);
        double *z = random_array(ROWS, -1, 1, 3), *curvature = random_array(ROWS, 0, 0.25, 4);
        const double *B = _i % 2 == 0 ? NULL : curvature;
        gsl_matrix *G = gsl_matrix_calloc(CAPACITY, CAPACITY);
        gsl_matrix *H = gsl_matrix_calloc(CAPACITY, CAPACITY);
        columns_of(&c, &y, id, 5, _i < 2 ? everything : nothing, 2);
        curved_gram(G, p, &c, B, z);
        CHECK_OK(rvm_columns_append(&c, id + 5, FEW - 5, &err));
        if (B == NULL)
            CHECK_OK(rvm_columns_gram(G, p, &c, 5, z, NULL, NULL, &err));
        else
            curved_gram(G, p, &c, B, z);
        curved_gram(H, p2, &c, B, z);
        gsl_matrix *PhiT = gather(&c);
        check_gram(G, p, PhiT, B, z);
        check_gram(H, p2, PhiT, B, z);
        for (size_t i = 0; i < FEW; i++)
            for (size_t j = 0; j < i; j++) {
                ck_assert_double_eq(gsl_matrix_get(G, i, j), gsl_matrix_get(G, j, i));
                ck_assert_double_eq(gsl_matrix_get(H, i, j), gsl_matrix_get(H, j, i));
            }
        gsl_matrix_free(G);
        gsl_matrix_free(H);
        gsl_matrix_free(PhiT);
        free(z);
        free(curvature);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* Of several targets in one pass: each has what it has alone. */
START_TEST(gram_matrix_for_several_targets)
    {
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        size_t id[FEW];
        double p[3][FEW];
        double *const of_target[] = { p[0], p[1], p[2] };
        smooth_study(&y, ROWS);
        spread_ids(id, FEW);
        double *z[3];
        for (unsigned long k = 0; k < 3; k++)
            z[k] = random_array(ROWS, -1, 1, 5 + k);
        const double *const targets[] = { z[0], z[1], z[2] };
        gsl_matrix *G = gsl_matrix_calloc(CAPACITY, CAPACITY);
        columns_of(&c, &y, id, FEW, _i == 0 ? everything : nothing, 2);
        CHECK_OK(rvm_columns_gram_targets(G, of_target, &c, targets, 3, &err));
        gsl_matrix *PhiT = gather(&c);
        for (size_t k = 0; k < 3; k++)
            check_gram(G, p[k], PhiT, NULL, z[k]);
        for (size_t k = 0; k < 3; k++)
            free(z[k]);
        gsl_matrix_free(G);
        gsl_matrix_free(PhiT);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* f = Phi w as well: neither memory nor threads change a bit. */
START_TEST(sums_to_the_last_bit)
    {
        rvm_study y;
        rvm_error err = { 0 };
        size_t id[CAPACITY];
        double p[CAPACITY], p1[CAPACITY];
        smooth_study(&y, ROWS);
        spread_ids(id, CAPACITY);
        double *z = random_array(ROWS, -1, 1, 3), *B = random_array(ROWS, 0, 0.25, 4);
        double *w = random_array(CAPACITY, -9, 9, 5), *f1 = calloc(ROWS, sizeof *f1),
               *f = calloc(ROWS, sizeof *f);
        gsl_matrix *G1 = gsl_matrix_calloc(CAPACITY, CAPACITY);
        gsl_matrix *G = gsl_matrix_calloc(CAPACITY, CAPACITY);
        for (int k = 0; k < 6; k++) {
            rvm_columns c;
            columns_of(&c, &y, id, CAPACITY, k < 3 ? everything : nothing, 1 + k % 3);
            curved_gram(k == 0 ? G1 : G, k == 0 ? p1 : p, &c, B, z);
            CHECK_OK(rvm_columns_apply(k == 0 ? f1 : f, &c, w, &err));
            if (k > 0) {
                check_same(G, G1);
                ck_assert_mem_eq(p, p1, sizeof p);
                ck_assert_mem_eq(f, f1, ROWS * sizeof *f);
            }
            rvm_columns_free(&c);
        }
        gsl_matrix_free(G);
        gsl_matrix_free(G1);
        free(z);
        free(B);
        free(w);
        free(f);
        free(f1);
        rvm_study_free(&y);
    }
END_TEST

START_TEST(values_of_a_sum_of_columns)
    {
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        size_t id[FEW];
        smooth_study(&y, ROWS);
        spread_ids(id, FEW);
        double *w = random_array(FEW, -9, 9, 5), *f = random_array(ROWS, 1, 2, 6);
        columns_of(&c, &y, id, FEW, _i == 0 ? everything : nothing, 1);
        CHECK_OK(rvm_columns_apply(f, &c, w, &err));
        gsl_matrix *PhiT = gather(&c);
        for (size_t n = 0; n < ROWS; n++) {
            double sum = 0;
            for (size_t k = 0; k < FEW; k++)
                sum += w[k] * gsl_matrix_get(PhiT, k, n);
            check_close(f[n], sum, 1e-14);
        }
        rvm_columns_keep(&c, NULL, 0);
        CHECK_OK(rvm_columns_apply(f, &c, w, &err));
        for (size_t n = 0; n < ROWS; n++)
            ck_assert_double_eq(f[n], 0);
        gsl_matrix_free(PhiT);
        free(w);
        free(f);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* ---- Rows of little curvature --------------------------------------------------------------- */

enum { MANY = 20485 };

/* Rows ascend by their only feature. */
static void long_columns(rvm_study *y, rvm_columns *c)
{
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.02);
    const size_t id[] = { 0, 1500, 7000, 12000, 19000 };
    study_of(y, sinc_problem(MANY, 0.1, 1), &s);
    columns_of(c, y, id, 5, everything, 1);
}

START_TEST(rows_of_equal_curvature_all_count)
    {
        rvm_study y;
        rvm_columns c;
        double p[CAPACITY];
        long_columns(&y, &c);
        double *B = random_array(MANY, 0.2, 0.2, 1), *z = random_array(MANY, -1, 1, 2);
        gsl_matrix *G = gsl_matrix_calloc(CAPACITY, CAPACITY), *PhiT = gather(&c);
        curved_gram(G, p, &c, B, z);
        check_gram(G, p, PhiT, B, z);
        gsl_matrix_free(G);
        gsl_matrix_free(PhiT);
        free(B);
        free(z);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* Of rows with less than a tenth of the mean curvature one in eight counts, eight times. Of eight
 * numbers the first times eight is off their sum by at most seven times what they vary, and of the
 * last ones, fewer than eight, by seven times the largest. */
START_TEST(rows_of_little_curvature_count_on_average)
    {
        rvm_study y;
        rvm_columns c;
        double p[CAPACITY], mean = 0;
        long_columns(&y, &c);
        double *B = calloc(MANY, sizeof *B), *z = random_array(MANY, -1, 1, 2);
        gsl_matrix *G = gsl_matrix_calloc(CAPACITY, CAPACITY), *PhiT = gather(&c);
        for (size_t n = 0; n < MANY; n++) {
            const double x = ((double)n - MANY / 2.0) / 1300;
            B[n] = 0.25 * exp(-x * x) + 0.002;
            mean += B[n] / MANY;
        }
        curved_gram(G, p, &c, B, z);
        for (size_t i = 0; i < c.count; i++) {
            check_close(p[i], plain_pull(PhiT, i, z), 1e-12);
            for (size_t j = 0; j < c.count; j++) {
                double before = -1, varies = 0, largest = 0, little = 0;
                for (size_t n = 0; n < MANY; n++) {
                    const double x = B[n] * gsl_matrix_get(PhiT, i, n) * gsl_matrix_get(PhiT, j, n);
                    if (B[n] >= 0.1 * mean)
                        continue;
                    varies += before < 0 ? 0 : fabs(x - before);
                    largest = fmax(largest, x);
                    little += x;
                    before = x;
                }
                const double bound = 7 * (varies + largest);
                ck_assert_double_le(fabs(gsl_matrix_get(G, i, j) - plain_gram(PhiT, i, j, B)),
                                    bound);
                if (i == j) /* without those rows it would be farther off than that */
                    ck_assert_double_lt(10 * bound, little);
            }
        }
        gsl_matrix_free(G);
        gsl_matrix_free(PhiT);
        free(B);
        free(z);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

START_TEST(faults_of_the_kernel_are_passed_on)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        const size_t id[] = { 1, 2 };
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        study_of(&y, problem_from_text("0 1:1e200\n1 1:1e201\n", (rvm_grammar){ 0 }), &s);
        CHECK_OK(rvm_columns_init(&c, &y.basis, 4, _i == 0 ? everything : nothing, 2, &err));
        ck_assert_int_eq(rvm_columns_append(&c, id, 2, &err), RVM_ENUMERIC);
        ck_assert_int_ne(err.message[0], '\0');
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

Suite *columns_suite(void);
Suite *columns_suite(void)
{
    Suite *s = suite_create("columns");
    TCase *c = tcase_create("columns");
    tcase_add_loop_test(c, strips_are_the_columns, 0, 2);
    tcase_add_loop_test(c, bias_that_comes_late, 0, 2);
    tcase_add_test(c, kept_or_computed_again_to_the_last_bit);
    tcase_add_test(c, memory_is_given_up_when_it_is_full);
    tcase_add_loop_test(c, columns_that_are_kept_keep_their_numbers, 0, 2);
    tcase_add_loop_test(c, columns_of_zeros_are_left_out, 0, 2);
    tcase_add_loop_test(c, picked_for_other_rows, 0, 2);
    tcase_add_test(c, gram_matrix_grows_and_shrinks);
    tcase_add_loop_test(c, gram_matrix_is_the_sum, 0, 4);
    tcase_add_loop_test(c, gram_matrix_for_several_targets, 0, 2);
    tcase_add_test(c, sums_to_the_last_bit);
    tcase_add_loop_test(c, values_of_a_sum_of_columns, 0, 2);
    tcase_add_test(c, rows_of_equal_curvature_all_count);
    tcase_add_test(c, rows_of_little_curvature_count_on_average);
    tcase_add_loop_test(c, faults_of_the_kernel_are_passed_on, 0, 2);
    suite_add_tcase(s, c);
    return s;
}

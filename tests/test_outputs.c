/* starts.c for several outputs, and the way from rows with several targets to a model: what must not matter does not,
 * and the numbers that are saved are those of the formulas. */
#include "suites.h"
#include "trained.h"

enum { Q = 3 };

static const double noise_sd[Q] = { 0.05, 0.1, 0.2 };

/* Three smooth functions of one input, sums of the same six bumps, with known noise. */
static rvm_problem *bumps(size_t N, unsigned long seed)
{
    static const double centre[] = { 1, 2.5, 4, 5.5, 7, 8.5 };
    static const double weight[Q][6] = { { 1, -1.2, 0.9, -0.6, 1.1, 0.7 },
                                         { -0.8, 0.7, 1.1, -1, 0.4, -0.9 },
                                         { 0.5, 1, -0.7, 1.2, -0.9, 0.6 } };
    static const int index = 1;
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t n = 0; n < N; n++) {
        const double x = 10 * gsl_rng_uniform(rng);
        double t[Q];
        for (size_t j = 0; j < Q; j++) {
            t[j] = 0.3 + noise_sd[j] * gsl_ran_gaussian(rng, 1);
            for (size_t b = 0; b < 6; b++)
                t[j] += weight[j][b] * exp(-0.8 * gsl_pow_2(x - centre[b]));
        }
        ck_assert(rvm_problem_append_outputs(p, t, Q, &index, &x, 1));
    }
    gsl_rng_free(rng);
    return p;
}

/* The same rows with targets column[0 .. count), each times its factor. */
static rvm_problem *with_targets(const rvm_problem *p, const size_t *column, const double *factor,
                                 size_t count)
{
    rvm_problem *q = empty_problem();
    double t[2 * Q];
    ck_assert(count <= 2 * Q);
    for (size_t n = 0; n < p->rows; n++) {
        const size_t first = p->start[n];
        for (size_t k = 0; k < count; k++)
            t[k] = factor[k] * rvm_problem_targets(p, n)[column[k]];
        ck_assert(rvm_problem_append_outputs(q, t, count, p->index + first, p->value + first,
                                             p->start[n + 1] - first));
    }
    return q;
}

static rvm_problem *one_target(const rvm_problem *p, size_t column)
{
    const double factor = 1;
    return with_targets(p, &column, &factor, 1);
}

static rvm_settings bump_settings(void)
{
    return settings_for(RVM_REGRESSION, RVM_RBF, 0.8);
}

/* Each output's noise within a tenth of the truth, and fewer vectors than three models of their
 * own have in all. */
START_TEST(known_noise_is_found)
    {
        rvm_settings s = bump_settings();
        rvm_problem *p = bumps(300, 11);
        rvm_model *m = train(p, &s);
        size_t alone = 0;
        ck_assert(m->converged);
        ck_assert_uint_eq(m->latent_count, Q);
        for (size_t j = 0; j < Q; j++) {
            check_close(sqrt(rvm_model_noise_variance(m, j)) / noise_sd[j], 1, 0.1);
            rvm_problem *one = one_target(p, j);
            rvm_model *own = train(one, &s);
            alone += own->vectors->rows;
            rvm_model_free(own);
            rvm_problem_free(one);
        }
        ck_assert_uint_lt(m->vectors->rows, alone);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Factor, mode and evidence of every output, by formula from the training rows. */
static void check_outputs(const rvm_model *m, const rvm_problem *p)
{
    double sum = 0;
    for (size_t j = 0; j < m->latent_count; j++) {
        rvm_model one = *m;
        one.latent = &m->latent[j];
        one.latent_count = 1;
        rvm_problem *rows = one_target(p, j);
        gsl_matrix *Phi = basis_values(&one, one.latent, rows);
        const double noise = rvm_model_noise_variance(m, j);
        double log_likelihood = 0;
        for (size_t n = 0; n < rows->rows; n++)
            log_likelihood -=
                0.5 * log(2 * M_PI * noise) +
                0.5 * gsl_pow_2(rows->target[n] - activation(one.latent, Phi, n)) / noise;
        one.log_evidence =
            log_likelihood - 0.5 * prior_square(one.latent) - half_log_ratio(one.latent);
        sum += one.log_evidence;
        check_model(&one, rows, NULL);
        gsl_matrix_free(Phi);
        rvm_problem_free(rows);
    }
    check_close(m->log_evidence, sum, 1e-9);
}

START_TEST(saved_numbers_are_those_of_the_formulas)
    {
        rvm_settings s = bump_settings();
        s.bias = _i != 1;
        s.shared_noise = _i == 2;
        s.noise_variance = _i == 3 ? 0.02 : 0;
        rvm_problem *p = bumps(80, 12);
        rvm_model *m = train(p, &s);
        check_outputs(m, p);
        for (size_t j = 0; j < Q; j++)
            ck_assert_uint_eq(m->latent[j].count, m->vectors->rows + (_i == 1 ? 0 : 1));
        ck_assert(m->noise_fixed == (_i == 3));
        for (size_t j = 0; j < Q && _i == 3; j++)
            ck_assert_double_eq(rvm_model_noise_variance(m, j), 0.02);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

static double variance_of(const rvm_problem *p, size_t column)
{
    double mean = 0, sum = 0;
    for (size_t n = 0; n < p->rows; n++)
        mean += rvm_problem_targets(p, n)[column] / (double)p->rows;
    for (size_t n = 0; n < p->rows; n++)
        sum += gsl_pow_2(rvm_problem_targets(p, n)[column] - mean) / (double)p->rows;
    return sum;
}

START_TEST(shared_noise_is_one_share_of_the_variance)
    {
        rvm_settings s = bump_settings();
        s.shared_noise = true;
        rvm_problem *p = bumps(100, 13);
        rvm_model *m = train(p, &s);
        const double share = rvm_model_noise_variance(m, 0) / variance_of(p, 0);
        for (size_t j = 1; j < Q; j++)
            check_close(rvm_model_noise_variance(m, j) / variance_of(p, j) / share, 1, 1e-10);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- What must not matter ------------------------------------------------------------------- */

static void check_same_output(const rvm_model *a, size_t i, const rvm_model *b, size_t j,
                              double factor)
{
    const rvm_latent *f = &a->latent[i], *g = &b->latent[j];
    ck_assert_uint_eq(f->count, g->count);
    check_close(f->bias_mean * factor / g->bias_mean, 1, 1e-9);
    check_close(f->noise_variance * factor * factor / g->noise_variance, 1, 1e-4);
    for (size_t k = 0; k < f->count; k++)
        check_close(f->weight[k] * factor / g->weight[k], 1, 1e-3);
}

START_TEST(units_of_an_output_do_not_matter)
    {
        static const size_t same[] = { 0, 1, 2 };
        static const double factor[] = { 1, 1000, 1 };
        const rvm_settings s = bump_settings();
        rvm_problem *p = bumps(80, 14), *q = with_targets(p, same, factor, Q);
        rvm_model *m = train(p, &s), *n = train(q, &s);
        check_same_vectors(m, n);
        for (size_t j = 0; j < Q; j++)
            check_same_output(m, j, n, j, factor[j]);
        check_close(n->log_evidence, m->log_evidence - 80 * log(1000), 1e-6);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(order_of_outputs_does_not_matter)
    {
        static const size_t order[] = { 2, 0, 1 };
        static const double factor[] = { 1, 1, 1 };
        const rvm_settings s = bump_settings();
        rvm_problem *p = bumps(80, 15), *q = with_targets(p, order, factor, Q);
        rvm_model *m = train(p, &s), *n = train(q, &s);
        check_same_vectors(m, n);
        check_close(n->log_evidence, m->log_evidence, 1e-8);
        for (size_t j = 0; j < Q; j++)
            check_same_output(m, order[j], n, j, 1);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(order_of_rows_and_threads_do_not_matter)
    {
        rvm_settings s = bump_settings();
        s.shared_noise = _i == 1;
        rvm_problem *p = bumps(80, 16), *q = reordered(p, 7, 1);
        rvm_model *m = train(p, &s), *n = train(q, &s);
        check_same_bytes(m, n);
        rvm_model_free(n);
        s.threads = 3;
        n = train(p, &s);
        check_same_bytes(m, n);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Twice the same targets with one noise: the optimum of one output, and twice its evidence. */
START_TEST(an_output_twice_is_that_output)
    {
        static const size_t twice[] = { 1, 1 };
        static const double factor[] = { 1, 1 };
        rvm_settings s = bump_settings();
        rvm_problem *p = bumps(80, 17), *q = with_targets(p, twice, factor, 2);
        rvm_problem *one = one_target(p, 1);
        s.shared_noise = true;
        s.tolerance = 1e-5;
        rvm_model *m = train(q, &s), *n = train(one, &s);
        check_same_output(m, 0, m, 1, 1);
        check_close(m->log_evidence / (2 * n->log_evidence), 1, 0.01); /* searches of their own */
        check_close(m->latent[0].noise_variance / n->latent[0].noise_variance, 1, 0.05);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_problem_free(one);
    }
END_TEST

/* A model may be taken between steps, is complete, and changes nothing. */
START_TEST(models_on_the_way)
    {
        const rvm_settings s = bump_settings();
        rvm_report r = { 0 };
        rvm_trainer *tr = NULL;
        rvm_model *m = NULL, *end = NULL;
        rvm_error err = { 0 };
        rvm_problem *p = bumps(50, 22);
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done) {
            rvm_model_free(m);
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            ck_assert(m->converged == r.done);
            ck_assert_uint_eq(m->latent[0].count, r.functions);
            check_outputs(m, p);
        }
        ck_assert_int_gt(r.starts, 4); /* several steps */
        end = train(p, &s);
        check_same_bytes(m, end);
        rvm_model_free(end);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Edges ---------------------------------------------------------------------------------- */

/* A constant output has the bias alone, at its value, and leaves the others as they are. */
START_TEST(a_constant_output_takes_no_part)
    {
        static const size_t column[] = { 0, 0, 1 }, two[] = { 0, 1 };
        static const double factor[] = { 1, 0, 1 }, ones[] = { 1, 1 };
        const rvm_settings s = bump_settings();
        rvm_problem *p = bumps(60, 18), *with = with_targets(p, column, factor, 3),
                    *without = with_targets(p, two, ones, 2);
        for (size_t n = 0; n < with->rows; n++)
            with->target[3 * n + 1] = 7.25;
        rvm_model *m = train(with, &s), *n = train(without, &s);
        ck_assert_uint_eq(m->latent[1].count, 1);
        ck_assert(rvm_latent_has_bias(&m->latent[1]));
        ck_assert_double_gt(rvm_model_noise_variance(m, 1), 0);
        check_same_vectors(m, n);
        for (size_t k = 0; k < m->latent[0].count; k++) {
            ck_assert_double_eq(m->latent[0].weight[k], n->latent[0].weight[k]);
            ck_assert_double_eq(m->latent[2].weight[k], n->latent[1].weight[k]);
        }
        rvm_prediction out = predict(m, with);
        for (size_t i = 0; i < out.rows; i++)
            ck_assert_double_eq_tol(out.value[3 * i + 1], 7.25, 1e-12);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_problem_free(p);
        rvm_problem_free(with);
        rvm_problem_free(without);
    }
END_TEST

/* Without a bias a constant is something to find unless it is 0. */
START_TEST(constant_outputs_alone)
    {
        static const char *const text[] = { "1,5 1:1\n1,5 1:2\n1,5 1:4\n",
                                            "0,0 1:1\n0,0 1:2\n0,0 1:4\n" };
        rvm_settings s = bump_settings();
        rvm_report r = { 0 };
        rvm_trainer *tr = NULL;
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        rvm_problem *p = problem_from_text(text[_i], (rvm_grammar){ .outputs = true });
        s.bias = _i == 0;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.done && r.converged && !r.noise_at_bound);
        ck_assert_uint_eq(r.functions, s.bias ? 1 : 0);
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        rvm_trainer_free(tr);
        rvm_prediction out = predict(m, p);
        ck_assert_uint_eq(m->vectors->rows, 0);
        ck_assert_double_eq(out.value[2], s.bias ? 1 : 0);
        ck_assert_double_eq(out.value[3], s.bias ? 5 : 0);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Noise-free outputs: the variance stops at its bound, which the report tells. */
START_TEST(outputs_without_noise)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 1);
        rvm_report r = { 0 };
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_problem *p = problem_from_text("1,-2 1:1\n2,-4 1:2\n4,-8 1:4\n8,-16 1:8\n5,-10 1:5\n",
                                           (rvm_grammar){ .outputs = true });
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        do
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        while (!r.done);
        ck_assert(r.noise_at_bound);
        ck_assert_double_eq(r.noise_sd, 0); /* there are several */
        rvm_model *m = NULL;
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        check_close(r.log_evidence, m->log_evidence, 1e-4);
        rvm_prediction out = predict(m, p);
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 2; j++)
                ck_assert_double_eq_tol(out.value[2 * i + j], rvm_problem_targets(p, i)[j], 1e-2);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* Where not all columns fit a sample of them does; where hardly any does there is an error. */
START_TEST(memory_is_kept_to)
    {
        rvm_settings s = bump_settings();
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        rvm_problem *p = bumps(200, 19);
        s.budget_mb = 0.8;
        m = train(p, &s);
        check_outputs(m, p);
        for (size_t j = 0; j < Q; j++)
            check_close(sqrt(rvm_model_noise_variance(m, j)) / noise_sd[j], 1, 0.3);
        rvm_model_free(m);
        s.budget_mb = 0.01;
        ck_assert_int_eq(rvm_train(&m, p, &s, &err), RVM_ENOMEM);
        ck_assert_ptr_nonnull(strstr(err.message, "-m 0.01"));
        rvm_problem_free(p);
    }
END_TEST

/* Many rows are read once, and the search looks at their Gram matrix alone: the numbers of the model
 * are those of the formulas over all rows, the noise is the true one, and neither the order of the
 * rows nor threads matter. */
START_TEST(many_rows_are_read_once)
    {
        rvm_settings s = bump_settings();
        s.shared_noise = _i == 1;
        s.budget_mb = 20;
        s.restarts = 2;
        rvm_problem *p = bumps(6000, 23), *q = reordered(p, 7, 1);
        rvm_model *m = train(p, &s);
        check_outputs(m, p);
        for (size_t j = 0; j < Q && _i == 0; j++)
            check_close(sqrt(rvm_model_noise_variance(m, j)) / noise_sd[j], 1, 0.04);
        s.threads = 2;
        rvm_model *n = train(q, &s);
        check_same_bytes(m, n);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Without noise: its variance stops where the digits of the Gram matrix end, which the report tells. */
START_TEST(many_rows_without_noise)
    {
        static const int index = 1;
        rvm_settings s = bump_settings();
        rvm_report r = { 0 };
        rvm_trainer *tr = NULL;
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        rvm_problem *p = empty_problem();
        for (size_t n = 0; n < 5000; n++) {
            const double x = (double)n / 500, t[] = { sin(x), cos(x) };
            ck_assert(rvm_problem_append_outputs(p, t, 2, &index, &x, 1));
        }
        s.budget_mb = 10;
        s.restarts = 1;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        do
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        while (!r.done);
        ck_assert(r.noise_at_bound);
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        rvm_prediction out = predict(m, p);
        for (size_t i = 0; i < 2 * p->rows; i++)
            ck_assert_double_eq_tol(out.value[i], p->target[i], 1e-3);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Predictions ---------------------------------------------------------------------------- */

/* Every output as its own model, without the others, predicts it; and the file keeps all. */
START_TEST(predictions_are_those_of_each_output)
    {
        const rvm_settings s = bump_settings();
        rvm_problem *p = bumps(60, 20);
        rvm_model *m = train(p, &s), *again = NULL;
        rvm_error err = { 0 };
        rvm_prediction all = predict(m, p);
        ck_assert_uint_eq(all.outputs, Q);
        for (size_t j = 0; j < Q; j++) {
            rvm_model one = *m;
            one.latent = &m->latent[j];
            one.latent_count = 1;
            rvm_prediction out = predict(&one, p);
            ck_assert_uint_eq(out.outputs, 1);
            for (size_t i = 0; i < p->rows; i++) {
                ck_assert_double_eq(all.value[i * Q + j], out.value[i]);
                ck_assert_double_eq(all.variance[i * Q + j], out.variance[i]);
            }
            rvm_prediction_free(&out);
        }
        rvm_prediction_free(&all);
        char *text = bytes_of(m);
        FILE *in = fmemopen(text, strlen(text), "r");
        CHECK_OK(rvm_model_read(&again, in, &err));
        fclose(in);
        check_same_bytes(m, again);
        free(text);
        rvm_model_free(again);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Leaving one out, the prediction of a row is that of a model of the others. */
START_TEST(cross_validation_of_outputs)
    {
        rvm_settings s = bump_settings();
        rvm_problem *p = bumps(12, 21);
        rvm_prediction all = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        s.restarts = 1;
        CHECK_OK(rvm_cross_validate(&all, &finished, p, &s, 12, &err));
        ck_assert(finished);
        ck_assert_uint_eq(all.outputs, Q);
        for (size_t i = 0; i < p->rows; i += 5) {
            size_t others[12], count = 0;
            for (size_t n = 0; n < p->rows; n++)
                if (n != i)
                    others[count++] = n;
            rvm_problem *rest = rvm_problem_subset(p, others, count),
                        *row = rvm_problem_subset(p, &i, 1);
            rvm_model *m = train(rest, &s);
            rvm_prediction out = predict(m, row);
            for (size_t j = 0; j < Q; j++) {
                ck_assert_double_eq(all.value[i * Q + j], out.value[j]);
                ck_assert_double_eq(all.variance[i * Q + j], out.variance[j]);
            }
            rvm_prediction_free(&out);
            rvm_model_free(m);
            rvm_problem_free(rest);
            rvm_problem_free(row);
        }
        rvm_prediction_free(&all);
        rvm_problem_free(p);
    }
END_TEST

Suite *outputs_suite(void);
Suite *outputs_suite(void)
{
    Suite *suite = suite_create("outputs");
    TCase *tc = tcase_create("outputs");

    tcase_add_test(tc, known_noise_is_found);
    tcase_add_loop_test(tc, saved_numbers_are_those_of_the_formulas, 0, 4);
    tcase_add_test(tc, shared_noise_is_one_share_of_the_variance);
    tcase_add_test(tc, units_of_an_output_do_not_matter);
    tcase_add_test(tc, order_of_outputs_does_not_matter);
    tcase_add_loop_test(tc, order_of_rows_and_threads_do_not_matter, 0, 2);
    tcase_add_test(tc, an_output_twice_is_that_output);
    tcase_add_test(tc, models_on_the_way);
    tcase_add_test(tc, a_constant_output_takes_no_part);
    tcase_add_loop_test(tc, constant_outputs_alone, 0, 2);
    tcase_add_test(tc, outputs_without_noise);
    tcase_add_test(tc, memory_is_kept_to);
    tcase_add_loop_test(tc, many_rows_are_read_once, 0, 2);
    tcase_add_test(tc, many_rows_without_noise);
    tcase_add_test(tc, predictions_are_those_of_each_output);
    tcase_add_test(tc, cross_validation_of_outputs);
    suite_add_tcase(suite, tc);
    return suite;
}

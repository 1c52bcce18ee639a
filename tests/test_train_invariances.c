/* What must not matter to training: order, units, names, threads, writing a row twice. */
#include "suites.h"
#include "trained.h"

START_TEST(order_of_the_rows_does_not_matter)
    {
        rvm_problem *p = task_problem(tasks[_i], 50, 5), *q = reordered(p, 7, 1);
        const rvm_settings s = settings_for(tasks[_i], RVM_RBF, 0.5);
        /* Of classes the first to appear is first in the model: +1 in both. */
        ck_assert(tasks[_i] == RVM_REGRESSION || q->target[0] == 1 || q->target[0] == -1);
        rvm_model *a = train(p, &s), *b = train(q, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Predictions scale with the targets, the evidence falls by N ln c. */
static void check_scaled_targets(double factor, double offset, double tolerance)
{
    pair w = { .p = smooth_problem(40, 6) };
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
    w.q = copy_of(w.p);
    for (size_t n = 0; n < 40; n++)
        w.q->target[n] = factor * w.p->target[n] + offset;
    pair_train(&w, &s, &s, w.q);
    check_same_vectors(w.a, w.b);
    check_close(w.b->log_evidence, w.a->log_evidence - 40 * log(factor), tolerance);
    for (size_t n = 0; n < 40; n++) {
        check_close((w.y.value[n] - offset) / factor, w.x.value[n], tolerance);
        check_close(w.y.variance[n] / (factor * factor) / w.x.variance[n], 1, tolerance);
    }
    pair_free(&w);
}

static const double factors[] = { 1e-6, 1e-3, 0.125, 1e3, 1e6 };

START_TEST(units_of_the_target)
    {
        check_scaled_targets(factors[_i], 0, 1e-6);
    }
END_TEST

START_TEST(offset_of_the_target)
    {
        const double offsets[] = { -3, 12.5, 1000 };
        check_scaled_targets(1, offsets[_i], 1e-6);
    }
END_TEST

/* q has the features of p times a factor. */
static pair pair_of_units(double factor)
{
    pair w = { .p = smooth_problem(40, 7) };
    w.q = copy_of(w.p);
    for (size_t k = 0; k < w.q->start[w.q->rows]; k++)
        w.q->value[k] *= factor;
    return w;
}

START_TEST(units_of_the_features)
    {
        pair w = pair_of_units(factors[_i]);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_settings scaled = s;
        scaled.kernel.gamma /= factors[_i] * factors[_i];
        pair_train(&w, &s, &scaled, w.q);
        check_same_vectors(w.a, w.b);
        check_close(w.b->log_evidence, w.a->log_evidence, 1e-6);
        for (size_t n = 0; n < w.p->rows; n++)
            check_close(w.y.value[n], w.x.value[n], 1e-6);
        pair_free(&w);
    }
END_TEST

/* Kernels of products double, say, with the units of the features; precisions take that up. */
START_TEST(size_of_the_kernel)
    {
        pair w = pair_of_units(factors[_i]);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        pair_train(&w, &s, &s, w.q);
        check_close(w.b->log_evidence, w.a->log_evidence, 1e-4);
        for (size_t n = 0; n < w.p->rows; n++)
            check_close(w.y.value[n], w.x.value[n], 1e-3);
        pair_free(&w);
    }
END_TEST

/* Names of classes are names: 7 and 42 for +1 and -1, in order of appearance. */
START_TEST(names_of_classes)
    {
        pair w = { .p = cloud_problem(50, 8) };
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        w.q = copy_of(w.p);
        for (size_t n = 0; n < 50; n++)
            w.q->target[n] = w.p->target[n] > 0 ? 7 : 42;
        pair_train(&w, &s, &s, w.q);
        ck_assert_int_eq(w.b->label[0], 7);
        ck_assert_int_eq(w.b->label[1], 42);
        check_close(w.b->log_evidence, w.a->log_evidence, 1e-6);
        for (size_t n = 0; n < 50; n++) {
            ck_assert_double_eq(w.y.value[n], w.x.value[n] > 0 ? 7 : 42);
            check_close(w.y.probability[2 * n], w.x.probability[2 * n], 1e-6);
        }
        pair_free(&w);
    }
END_TEST

/* ---- Determinism ---------------------------------------------------------------------------- */

START_TEST(any_number_of_threads)
    {
        rvm_problem *p = task_problem(tasks[_i], 60, 9);
        rvm_settings s = settings_for(tasks[_i], RVM_RBF, 0.5);
        rvm_model *first = train(p, &s);
        for (s.threads = 2; s.threads <= 3; s.threads++) {
            rvm_model *m = train(p, &s);
            check_same_bytes(first, m);
            rvm_model_free(m);
        }
        rvm_model_free(first);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(the_same_seed)
    {
        rvm_problem *p = smooth_problem(60, 10);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_LAPLACIAN, 0.5);
        s.seed = 17;
        rvm_model *a = train(p, &s), *b = train(p, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Repeated rows and weights -------------------------------------------------------------- */

/* Each row of class `label` `times` times, the others once. */
static rvm_problem *repeated(const rvm_problem *p, int label, int times)
{
    rvm_problem *q = empty_problem();
    for (size_t i = 0; i < p->rows; i++)
        for (int k = 0; k < ((int)p->target[i] == label ? times : 1); k++)
            ck_assert(rvm_problem_append(q, p->target[i], p->index + p->start[i],
                                         p->value + p->start[i], p->start[i + 1] - p->start[i]));
    return q;
}

/* w->p trained with weights of 1 and -1, w->q without: the same model. */
static void check_weights(pair *w, double plus, double minus)
{
    const rvm_class_weight weights[] = { { 1, plus }, { -1, minus } };
    const rvm_settings plain = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
    rvm_settings weighted = plain;
    const rvm_problem *p = w->p;
    weighted.class_weights = weights;
    weighted.class_weight_count = 2;
    pair_train(w, &weighted, &plain, p);
    check_same_vectors(w->a, w->b);
    check_close(w->a->log_evidence / w->b->log_evidence, 1, 1e-9);
    for (size_t n = 0; n < p->rows; n++) {
        check_close(w->x.probability[2 * n], w->y.probability[2 * n], 1e-6);
        check_close(w->x.variance[n], w->y.variance[n], 1e-5);
    }
    pair_free(w);
}

/* In the evidence and in every prediction, whatever weight the other class has: weights are costs,
 * of which the ratio matters. */
START_TEST(each_row_twice_at_half_the_weight_is_once)
    {
        rvm_problem *once = cloud_problem(40, 11);
        pair w = { .p = repeated(once, 1, 2), .q = once };
        check_weights(&w, _i == 0 ? 0.5 : 4, _i == 0 ? 1 : 8);
    }
END_TEST

START_TEST(equal_weights_are_none)
    {
        pair w = { .p = cloud_problem(40, 11), .q = cloud_problem(40, 11) };
        check_weights(&w, 7.3, 7.3);
    }
END_TEST

START_TEST(every_row_twice)
    {
        rvm_problem *p = smooth_problem(30, 12), *q = reordered(p, 7, 2);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_model *m = train(q, &s);
        ck_assert_uint_eq(m->examples, 60);
        ck_assert_uint_le(m->vectors->rows, 30);
        check_model(m, q, NULL);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

Suite *train_invariances_suite(void);
Suite *train_invariances_suite(void)
{
    Suite *s = suite_create("train_invariances");
    TCase *c = tcase_create("train_invariances");
    const int count = sizeof factors / sizeof *factors;
    tcase_add_loop_test(c, order_of_the_rows_does_not_matter, 0, 2);
    tcase_add_loop_test(c, units_of_the_target, 0, count);
    tcase_add_loop_test(c, offset_of_the_target, 0, 3);
    tcase_add_loop_test(c, units_of_the_features, 0, count);
    tcase_add_loop_test(c, size_of_the_kernel, 0, count);
    tcase_add_test(c, names_of_classes);
    tcase_add_loop_test(c, any_number_of_threads, 0, 2);
    tcase_add_test(c, the_same_seed);
    tcase_add_loop_test(c, each_row_twice_at_half_the_weight_is_once, 0, 2);
    tcase_add_test(c, equal_weights_are_none);
    tcase_add_test(c, every_row_twice);
    suite_add_tcase(s, c);
    return s;
}

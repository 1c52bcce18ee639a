/* coefficients.c: standard deviations from the factor, against inverses made by hand. */
#include "problems.h"
#include "suites.h"

/* R = [1 2 3; 0 2 1; 0 0 4] and R'R = [1 2 3; 2 8 8; 3 8 26] has determinant 64 and the cofactors
 * 144, 17, 4 on its diagonal; the third function is a kernel's. */
START_TEST(three_by_three)
    {
        rvm_model *m =
            model_from_text("rvm_model 1\ntask regression\nkernel_type linear\nnr_class 2\n"
                            "total_rv 1\nexamples 9\nnoise_variance 0.25\nnoise_fixed 0\n"
                            "log_evidence 0\nconverged 1\nbias 0.5 1 7\nbasis x1*x3 -1.5 8\n"
                            "factor 1 2 3\nfactor 2 1\nfactor 4\nRV\n2 1 1:1\nend\n");
        rvm_coefficient *list = NULL;
        size_t count = 0;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_model_coefficients(&list, &count, m, 0, &err), RVM_OK);
        ck_assert_uint_eq(count, 2);
        ck_assert_str_eq(list[0].name, "bias");
        ck_assert_double_eq(list[0].mean, 7.5);
        ck_assert_double_eq_tol(list[0].sd, sqrt(144.0 / 64), 1e-15);
        ck_assert_str_eq(list[1].name, "x1*x3");
        ck_assert_double_eq(list[1].mean, -1.5);
        ck_assert_double_eq_tol(list[1].sd, sqrt(17.0 / 64), 1e-15);
        free(list);
        rvm_model_free(m);
    }
END_TEST

/* R = [2 1; 0 4] of the first output: R'R = [4 2; 2 17], the diagonal of its inverse 17/64,
 * 4/64. */
START_TEST(of_each_output)
    {
        rvm_model *m =
            model_from_text("rvm_model 1\ntask regression\nkernel_type none\nnr_class 2\n"
                            "nr_output 2\ntotal_rv 0\nexamples 9\nnoise_variance 1 1\n"
                            "noise_fixed 0\nlog_evidence 0\nconverged 1\noutput 1 2\n"
                            "basis x1 3 1\nbasis x2 5 1\nfactor 2 1\nfactor 4\noutput 2 1\n"
                            "basis x2 6 1\nfactor 8\nRV\nend\n");
        rvm_coefficient *list = NULL;
        size_t count = 0;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_model_coefficients(&list, &count, m, 0, &err), RVM_OK);
        ck_assert_uint_eq(count, 2);
        ck_assert_double_eq_tol(list[0].sd, sqrt(17.0) / 8, 1e-15);
        ck_assert_double_eq_tol(list[1].sd, 0.25, 1e-15);
        free(list);
        ck_assert_int_eq(rvm_model_coefficients(&list, &count, m, 1, &err), RVM_OK);
        ck_assert_uint_eq(count, 1);
        ck_assert_str_eq(list[0].name, "x2");
        ck_assert_double_eq(list[0].mean, 6);
        ck_assert_double_eq_tol(list[0].sd, 0.125, 1e-15);
        free(list);
        rvm_model_free(m);
    }
END_TEST

START_TEST(classes_with_the_kernel_prior_have_none)
    {
        rvm_model *m =
            model_from_text("rvm_model 1\ntask classification\nkernel_type linear\nnr_class 2\n"
                            "label 1 2\ntotal_rv 1\nexamples 9\nprocess_variance 1\n"
                            "log_evidence 0\nconverged 1\nprobability 0\nbasis x1 3 1\nRV\n"
                            "1 1:1\nend\n");
        rvm_coefficient *list = NULL;
        size_t count = 0;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_model_coefficients(&list, &count, m, 0, &err), RVM_EMODEL);
        rvm_model_free(m);
    }
END_TEST

Suite *coefficients_suite(void);
Suite *coefficients_suite(void)
{
    Suite *s = suite_create("coefficients");
    TCase *c = tcase_create("coefficients");
    tcase_add_test(c, three_by_three);
    tcase_add_test(c, of_each_output);
    tcase_add_test(c, classes_with_the_kernel_prior_have_none);
    suite_add_tcase(s, c);
    return s;
}

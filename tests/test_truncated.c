/* truncated.c: deciles of draws against exact ones, in each part of the range of arguments; bounds.
 *
 * The deciles were computed with mpmath, 80 digits, from erfc and the incomplete gamma function, by
 * bisection. For each law the test is shown to notice a wrong one that is near. */
#include "base/truncated.h"

#include <gsl/gsl_cdf.h>

#include "problems.h"
#include "suites.h"

enum { DRAWS = 50000, BINS = 10 };

/* Pearson's test whether `count` draws are uniform over the bins: the probability of a worse fit.
 */
static double fit(const size_t *count)
{
    const double expected = (double)DRAWS / BINS;
    double chi2 = 0;
    for (size_t i = 0; i < BINS; i++)
        chi2 += gsl_pow_2((double)count[i] - expected) / expected;
    return gsl_cdf_chisq_Q(chi2, BINS - 1);
}

/* A right law fits as well as the first says in all but one test of a thousand, and the seeds are
 * fixed; a wrong one fits less than the second. */
static const double believed = 1e-3, refused = 1e-6;

static size_t bin(const double *decile, double x)
{
    size_t i = 0;
    while (i < BINS - 1 && x > decile[i])
        i++;
    return i;
}

/* ---- Normal ---------------------------------------------------------------------------------- */

typedef struct {
    double mean; /* in standard deviations */
    double decile[BINS - 1];
} normal_law;

static const normal_law normal_laws[] = {
    { -1e6,
      { 1.0536051565771539e-7, 2.2314355131396172e-7, 3.566749439383121e-7, 5.108256237653494e-7,
        6.931471805590119e-7, 9.16290731872819e-7, 1.2039728043240073e-6, 1.6094379124311958e-6,
        2.302585092989092e-6 } },
    { -40,
      { 0.002632283207007429, 0.005574720697101785, 0.008910319783512881, 0.012760640974430835,
        0.017314126764651105, 0.022886438808781263, 0.030069255274611257, 0.040190681364440116,
        0.057487458036021656 } },
    { -6,
      { 0.01708506266067818, 0.03613007884753397, 0.05765262303466041, 0.08240842602838569,
        0.11156506181343931, 0.14707058601472234, 0.1925587911952774, 0.25613504514951024,
        0.3634142845207609 } },
    { -1,
      { 0.06786933417011713, 0.14105170688640178, 0.22091724207662705, 0.3094371783153396,
        0.40960870929345455, 0.52634405227276, 0.6686177828319286, 0.8559400640563819,
        1.1477823374724052 } },
    { -0.55,
      { 0.0870574297308221, 0.17923896704359976, 0.2780828849566795, 0.3857699933776194,
        0.5055809964736293, 0.6428509564816354, 0.8072688157281315, 1.0197904300322513,
        1.343947811759658 } },
    { -0.45,
      { 0.09255040109909693, 0.1900065324929993, 0.2939655641173799, 0.4066718509231058,
        0.5314817692847448, 0.6738322995350456, 0.8435724834934674, 1.0619676670437501,
        1.3933971626239279 } },
    { 0,
      { 0.12566134685507405, 0.2533471031357998, 0.3853204664075676, 0.5244005127080408,
        0.6744897501960817, 0.8416212335729142, 1.0364333894937896, 1.2815515655446004,
        1.6448536269514726 } },
    { 0.5,
      { 0.18843030670828614, 0.3663256160192413, 0.5400572979155271, 0.7150158596468442,
        0.8968711750895445, 1.0930167104903223, 1.315340422334235, 1.5880229309678273,
        1.9821796784409071 } },
    { 3,
      { 1.725340581441355, 2.1622299041853204, 2.4783152685338683, 2.7487487686070313,
        3.0016918470940848, 3.254744968913782, 3.525565602819352, 3.8425859693003757,
        4.282321124955485 } },
    { 40,
      { 38.7184484344554, 39.158378766427084, 39.47559948729196, 39.7466528968642, 40,
        40.2533471031358, 40.52440051270804, 40.841621233572916, 41.2815515655446 } },
};

enum { NORMAL_LAWS = sizeof normal_laws / sizeof *normal_laws };

/* Fit of draws of a law, the mean being wrong by `error` standard deviations, on each side of 0 and
 * on another scale. */
static double normal_fit(const normal_law *law, double error, bool positive)
{
    const double sd = 2.385, sign = positive ? 1 : -1;
    size_t count[BINS] = { 0 };
    gsl_rng *rng = random_numbers(200 + (unsigned long)(law - normal_laws));
    for (size_t i = 0; i < DRAWS; i++) {
        const double x = rvm_truncated_normal(rng, sign * sd * (law->mean + error), sd, positive);
        if (!(sign * x > 0 && isfinite(x))) /* quicker than an assertion for each draw */
            ck_abort_msg("drew %g", x);
        count[bin(law->decile, sign * x / sd)]++;
    }
    gsl_rng_free(rng);
    return fit(count);
}

START_TEST(normal_deciles)
    {
        const normal_law *law = &normal_laws[_i];
        ck_assert_double_gt(normal_fit(law, 0, true), believed);
        ck_assert_double_gt(normal_fit(law, 0, false), believed);
    }
END_TEST

/* A mean that is wrong by 0.15 standard deviations, or by 5 per cent where there is only a tail. */
START_TEST(normal_deciles_tell_means_apart)
    {
        const normal_law *law = &normal_laws[_i];
        const double error = law->mean < -1 ? 0.05 * law->mean : 0.15;
        ck_assert_double_lt(normal_fit(law, error, true), refused);
        ck_assert_double_lt(normal_fit(law, error, false), refused);
    }
END_TEST

/* Beyond s standard deviations a normal number is an exponential one of mean sd / s (1 - 2 / s^2).
 */
START_TEST(normal_tail_mean)
    {
        const double mean[] = { -40, -1e6, -3.7e200, -2.5e-100 };
        const double sd[] = { 1, 0.43, 0.43, 7e-105 };
        for (size_t k = 0; k < sizeof mean / sizeof *mean; k++) {
            const double s = -mean[k] / sd[k];
            double sum = 0;
            gsl_rng *rng = random_numbers(5);
            for (size_t i = 0; i < DRAWS; i++)
                sum += rvm_truncated_normal(rng, mean[k], sd[k], true) / sd[k] * s;
            check_close(sum / DRAWS, 1 - 2 / s / s, 5 / sqrt(DRAWS));
            gsl_rng_free(rng);
        }
    }
END_TEST

START_TEST(normal_has_the_sign_asked_for)
    {
        gsl_rng *rng = random_numbers(6);
        for (size_t i = 0; i < DRAWS; i++) {
            const double mean = (i % 2 ? 1 : -1) * pow(10, gsl_ran_flat(rng, -300, 300));
            const double sd = pow(10, gsl_ran_flat(rng, -300, 300));
            const double above = rvm_truncated_normal(rng, mean, sd, true);
            const double below = rvm_truncated_normal(rng, mean, sd, false);
            if (!(above > 0 && isfinite(above) && below < 0 && isfinite(below)))
                ck_abort_msg("drew %g and %g", above, below);
        }
        gsl_rng_free(rng);
    }
END_TEST

/* ---- Gamma ----------------------------------------------------------------------------------- */

typedef struct {
    double shape, rate, low, high;
    double wrong; /* a shape whose draws have other deciles, as many draws can tell */
    double decile[BINS - 1];
} gamma_law;

static const gamma_law gamma_laws[] = {
    { 1.5,
      0,
      10,
      1e6,
      1.6, /* power law */
      { 215443.50988071057, 341995.2181749054, 448140.4967001879, 542883.5404864656,
        629960.5382281705, 711378.6708961319, 788373.5234335413, 861773.8805547006,
        932169.7539696981 } },
    { 1.5,
      1e-8,
      10,
      1e6,
      1.6, /* nearly one */
      { 214768.3478809499, 341095.7258511173, 447151.394372861, 541890.5263190385,
        629027.3081060753, 710556.335786003, 787705.0202689713, 861296.3970846783,
        931916.2062303475 } },
    { 1.5,
      1e-6,
      10,
      1e6,
      1.6, /* mode above high */
      { 157349.63766581434, 259988.08151630242, 353148.1739748314, 442672.9412433919,
        531105.6733836412, 619965.4551841058, 710360.9210431841, 803231.2979064725,
        899469.0792954223 } },
    { 1.5,
      2e-6,
      10,
      1e6,
      1.6, /* mode near high: tails on both sides */
      { 116672.2129034029, 197044.27798069862, 273586.46094260726, 351012.55574033794,
        431994.0847279926, 518883.2374114362, 614369.3985985939, 722072.461253203,
        847488.4256642181 } },
    { 1.5,
      0.001,
      10,
      1e6,
      1.6, /* nearly whole */
      { 293.6642005682194, 503.8231281000322, 712.9466688236929, 935.6316607728033,
        1183.9816004888112, 1474.0361385882072, 1833.3534555085778, 2321.7001404758166,
        3126.5483173702064 } },
    { 1.5,
      0.1,
      10,
      1e6,
      1.6, /* a part of the whole */
      { 11.431097249256288, 12.987575070112193, 14.70903488072338, 16.651632235603085,
        18.900755310416063, 21.59770911632595, 25.00513133954093, 29.708501447451333,
        37.56200528953336 } },
    { 1.5,
      1,
      10,
      1e6,
      2.0, /* upper tail */
      { 10.110370725767126, 10.233692952161688, 10.373427194295006, 10.534639536491413,
        10.725180467611581, 10.958194788606734, 11.258308737057918, 11.680764452302805,
        12.401630839274086 } },
    { 1.5,
      0.001,
      0,
      1,
      1.6, /* power law from 0 */
      { 0.21537586744951495, 0.3419051819803204, 0.448041551794341, 0.5427842551913339,
        0.6298672729340948, 0.7112965226768408, 0.7883067686235371, 0.8617262181083497,
        0.9321444537679444 } },
    { 0.5,
      0,
      1e-12,
      1e12,
      0.6, /* power law over all */
      { 10000000000.18, 40000000000.32, 90000000000.42, 160000000000.48, 250000000000.5,
        360000000000.48, 490000000000.42, 640000000000.32, 810000000000.18 } },
    { 0.5,
      2,
      0,
      1e12,
      0.6, /* whole, shape below 1 */
      { 0.003947693523357806, 0.016046188666825396, 0.037117965458136365, 0.06874897443211402,
        0.1137341057798932, 0.17708157520019846, 0.2685485427143963, 0.4105936037874541,
        0.6763858635238537 } },
    { 0.5,
      2,
      0,
      0.4,
      0.6, /* from 0, both tails */
      { 0.002484531481259137, 0.01003838942503926, 0.022975893220859505, 0.041869974106812924,
        0.06764177685556812, 0.10172755984149115, 0.14639574911759684, 0.2053916140889368,
        0.28540190003161686 } },
    { 2.385,
      4,
      0.1,
      1,
      2.485, /* both tails, mode inside */
      { 0.1966340638450264, 0.26859823217186657, 0.3346468463131928, 0.399971245714378,
        0.467621637917701, 0.5403686396113329, 0.6216269236431876, 0.7166297851998293,
        0.8350902582327305 } },
    { 0.5,
      1,
      1e-12,
      0.001,
      0.6, /* lower part, shape below 1 */
      { 9.99909411057038e-6, 3.998452815140908e-5, 8.995870043873858e-5, 0.000159925606854832,
        0.00024989084288657223, 0.00035986160508016935, 0.0004898466929128243,
        0.0006398565110823529, 0.0008099030722160125 } },
    { 0.5,
      1,
      30,
      1e12,
      2.5, /* upper tail, shape below 1 */
      { 30.103688493760192, 30.219608867812664, 30.351036787244855, 30.502769981899014,
        30.68224705280848, 30.901930804134434, 31.185186964738207, 31.58447896629965,
        32.26724415061107 } },
    { 0.02,
      0.001,
      1e-12,
      1e12,
      0.12, /* long tail below the mode */
      { 1.0381880674452792e-10, 7.263375792967642e-9, 3.643031567775454e-7, 1.3748682565186536e-5,
        0.00040576254449685016, 0.009661631010364883, 0.19045431315000624, 3.183183563892005,
        47.672926805693685 } },
    { 1,
      3,
      0.25,
      0.875,
      1.1, /* exponential */
      { 0.27948820595597357, 0.31184049301527045, 0.34767365967087627, 0.3878280650352649,
        0.4334907076514479, 0.486416726835541, 0.5493620838480011, 0.6270272816688214,
        0.7284676004199722 } },
    { 2.385,
      0.7,
      3,
      3.000001,
      500002.385, /* narrow: uniform */
      { 3.000000099999989, 3.000000199999981, 3.000000299999975, 3.0000003999999714,
        3.0000004999999703, 3.0000005999999715, 3.000000699999975, 3.000000799999981,
        3.000000899999989 } },
    { 2.385,
      1e6,
      1,
      2,
      50002.385, /* upper tail far out */
      { 1.0000001053606615, 1.0000002231438603, 1.0000003566754379, 1.0000005108263312,
        1.0000006931481407, 1.000000916292001, 1.000001203974472, 1.0000016094401416,
        1.000002302588282 } },
    { 300,
      1e-12,
      1e-12,
      1e12,
      310.0, /* mode far above high */
      { 992328805898.9133, 994631833094.9894, 995981502832.8412, 996940222988.7426,
        997684501709.1614, 998293035528.8625, 998807834074.8501, 999253988150.2579,
        999647689904.405 } },
    { 5000,
      0,
      1,
      2,
      5200.0, /* steep power law */
      { 1.9990791780061756, 1.999356328435526, 1.9995184688556364, 1.9996335172887472,
        1.9997227603450085, 1.999795680187851, 1.999857335110984, 1.9999107445711666,
        1.9999578562377673 } },
    { 5000,
      1,
      1e-12,
      9500,
      5003.0, /* nearly normal, both tails */
      { 4909.59744092241, 4940.393249812012, 4962.679004917484, 4981.774410248399,
        4999.666670617572, 5017.60172059519, 5036.8376658534025, 5059.412305764864,
        5090.830806915189 } },
    { 5000,
      1,
      5500,
      1e12,
      5020.0, /* upper tail, 7 sd */
      { 5501.1338285750835, 5502.398701970021, 5503.829351020066, 5505.476527294316,
        5507.418710104963, 5509.78697657437, 5512.826141637122, 5517.0831758392915,
        5524.290846607303 } },
    { 5000,
      1,
      1,
      4400,
      5030.0, /* lower tail, 8 sd */
      { 4383.564255010456, 4388.4601144844855, 4391.344393473471, 4393.40009777096,
        4394.999986492626, 4396.31069633447, 4397.4213619609955, 4398.38530874078,
        4399.23699833388 } },
    { 5000,
      1,
      4900,
      5100,
      5005.0, /* 1.4 sd on each side */
      { 4930.315443127533, 4951.347540051312, 4968.774046084805, 4984.507340512925,
        4999.544029181974, 5014.605298154744, 5030.4162378868, 5047.98734351573,
        5069.2640462591 } },
    { 5000,
      2e-9,
      1e-12,
      1e12,
      5100.0, /* mode 2.5 times high */
      { 999233132197.5095, 999463879326.8225, 999598898888.6473, 999694715219.0109,
        999769046675.3545, 999829786732.2711, 999881146515.0767, 999925639935.524,
        999964888651.8485 } },
};

enum { GAMMA_LAWS = sizeof gamma_laws / sizeof *gamma_laws };

static double gamma_fit(const gamma_law *law, double shape)
{
    size_t count[BINS] = { 0 };
    gsl_rng *rng = random_numbers(100 + (unsigned long)(law - gamma_laws));
    for (size_t i = 0; i < DRAWS; i++) {
        const double x = rvm_truncated_gamma(rng, shape, law->rate, law->low, law->high);
        if (!(law->low <= x && x <= law->high))
            ck_abort_msg("drew %g", x);
        count[bin(law->decile, x)]++;
    }
    gsl_rng_free(rng);
    return fit(count);
}

START_TEST(gamma_deciles)
    {
        const gamma_law *law = &gamma_laws[_i];
        ck_assert_double_gt(gamma_fit(law, law->shape), believed);
    }
END_TEST

START_TEST(gamma_deciles_tell_shapes_apart)
    {
        const gamma_law *law = &gamma_laws[_i];
        ck_assert_double_lt(gamma_fit(law, law->wrong), refused);
    }
END_TEST

/* Far above the mode x - low is exponential, of rate `rate` - (shape - 1) / low; far below it high
 * - x is, of rate (shape - 1) / high - rate. Both to parts of shape / (rate low)^2 or 1 / shape. */
START_TEST(gamma_tail_mean)
    {
        double above = 0, below = 0;
        gsl_rng *rng = random_numbers(7);
        for (size_t i = 0; i < DRAWS; i++) {
            above += rvm_truncated_gamma(rng, 2.385, 1e5, 0.75, 1e12) - 0.75;
            below += 0.75 - rvm_truncated_gamma(rng, 5000, 20, 1e-12, 0.75);
        }
        check_close(above / DRAWS * (1e5 - 1.385 / 0.75), 1, 5 / sqrt(DRAWS));
        check_close(below / DRAWS * (4999 / 0.75 - 20), 1, 5 / sqrt(DRAWS));
        gsl_rng_free(rng);
    }
END_TEST

/* Also where a product or a quotient of the arguments is out of range, or no number is between. */
START_TEST(gamma_stays_in_its_interval)
    {
        gsl_rng *rng = random_numbers(8);
        for (size_t i = 0; i < DRAWS; i++) {
            const double shape = pow(10, gsl_ran_flat(rng, -1, 4));
            const double rate = i % 5 == 0 ? 0 : pow(10, gsl_ran_flat(rng, -300, 300));
            const double low = i % 7 == 0 ? 0 : pow(10, gsl_ran_flat(rng, -12, 12));
            const double high =
                i % 3 == 0 ? nextafter(low, 1e13) : low + pow(10, gsl_ran_flat(rng, -12, 12));
            if (low < high) {
                const double x = rvm_truncated_gamma(rng, shape, rate, low, high);
                if (!(low <= x && x <= high))
                    ck_abort_msg("drew %g", x);
            }
        }
        gsl_rng_free(rng);
    }
END_TEST

Suite *truncated_suite(void)
{
    Suite *s = suite_create("truncated");
    TCase *c = tcase_create("truncated");
    tcase_add_loop_test(c, normal_deciles, 0, NORMAL_LAWS);
    tcase_add_loop_test(c, normal_deciles_tell_means_apart, 0, NORMAL_LAWS);
    tcase_add_test(c, normal_tail_mean);
    tcase_add_test(c, normal_has_the_sign_asked_for);
    tcase_add_loop_test(c, gamma_deciles, 0, GAMMA_LAWS);
    tcase_add_loop_test(c, gamma_deciles_tell_shapes_apart, 0, GAMMA_LAWS);
    tcase_add_test(c, gamma_tail_mean);
    tcase_add_test(c, gamma_stays_in_its_interval);
    suite_add_tcase(s, c);
    return s;
}

/* attn_quantile: its ends, GSL's, and operations that are not fused. */
#include "attn_quantile.h"
#include "near.h"
#include <gsl/gsl_statistics_double.h>

static const double sample[7] = {-3, -0.5, 0, 0.1, 0.7, 2, 1e300};

Test(quantile, its_ends_and_its_middle_are_of_the_sample)
{
    cr_assert_eq(attn_quantile(sample, 7, 0), -3);
    cr_assert_eq(attn_quantile(sample, 7, 0.5), 0.1);
    cr_assert_eq(attn_quantile(sample, 7, 1), 1e300);
    cr_assert_eq(attn_quantile(sample, 4, 0.5), -0.25);
    for (int i = 0; i <= 4; i++)
        cr_assert_eq(attn_quantile(sample + 4, 1, i / 4.0), 0.7);
}

Test(quantile, it_is_gsls)
{
    size_t cases = 0;

    for (size_t n = 1; n <= 6; n++) {
        for (int i = 0; i <= 100; i++, cases++) {
            const double share = i / 100.0;
            cr_near(attn_quantile(sample, n, share),
                    gsl_stats_quantile_from_sorted_data(sample, 1, n, share),
                    4e-16, 4e-16);
        }
    }
    cr_assert_eq(cases, 606);
}

/* Shares of 1024 with 48 and 8 of them, as head_training has. */
Test(quantile, its_operations_are_not_fused)
{
    size_t telling = 0;

    for (size_t n = 8; n <= 48; n += 40) {
        const double place = 0.9 * (double)(n - 1);
        const size_t i = (size_t)place;
        const double delta = place - (double)i;

        for (int k = 1; k < 1000; k++) {
            double x[48] = {0};
            x[i] = k / 1024.0;
            x[i + 1] = (k + 24) / 1024.0;
            const volatile double left = (1 - delta) * x[i];
            const volatile double right = delta * x[i + 1];

            cr_assert_eq(attn_quantile(x, n, 0.9), left + right);
            telling += fma(delta, x[i + 1], left) != left + right;
        }
    }
    cr_assert_gt(telling, 0);
}

Test(quantile, of_nothing_or_of_no_share_there_is_none)
{
    cr_assert(isnan(attn_quantile(sample, 0, 0.5)));
    cr_assert(isnan(attn_quantile(sample, 7, -1e-9)));
    cr_assert(isnan(attn_quantile(sample, 7, 1 + 1e-9)));
    cr_assert(isnan(attn_quantile(sample, 7, NAN)));
}

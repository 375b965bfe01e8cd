/* attn_moments: against sums in two passes, and merging in any partition. */
#include "attn_moments.h"
#include "attn_rng.h"
#include "near.h"

enum { N = 1000 };

static double xs[N];

static void draw(double offset)
{
    attn_rng g;

    attn_rng_set(&g, 3, attn_rng_experiment("test.moments", 0), 0);
    for (size_t i = 0; i < N; i++) {
        const double u = attn_rng_uniform(&g);
        xs[i] = offset + u * u; /* skewed */
    }
}

static attn_moments of(size_t from, size_t to)
{
    attn_moments m = {0};

    for (size_t i = from; i < to; i++)
        attn_moments_add(&m, xs[i]);
    return m;
}

static attn_moments two_passes(void)
{
    attn_moments m = {.n = N};
    double sum = 0;

    for (size_t i = 0; i < N; i++)
        sum += xs[i];
    m.mean = sum / N;
    for (size_t i = 0; i < N; i++) {
        const double d = xs[i] - m.mean;
        m.M2 += d * d;
        m.M3 += d * d * d;
        m.M4 += d * d * d * d;
    }
    return m;
}

static void cr_moments_near(attn_moments got, attn_moments want, double rtol)
{
    cr_assert_eq(got.n, want.n);
    cr_near(got.mean, want.mean, rtol, 0);
    cr_near(got.M2, want.M2, rtol, 0);
    cr_near(got.M3, want.M3, rtol, 0);
    cr_near(got.M4, want.M4, rtol, 0);
}

Test(moments, adding_one_by_one_agrees_with_two_passes)
{
    draw(0);
    cr_moments_near(of(0, N), two_passes(), 1e-12);
}

Test(moments, a_large_mean_does_not_cancel)
{
    /* Each value is known to eps 1e8, so M2 to eps mean/sd = 7e-8; a difference
     * of power sums would keep no digit. */
    draw(1e8);
    cr_near(of(0, N).M2, two_passes().M2, 7e-8, 0);
}

Test(moments, merging_any_two_parts_agrees_with_the_whole)
{
    static const size_t cuts[] = {0, 1, 2, 7, 500, 999, 1000};
    size_t ran = 0;

    draw(0);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++, ran++) {
        attn_moments m = of(0, cuts[i]);
        const attn_moments rest = of(cuts[i], N);
        attn_moments_merge(&m, &rest);
        cr_moments_near(m, two_passes(), 1e-12);
    }
    cr_assert_eq(ran, 7);
}

Test(moments, two_values_by_hand)
{
    attn_moments m = {0};

    attn_moments_add(&m, 1);
    attn_moments_add(&m, 4);
    cr_near(m.mean, 2.5, 0, 0);
    cr_near(m.M2, 4.5, 0, 0);
    cr_near(m.M3, 0, 0, 0);
    cr_near(m.M4, 10.125, 0, 0);
    cr_near(attn_moments_variance(&m), 4.5, 0, 0);
    cr_near(attn_moments_se(&m), 1.5, 0, 0);
}

Test(moments, one_value_has_no_variance)
{
    attn_moments m = {0};

    cr_assert(isnan(attn_moments_variance(&m)));
    attn_moments_add(&m, 7);
    cr_near(m.mean, 7, 0, 0);
    cr_assert(isnan(attn_moments_variance(&m)));
    cr_assert(isnan(attn_moments_se(&m)));
}

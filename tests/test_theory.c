/* attn_theory: closed forms, limits, identities, and simulation. */
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_theory.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>

/* ---- one score ---- */

Test(theory, moments_of_a_score_by_the_lectures_formula)
{
    static const double m[] = {9, 81 / 25.0, 1, 36, 81 / 4.0};
    size_t ran = 0;

    for (int law = 0; law < ATTN_SAMPLE_LAWS; law++)
        for (size_t d = 1; d <= 100; d += 33, ran++) {
            const attn_theory_score s =
                attn_theory_score_of((attn_sample_law)law, d, 1, 0);
            const double n = (double)d;
            cr_near(s.mean, 0, 0, 0);
            cr_near(s.variance, n, 0, 0);
            cr_near(s.mu4, n * m[law] + 3 * n * (n - 1), 1e-14, 0);
        }
    cr_assert_eq(ran, 20);
}

Test(theory, broken_hypotheses_scale_and_shift_the_law)
{
    const attn_theory_score v =
        attn_theory_score_of(ATTN_SAMPLE_LAPLACE, 3, 2, 0);
    const attn_theory_score c =
        attn_theory_score_of(ATTN_SAMPLE_NORMAL, 3, 1, -0.5);
    /* q k with rho = 1 is a chi^2 of one degree: mu4 = 60 */
    const attn_theory_score one =
        attn_theory_score_of(ATTN_SAMPLE_NORMAL, 1, 1, 1);

    cr_near(v.variance, 12, 0, 0);
    cr_near(v.mu4, 16 * (3 * 36 + 18), 1e-14, 0);
    cr_near(c.mean, -1.5, 0, 0);
    cr_near(c.variance, 3.75, 1e-15, 0);
    cr_near(one.mean, 1, 0, 0);
    cr_near(one.variance, 2, 0, 0);
    cr_near(one.mu4, 60, 1e-15, 0);
}

Test(theory, variance_of_the_sample_variance_of_normals)
{
    /* mu4 = 3 sigma^4 gives 2 sigma^4/(N - 1) */
    cr_near(attn_theory_variance_of_variance(4, 48, 11), 2 * 16 / 10.0, 1e-15,
            0);
    /* N = 2: s^2 = (x - y)^2/2, Var = (mu4 + sigma^4)/2 */
    cr_near(attn_theory_variance_of_variance(1, 3, 2), 2, 1e-15, 0);
}

Test(theory, pooling_dependent_scores_by_the_reference)
{
    cr_near(attn_theory_pooling_factor(64, 4), 4.3589, 0, 5e-5);
    cr_near(attn_theory_pooling_factor(1, 4), 1, 0, 0);
    /* the factor is the ratio to n^2 independent scores */
    const double d = 5, n = 7, naive = (2 * d * d + 6 * d) / (n * n);
    cr_near(sqrt(attn_theory_layer_variance(7, 5) / naive),
            attn_theory_pooling_factor(7, 5), 1e-14, 0);
}

Test(theory, tail_of_a_score_by_the_reference)
{
    attn_theory_value p;

    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_NORMAL, 64, 8, &p), 0);
    cr_near(p.value, 0.313576, 0, 5e-7);
    cr_assert_lt(p.error, 1e-9);
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_RADEMACHER, 64, 8, &p), 0);
    cr_near(p.value, 0.260435, 0, 5e-7);
}

Test(theory, tail_of_a_score_by_closed_forms)
{
    attn_theory_value p;

    /* d = 2: a sum of two products of normals is Laplace, P = e^{-x} */
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_NORMAL, 2, 1.3, &p), 0);
    cr_near(p.value, exp(-1.3), 1e-11, 0);
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_NORMAL, 64, 0, &p), 0);
    cr_near(p.value, 1, 1e-11, 0);
    /* three signs: |sum| is 1 or 3 */
    attn_theory_tail(ATTN_SAMPLE_RADEMACHER, 3, 0.5, &p);
    cr_near(p.value, 1, 1e-14, 0);
    attn_theory_tail(ATTN_SAMPLE_RADEMACHER, 3, 1, &p);
    cr_near(p.value, 0.25, 1e-14, 0);
    attn_theory_tail(ATTN_SAMPLE_RADEMACHER, 3, 3, &p);
    cr_near(p.value, 0, 0, 0);
}

Test(theory, tails_that_cannot_be_had_are_refused)
{
    attn_theory_value p;

    gsl_set_error_handler_off();
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_LAPLACE, 64, 8, &p), GSL_EUNIMPL);
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_NORMAL, 0, 8, &p), GSL_EINVAL);
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_NORMAL, 64, -1, &p), GSL_EINVAL);
    cr_assert_eq(attn_theory_tail(ATTN_SAMPLE_NORMAL, 64, NAN, &p), GSL_EINVAL);
}

Test(theory, largest_of_n_normals)
{
    attn_theory_value m;

    attn_theory_max_normal(1, &m);
    cr_near(m.value, 0, 0, 1e-12);
    attn_theory_max_normal(2, &m);
    cr_near(m.value, 1 / sqrt(M_PI), 1e-11, 0);
    attn_theory_max_normal(3, &m);
    cr_near(m.value, 1.5 / sqrt(M_PI), 1e-11, 0);
    attn_theory_max_normal(16, &m);
    cr_near(m.value, 1.76599, 0, 5e-6);
    attn_theory_max_normal(64, &m);
    cr_near(m.value, 2.34373, 0, 5e-6);
    gsl_set_error_handler_off();
    cr_assert_eq(attn_theory_max_normal(0, &m), GSL_EINVAL);
}

/* ---- the softmax of normal scores ---- */

Test(theory, the_weights_sum_to_one_whatever_sigma)
{
    static const unsigned one[] = {1, 1, 1, 1};
    size_t ran = 0;

    for (double sigma = 1e-3; sigma < 40; sigma *= 2.7)
        for (size_t count = 1; count <= 4; count++, ran++) {
            attn_theory_value v;
            cr_assert_eq(attn_theory_power_sums(7, sigma, one, count, &v), 0);
            cr_near(v.value, 1, 0, 1e-12);
            cr_assert_lt(v.error, 1e-9);
        }
    cr_assert_eq(ran, 44);
}

/* n = 2: a = 1/(1 + e^-x), x ~ N(0, 2 sigma^2); tr J = 2 a (1-a), |J| the same
 * for the 2 x 2 matrix a (1-a) [[1, -1], [-1, 1]]. */
typedef struct {
    double sigma;
    int power;
} pair;

static double pair_integrand(double z, void *context)
{
    const pair *p = context;
    const double x = M_SQRT2 * p->sigma * z, c = cosh(x / 2);

    return gsl_ran_ugaussian_pdf(z) * gsl_pow_int(1 / (2 * c * c), p->power);
}

static double pair_mean(double sigma, int power)
{
    pair p = {sigma, power};
    gsl_function f = {pair_integrand, &p};
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    double breaks[] = {-12, -1 / sigma, 0, 1 / sigma, 12}, value, error;

    if (sigma < 0.2) {
        breaks[1] = -1;
        breaks[3] = 1;
    }
    gsl_integration_qagp(&f, breaks, 5, 1e-14, 1e-12, 1000, w, &value, &error);
    gsl_integration_workspace_free(w);
    return value;
}

Test(theory, two_keys_by_a_single_integral)
{
    size_t ran = 0;

    for (double sigma = 0.01; sigma < 30; sigma *= 2, ran++) {
        attn_theory_jacobian J;
        cr_assert_eq(attn_theory_jacobian_at(2, sigma, &J), 0);
        cr_near(J.trace.value, pair_mean(sigma, 1), 1e-10, 1e-11);
        cr_near(J.trace2.value, pair_mean(sigma, 2), 1e-10, 1e-11);
        cr_near(J.frobenius2.value, pair_mean(sigma, 2), 1e-10, 1e-11);
        cr_near(J.frobenius4.value, pair_mean(sigma, 4), 1e-9, 1e-10);
        cr_assert_lt(J.trace.error, 1e-9);
        cr_assert_lt(J.frobenius2.error, 1e-9);
        cr_assert_lt(J.frobenius4.error, 1e-9);
    }
    cr_assert_eq(ran, 12);
}

Test(theory, small_sigma_gives_uniform_weights)
{
    attn_theory_jacobian J;
    const double n = 9;

    attn_theory_jacobian_at(9, 1e-5, &J);
    cr_near(J.squares.value, 1 / n, 1e-8, 0);
    cr_near(J.trace.value, 1 - 1 / n, 1e-8, 0);
    cr_near(J.frobenius2.value, (n - 1) / (n * n), 1e-8, 0);
}

Test(theory, large_sigma_approaches_the_largest_of_n)
{
    attn_theory_jacobian J;
    attn_theory_value m;

    attn_theory_jacobian_at(16, 2000, &J);
    attn_theory_max_normal(16, &m);
    cr_near(2000 * J.trace.value, m.value, 1e-5, 0);
}

Test(theory, one_key_has_no_gradient)
{
    attn_theory_jacobian J;

    attn_theory_jacobian_at(1, 3, &J);
    cr_near(J.trace.value, 0, 0, 1e-12);
    cr_near(J.frobenius2.value, 0, 0, 1e-12);
}

Test(theory, a_fresh_head_by_the_reference)
{
    static const size_t n[] = {16, 64};
    attn_theory_jacobian J[2];

    cr_assert_eq(attn_theory_fresh_head(n, 2, 256, 1 / 16.0, J), 0);
    cr_near(J[0].trace.value, 0.86755, 0, 5e-6);
    cr_near(J[1].trace.value, 0.96114, 0, 5e-6);
    cr_near(sqrt(J[0].frobenius2.value), 0.30566, 0, 5e-6);
    cr_near(sqrt(J[1].frobenius2.value), 0.18462, 0, 5e-6);
    cr_assert_eq(attn_theory_fresh_head(n, 2, 256, 1, J), 0);
    cr_near(J[0].trace.value, 0.11031, 0, 5e-6);
    cr_near(J[1].trace.value, 0.14637, 0, 5e-6);
    cr_near(sqrt(J[0].frobenius2.value), 0.18357, 0, 5e-6);
    cr_near(sqrt(J[1].frobenius2.value), 0.20681, 0, 5e-6);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_lt(J[i].trace.error, 1e-9);
        cr_assert_lt(J[i].frobenius2.error, 1e-9);
        cr_assert_lt(J[i].frobenius4.error, 1e-9);
        cr_assert_lt(J[i].stein2.error, 1e-9);
    }
}

/* Means of one simulation, with their standard errors from the spread. */
typedef struct {
    double sum[6], square[6];
} simulation;

Test(theory, every_moment_agrees_with_simulation)
{
    enum { N = 200000, n = 5 };
    const double sigma = 2.5;
    simulation m = {{0}, {0}};
    attn_theory_jacobian J;
    attn_rng g;

    attn_rng_set(&g, 5, attn_rng_experiment("test.theory", 0), 0);
    for (size_t i = 0; i < N; i++) {
        double s[n], a[n];
        gsl_vector_view S = gsl_vector_view_array(s, n);
        gsl_vector_view A = gsl_vector_view_array(a, n);
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, s, n);
        gsl_vector_scale(&S.vector, sigma);
        attn_softmax(&S.vector, &A.vector);
        const double t = attn_softmax_trace(&A.vector);
        const double f = gsl_pow_2(attn_softmax_frobenius(&A.vector));
        double stein = t;
        for (size_t j = 0; j < n; j++)
            stein -= a[j] * s[j] / (sigma * sigma);
        const double x[6] = {1 - t, t, t * t, f, f * f, stein * stein};
        for (size_t k = 0; k < 6; k++) {
            m.sum[k] += x[k];
            m.square[k] += x[k] * x[k];
        }
    }
    attn_theory_jacobian_at(n, sigma, &J);
    const double want[6] = {J.squares.value,    J.trace.value,
                            J.trace2.value,     J.frobenius2.value,
                            J.frobenius4.value, J.stein2.value};
    for (size_t k = 0; k < 6; k++) {
        const double mean = m.sum[k] / N;
        const double se = sqrt((m.square[k] / N - mean * mean) / N);
        cr_near(mean, want[k], 0, 4.5 * se);
        cr_assert_lt(se, 0.02 * want[k], "the simulation can tell");
    }
}

Test(theory, impossible_heads_are_refused)
{
    static const size_t n[] = {4, 0};
    static const unsigned nine[] = {9}, none[] = {0}, five[] = {1, 1, 1, 1, 1};
    attn_theory_jacobian J[2];
    attn_theory_value v;

    gsl_set_error_handler_off();
    cr_assert_eq(attn_theory_jacobian_at(0, 1, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_jacobian_at(2000000000, 1, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_jacobian_at(4, 0, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_jacobian_at(4, NAN, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_fresh_head(n, 2, 8, 1, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_fresh_head(n, 1, 0, 1, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_fresh_head(n, 1, 8, -1, J), GSL_EINVAL);
    cr_assert_eq(attn_theory_power_sums(4, 1, nine, 1, &v), GSL_EINVAL);
    cr_assert_eq(attn_theory_power_sums(4, 1, none, 1, &v), GSL_EINVAL);
    cr_assert_eq(attn_theory_power_sums(4, 1, five, 5, &v), GSL_EINVAL);
    cr_assert_eq(attn_theory_power_sums(4, 1, five, 0, &v), GSL_EINVAL);
}

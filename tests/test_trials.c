/* attn_pairs, attn_fresh, attn_permutation: what is drawn is what is said. */
#include "attn_fresh.h"
#include "attn_pairs.h"
#include "attn_permutation.h"
#include "attn_product.h"
#include "attn_theory.h"
#include "near.h"
#include <gsl/gsl_errno.h>

static attn_blocks job_of(size_t trials, size_t per_block)
{
    return (attn_blocks){.trials = trials,
                         .per_block = per_block,
                         .seed = 3,
                         .experiment = attn_rng_experiment("test.trials", 0),
                         .threads = 2};
}

Test(pairs, every_law_spreads_as_predicted)
{
    enum { N = 40000 };
    size_t ran = 0;

    for (size_t law = 0; law < ATTN_SAMPLE_LAWS; law++)
        for (size_t d = 5; d <= 5000; d *= 1000, ran++) {
            const size_t n = d == 5 ? N : 500; /* chunks of many, and of one */
            const attn_pairs p = {(attn_sample_law)law, d, 1, 0};
            const attn_theory_score want = attn_theory_score_of(p.law, d, 1, 0);
            attn_pairs_sample m;
            cr_assert_eq(attn_pairs_measure(job_of(n, 7), &p, &m), 0);
            cr_assert_eq(m.scores.n, n);
            cr_near(m.scores.mean, 0, 0, 4.5 * sqrt(want.variance / (double)n));
            cr_near(attn_moments_variance(&m.scores), want.variance, 0,
                    4.5 * sqrt(attn_theory_variance_of_variance(want.variance,
                                                                want.mu4, n)));
        }
    cr_assert_eq(ran, 2 * ATTN_SAMPLE_LAWS);
}

Test(pairs, correlated_and_scaled_entries_follow_their_law)
{
    enum { N = 100000, D = 9 };
    static const double settings[][2] = {{2, 0}, {1, 0.4}, {0.5, -0.8}, {1, 1}};
    size_t ran = 0;

    for (size_t i = 0; i < 4; i++, ran++) {
        const attn_pairs p = {ATTN_SAMPLE_NORMAL, D, settings[i][0],
                              settings[i][1]};
        const attn_theory_score want =
            attn_theory_score_of(p.law, D, p.v, p.rho);
        attn_pairs_sample m;
        attn_pairs_measure(job_of(N, 64), &p, &m);
        cr_near(m.scores.mean, want.mean, 0, 4.5 * sqrt(want.variance / N));
        cr_near(attn_moments_variance(&m.scores), want.variance, 0,
                4.5 * sqrt(attn_theory_variance_of_variance(want.variance,
                                                            want.mu4, N)));
        /* the fourth moment itself, roughly: it has a wide spread */
        cr_near(m.scores.M4 / N, want.mu4, 0.15, 0);
    }
    cr_assert_eq(ran, 4);
}

Test(pairs, the_share_beyond_eight_is_counted)
{
    enum { N = 40000 };
    const attn_pairs p = {ATTN_SAMPLE_NORMAL, 64, 1, 0};
    attn_theory_value tail;
    attn_pairs_sample m;

    attn_theory_tail(ATTN_SAMPLE_NORMAL, 64, 8, &tail);
    attn_pairs_measure(job_of(N, 64), &p, &m);
    cr_near((double)m.routine / N, tail.value, 0,
            4.5 * sqrt(tail.value * (1 - tail.value) / N));
}

Test(fresh, a_heads_jacobian_is_as_predicted)
{
    enum { N = 30000 };
    const attn_fresh head = {6, 10, 0.7, NULL};
    attn_theory_jacobian J;
    attn_fresh_sample m;

    attn_theory_fresh_head(&head.n, 1, head.d_k, head.scale, &J);
    cr_assert_eq(attn_fresh_measure(job_of(N, 32), &head, &m), 0);
    cr_assert_eq(m.trace.n, N);
    cr_near(m.trace.mean, J.trace.value, 0, 4.5 * attn_moments_se(&m.trace));
    cr_near(m.squares.mean, J.squares.value, 0,
            4.5 * attn_moments_se(&m.squares));
    cr_near(m.frobenius2.mean, J.frobenius2.value, 0,
            4.5 * attn_moments_se(&m.frobenius2));
    cr_near(m.stein.mean, 0, 0, 4.5 * attn_moments_se(&m.stein));
    /* second moments, by the spread of the sample */
    cr_near(attn_moments_variance(&m.trace),
            J.trace2.value - J.trace.value * J.trace.value, 0.05, 0);
    cr_near(attn_moments_variance(&m.frobenius2),
            J.frobenius4.value - J.frobenius2.value * J.frobenius2.value, 0.05,
            0);
    cr_near(attn_moments_variance(&m.stein), J.stein2.value, 0.05, 0);
    cr_assert_leq(m.largest_entry, 1 + 1e-14);
    cr_assert_leq(m.largest_norm, 1 + 1e-14);
    cr_assert(m.entropy.mean > 0 && m.entropy.mean < log(6));
    cr_assert_leq(m.spectral2.mean, m.frobenius2.mean);
}

Test(fresh, the_norm_of_every_trial_is_kept_in_its_place)
{
    enum { N = 50 };
    double norms[N], again[N];
    attn_fresh_sample m;
    attn_fresh head = {6, 10, 1, norms};

    attn_fresh_measure(job_of(N, 8), &head, &m);
    head.norms = again;
    attn_fresh_measure(job_of(N, 8), &head, &m);
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        cr_near(norms[i], again[i], 0, 0);
        sum += norms[i] * norms[i];
    }
    cr_near(sum / N, m.frobenius2.mean, 1e-12, 0);
}

Test(fresh, one_key_has_no_gradient)
{
    const attn_fresh head = {1, 10, 1, NULL};
    attn_fresh_sample m;

    cr_assert_eq(attn_fresh_measure(job_of(20, 8), &head, &m), 0);
    cr_near(m.trace.mean, 0, 0, 0);
    cr_near(m.largest_entry, 0, 0, 0);
}

Test(permutation, the_matrix_and_the_rows_agree)
{
    enum { N = 5, D = 3 };
    double x[N * D], y[N * D], px[N * D], p[N * N];
    gsl_matrix_view X = gsl_matrix_view_array(x, N, D);
    gsl_matrix_view Y = gsl_matrix_view_array(y, N, D);
    gsl_matrix_view PX = gsl_matrix_view_array(px, N, D);
    gsl_matrix_view P = gsl_matrix_view_array(p, N, N);
    gsl_permutation *q = gsl_permutation_calloc(N);
    size_t ran = 0;

    for (size_t i = 0; i < N * D; i++)
        x[i] = (double)(i * i);
    do {
        attn_permutation_rows(q, &X.matrix, &Y.matrix);
        attn_permutation_matrix(q, &P.matrix);
        attn_product_ab(&P.matrix, &X.matrix, &PX.matrix);
        for (size_t i = 0; i < N * D; i++)
            cr_near(y[i], px[i], 0, 0);
        ran++;
    } while (gsl_permutation_next(q) == GSL_SUCCESS);
    cr_assert_eq(ran, 120);
    gsl_permutation_free(q);
}

Test(permutation, five_of_120_are_shifts)
{
    gsl_permutation *q = gsl_permutation_calloc(5);
    size_t shifts = 0;

    do
        shifts += (size_t)attn_permutation_is_shift(q);
    while (gsl_permutation_next(q) == GSL_SUCCESS);
    cr_assert_eq(shifts, 5);
    attn_permutation_shift(q, 2);
    cr_assert_eq(gsl_permutation_get(q, 0), 2);
    cr_assert_eq(gsl_permutation_get(q, 4), 1);
    gsl_permutation_free(q);
}

Test(permutation, shapes_that_do_not_fit_are_refused)
{
    double room[30];
    gsl_matrix_view X = gsl_matrix_view_array(room, 5, 3);
    gsl_matrix_view Y = gsl_matrix_view_array(room, 3, 5);
    gsl_permutation *q = gsl_permutation_calloc(5);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_permutation_rows(q, &X.matrix, &Y.matrix), GSL_EBADLEN);
    cr_assert_eq(attn_permutation_rows(q, &Y.matrix, &Y.matrix), GSL_EBADLEN);
    cr_assert_eq(attn_permutation_matrix(q, &X.matrix), GSL_EBADLEN);
    gsl_permutation_free(q);
}

/* attn_softmax: against 200-bit arithmetic near saturation, and at the edges.
 */
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "near.h"
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <mpfr.h>

#define EPS 0x1p-52
enum { MOST = 40, BITS = 2400 };

/* ---- the reference: a, tr J, |J|_F and the entropy in BITS bits ---- */

typedef struct {
    double weights[MOST], rest, trace, frobenius, entropy, lse;
} truth;

/* 1 - e^{-690} needs a thousand bits before anything cancels. */
static truth reference(const double *s, size_t n)
{
    truth t;
    mpfr_t a[MOST], Z, x, y, sum;

    mpfr_inits2(BITS, Z, x, y, sum, (mpfr_ptr)0);
    mpfr_set_zero(Z, 1);
    for (size_t j = 0; j < n; j++) {
        mpfr_init2(a[j], BITS);
        mpfr_set_d(a[j], s[j], MPFR_RNDN);
        mpfr_exp(a[j], a[j], MPFR_RNDN);
        mpfr_add(Z, Z, a[j], MPFR_RNDN);
    }
    mpfr_log(x, Z, MPFR_RNDN);
    t.lse = mpfr_get_d(x, MPFR_RNDN);
    size_t p = 0;
    for (size_t j = 0; j < n; j++) {
        mpfr_div(a[j], a[j], Z, MPFR_RNDN);
        t.weights[j] = mpfr_get_d(a[j], MPFR_RNDN);
        p = mpfr_greater_p(a[j], a[p]) ? j : p;
    }
    mpfr_ui_sub(x, 1, a[p], MPFR_RNDN);
    t.rest = mpfr_get_d(x, MPFR_RNDN);

    mpfr_set_zero(sum, 1); /* tr J */
    for (size_t j = 0; j < n; j++) {
        mpfr_ui_sub(x, 1, a[j], MPFR_RNDN);
        mpfr_fma(sum, x, a[j], sum, MPFR_RNDN);
    }
    t.trace = mpfr_get_d(sum, MPFR_RNDN);

    mpfr_set_zero(sum, 1); /* |J|^2, entry by entry */
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < n; l++) {
            mpfr_set_ui(x, j == l, MPFR_RNDN);
            mpfr_sub(x, x, a[l], MPFR_RNDN);
            mpfr_mul(x, x, a[j], MPFR_RNDN);
            mpfr_fma(sum, x, x, sum, MPFR_RNDN);
        }
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    t.frobenius = mpfr_get_d(sum, MPFR_RNDN);

    mpfr_set_zero(sum, 1);
    for (size_t j = 0; j < n; j++) {
        mpfr_log(y, a[j], MPFR_RNDN);
        mpfr_mul(y, y, a[j], MPFR_RNDN);
        mpfr_sub(sum, sum, y, MPFR_RNDN);
        mpfr_clear(a[j]);
    }
    t.entropy = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(Z, x, y, sum, (mpfr_ptr)0);
    return t;
}

static gsl_vector_view view(double *x, size_t n)
{
    return gsl_vector_view_array(x, n);
}

/* n scores: the winner at gap, the runner-up at 0, the others below. */
static void scores_with_gap(attn_rng *g, double *s, size_t n, double gap)
{
    for (size_t j = 0; j < n; j++)
        s[j] = -5 * attn_rng_uniform(g);
    s[n / 2] = gap;
    s[n - 1] = n > 1 ? 0 : gap;
}

Test(softmax, everything_is_right_near_saturation)
{
    static const double gaps[] = {0,  1e-9, 0.1, 1,   4,   8,   16,
                                  25, 36,   40,  100, 360, 500, 690};
    static const size_t sizes[] = {2, 3, 7, 16, 33};
    attn_rng g;
    size_t ran = 0;

    attn_rng_set(&g, 1, attn_rng_experiment("test.softmax", 0), 0);
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++, ran++) {
            const size_t n = sizes[k];
            const double rtol = (8 + gaps[i]) * EPS;
            double s[MOST], a[MOST], lse;
            gsl_vector_view S = view(s, n), A = view(a, n);
            scores_with_gap(&g, s, n, gaps[i]);
            const truth t = reference(s, n);

            cr_assert_eq(attn_softmax(&S.vector, &A.vector), GSL_SUCCESS);
            for (size_t j = 0; j < n; j++)
                cr_near(a[j], t.weights[j], rtol + 5 * EPS, 0);
            cr_near(attn_softmax_rest(&A.vector), t.rest, rtol, 0);
            cr_near(attn_softmax_trace(&A.vector), t.trace, rtol, 0);
            cr_near(attn_softmax_frobenius(&A.vector), t.frobenius, rtol, 0);
            cr_near(attn_softmax_entropy(&A.vector), t.entropy, rtol, 0);
            cr_assert_eq(attn_softmax_lse(&S.vector, &lse), GSL_SUCCESS);
            cr_near(lse, t.lse, 4 * EPS, 4 * EPS);
        }
    cr_assert_eq(ran, 70);
}

Test(softmax, jacobian_entries_are_right_near_saturation)
{
    double s[3] = {30, 0, -2}, a[3], room[9];
    gsl_vector_view S = view(s, 3), A = view(a, 3);
    gsl_matrix_view J = gsl_matrix_view_array(room, 3, 3);
    const truth t = reference(s, 3);

    attn_softmax(&S.vector, &A.vector);
    cr_assert_eq(attn_softmax_jacobian(&A.vector, &J.matrix), GSL_SUCCESS);
    cr_near(room[0], t.weights[0] * t.rest, 40 * EPS, 0);
    cr_near(room[1], -t.weights[0] * t.weights[1], 40 * EPS, 0);
    cr_near(room[5], -t.weights[1] * t.weights[2], 40 * EPS, 0);
    cr_near(room[8], t.weights[2] * (1 - t.weights[2]), 40 * EPS, 0);
}

/* ---- the spectral norm ---- */

static double largest_eigenvalue(const gsl_vector *a)
{
    gsl_matrix *J = gsl_matrix_alloc(a->size, a->size);
    gsl_vector *values = gsl_vector_alloc(a->size);
    gsl_eigen_symm_workspace *w = gsl_eigen_symm_alloc(a->size);

    attn_softmax_jacobian(a, J);
    gsl_eigen_symm(J, values, w);
    const double largest = gsl_vector_max(values);
    cr_assert_geq(gsl_vector_min(values), -4 * EPS, "positive semidefinite");
    gsl_eigen_symm_free(w);
    gsl_vector_free(values);
    gsl_matrix_free(J);
    return largest;
}

Test(softmax, spectral_norm_agrees_with_an_eigenvalue_solver)
{
    attn_rng g;
    size_t ran = 0;

    attn_rng_set(&g, 2, attn_rng_experiment("test.softmax", 1), 0);
    for (size_t n = 2; n <= MOST; n++)
        for (double sd = 0.01; sd < 20; sd *= 2, ran++) {
            double s[MOST], a[MOST];
            gsl_vector_view S = view(s, n), A = view(a, n);
            attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, s, n);
            gsl_vector_scale(&S.vector, sd);
            attn_softmax(&S.vector, &A.vector);
            cr_near(attn_softmax_spectral(&A.vector),
                    largest_eigenvalue(&A.vector), 1e-12, 1e-15);
        }
    cr_assert_eq(ran, 39 * 11);
}

Test(softmax, spectral_norm_of_two_weights_is_twice_their_product)
{
    size_t ran = 0;

    for (double gap = 0; gap <= 690; gap += 10, ran++) {
        double s[2] = {0, gap}, a[2];
        gsl_vector_view S = view(s, 2), A = view(a, 2);
        attn_softmax(&S.vector, &A.vector);
        cr_near(attn_softmax_spectral(&A.vector), 2 * a[0] * a[1], 8 * EPS, 0);
    }
    cr_assert_eq(ran, 70);
}

Test(softmax, spectral_norm_near_ties)
{
    static const double delta[] = {0, 1e-16, 1e-12, 1e-8, 1e-4};
    size_t ran = 0;

    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++, ran++) {
            double s[4] = {delta[i], 0, -delta[j], -3}, a[4];
            gsl_vector_view S = view(s, 4), A = view(a, 4);
            attn_softmax(&S.vector, &A.vector);
            cr_near(attn_softmax_spectral(&A.vector),
                    largest_eigenvalue(&A.vector), 1e-13, 0);
        }
    cr_assert_eq(ran, 25);
}

/* ---- derivatives ---- */

Test(softmax, jacobian_is_the_signed_derivative)
{
    enum { N = 5 };
    const double h = 6e-6;
    double s[N] = {0.3, -1.7, 2.1, 0.9, -0.4}, a[N], up[N], down[N], J[N * N];
    gsl_vector_view S = view(s, N), A = view(a, N);
    gsl_vector_view U = view(up, N), D = view(down, N);
    gsl_matrix_view Jm = gsl_matrix_view_array(J, N, N);

    attn_softmax(&S.vector, &A.vector);
    attn_softmax_jacobian(&A.vector, &Jm.matrix);
    for (size_t l = 0; l < N; l++) {
        const double keep = s[l];
        s[l] = keep + h;
        attn_softmax(&S.vector, &U.vector);
        s[l] = keep - h;
        attn_softmax(&S.vector, &D.vector);
        s[l] = keep;
        for (size_t j = 0; j < N; j++)
            cr_near(J[j * N + l], (up[j] - down[j]) / (2 * h), 0, 2e-10);
    }
}

Test(softmax, jvp_is_the_product_with_the_jacobian)
{
    enum { N = 6 };
    attn_rng g;
    size_t ran = 0;

    attn_rng_set(&g, 3, attn_rng_experiment("test.softmax", 2), 0);
    for (double sd = 0.1; sd < 200; sd *= 3, ran++) {
        double s[N], a[N], x[N], y[N], J[N * N];
        gsl_vector_view S = view(s, N), A = view(a, N);
        gsl_vector_view X = view(x, N), Y = view(y, N);
        gsl_matrix_view Jm = gsl_matrix_view_array(J, N, N);
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, s, N);
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, x, N);
        gsl_vector_scale(&S.vector, sd);
        attn_softmax(&S.vector, &A.vector);
        attn_softmax_jacobian(&A.vector, &Jm.matrix);
        cr_assert_eq(attn_softmax_jvp(&A.vector, &X.vector, &Y.vector), 0);
        const double size = attn_softmax_frobenius(&A.vector);
        for (size_t j = 0; j < N; j++) {
            double want = 0;
            for (size_t l = 0; l < N; l++)
                want += J[j * N + l] * x[l];
            cr_near(y[j], want, 0, 64 * EPS * size);
        }
        cr_assert_eq(attn_softmax_jvp(&A.vector, &X.vector, &X.vector), 0);
        cr_near(x[N - 1], y[N - 1], 0, 0);
    }
    cr_assert_eq(ran, 7);
}

/* ---- edges ---- */

Test(softmax, shifts_change_nothing)
{
    static const double shifts[] = {1e5, -1e5, 1e15, -1e15};
    size_t ran = 0;

    for (size_t i = 0; i < 4; i++, ran++) {
        /* dyadic scores, so that the shift itself is exact */
        double s[3] = {0.5, 2, -1}, t[3], a[3], b[3];
        gsl_vector_view S = view(s, 3), T = view(t, 3), A = view(a, 3),
                        B = view(b, 3);
        for (size_t j = 0; j < 3; j++)
            t[j] = s[j] + shifts[i];
        attn_softmax(&S.vector, &A.vector);
        attn_softmax(&T.vector, &B.vector);
        for (size_t j = 0; j < 3; j++)
            cr_near(a[j], b[j], 0, 0);
    }
    cr_assert_eq(ran, 4);
}

Test(softmax, huge_scores_do_not_overflow)
{
    double s[3] = {1e300, -1e308, 1e300}, a[3], lse;
    gsl_vector_view S = view(s, 3), A = view(a, 3);

    cr_assert_eq(attn_softmax(&S.vector, &A.vector), GSL_SUCCESS);
    cr_near(a[0], 0.5, 0, 0);
    cr_near(a[1], 0, 0, 0);
    cr_near(a[2], 0.5, 0, 0);
    s[0] = 1.7e308;
    s[1] = -1.7e308;
    attn_softmax(&S.vector, &A.vector);
    cr_near(a[0], 1, 0, 0);
    cr_assert_eq(attn_softmax_lse(&S.vector, &lse), GSL_SUCCESS);
    cr_near(lse, 1.7e308, 0, 0);
}

Test(softmax, a_masked_key_weighs_exactly_nothing)
{
    double s[3] = {-INFINITY, -800, -900}, a[3];
    gsl_vector_view S = view(s, 3), A = view(a, 3);

    cr_assert_eq(attn_softmax(&S.vector, &A.vector), GSL_SUCCESS);
    cr_near(a[0], 0, 0, 0);
    cr_near(a[1], 1, 0, 1e-40);
    cr_assert_gt(a[2], 0);
}

Test(softmax, no_key_at_all_gives_zeros_and_says_so)
{
    double s[2] = {-INFINITY, -INFINITY}, a[2] = {7, 7}, lse;
    gsl_vector_view S = view(s, 2), A = view(a, 2);

    cr_assert_eq(attn_softmax(&S.vector, &A.vector), ATTN_SOFTMAX_NO_KEY);
    cr_near(a[0], 0, 0, 0);
    cr_near(a[1], 0, 0, 0);
    cr_assert_eq(attn_softmax_lse(&S.vector, &lse), ATTN_SOFTMAX_NO_KEY);
    cr_assert_eq(lse, -INFINITY);
    cr_near(attn_softmax_entropy(&A.vector), 0, 0, 0);
    cr_near(attn_softmax_trace(&A.vector), 0, 0, 0);
    cr_near(attn_softmax_frobenius(&A.vector), 0, 0, 0);
    cr_near(attn_softmax_spectral(&A.vector), 0, 0, 0);
}

Test(softmax, infinite_scores_share_equally)
{
    double s[4] = {INFINITY, 3, INFINITY, -INFINITY}, a[4], lse;
    gsl_vector_view S = view(s, 4), A = view(a, 4);

    cr_assert_eq(attn_softmax(&S.vector, &A.vector), GSL_SUCCESS);
    cr_near(a[0], 0.5, 0, 0);
    cr_near(a[1], 0, 0, 0);
    cr_near(a[2], 0.5, 0, 0);
    cr_near(a[3], 0, 0, 0);
    cr_assert_eq(attn_softmax_lse(&S.vector, &lse), GSL_SUCCESS);
    cr_assert_eq(lse, INFINITY);
}

Test(softmax, a_nan_is_refused_and_nothing_is_written)
{
    size_t ran = 0;

    gsl_set_error_handler_off();
    for (size_t at = 0; at < 3; at++, ran++) {
        double s[3] = {1, 2, 3}, a[3] = {7, 7, 7}, lse;
        gsl_vector_view S = view(s, 3), A = view(a, 3);
        s[at] = NAN;
        cr_assert_eq(attn_softmax(&S.vector, &A.vector), GSL_EDOM);
        cr_assert_eq(attn_softmax_lse(&S.vector, &lse), GSL_EDOM);
        cr_near(a[at], 7, 0, 0);
    }
    cr_assert_eq(ran, 3);
}

Test(softmax, one_key_has_all_the_weight)
{
    double s[1] = {-3}, a[1], lse;
    gsl_vector_view S = view(s, 1), A = view(a, 1);

    attn_softmax(&S.vector, &A.vector);
    cr_near(a[0], 1, 0, 0);
    attn_softmax_lse(&S.vector, &lse);
    cr_near(lse, -3, 0, 0);
    cr_near(attn_softmax_trace(&A.vector), 0, 0, 0);
    cr_near(attn_softmax_frobenius(&A.vector), 0, 0, 0);
    cr_near(attn_softmax_spectral(&A.vector), 0, 0, 0);
    cr_near(attn_softmax_entropy(&A.vector), 0, 0, 0);
}

Test(softmax, the_extremes_of_the_norms)
{
    double uniform[5] = {0.2, 0.2, 0.2, 0.2, 0.2}, tie[5] = {0, 0.5, 0, 0, 0.5};
    gsl_vector_view U = view(uniform, 5), T = view(tie, 5);

    cr_near(attn_softmax_trace(&U.vector), 0.8, 4 * EPS, 0);
    cr_near(attn_softmax_entropy(&U.vector), log(5), 4 * EPS, 0);
    cr_near(attn_softmax_spectral(&U.vector), 0.2, 4 * EPS, 0);
    cr_near(attn_softmax_frobenius(&U.vector), 0.4, 4 * EPS, 0);
    cr_near(attn_softmax_frobenius(&T.vector), 0.5, 2 * EPS, 0);
    cr_near(attn_softmax_spectral(&T.vector), 0.5, 2 * EPS, 0);
}

Test(softmax, in_place_and_strided_vectors_work)
{
    double s[6] = {1, -9, 2, -9, 4, -9}, a[3], strided[6];
    gsl_vector_view S = gsl_vector_view_array_with_stride(s, 2, 3);
    gsl_vector_view A = view(a, 3);
    gsl_vector_view B = gsl_vector_view_array_with_stride(strided, 2, 3);

    attn_softmax(&S.vector, &A.vector);
    attn_softmax(&S.vector, &B.vector);
    attn_softmax(&S.vector, &S.vector);
    for (size_t j = 0; j < 3; j++) {
        cr_near(s[2 * j], a[j], 0, 0);
        cr_near(strided[2 * j], a[j], 0, 0);
        cr_near(s[2 * j + 1], -9, 0, 0);
    }
}

Test(softmax, unequal_sizes_are_refused)
{
    double s[3] = {1, 2, 3}, a[2], y[3], J[6];
    gsl_vector_view S = view(s, 3), A = view(a, 2), Y = view(y, 3);
    gsl_matrix_view Jm = gsl_matrix_view_array(J, 2, 3);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_softmax(&S.vector, &A.vector), GSL_EBADLEN);
    cr_assert_eq(attn_softmax_jvp(&S.vector, &A.vector, &Y.vector),
                 GSL_EBADLEN);
    cr_assert_eq(attn_softmax_jvp(&S.vector, &Y.vector, &A.vector),
                 GSL_EBADLEN);
    cr_assert_eq(attn_softmax_jacobian(&A.vector, &Jm.matrix), GSL_EBADLEN);
}

/* attn_product: against long double, and the promised order of summation. */
#include "attn_product.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <math.h>

enum { MOST = 70 };

Test(product, dot_agrees_with_long_double_at_every_length)
{
    double x[MOST], y[MOST];
    attn_rng g;
    size_t ran = 0;

    attn_rng_set(&g, 1, attn_rng_experiment("test.product", 0), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, x, MOST);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, y, MOST);
    for (size_t n = 0; n <= MOST; n++, ran++) {
        long double want = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            want += (long double)x[j] * y[j];
            size += fabsl((long double)x[j] * y[j]);
        }
        cr_near(attn_product_dot(x, y, n), (double)want, 0,
                (double)size * (double)n * 0x1p-53);
    }
    cr_assert_eq(ran, MOST + 1);
}

Test(product, dot_adds_its_eight_lanes_in_the_promised_order)
{
    /* Lanes 0 and 4 cancel first; any other order loses the 1. */
    const double x[8] = {1e300, 1, 0, 0, -1e300, 0, 0, 0};
    const double y[8] = {1, 1, 1, 1, 1, 1, 1, 1};

    cr_near(attn_product_dot(x, y, 8), 1, 0, 0);
}

Test(product, matrices_by_hand_with_three_sizes)
{
    double a[6] = {1, 2, 3, 4, 5, 6};                     /* 2 x 3 */
    double b[12] = {1, 0, 2, 1, 0, 1, 1, 3, 2, 1, 0, 1};  /* 3 x 4 */
    double bt[12] = {1, 0, 2, 0, 1, 1, 2, 1, 0, 1, 3, 1}; /* 4 x 3 */
    const double want[8] = {7, 5, 4, 10, 16, 11, 13, 25};
    double c[8], ct[8];
    gsl_matrix_view A = gsl_matrix_view_array(a, 2, 3);
    gsl_matrix_view B = gsl_matrix_view_array(b, 3, 4);
    gsl_matrix_view Bt = gsl_matrix_view_array(bt, 4, 3);
    gsl_matrix_view C = gsl_matrix_view_array(c, 2, 4);
    gsl_matrix_view Ct = gsl_matrix_view_array(ct, 2, 4);

    cr_assert_eq(attn_product_ab(&A.matrix, &B.matrix, &C.matrix), 0);
    cr_assert_eq(attn_product_abt(0.5, &A.matrix, &Bt.matrix, &Ct.matrix), 0);
    for (size_t i = 0; i < 8; i++) {
        cr_near(c[i], want[i], 0, 0);
        cr_near(ct[i], want[i] / 2, 0, 0);
    }
}

Test(product, shapes_that_do_not_fit_are_refused)
{
    double room[64];
    gsl_matrix_view A = gsl_matrix_view_array(room, 2, 3);
    gsl_matrix_view B = gsl_matrix_view_array(room, 4, 2);
    gsl_matrix_view C = gsl_matrix_view_array(room, 2, 4);
    gsl_matrix_view D = gsl_matrix_view_array(room, 3, 4);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_product_ab(&A.matrix, &B.matrix, &C.matrix), GSL_EBADLEN);
    cr_assert_eq(attn_product_ab(&A.matrix, &D.matrix, &D.matrix), GSL_EBADLEN);
    cr_assert_eq(attn_product_abt(1, &A.matrix, &B.matrix, &C.matrix),
                 GSL_EBADLEN);
    cr_assert_eq(attn_product_abt(1, &A.matrix, &D.matrix, &C.matrix),
                 GSL_EBADLEN);
}

Test(product, atb_is_the_transpose_of_the_first_times_the_second)
{
    enum { K = 5, M = 3, N = 4 };
    double a[K * M], b[K * N], c[M * N];
    gsl_matrix_view A = gsl_matrix_view_array(a, K, M);
    gsl_matrix_view B = gsl_matrix_view_array(b, K, N);
    gsl_matrix_view C = gsl_matrix_view_array(c, M, N);

    for (size_t e = 0; e < K * M; e++)
        a[e] = (double)(e * e % 7) - 3;
    for (size_t e = 0; e < K * N; e++)
        b[e] = (double)(e * e * e % 11) - 5;
    cr_assert_eq(attn_product_atb(0.5, &A.matrix, &B.matrix, &C.matrix), 0);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double want = 0;
            for (size_t k = 0; k < K; k++)
                want += 0.5 * a[k * M + i] * b[k * N + j];
            cr_near(c[i * N + j], want, 0, 0); /* integers: exact */
        }
}

Test(product, a_row_of_zeros_in_atb_silences_the_other)
{
    double a[4] = {1, 2, 0, 0}, b[4] = {3, 4, NAN, INFINITY}, c[4];
    gsl_matrix_view A = gsl_matrix_view_array(a, 2, 2);
    gsl_matrix_view B = gsl_matrix_view_array(b, 2, 2);
    gsl_matrix_view C = gsl_matrix_view_array(c, 2, 2);
    gsl_matrix_view bad = gsl_matrix_view_array(c, 1, 2);

    cr_assert_eq(attn_product_atb(1, &A.matrix, &B.matrix, &C.matrix), 0);
    cr_near(c[0], 3, 0, 0);
    cr_near(c[3], 8, 0, 0);
    cr_assert_eq(attn_product_atb(1, &B.matrix, &A.matrix, &C.matrix), 0);
    cr_near(c[0], 3, 0, 0);
    cr_near(c[3], 8, 0, 0);
    gsl_set_error_handler_off();
    cr_assert_eq(attn_product_atb(1, &A.matrix, &B.matrix, &bad.matrix),
                 GSL_EBADLEN);
    cr_assert_eq(attn_product_atb(1, &bad.matrix, &B.matrix, &C.matrix),
                 GSL_EBADLEN);
    cr_assert_eq(attn_product_atb(1, &A.matrix, &bad.matrix, &C.matrix),
                 GSL_EBADLEN);
}

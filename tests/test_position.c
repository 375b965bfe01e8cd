/* attn_position and attn_convolution. */
#include "attn_convolution.h"
#include "attn_position.h"
#include "near.h"
#include <gsl/gsl_errno.h>

Test(position, sinusoids_agree_with_libm)
{
    enum { N = 9, D = 5 };
    double p[N * D];
    gsl_matrix_view P = gsl_matrix_view_array(p, N, D);

    attn_position_sinusoidal(&P.matrix);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
            const double w = pow(10000, -2 * (double)(j / 2) / D);
            const double angle = (double)i * w;
            cr_near(p[i * D + j], j % 2 ? cos(angle) : sin(angle), 1e-13,
                    1e-15);
        }
}

Test(position, the_first_place_is_zeros_and_ones)
{
    double p[4];
    gsl_matrix_view P = gsl_matrix_view_array(p, 1, 4);

    attn_position_sinusoidal(&P.matrix);
    cr_near(p[0], 0, 0, 0);
    cr_near(p[1], 1, 0, 0);
    cr_near(p[2], 0, 0, 0);
    cr_near(p[3], 1, 0, 0);
}

Test(convolution, three_taps_by_hand)
{
    double w[3] = {2, 3, 5}, x[4] = {1, 10, 100, 1000}, o[4];
    gsl_vector_view W = gsl_vector_view_array(w, 3);
    gsl_matrix_view X = gsl_matrix_view_array(x, 4, 1);
    gsl_matrix_view O = gsl_matrix_view_array(o, 4, 1);

    cr_assert_eq(attn_convolution_circular(&W.vector, &X.matrix, &O.matrix), 0);
    cr_near(o[0], 2 * 1000 + 3 * 1 + 5 * 10, 0, 0);
    cr_near(o[1], 2 * 1 + 3 * 10 + 5 * 100, 0, 0);
    cr_near(o[3], 2 * 100 + 3 * 1000 + 5 * 1, 0, 0);
}

Test(convolution, a_kernel_longer_than_the_circle_wraps)
{
    double w[5] = {1, 2, 4, 8, 16}, x[2] = {1, 100}, o[2];
    gsl_vector_view W = gsl_vector_view_array(w, 5);
    gsl_matrix_view X = gsl_matrix_view_array(x, 2, 1);
    gsl_matrix_view O = gsl_matrix_view_array(o, 2, 1);

    attn_convolution_circular(&W.vector, &X.matrix, &O.matrix);
    cr_near(o[0], (1 + 4 + 16) * 1 + (2 + 8) * 100, 0, 0);
    cr_near(o[1], (1 + 4 + 16) * 100 + (2 + 8) * 1, 0, 0);
}

Test(convolution, shapes_that_differ_are_refused)
{
    double w[1] = {1}, room[8];
    gsl_vector_view W = gsl_vector_view_array(w, 1);
    gsl_matrix_view X = gsl_matrix_view_array(room, 4, 2);
    gsl_matrix_view O = gsl_matrix_view_array(room, 2, 4);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_convolution_circular(&W.vector, &X.matrix, &O.matrix),
                 GSL_EBADLEN);
}

Test(convolution, zeros_beyond_both_ends)
{
    double w[4] = {2, 3, 5, 7}, x[4] = {1, 10, 100, 1000}, o[4];
    gsl_vector_view W = gsl_vector_view_array(w, 4);
    gsl_matrix_view X = gsl_matrix_view_array(x, 4, 1);
    gsl_matrix_view O = gsl_matrix_view_array(o, 4, 1);

    /* four taps: one to the left, two to the right */
    cr_assert_eq(attn_convolution_padded(&W.vector, &X.matrix, &O.matrix), 0);
    cr_near(o[0], 3 * 1 + 5 * 10 + 7 * 100, 0, 0);
    cr_near(o[1], 2 * 1 + 3 * 10 + 5 * 100 + 7 * 1000, 0, 0);
    cr_near(o[3], 2 * 100 + 3 * 1000, 0, 0);
}

Test(position, rotary_turns_each_pair_by_its_own_angle)
{
    double x[6 * 4];
    gsl_matrix_view X = gsl_matrix_view_array(x, 6, 4);

    for (size_t i = 0; i < 6; i++) {
        x[4 * i] = 1, x[4 * i + 1] = 0;
        x[4 * i + 2] = 3, x[4 * i + 3] = 4;
    }
    cr_assert_eq(attn_position_rotary(&X.matrix), 0);
    cr_near(x[0], 1, 0, 0);
    cr_near(x[1], 0, 0, 0);
    for (size_t i = 0; i < 6; i++) {
        const double slow = (double)i * 0.01; /* 10000^{-2/4} */
        cr_near(x[4 * i], cos((double)i), 1e-15, 0);
        cr_near(x[4 * i + 1], sin((double)i), 1e-15, 0);
        cr_near(x[4 * i + 2], 3 * cos(slow) - 4 * sin(slow), 1e-14, 0);
        cr_near(x[4 * i + 3], 3 * sin(slow) + 4 * cos(slow), 1e-14, 0);
    }
}

Test(position, rotary_needs_an_even_width)
{
    double x[3];
    gsl_matrix_view X = gsl_matrix_view_array(x, 1, 3);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_position_rotary(&X.matrix), GSL_EBADLEN);
}

Test(convolution, two_kernels_make_one)
{
    double a[2] = {2, 3}, b[3] = {1, 10, 100}, c[4];
    gsl_vector_view A = gsl_vector_view_array(a, 2);
    gsl_vector_view B = gsl_vector_view_array(b, 3);
    gsl_vector_view C = gsl_vector_view_array(c, 4);

    cr_assert_eq(attn_convolution_full(&A.vector, &B.vector, &C.vector), 0);
    cr_near(c[0], 2, 0, 0);
    cr_near(c[1], 23, 0, 0);
    cr_near(c[2], 230, 0, 0);
    cr_near(c[3], 300, 0, 0);
    gsl_set_error_handler_off();
    cr_assert_eq(attn_convolution_full(&A.vector, &B.vector, &B.vector),
                 GSL_EBADLEN);
}

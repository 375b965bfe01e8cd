/* attn_matrix: matrices that may be too large, how large their entries are, and
 * how far two are apart. */
#include "attn_matrix.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <stdint.h>

static void quiet(void)
{
    gsl_set_error_handler_off();
}

TestSuite(matrix, .init = quiet);

Test(matrix, what_is_had_is_zero)
{
    gsl_matrix *M = attn_matrix_calloc(3, 5);

    cr_assert_not_null(M);
    cr_expect_eq(M->size1, 3);
    cr_expect_eq(M->size2, 5);
    cr_expect(gsl_matrix_isnull(M));
    gsl_matrix_free(M);
}

Test(matrix, bytes_beyond_a_size_are_refused)
{
    cr_assert_null(attn_matrix_calloc(SIZE_MAX / 8, 2));
    cr_assert_null(attn_matrix_calloc(2, SIZE_MAX / 8));
    cr_assert_null(attn_matrix_calloc(SIZE_MAX / 16, 1));
}

Test(matrix, the_difference_is_the_largest_be_it_nan)
{
    double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 2.5, 3, 4, 5, 4};
    const gsl_matrix_view A = gsl_matrix_view_array(a, 2, 3),
                          B = gsl_matrix_view_array(b, 2, 3);

    cr_near(attn_matrix_difference(&A.matrix, &A.matrix), 0, 0, 0);
    cr_near(attn_matrix_difference(&A.matrix, &B.matrix), 2, 0, 0);
    cr_near(attn_matrix_difference(&B.matrix, &A.matrix), 2, 0, 0);
    for (size_t k = 0; k < 6; k++) {
        const double kept = a[k];
        a[k] = (double)NAN;
        cr_expect(isnan(attn_matrix_difference(&A.matrix, &B.matrix)));
        a[k] = kept;
    }
}

Test(matrix, the_largest_entry_is_found_of_either_sign_and_be_it_nan)
{
    double room[] = {1, -2, 0.5, 9, 3, -4, -3, 9};
    gsl_matrix_view A =
        gsl_matrix_view_array_with_tda(room, 2, 3, 4); /* 9 is beside it */
    size_t ran = 0;

    cr_near(attn_matrix_largest(&A.matrix), 4, 0, 0);
    gsl_matrix_set(&A.matrix, 0, 0, 5);
    cr_near(attn_matrix_largest(&A.matrix), 5, 0, 0);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++, ran++) {
            const double kept = gsl_matrix_get(&A.matrix, i, j);
            gsl_matrix_set(&A.matrix, i, j, (double)NAN);
            cr_expect(isnan(attn_matrix_largest(&A.matrix)));
            gsl_matrix_set(&A.matrix, i, j, kept);
        }
    cr_assert_eq(ran, 6);
    gsl_matrix_set_zero(&A.matrix);
    cr_near(attn_matrix_largest(&A.matrix), 0, 0, 0);
}

/*
 * Products of vectors and matrices whose sums are taken in one fixed order, so
 * that the same input gives the same bits on every machine: an optimised BLAS
 * does not promise that.
 */
#ifndef ATTN_PRODUCT_H
#define ATTN_PRODUCT_H

#include <gsl/gsl_matrix.h>
#include <stddef.h>

/*
 * sum_j x_j y_j, j < n: eight partial sums (j mod 8) that vectorise, added as
 * ((0+4) + (2+6)) + ((1+5) + (3+7)), then the last n mod 8 terms one by one.
 */
double attn_product_dot(const double *x, const double *y, size_t n);

/* C = A B; (m x k)(k x n) -> m x n. C is neither A nor B. Every entry is summed
 * over k in ascending order. Shapes that do not fit: GSL_EBADLEN. */
int attn_product_ab(const gsl_matrix *A, const gsl_matrix *B, gsl_matrix *C);

/* C = alpha A B^T; (m x k)(n x k) -> m x n, each entry one attn_product_dot.
 * C is neither A nor B. Shapes that do not fit: GSL_EBADLEN. */
int attn_product_abt(double alpha, const gsl_matrix *A, const gsl_matrix *B,
                     gsl_matrix *C);

/*
 * C = alpha A^T B; (k x m)^T (k x n) -> m x n, every entry summed over k in
 * ascending order, then multiplied by alpha. A row k that is all 0 in A or in B
 * is left out, whatever the other holds there (NaN, infinity). C is neither A
 * nor B. Shapes that do not fit: GSL_EBADLEN.
 */
int attn_product_atb(double alpha, const gsl_matrix *A, const gsl_matrix *B,
                     gsl_matrix *C);

#endif

/*
 * What gsl_matrix lacks: matrices that may be too large to be had, how large
 * the entries of one are, and how far two are apart.
 */
#ifndef ATTN_MATRIX_H
#define ATTN_MATRIX_H

#include <gsl/gsl_matrix.h>

/*
 * rows x columns of zeros, for gsl_matrix_free. NULL with GSL_ENOMEM when the
 * bytes overflow a size or cannot be had; gsl_matrix_calloc does not see the
 * one, and loses a few bytes over the other.
 */
gsl_matrix *attn_matrix_calloc(size_t rows, size_t columns);

/* max_ij |A_ij|; NaN when one entry is. */
double attn_matrix_largest(const gsl_matrix *A);

/* max_ij |A_ij - B_ij| of two matrices of one shape; NaN when one entry's is.
 */
double attn_matrix_difference(const gsl_matrix *A, const gsl_matrix *B);

#endif

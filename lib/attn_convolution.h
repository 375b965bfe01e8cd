/*
 * Convolution, what attention is compared with (the introduction; "Attention
 * Doesn't Know Where Anything Is").
 */
#ifndef ATTN_CONVOLUTION_H
#define ATTN_CONVOLUTION_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

/*
 * O_i = sum_t w_t X_{(i + t - c) mod n}, c = (taps - 1)/2 rounded down: the
 * circular convolution of each column of X with the kernel w; X and O are n x
 * d, O is not X. It is the product with a circulant matrix, so it commutes with
 * the cyclic shift. GSL_EBADLEN: shapes that differ.
 */
int attn_convolution_circular(const gsl_vector *w, const gsl_matrix *X,
                              gsl_matrix *O);

/* The full convolution of two kernels, c_i = sum_t a_t b_{i-t}, of sizes m and
 * n into m + n - 1: what two layers of them do together. GSL_EBADLEN: another
 * size. */
int attn_convolution_full(const gsl_vector *a, const gsl_vector *b,
                          gsl_vector *c);

/* The same as the circular one with zeros beyond both ends in place of the
 * circle. */
int attn_convolution_padded(const gsl_vector *w, const gsl_matrix *X,
                            gsl_matrix *O);

#endif

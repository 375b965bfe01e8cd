/*
 * The permutation matrix P of "Attention Doesn't Know Where Anything Is", as a
 * gsl_permutation p: row i of P X is row p_i of X, so P_ij = 1[j = p_i].
 */
#ifndef ATTN_PERMUTATION_H
#define ATTN_PERMUTATION_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_permutation.h>

/* Y = P X; Y is not X. GSL_EBADLEN: shapes that do not fit p. */
int attn_permutation_rows(const gsl_permutation *p, const gsl_matrix *X,
                          gsl_matrix *Y);

/* P itself, n x n. GSL_EBADLEN: another shape. */
int attn_permutation_matrix(const gsl_permutation *p, gsl_matrix *P);

/* p_i = (i + by) mod n, the cyclic shift of Problem 19. */
void attn_permutation_shift(gsl_permutation *p, size_t by);

/* Is p a cyclic shift (by 0, the identity, included)? */
int attn_permutation_is_shift(const gsl_permutation *p);

#endif

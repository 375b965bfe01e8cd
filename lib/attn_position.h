/*
 * Positions ("Attention Doesn't Know Where Anything Is"): what is added to an
 * embedding, or done to it, so that a layer can tell where a token sits.
 */
#ifndef ATTN_POSITION_H
#define ATTN_POSITION_H

#include <gsl/gsl_matrix.h>

/*
 * P, n x d, sinusoidal (Vaswani et al. 2017, section 3.5): with the frequency
 * w_c = 10000^{-2c/d} of the pair of columns (2c, 2c + 1),
 *     P_{i,2c} = sin(i w_c),  P_{i,2c+1} = cos(i w_c),  i = 0 .. n-1.
 * An odd d ends on a sine.
 */
void attn_position_sinusoidal(gsl_matrix *P);

/*
 * Turn row i of X, n x d with d even, by its position (Su et al. 2021, rotary
 * embedding): each pair of columns (2c, 2c + 1) by the angle i w_c. X is
 * queries or keys; then <q_i, k_j> depends on the positions through i - j
 * alone. GSL_EBADLEN: d is odd.
 */
int attn_position_rotary(gsl_matrix *X);

#endif

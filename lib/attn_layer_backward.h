/*
 * The backward pass of the layer ("Saturation Kills the Gradient"): from
 * dL/dO to dL/dX, dL/dW_Q, dL/dW_K, dL/dW_V, for a loss L that depends on the
 * output O alone. docs/derivations.md, gradient.chain, derives each line.
 *
 * dM stands for the matrix of dL/dM_ij, of M's own shape. It starts from what a
 * forward pass left behind: Q, K, V and the weights A, which remember the mask.
 * A key of weight exactly 0 takes no part: its score has gradient exactly 0,
 * and its key and value (NaN, infinity) reach no gradient. A query that sees
 * nothing has gradient 0 everywhere.
 *
 * Near saturation dS is right, entry by entry, to rounding: it is made by
 * attn_softmax_jvp, where nothing cancels but the downstream gradient itself.
 */
#ifndef ATTN_LAYER_BACKWARD_H
#define ATTN_LAYER_BACKWARD_H

#include "attn_layer.h"
#include <gsl/gsl_matrix.h>
#include <stddef.h>

/*
 * dS_i = J(a_i) dA_i, row by row, with dA = dO V^T: dO n_q x d_v, V n_k x d_v,
 * A and dS n_q x n_k. S are the scores as the softmax takes them, after scale
 * and mask. Shapes that do not fit: GSL_EBADLEN, nothing written.
 */
int attn_layer_scores_backward(const gsl_matrix *A, const gsl_matrix *V,
                               const gsl_matrix *dO, gsl_matrix *dS);

/*
 * One head: dV = A^T dO, dS as above, dQ = scale dS K, dK = scale dS^T Q. dS is
 * left holding the gradient of the scores. No output is an input. Shapes that
 * do not fit: GSL_EBADLEN, nothing written.
 */
int attn_layer_attend_backward(const gsl_matrix *Q, const gsl_matrix *K,
                               const gsl_matrix *V, double scale,
                               const gsl_matrix *A, const gsl_matrix *dO,
                               gsl_matrix *dS, gsl_matrix *dQ, gsl_matrix *dK,
                               gsl_matrix *dV);

/* Where the gradients go, for a layer and sequences of n tokens. */
typedef struct {
    gsl_matrix *dW_Q, *dW_K, *dW_V; /* as the layer's */
    gsl_matrix *dX;                 /* n x d */
    gsl_matrix *dQ, *dK, *dV;       /* as the workspace's, all heads */
    gsl_matrix *dS;                 /* heads n x n: head i owns rows i n .. */
    gsl_matrix *part;               /* n x d, scratch */
} attn_layer_gradient;

/* NULL and GSL_ENOMEM for sizes that cannot be had. */
attn_layer_gradient *attn_layer_gradient_alloc(const attn_layer *layer,
                                               size_t n);
void attn_layer_gradient_free(attn_layer_gradient *g);

/*
 * All gradients of one sequence, written over what g held. X, and w as the
 * forward pass of that X left it; dO is n x heads d_v. A gradient of several
 * sequences is the sum of theirs: the caller adds. Shapes that do not fit:
 * GSL_EBADLEN, nothing written.
 */
int attn_layer_backward(const attn_layer *layer, const gsl_matrix *X,
                        const attn_layer_workspace *w, const gsl_matrix *dO,
                        attn_layer_gradient *g);

#endif

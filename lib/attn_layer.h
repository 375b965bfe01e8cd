/*
 * The attention layer ("Queries, Keys, and Values"; "Scores, Softmax, and the
 * Weighted Sum").
 *
 *     Q = X W_Q,  K = X W_K,  V = X W_V
 *     S = scale Q K^T,  A = softmax of each row of S,  O = A V
 *
 * The whole score matrix is held in memory (the materialised layer). Scale is
 * an argument: attn_layer_scale(d_k) = 1/sqrt(d_k) is the lecture's.
 *
 * Shapes: X n x d; W_Q, W_K d x (h d_k); W_V d x (h d_v); O n x (h d_v), the
 * heads side by side: head i owns columns i d_k .. (i+1) d_k - 1 of W_Q and so
 * on. Q is n_q x d_k, K n_k x d_k, V n_k x d_v, S and A n_q x n_k.
 * Shapes that do not fit: GSL_EBADLEN, nothing written.
 */
#ifndef ATTN_LAYER_H
#define ATTN_LAYER_H

#include "attn_mask.h"
#include <gsl/gsl_matrix.h>
#include <stddef.h>

/* 1/sqrt(d_k). */
double attn_layer_scale(size_t d_k);

/* S = scale Q K^T. */
int attn_layer_scores(const gsl_matrix *Q, const gsl_matrix *K, double scale,
                      gsl_matrix *S);

/*
 * A = softmax of each row of S; A may be S. ATTN_SOFTMAX_NO_KEY when in some
 * row no key can be seen (that row is 0, the others are right); GSL_EDOM for a
 * NaN score.
 */
int attn_layer_weights(const gsl_matrix *S, gsl_matrix *A);

/* O = A V. A key of weight exactly 0 is left out, whatever its value holds:
 * NaN and infinity do not reach the output. */
int attn_layer_output(const gsl_matrix *A, const gsl_matrix *V, gsl_matrix *O);

/*
 * All three: A is left holding the weights. O_ic is off by at most
 *
 *     (2 n_k + 8 + (d_k + 1) sigma) eps max_j |V_jc|,
 *     sigma = max_j sum_c |scale Q_ic K_jc|
 *
 * over the keys that query i sees, eps = 2^-52: a score's own rounding, (d_k +
 * 1) sigma eps/2, acts on its weight, once there and once in the sum of all;
 * the rest is in attn_softmax.h. Seen: a twentieth of it.
 */
int attn_layer_attend(const gsl_matrix *Q, const gsl_matrix *K,
                      const gsl_matrix *V, double scale, gsl_matrix *A,
                      gsl_matrix *O);

/*
 * The same under a mask: a key that a query does not see has weight exactly 0,
 * and neither its key nor its value (NaN, infinity) reaches that query's
 * output. A query that sees nothing has output 0, and the status is
 * ATTN_SOFTMAX_NO_KEY. GSL_EBADLEN or GSL_EINVAL: a mask that does not fit,
 * nothing written.
 */
int attn_layer_attend_masked(const gsl_matrix *Q, const gsl_matrix *K,
                             const gsl_matrix *V, double scale,
                             const attn_mask *mask, gsl_matrix *A,
                             gsl_matrix *O);

/* A layer: three matrices shared by all positions, and a scale. */
typedef struct {
    size_t d, d_k, d_v, heads;
    double scale;
    gsl_matrix *W_Q, *W_K; /* d x heads d_k */
    gsl_matrix *W_V;       /* d x heads d_v */
} attn_layer;

/*
 * Zero matrices and the scale 1/sqrt(d_k). NULL: GSL_EINVAL for a size of 0,
 * GSL_ENOMEM for sizes that cannot be had.
 */
attn_layer *attn_layer_alloc(size_t d, size_t d_k, size_t d_v, size_t heads);
void attn_layer_free(attn_layer *layer);

/* How many parameters it has, heads d (2 d_k + d_v), whatever n is. */
size_t attn_layer_parameters(const attn_layer *layer);

/* Scratch for sequences of n tokens; after a forward pass it holds Q, K, V of
 * all heads and the weights A of each. */
typedef struct {
    gsl_matrix *Q, *K, *V; /* n x heads d_k, n x heads d_k, n x heads d_v */
    gsl_matrix *A;         /* heads n x n: head i owns rows i n .. */
} attn_layer_workspace;

attn_layer_workspace *attn_layer_workspace_alloc(const attn_layer *layer,
                                                 size_t n);
void attn_layer_workspace_free(attn_layer_workspace *w);

/* O = Attention(X), n x heads d_v. */
int attn_layer_forward(const attn_layer *layer, const gsl_matrix *X,
                       gsl_matrix *O, attn_layer_workspace *w);

/* The same with one n x n mask for all heads. */
int attn_layer_forward_masked(const attn_layer *layer, const gsl_matrix *X,
                              const attn_mask *mask, gsl_matrix *O,
                              attn_layer_workspace *w);

#endif

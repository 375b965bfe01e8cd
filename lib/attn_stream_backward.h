/*
 * The backward pass of streaming attention ("Looking Forward"; "Saturation
 * Kills the Gradient"): from dL/dO to dL/dQ, dL/dK and dL/dV, again without the
 * n_q x n_k weights. With O and lse from the forward pass,
 *
 *     A_ij = e^{S_ij - lse_i},  S_ij = scale <Q_i, K_j>
 *     D_i  = <dO_i, O_i>        (= sum_j A_ij <dO_i, V_j>)
 *     dS_ij = A_ij (<dO_i, V_j> - D_i)
 *     dQ_i = scale sum_j dS_ij K_j,  dK_j = scale sum_i dS_ij Q_i
 *     dV_j = sum_i A_ij dO_i
 *
 * T. Dao et al., "FlashAttention" (2022), appendix B.2, B.4. Weights are made
 * anew from S, twice: once for dQ, query by query, once for dK and dV, key by
 * key. So every output is summed by one thread, in one order, at the price of
 * 14 n^2 d operations where 10 would do with sums that threads share.
 *
 * dM stands for the matrix of dL/dM_ij, of M's own shape: Q, dQ n_q x d_k;
 * K, dK n_k x d_k; V, dV n_k x d_v; O, dO n_q x d_v; lse n_q.
 */
#ifndef ATTN_STREAM_BACKWARD_H
#define ATTN_STREAM_BACKWARD_H

#include "attn_stream.h"

/*
 * dQ, dK and dV, written over; none of them is an input. Scale and mask are the
 * forward pass's, how need not be: its keys are the rows of a tile, be they
 * keys or queries. The same bytes for any number of threads.
 *
 * A key that a query does not see gets nothing from it and gives nothing to it,
 * whatever its key and value hold (NaN, infinity); neither does a key of weight
 * 0. A query that sees nothing (lse -infinity) passes nothing on, whatever its
 * dO. A gradient that a visible NaN or infinity takes part in is not claimed.
 *
 * Rounding: dS is off by some eps A_ij max |<dO, V>|. Near saturation dS itself
 * is much smaller; there attn_layer_attend_backward, which has all weights of a
 * row at hand, is right entry by entry, and this is not.
 *
 * An lse that is +infinity or NaN: GSL_EDOM, for the softmax has no derivative
 * there. Shapes or masks that do not fit, a tile or threads of 0: GSL_EBADLEN
 * or GSL_EINVAL. Nothing written. No memory: GSL_ENOMEM.
 */
int attn_stream_backward(const gsl_matrix *Q, const gsl_matrix *K,
                         const gsl_matrix *V, double scale,
                         const attn_mask *mask, const attn_stream *how,
                         const gsl_matrix *O, const gsl_vector *lse,
                         const gsl_matrix *dO, gsl_matrix *dQ, gsl_matrix *dK,
                         gsl_matrix *dV);

/* Bytes that attn_stream_backward takes while it works: 256 (2 keys + 8 (d_k +
 * d_v) + 8) a thread, 16 a query, and what attn_blocks takes. 0 with GSL_ENOMEM
 * when a size does not hold them. */
size_t attn_stream_backward_scratch(size_t n_q, size_t n_k, size_t d_k,
                                    size_t d_v, const attn_stream *how);

#endif

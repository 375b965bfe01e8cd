/*
 * Streaming attention ("Looking Forward"): the layer's output without ever
 * holding its n x n weights.
 *
 *     O = softmax(scale Q K^T) V
 *
 * Keys come in tiles. For each query a running maximum m, the running sum
 * z = sum e^{s_j - m} and the running output o = sum e^{s_j - m} v_j are kept;
 * a tile with a larger score first multiplies z and o by e^{m_old - m_new}. At
 * the end the output is o/z, and lse = m + ln z. M. Milakov and N.
 * Gimelshein, "Online normalizer calculation for softmax" (2018); M. N. Rabe
 * and C. Staats, "Self-attention does not need O(n^2) memory" (2021).
 *
 * Shapes: Q n_q x d_k, K n_k x d_k, V n_k x d_v, O n_q x d_v.
 *
 * The two products of a tile are loops of our own (attn_tile.h), not calls of a
 * BLAS: an optimised one sums in another order on every processor, so outputs
 * would have other bytes; a tile's operands would have to be copied to suit it;
 * and the whole method would no longer stand in one file. The price is small:
 * at n = 16,384 and d = 64 on a processor with AVX-512, 4 n^2 d operations run
 * at three quarters of the speed of OpenBLAS's square gemm, in double and in
 * float, the exponentials included (bench/attention.c, gemm.c).
 */
#ifndef ATTN_STREAM_H
#define ATTN_STREAM_H

#include "attn_mask.h"
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_matrix_float.h>
#include <gsl/gsl_vector.h>
#include <gsl/gsl_vector_float.h>
#include <stddef.h>

/* How the work is cut: groups of 32 queries (64 in float), four groups at a
 * time, meet one tile of keys after the other. The output has the same bytes
 * for any number of threads; other tiles sum in another order, which moves it
 * by rounding. */
typedef struct {
    size_t keys;    /* in a tile; at least 1 */
    size_t threads; /* at least 1 */
} attn_stream;

/* 128 keys, whose scores stay in the fastest cache. */
attn_stream attn_stream_default(size_t threads);

/*
 * O, and lse_i = ln sum_j e^{s_ij} unless lse is NULL. O is no input.
 *
 * O_ic is off by at most
 *
 *     (2 n_k + 4 tiles + 8 + (d_k + 1) sigma) eps max_j |V_jc|,
 *     sigma = max_j sum_c |scale Q_ic K_jc|
 *
 * over the keys that query i sees, eps = 2^-52: what the layer's is, and three
 * roundings a tile where z and o follow a new maximum. lse_i to the same
 * without V, and eps |lse_i| more. Seen: a tenth of it.
 *
 * A key that a query does not see has no say in its output, whatever its key
 * and value hold (NaN, infinity), and no tile without a visible key is a
 * special case. A query that sees nothing: output 0, lse -infinity, and the
 * status ATTN_SOFTMAX_NO_KEY. +infinity scores share the weight. A visible NaN
 * score: GSL_EDOM, and no output is claimed; a visible value that is not
 * finite: none is claimed for that query and column.
 * Shapes or masks that do not fit, a tile or threads of 0: GSL_EBADLEN or
 * GSL_EINVAL, nothing written. No memory: GSL_ENOMEM.
 */
int attn_stream_attend(const gsl_matrix *Q, const gsl_matrix *K,
                       const gsl_matrix *V, double scale, const attn_mask *mask,
                       const attn_stream *how, gsl_matrix *O, gsl_vector *lse);

/*
 * The same in float, from the same source, to the same bound with eps = 2^-23.
 * A score beyond 3.4e38 is infinity; weights below e^-87 of the largest are 0.
 */
int attn_stream_attend_float(const gsl_matrix_float *Q,
                             const gsl_matrix_float *K,
                             const gsl_matrix_float *V, float scale,
                             const attn_mask *mask, const attn_stream *how,
                             gsl_matrix_float *O, gsl_vector_float *lse);

/*
 * Bytes that the two take while they work: 256 (keys + 4 (d_k + d_v + 2)) a
 * thread, and some 70 for every 128 queries (256 in float), up to 4096 times;
 * no n_q n_k. 0 with GSL_ENOMEM when a size does not hold them.
 */
size_t attn_stream_scratch(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                           const attn_stream *how);
size_t attn_stream_scratch_float(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                                 const attn_stream *how);

#endif

/*
 * Fresh heads ("Saturation Kills the Gradient"): one query q and n keys k_j of
 * independent normal entries, scores s_j = scale <q, k_j>, a = softmax(s), and
 * what the Jacobian of that softmax is.
 */
#ifndef ATTN_FRESH_H
#define ATTN_FRESH_H

#include "attn_blocks.h"
#include "attn_moments.h"

typedef struct {
    size_t n;      /* keys, at least 1 */
    size_t d_k;    /* head size, at least 1 */
    double scale;  /* 1/sqrt(d_k), or 1 */
    double *norms; /* |J|_F of every trial; may be NULL */
} attn_fresh;

/* What is kept of a sample of heads; attn_theory_fresh_head predicts it. */
typedef struct {
    attn_moments trace;      /* tr J */
    attn_moments frobenius2; /* |J|_F^2 */
    attn_moments spectral2;  /* |J|_2^2, the largest eigenvalue squared */
    attn_moments squares;    /* sum a^2 */
    attn_moments entropy;    /* -sum a ln a */
    attn_moments stein;      /* tr J - sum a s/sigma^2, sigma = scale |q| */
    double largest_entry;    /* max |J_jl|/(1 - a_max) over all trials */
    double largest_norm;     /* max of tr J/(1 - 1/n), 2 |J|_F, 2 |J|_2 */
} attn_fresh_sample;

/*
 * Draw job->trials heads into *out; of the job, partial_size and scratch_size
 * are set here. A GSL status.
 */
int attn_fresh_measure(attn_blocks job, const attn_fresh *head,
                       attn_fresh_sample *out);

#endif

/*
 * Scores <q, k> of independent random pairs ("Why Divide by sqrt(d_k)?").
 *
 * Entries follow a law of attn_sample, times sqrt(v); k_j has correlation rho
 * with q_j. The lecture's hypothesis is v = 1 and rho = 0.
 */
#ifndef ATTN_PAIRS_H
#define ATTN_PAIRS_H

#include "attn_blocks.h"
#include "attn_moments.h"
#include "attn_sample.h"

typedef struct {
    attn_sample_law law;
    size_t d_k; /* head size, at least 1 */
    double v;   /* variance of an entry */
    double rho; /* correlation of q_j and k_j; 0 unless entries are normal */
} attn_pairs;

/* What is kept of a sample of scores. */
typedef struct {
    attn_moments scores;
    size_t routine; /* how many |score| > 8 */
} attn_pairs_sample;

/*
 * Draw job->trials scores into *out; of the job, partial_size and scratch_size
 * are set here. A GSL status.
 */
int attn_pairs_measure(attn_blocks job, const attn_pairs *pairs,
                       attn_pairs_sample *out);

#endif

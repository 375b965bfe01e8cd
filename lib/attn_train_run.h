/*
 * Whole runs of attn_train, each with its own scale and learning rate, on the
 * task of attn_partner.
 *
 * A run draws its world from (seed, name, replicate) alone: embeddings of
 * N(0, 1) entries, W_Q, W_K and W_V of N(0, 1/d) entries, so that queries, keys
 * and values have entries of variance 1, the partners, the sequences it is
 * judged by, and the batches. So two runs of one replicate differ in nothing
 * but what their settings say.
 */
#ifndef ATTN_TRAIN_RUN_H
#define ATTN_TRAIN_RUN_H

#include "attn_blocks.h"
#include "attn_train.h"

/* A head counts as sure of a key above this weight. */
#define ATTN_TRAIN_SURE 0.999

/* What the sequences that judge a head show, at one step. */
typedef struct {
    double loss;     /* mean */
    double accuracy; /* share of hits */
    double wrong;    /* share that is sure of a key that is not the partner */
    /* Of those that were so at birth (0 where there is none): */
    double left;  /* have, at some point until now, not been sure of that key */
    double kept;  /* have their largest weight on that key now */
    double found; /* are hits now */
} attn_train_point;

typedef struct {
    const char *name; /* of the experiment: a replicate of another name */
    size_t replicate; /* is another world */
    size_t m, n, d;   /* types, tokens in a sequence, d = d_k = d_v */
    size_t batch;     /* sequences in a step */
    size_t judges;    /* sequences that judge it */
    double scale;     /* of <q, k> */
    double rate;      /* learning rate */
    int with_values;  /* W_V is trained too */
    const size_t *at; /* steps at which it is judged, ascending, the first 0 */
    size_t count;     /* how many; the run ends with the last */

    /* Filled by the run: */
    attn_train_point *points; /* count of them */
    attn_train_row *rows;     /* the judges at birth, with norms; may be NULL */
    double norm;              /* |dL/dW_Q| of the first batch */
    int ended;                /* early, for a score was not finite: from there
                                 on the accuracy is 0 and the rest as before */
} attn_train_run;

/*
 * Run job->trials runs, trial i being runs[i], each a block. Of the job,
 * per_block, partial_size and scratch_size are set here. A GSL status; what the
 * runs hold after a failure is not defined.
 */
int attn_train_runs(attn_blocks job, attn_train_run *runs);

/*
 * Steps at which to judge: 0, then 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 and 8 times
 * the powers of ten, as far as they are whole and below last, then last.
 * Returns how many; at most room, which is at least 2.
 */
size_t attn_train_steps(size_t last, size_t *at, size_t room);

#endif

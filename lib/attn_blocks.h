/*
 * Independent trials in blocks over threads, and over the ranks of an MPI job
 * (attn_ranks), merged in block order: the one place that knows about threads.
 *
 * Trials 0 .. trials-1 are cut into blocks of per_block (the last may be
 * shorter). Block b draws from the stream (seed, experiment, b) and fills a
 * partial result of its own; the partial results are merged serially, b = 0,
 * 1, 2, ..., so the sum has the same bits for any number of threads. Memory is
 * bounded whatever the number of blocks.
 */
#ifndef ATTN_BLOCKS_H
#define ATTN_BLOCKS_H

#include "attn_rng.h"
#include <stddef.h>
#include <stdint.h>

/* Called now and then, from one thread at a time, with the share done. */
typedef void attn_blocks_progress(double share, void *context);

typedef struct {
    size_t trials;
    size_t per_block; /* at least 1; part of the experiment, never tuned */
    uint64_t seed;
    uint64_t experiment; /* attn_rng_experiment() */
    size_t threads;      /* at least 1 */
    size_t partial_size; /* bytes of a block's result, zeroed before work */
    size_t scratch_size; /* bytes of a thread's scratch space; may be 0 */
    int is_spread;       /* over the ranks, which all run this same job: work
                            must write nothing but its partial result, and no
                            pointer to it. 0: each rank runs all blocks */
    attn_blocks_progress *progress; /* may be NULL */
    void *progress_context;
} attn_blocks;

/* One block: count trials from first on. Returns a GSL status. */
typedef int attn_blocks_work(size_t first, size_t count, attn_rng *g,
                             void *partial, void *scratch, const void *setup);

/* Merge one block's partial result into the total. */
typedef void attn_blocks_merge(void *total, const void *partial);

/*
 * Run all blocks. GSL_SUCCESS, or the status of the first block (in block
 * order) that failed, or GSL_ENOMEM, or GSL_EINVAL for per_block or threads 0.
 * Spread over ranks, every rank has the same total and status, or the status of
 * a rank that failed. What the total holds after a failure is not defined.
 */
int attn_blocks_run(const attn_blocks *job, attn_blocks_work *work,
                    attn_blocks_merge *merge, void *total, const void *setup);

/* Bytes that attn_blocks_run takes while it works. */
size_t attn_blocks_bytes(const attn_blocks *job);

/* How many processors there are for threads to run on. */
size_t attn_blocks_processors(void);

#endif

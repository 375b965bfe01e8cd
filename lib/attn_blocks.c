/* Blocks of trials over ranks and OpenMP threads, merged serially in block
 * order. */
#include "attn_blocks.h"
#include "attn_ranks.h"
#include <gsl/gsl_errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* So many blocks a rank are held before they are merged: memory stays bounded.
 */
enum { WINDOW = 4096 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t ranks_of(const attn_blocks *job)
{
    return job->is_spread ? attn_ranks_count() : 1;
}

/* A window's blocks, each with its status and its partial result. */
typedef struct {
    const attn_blocks *job;
    size_t blocks;  /* in all */
    size_t first;   /* the window's first block */
    size_t count;   /* its number of blocks */
    size_t share;   /* how many of these a rank runs, */
    size_t begin;   /* this one from here */
    size_t end;     /* to here */
    size_t stride;  /* bytes from one partial result to the next */
    size_t scratch; /* bytes from one thread's scratch to the next */
    char *partials;
    char *scratches;
    int *status;
} window;

static void run_block(const window *w, size_t k, attn_blocks_work *work,
                      const void *setup)
{
    const attn_blocks *job = w->job;
    const size_t block = w->first + k;
    const size_t first = block * job->per_block;
    const size_t left = job->trials - first;
    const size_t count = smaller(left, job->per_block);
    const size_t thread = (size_t)omp_get_thread_num();
    attn_rng g;

    attn_rng_set(&g, job->seed, job->experiment, block);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): status is 0 */
    w->status[k] = work(first, count, &g, w->partials + k * w->stride,
                        w->scratches + thread * w->scratch, setup);
}

static void run_window(const window *w, attn_blocks_work *work,
                       const void *setup)
{
    const attn_blocks *job = w->job;
    const size_t ranks = ranks_of(job); /* the first begins at 0 */

#pragma omp parallel for schedule(dynamic) num_threads((int)job->threads)
    for (size_t k = w->begin; k < w->end; k++) {
        run_block(w, k, work, setup);
        if (job->progress && omp_get_thread_num() == 0)
            job->progress((double)(w->first + k * ranks) / (double)w->blocks,
                          job->progress_context);
    }
}

/* Threads share no cache line: round up, and never ask for 0 bytes. */
static size_t padded(size_t bytes)
{
    return (bytes / 64 + 1) * 64;
}

static size_t blocks_of(const attn_blocks *job)
{
    return job->trials / job->per_block + (job->trials % job->per_block != 0);
}

/* Blocks of a window that a rank runs; the last ranks may have fewer. */
static size_t share_of(const attn_blocks *job, size_t count)
{
    const size_t ranks = ranks_of(job);

    return count / ranks + (count % ranks != 0);
}

/* Blocks of a window: at most so many are held. */
static size_t held_by(const attn_blocks *job)
{
    const size_t share = share_of(job, blocks_of(job));

    return smaller(share, WINDOW) * ranks_of(job);
}

/* The window that begins with block first, and this rank's share of it. */
static void open_window(window *w, size_t first, size_t held)
{
    const size_t left = w->blocks - first;
    const size_t rank = w->job->is_spread ? attn_ranks_own() : 0;

    w->first = first;
    w->count = smaller(left, held);
    w->share = share_of(w->job, w->count);
    w->begin = smaller(rank * w->share, w->count);
    w->end = smaller(w->begin + w->share, w->count);
}

size_t attn_blocks_bytes(const attn_blocks *job)
{
    return (held_by(job) + 1) * (padded(job->partial_size) + sizeof(int)) +
           job->threads * padded(job->scratch_size);
}

int attn_blocks_run(const attn_blocks *job, attn_blocks_work *work,
                    attn_blocks_merge *merge, void *total, const void *setup)
{
    if (job->per_block == 0 || job->threads == 0)
        GSL_ERROR("blocks need at least one trial and one thread", GSL_EINVAL);

    const size_t blocks = blocks_of(job), held = held_by(job);
    window w = {.job = job,
                .blocks = blocks,
                .stride = padded(job->partial_size),
                .scratch = padded(job->scratch_size)};
    int status = GSL_SUCCESS;

    w.partials = calloc(held + 1, w.stride);
    w.scratches = calloc(job->threads, w.scratch);
    w.status = calloc(held + 1, sizeof *w.status);
    if (!w.partials || !w.scratches || !w.status)
        status = GSL_ENOMEM;
    if (job->is_spread)
        status = attn_ranks_agree(status);

    for (size_t first = 0; !status && first < blocks; first += w.count) {
        open_window(&w, first, held);
        run_window(&w, work, setup);
        if (job->is_spread) {
            attn_ranks_gather(w.partials, w.stride, w.share);
            attn_ranks_gather(w.status, sizeof *w.status, w.share);
        }
        for (size_t k = 0; !status && k < w.count; k++) {
            status = w.status[k];
            if (!status)
                merge(total, w.partials + k * w.stride);
        }
        memset(w.partials, 0, w.count * w.stride);
    }
    if (!status && job->progress)
        job->progress(1, job->progress_context);
    free(w.partials);
    free(w.scratches);
    free(w.status);
    if (status == GSL_ENOMEM)
        GSL_ERROR("no memory for the blocks' partial results", GSL_ENOMEM);
    return status;
}

size_t attn_blocks_processors(void)
{
    return (size_t)omp_get_num_procs();
}

/*
 * Score spread: the program, and its sample grown step by step.
 *
 * What the panel shows comes from the program's own sweep(). While the lab
 * draws, its sampler goes on where it stopped and counts every score into a
 * histogram; the blocks, their streams and the order of merging are those of
 * attn_pairs_measure, so N pairs give what --pairs N gives.
 */
#include "attn_moments.h"
#include "lab.h"
#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lib/attn_pairs.c again, whose scores pass by here ---- */

enum { BINS = 256 };

static struct {
    int is_live;
    uint32_t bins[BINS];
    double origin, width; /* bin b holds origin + width [b, b + 1) */
} histogram;

static void see(attn_moments *m, double score)
{
    const double at = floor((score - histogram.origin) / histogram.width);

    if (histogram.is_live && at >= 0 && at < BINS)
        histogram.bins[(size_t)at]++;
    attn_moments_add(m, score);
}

#define attn_moments_add see
#define attn_pairs_measure measure_whole
#include "../../lib/attn_pairs.c"
#undef attn_moments_add
#undef attn_pairs_measure

/* ---- experiments/score_spread.c, on a sampler that goes on ---- */

static int measure_grown(attn_blocks job, const attn_pairs *of,
                         attn_pairs_sample *out);
#define attn_pairs_measure measure_grown
#define main score_spread_main
#include "../../experiments/score_spread.c"

/* The blocks that are drawn, all of them whole. */
static struct {
    size_t blocks;
    attn_pairs_sample sample;
} grown;

/* One block more. A short one is the last of its run and no part of a longer
 * one, so it is not counted in the histogram. */
static int draw_block(const attn_blocks *job, const attn_pairs *of,
                      size_t block, size_t count, attn_pairs_sample *total)
{
    double *scratch =
        malloc(2 * rows_at_once(of->d_k) * of->d_k * sizeof *scratch);
    attn_pairs_sample partial = {0};
    attn_rng g;

    if (!scratch)
        return GSL_ENOMEM;
    histogram.is_live = count == job->per_block;
    attn_rng_set(&g, job->seed, job->experiment, block);
    work(block * job->per_block, count, &g, &partial, scratch, of);
    merge(total, &partial);
    histogram.is_live = 0;
    free(scratch);
    return GSL_SUCCESS;
}

static int is_growing;

static int measure_grown(attn_blocks job, const attn_pairs *of,
                         attn_pairs_sample *out)
{
    const size_t rest = job.trials % job.per_block;
    int status = GSL_SUCCESS;

    if (!is_growing)
        return measure_whole(job, of, out);
    while (!status && grown.blocks < job.trials / job.per_block)
        status =
            draw_block(&job, of, grown.blocks++, job.per_block, &grown.sample);
    *out = grown.sample;
    if (!status && rest > 0)
        status = draw_block(&job, of, grown.blocks, rest, out);
    return status;
}

/* ---- what JavaScript calls ---- */

static uint64_t spread_seed;
static lab_record record; /* what the last call of spread_grow gave */

/* A new sample, still empty. 0, or GSL_EINVAL where the options do not go
 * together. */
LAB_EXPORT int spread_begin(uint64_t seed, int law, int d_k, double v,
                            double rho, double origin, double width)
{
    attn_cli_error error;

    gsl_set_error_handler_off();
    spread_seed = seed;
    entries = law;
    head_sizes = (attn_cli_sizes){1, {(size_t)d_k}};
    variance = v;
    correlation = rho;
    memset(&grown, 0, sizeof grown);
    memset(&histogram, 0, sizeof histogram);
    histogram.origin = origin;
    histogram.width = width;
    return conflict(&error) ? GSL_EINVAL : GSL_SUCCESS;
}

/* The sweep on the first N pairs, N never falling; a GSL status. */
LAB_EXPORT int spread_grow(int N)
{
    pairs = (size_t)N;
    is_growing = 1;
    const int status = lab_record_take(&record, spread_seed, sweep);
    is_growing = 0;
    return status;
}

/* The row of the .dat file with the row of names above it. */
LAB_EXPORT const char *spread_row(void)
{
    return record.rows;
}

/* The verdicts as the program prints them. */
LAB_EXPORT const char *spread_lines(void)
{
    return record.lines;
}

/* spread_bins_count() counts of scores. */
LAB_EXPORT const uint32_t *spread_bins(void)
{
    return histogram.bins;
}

LAB_EXPORT int spread_bins_count(void)
{
    return BINS;
}

/*
 * "Your own": the mean of n standard normal entries has standard error
 * 1/sqrt(n).
 */
#include "attn_moments.h"
#include "attn_program.h"
#include "attn_sample.h"
#include <math.h>

/* The published parameters. */
static size_t trials = 10000;
static double sd = 1;

static attn_cli_option options[] = {
    {"trials", ATTN_CLI_SIZE, &trials, "means of n entries, for every n", 1,
     1e8, NULL, 0},
    {"sd", ATTN_CLI_REAL, &sd,
     "standard deviation of an entry; the claim is for 1", 1e-3, 1e3, NULL, 0},
    {0}};

static const size_t sizes[] = {1, 4, 16, 64, 256};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 256, PER_BLOCK = 250 };

static const double margin = 0.05; /* a variance wrong by this would matter */

/* A block of trials: n (mean of n entries)^2, whose mean should be 1. */
static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    const size_t n = *(const size_t *)setup;
    double *x = scratch;

    (void)first;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        attn_sample_fill(ATTN_SAMPLE_NORMAL, g, x, n);
        for (size_t j = 0; j < n; j++)
            sum += sd * x[j];
        attn_moments_add(partial, sum * sum / (double)n);
    }
    return 0;
}

static void merge(void *total, const void *partial)
{
    attn_moments_merge(total, partial);
}

static const attn_dat_column columns[] = {
    {"n", "entries of a mean"},
    {"predicted", "standard error of the mean, 1/sqrt(n)"},
    {"measured", "root mean square of the means"},
    {"se", "standard error of measured, 1/sqrt(2 n trials)"}};

static int experiment(attn_run *run)
{
    /* n mean^2 is chi-square of 1 degree: its variance is 2. */
    const double se = sqrt(2 / (double)trials);
    double z[SIZES], relative_se[SIZES];

    attn_dat_block(run->dat, "means", columns,
                   sizeof columns / sizeof *columns);
    for (size_t i = 0; i < SIZES; i++) {
        const double n = (double)sizes[i];
        attn_moments square = {0};
        attn_blocks job =
            attn_run_job(run, "NAME.means", sizes[i], trials, PER_BLOCK);
        job.partial_size = sizeof square;
        job.scratch_size = LARGEST * sizeof(double);
        const int status =
            attn_blocks_run(&job, work, merge, &square, &sizes[i]);
        if (status)
            return status;
        z[i] = (square.mean - 1) / se;
        relative_se[i] = se;
        ATTN_DAT_ROW(run->dat, n, 1 / sqrt(n), sqrt(square.mean / n),
                     se / 2 / sqrt(n));
    }
    attn_claims_sweep(run->claims, "NAME.mean", SIZES, z, relative_se, margin,
                      trials, "n mean^2 has mean 1 and variance 2");
    return 0;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "NAME",
        .section = "Your own",
        .summary = "Averages n standard normal entries, again and again, and "
                   "measures how far the averages spread.",
        .claims = "NAME.mean",
        .options = options,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

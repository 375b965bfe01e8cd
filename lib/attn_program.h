/*
 * The edge of every program: options in, files and verdicts out, exit status.
 *
 * A program is a table of its own options, whose variables hold the published
 * parameters, and a run(). Everything else that the programs share is here:
 * --seed, --threads, --out, --plot, --quiet, --help, --version; where results
 * go; the progress bar; the two result files, written whole or not at all.
 *
 * Exit status: 0 every claim holds, 1 one is contradicted, 2 could not run,
 * 3 nothing contradicted but something inconclusive.
 */
#ifndef ATTN_PROGRAM_H
#define ATTN_PROGRAM_H

#include "attn_blocks.h"
#include "attn_claim.h"
#include "attn_cli.h"
#include "attn_dat.h"

#define ATTN_VERSION "0.1.0"

/* What run() is given. */
typedef struct {
    uint64_t seed;
    size_t threads;
    attn_dat *dat;       /* its head is written already */
    attn_dat *timing;    /* NULL unless the program has timings */
    attn_claims *claims; /* to be filled */
    FILE *narrative; /* printed before the verdicts once the files are written;
                        thrown away when quiet */
    attn_blocks_progress *progress; /* NULL when nobody watches */
    void *progress_context;
} attn_run;

typedef struct {
    const char *stem;    /* "score_spread" */
    const char *section; /* the lecture's heading */
    const char *summary; /* a sentence or two for --help */
    const char *claims;  /* the ids that it measures, for the file's head */
    attn_cli_option *options; /* its own, closed by a NULL name */
    int has_timings; /* what depends on the clock goes to <stem>.timing.dat,
                        which is no part of the record */

    /* Options that do not go together, a file of theirs that cannot be read: 0,
     * or 1 with the error filled. Called before anything is written. May be
     * NULL. */
    int (*conflict)(attn_cli_error *error);

    /* The experiment; a GSL status. */
    int (*run)(attn_run *run);

    /* Printed as it is after the help's options: what an input file looks
     * like. Lines of at most 80 columns; may be NULL. */
    const char *epilogue;
} attn_program;

/*
 * The blocks of one part of an experiment, "stem.part", at one of its settings,
 * with the run's seed, threads and progress.
 */
attn_blocks attn_run_job(const attn_run *run, const char *part, size_t setting,
                         size_t trials, size_t per_block);

/* Tell the run's progress bar, if there is one, which share of a stage is done,
 * where no attn_blocks does it; a share that falls begins the next stage. */
void attn_run_progress(const attn_run *run, double share);

/* Parse, run, write, print; returns the exit status. */
int attn_program_main(const attn_program *program, int argc, char *argv[]);

#endif

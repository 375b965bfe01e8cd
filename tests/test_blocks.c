/* attn_blocks: every trial once, the same bits for any number of threads. */
#include "attn_blocks.h"
#include "attn_moments.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <string.h>

typedef struct {
    attn_moments m;
    size_t trials;
    size_t first_sum; /* of the indices */
} sums;

static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    sums *out = partial;
    double *room = scratch;

    (void)setup;
    cr_assert_eq(out->trials, 0, "a partial result starts at zero");
    for (size_t i = 0; i < count; i++) {
        room[0] = attn_rng_uniform(g);
        attn_moments_add(&out->m, room[0]);
        out->trials++;
        out->first_sum += first + i;
    }
    return GSL_SUCCESS;
}

static void merge(void *total, const void *partial)
{
    sums *t = total;
    const sums *p = partial;

    attn_moments_merge(&t->m, &p->m);
    t->trials += p->trials;
    t->first_sum += p->first_sum;
}

static attn_blocks job_of(size_t trials, size_t per_block, size_t threads)
{
    return (attn_blocks){.trials = trials,
                         .per_block = per_block,
                         .seed = 11,
                         .experiment = 5,
                         .threads = threads,
                         .partial_size = sizeof(sums),
                         .scratch_size = sizeof(double)};
}

static sums run(size_t trials, size_t per_block, size_t threads)
{
    const attn_blocks job = job_of(trials, per_block, threads);
    sums total = {0};

    cr_assert_eq(attn_blocks_run(&job, work, merge, &total, NULL), 0);
    return total;
}

Test(blocks, every_trial_runs_exactly_once)
{
    static const size_t sizes[][2] = {{0, 3},    {1, 1},     {1, 100},
                                      {100, 7},  {98, 7},    {4097, 1},
                                      {9000, 1}, {20000, 3}, {5, 5}};
    size_t ran = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++, ran++) {
        const size_t n = sizes[i][0];
        const sums s = run(n, sizes[i][1], 3);
        cr_assert_eq(s.trials, n);
        cr_assert_eq(s.first_sum, n ? n * (n - 1) / 2 : 0);
    }
    cr_assert_eq(ran, 9);
}

Test(blocks, the_bits_do_not_depend_on_the_threads)
{
    const sums one = run(12345, 17, 1);
    size_t ran = 0;

    for (size_t threads = 2; threads <= 7; threads++, ran++) {
        const sums many = run(12345, 17, threads);
        cr_assert(memcmp(&one, &many, sizeof one) == 0, "%zu threads", threads);
    }
    cr_assert_eq(ran, 6);
}

Test(blocks, another_seed_or_experiment_gives_other_numbers)
{
    attn_blocks job = job_of(100, 10, 2);
    sums first = {0}, seed = {0}, experiment = {0};

    attn_blocks_run(&job, work, merge, &first, NULL);
    job.seed++;
    attn_blocks_run(&job, work, merge, &seed, NULL);
    job.seed--;
    job.experiment++;
    attn_blocks_run(&job, work, merge, &experiment, NULL);
    cr_assert_neq(first.m.mean, seed.m.mean);
    cr_assert_neq(first.m.mean, experiment.m.mean);
}

/* Blocks 3 and 5 fail, each with a status of its own. */
static int failing(size_t first, size_t count, attn_rng *g, void *partial,
                   void *scratch, const void *setup)
{
    (void)g, (void)partial, (void)scratch, (void)setup, (void)count;
    return first == 3 ? GSL_EDOM : first == 5 ? GSL_ERANGE : GSL_SUCCESS;
}

Test(blocks, the_first_failing_block_gives_the_status)
{
    size_t ran = 0;

    gsl_set_error_handler_off();
    for (size_t threads = 1; threads <= 4; threads++, ran++) {
        const attn_blocks job = job_of(8, 1, threads);
        sums total = {0};
        cr_assert_eq(attn_blocks_run(&job, failing, merge, &total, NULL),
                     GSL_EDOM);
    }
    cr_assert_eq(ran, 4);
}

Test(blocks, no_threads_or_empty_blocks_are_refused)
{
    attn_blocks job = job_of(8, 0, 1);
    sums total = {0};

    gsl_set_error_handler_off();
    cr_assert_eq(attn_blocks_run(&job, work, merge, &total, NULL), GSL_EINVAL);
    job = job_of(8, 1, 0);
    cr_assert_eq(attn_blocks_run(&job, work, merge, &total, NULL), GSL_EINVAL);
}

Test(blocks, partial_results_that_cannot_be_had_are_reported)
{
    attn_blocks job = job_of(8, 1, 1);
    sums total = {0};

    gsl_set_error_handler_off();
    job.partial_size = (size_t)1 << 58;
    cr_assert_eq(attn_blocks_run(&job, work, merge, &total, NULL), GSL_ENOMEM);
}

static void watch(double share, void *context)
{
    double *last = context;

    cr_assert(share >= *last && share <= 1);
    *last = share;
}

Test(blocks, progress_rises_to_one)
{
    attn_blocks job = job_of(10000, 1, 1);
    sums total = {0};
    double last = 0;

    job.progress = watch;
    job.progress_context = &last;
    attn_blocks_run(&job, work, merge, &total, NULL);
    cr_near(last, 1, 0, 0);
}

Test(blocks, there_is_a_processor)
{
    cr_assert_geq(attn_blocks_processors(), 1);
}

Test(blocks, their_memory_is_bounded_whatever_their_number)
{
    const attn_blocks few = job_of(10, 1, 2), many = job_of(5000, 1, 2);
    const attn_blocks most = job_of(1000000, 1, 2), wide = job_of(10, 1, 3);

    cr_assert_geq(attn_blocks_bytes(&few),
                  10 * sizeof(sums) + 2 * sizeof(double));
    cr_assert_gt(attn_blocks_bytes(&many), attn_blocks_bytes(&few));
    cr_assert_eq(attn_blocks_bytes(&many), attn_blocks_bytes(&most));
    cr_assert_gt(attn_blocks_bytes(&wide), attn_blocks_bytes(&few));
}

/* By hand: the program, and one of its dictionaries over all gaps. */
#include "lab.h"
#include <string.h>

#define main lookup_table_main
#include "../../experiments/lookup_table.c"

static errors seen;

/* How many gaps the program goes through; the i-th of them. */
LAB_EXPORT int lookup_gaps(void)
{
    return GAPS;
}

LAB_EXPORT double lookup_gap(int i)
{
    return gap_at((size_t)i);
}

/* The dictionary of n keys that --trials 1 draws; a GSL status. */
LAB_EXPORT int lookup_draw(uint64_t seed, int n)
{
    const attn_run run = {.seed = seed, .threads = 1};
    const size_t size = (size_t)n;
    const attn_blocks job =
        attn_run_job(&run, "lookup_table.dictionaries", size, 1, 1);
    attn_rng g;

    memset(&seen, 0, sizeof seen);
    attn_rng_set(&g, job.seed, job.experiment, 0);
    return work(0, 1, &g, &seen, NULL, &size);
}

/*
 * That dictionary at its i-th gap: 1 - weight summed from the others, 1 -
 * weight as a double gives it, the largest |output - dictionary|/max |V|,
 * tr J, |J|_F.
 */
LAB_EXPORT const double *lookup_point(int i)
{
    return seen.point[i];
}

/* What n keys at gap b should have: 1 - weight, tr J, |J|_F. */
LAB_EXPORT const double *lookup_law(int n, double b)
{
    static double law[3];

    law[0] = attn_lookup_rest((size_t)n, b);
    law[1] = attn_lookup_trace((size_t)n, b);
    law[2] = attn_lookup_frobenius((size_t)n, b);
    return law;
}

/* Gaps from which on the weight of n keys is exactly 1, all others exactly 0:
 * measured on the softmax itself. */
LAB_EXPORT double lookup_one(int n)
{
    return first_gap(is_one, (size_t)n);
}

LAB_EXPORT double lookup_zero(int n)
{
    return first_gap(is_zero_elsewhere, (size_t)n);
}

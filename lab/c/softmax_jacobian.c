/*
 * Softmax under pressure: the program, one of its heads at any multiplier, and
 * its sample of heads grown step by step.
 *
 * The head is the first that the program draws in one of its two regimes, so
 * at that regime's multiplier --trials 1 gives its numbers. The sample is the
 * program's own: the blocks, their streams and the order of merging are those
 * of attn_fresh_measure, so N heads give what --trials N gives.
 */
#include "attn_fresh.h"
#include "lab.h"
#include "record.h"
#include <stdlib.h>
#include <string.h>

/* lib/attn_fresh.c again, whose work() and merge() are called block by block */
#define attn_fresh_measure fresh_measure_at_once
int fresh_measure_at_once(attn_blocks job, const attn_fresh *head,
                          attn_fresh_sample *out);
#include "../../lib/attn_fresh.c"
#undef attn_fresh_measure

#define main softmax_jacobian_main
#include "../../experiments/softmax_jacobian.c"

enum { HEAD_KEYS = 64, HEAD_SIZE = 1024 };

/* What scores are multiplied by: d_k^exponent, where -1/2 and 0 are the two
 * regimes of the program to the last bit. */
LAB_EXPORT double jacobian_multiplier(int d_k, double exponent)
{
    return exponent == -0.5 ? attn_layer_scale((size_t)d_k)
           : exponent == 0  ? 1
                            : attn_exp(exponent * attn_log(d_k));
}

static attn_blocks demo_job(uint64_t seed, int regime, size_t N)
{
    const attn_run run = {.seed = seed, .threads = 1};

    return attn_run_job(&run, "softmax_jacobian.demo", (size_t)regime, N,
                        PER_BLOCK);
}

/* ---- one head ---- */

static struct {
    size_t n, d_k;
    /* as work() leaves them: q, a key, scores, weights, J */
    double room[2 * HEAD_SIZE + 2 * HEAD_KEYS + HEAD_KEYS * HEAD_KEYS];
    double products[HEAD_KEYS];
} head;

/* The first head of a regime (0: without 1/sqrt(d_k), 1: with it), of up to 64
 * keys and d_k up to 1024; a GSL status. */
LAB_EXPORT int jacobian_draw(uint64_t seed, int regime, int n, int d_k)
{
    const attn_blocks job = demo_job(seed, regime, 1);
    const attn_fresh undivided = {(size_t)n, (size_t)d_k, 1, NULL};
    part drawn = {.sample = {.largest_entry = 0}};
    attn_rng g;

    if (n < 1 || n > HEAD_KEYS || d_k < 1 || d_k > HEAD_SIZE)
        return GSL_EINVAL;
    head.n = undivided.n;
    head.d_k = undivided.d_k;
    attn_rng_set(&g, job.seed, job.experiment, 0);
    const int status = work(0, 1, &g, &drawn, head.room, &undivided);
    memcpy(head.products, head.room + 2 * head.d_k,
           head.n * sizeof *head.products);
    return status;
}

/*
 * That head with its scores multiplied: a list of
 *     sigma = multiplier |q|, the spread that its scores come from,
 *     tr J, |J|_F, |J|_2, entropy, largest weight, 1 - that, sum a^2,
 * then n scores, n weights, and J row by row.
 */
LAB_EXPORT const double *jacobian_head(double multiplier)
{
    static double list[8 + 2 * HEAD_KEYS + HEAD_KEYS * HEAD_KEYS];
    double *const scores = list + 8;
    gsl_vector_view s = gsl_vector_view_array(scores, head.n);
    gsl_vector_view a = gsl_vector_view_array(scores + head.n, head.n);
    gsl_matrix_view J =
        gsl_matrix_view_array(scores + 2 * head.n, head.n, head.n);

    for (size_t j = 0; j < head.n; j++)
        scores[j] = multiplier * head.products[j];
    attn_softmax(&s.vector, &a.vector);
    attn_softmax_jacobian(&a.vector, &J.matrix);
    list[0] =
        multiplier * sqrt(attn_product_dot(head.room, head.room, head.d_k));
    list[1] = attn_softmax_trace(&a.vector);
    list[2] = attn_softmax_frobenius(&a.vector);
    list[3] = attn_softmax_spectral(&a.vector);
    list[4] = attn_softmax_entropy(&a.vector);
    list[5] = gsl_vector_max(&a.vector);
    list[6] = attn_softmax_rest(&a.vector);
    list[7] = attn_product_dot(a.vector.data, a.vector.data, head.n);
    return list;
}

/* ---- many heads ---- */

/* The blocks that are drawn, all of them whole, and the norms of their heads
 * in the order of drawing. */
static struct {
    uint64_t seed;
    int regime, is_regimes; /* the multiplier is that of the regime */
    double multiplier;
    size_t blocks, largest;
    attn_fresh_sample sample;
    attn_fresh_sample now;  /* and the rest of a run, in a shorter block */
    double *norms, *sorted; /* largest */
    attn_theory_jacobian theory;
    int has_theory;
} grown;
static lab_record told; /* of the last call of jacobian_grow */

/* A new sample of at most N heads, still empty; a GSL status. */
LAB_EXPORT int jacobian_begin(uint64_t seed, int regime, int n, int d_k,
                              double exponent, int N)
{
    free(grown.norms);
    free(grown.sorted);
    memset(&grown, 0, sizeof grown);
    grown.seed = seed;
    grown.regime = regime;
    grown.is_regimes = exponent == (regime ? -0.5 : 0);
    grown.multiplier = jacobian_multiplier(d_k, exponent);
    grown.largest = (size_t)N;
    grown.norms = malloc((size_t)N * sizeof(double));
    grown.sorted = malloc((size_t)N * sizeof(double));
    keys = (size_t)n;
    head_size = (size_t)d_k;
    return grown.norms && grown.sorted ? GSL_SUCCESS : GSL_ENOMEM;
}

/* What the theory says of such heads, which takes a tenth of a second; a GSL
 * status. */
LAB_EXPORT int jacobian_predict(void)
{
    const int status = attn_theory_fresh_head(
        &keys, 1, head_size,
        grown.is_regimes ? law_scale((size_t)grown.regime) : grown.multiplier,
        &grown.theory);

    grown.has_theory = !status;
    return status;
}

/* One block more, into what the blocks before it have made. */
static int draw_block(const attn_blocks *job, size_t block, size_t count,
                      attn_fresh_sample *sample)
{
    const attn_fresh fresh = {keys, head_size, grown.multiplier, grown.norms};
    part *p = calloc(1, sizeof *p + count * sizeof *p->norms);
    double *scratch =
        malloc((2 * head_size + (2 + keys) * keys) * sizeof *scratch);
    whole total = {sample, grown.norms + block * job->per_block};
    attn_rng g;
    int status = p && scratch ? GSL_SUCCESS : GSL_ENOMEM;

    attn_rng_set(&g, job->seed, job->experiment, block);
    if (!status)
        status = work(block * job->per_block, count, &g, p, scratch, &fresh);
    if (!status)
        merge(&total, p);
    free(scratch);
    free(p);
    return status;
}

/* The verdicts of the regime, where it is one and the theory is known. */
static int judge(attn_run *run)
{
    if (grown.is_regimes && grown.has_theory) {
        memcpy(grown.sorted, grown.norms, trials * sizeof *grown.sorted);
        gsl_sort(grown.sorted, 1, trials);
        demo_claims(run, &regime_names[grown.regime], &grown.now, &grown.theory,
                    grown.sorted);
    }
    return GSL_SUCCESS;
}

/*
 * The first N heads, N never falling: NULL, or a list of
 *     mean of tr J, its standard error; of |J|_F^2; of |J|_2^2; of the entropy;
 *     of sum a^2 (0 for an error that one head does not have),
 * and where the theory is known E tr J, the exact standard error of its mean,
 * E |J|_F^2, the same.
 */
LAB_EXPORT const double *jacobian_grow(int N)
{
    static double list[14];
    const attn_blocks job = demo_job(grown.seed, grown.regime, (size_t)N);
    const size_t whole_blocks = job.trials / job.per_block;
    const size_t rest = job.trials % job.per_block;
    const attn_fresh_sample *now = &grown.now;
    int status = job.trials <= grown.largest ? GSL_SUCCESS : GSL_EINVAL;

    while (!status && grown.blocks < whole_blocks)
        status = draw_block(&job, grown.blocks++, job.per_block, &grown.sample);
    grown.now = grown.sample;
    if (!status && rest > 0)
        status = draw_block(&job, grown.blocks, rest, &grown.now);
    trials = job.trials;
    if (!status)
        status = lab_record_take(&told, grown.seed, judge);
    if (status)
        return NULL;

    const attn_moments *const all[] = {&now->trace, &now->frobenius2,
                                       &now->spectral2, &now->entropy,
                                       &now->squares};
    for (size_t i = 0; i < 5; i++) {
        list[2 * i] = all[i]->mean;
        list[2 * i + 1] = job.trials > 1 ? attn_moments_se(all[i]) : 0;
    }
    list[10] = grown.theory.trace.value;
    list[11] = trace_se(&grown.theory, job.trials);
    list[12] = grown.theory.frobenius2.value;
    list[13] = frobenius2_se(&grown.theory, job.trials);
    return list;
}

/* The verdicts as the program prints them, "" at another multiplier. */
LAB_EXPORT const char *jacobian_lines(void)
{
    return grown.is_regimes && grown.has_theory ? told.lines : "";
}

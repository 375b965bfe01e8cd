/* s = sum_j q_j k_j of independent pairs, moments and tail. */
#include "attn_pairs.h"
#include "attn_product.h"
#include <gsl/gsl_errno.h>
#include <math.h>

/* Entries drawn at a time, where a pair is no longer than that. */
enum { CHUNK = 4096 };

/* Pairs drawn at a time: a part of the experiment, since it orders draws. */
static size_t rows_at_once(size_t d_k)
{
    return d_k < CHUNK ? CHUNK / d_k : 1;
}

/* k' = rho q + sqrt(1 - rho^2) k, then both times sqrt(v). */
static void draw(const attn_pairs *p, attn_rng *g, size_t size, double *q,
                 double *k)
{
    const double own = sqrt(1 - p->rho * p->rho), sd = sqrt(p->v);

    attn_sample_fill(p->law, g, q, size);
    attn_sample_fill(p->law, g, k, size);
    if (p->rho != 0)
        for (size_t j = 0; j < size; j++)
            k[j] = p->rho * q[j] + own * k[j];
    if (p->v != 1)
        for (size_t j = 0; j < size; j++) {
            q[j] *= sd;
            k[j] *= sd;
        }
}

static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    const attn_pairs *p = setup;
    const size_t most = rows_at_once(p->d_k);
    attn_pairs_sample *out = partial;
    double *q = scratch, *k = q + most * p->d_k;

    (void)first;
    for (size_t done = 0, rows; done < count; done += rows) {
        rows = count - done < most ? count - done : most;
        draw(p, g, rows * p->d_k, q, k);
        for (size_t i = 0; i < rows; i++) {
            const double score =
                attn_product_dot(q + i * p->d_k, k + i * p->d_k, p->d_k);
            attn_moments_add(&out->scores, score);
            out->routine += fabs(score) > 8;
        }
    }
    return GSL_SUCCESS;
}

static void merge(void *total, const void *partial)
{
    attn_pairs_sample *t = total;
    const attn_pairs_sample *p = partial;

    attn_moments_merge(&t->scores, &p->scores);
    t->routine += p->routine;
}

int attn_pairs_measure(attn_blocks job, const attn_pairs *pairs,
                       attn_pairs_sample *out)
{
    job.partial_size = sizeof *out;
    job.scratch_size =
        2 * rows_at_once(pairs->d_k) * pairs->d_k * sizeof(double);
    *out = (attn_pairs_sample){0};
    return attn_blocks_run(&job, work, merge, out, pairs);
}

/*
 * O = softmax(scale Q K^T) V, 32 queries against one tile of keys after the
 * other.
 *
 * The 32 queries stand side by side in lanes, and each lane does what one query
 * alone would do: no sum runs across lanes, so the bits do not depend on how
 * wide the processor's vectors are. An array of lanes is [row * LANES + lane]:
 * row c of q is component c of the queries, row j of s their scores against
 * key j of the tile, row c of o component c of their outputs.
 */
#include "attn_stream.h"
#include "attn_blocks.h"
#include "attn_clones.h"
#include "attn_count.h"
#include "attn_exp.h"
#include "attn_math.h"
#include "attn_softmax.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 32, LINE = 64 /* bytes of a cache line */ };

/* What all queries share. */
typedef struct {
    const gsl_matrix *Q, *K, *V;
    double scale;
    const attn_mask *mask;
    size_t keys;   /* in a tile, at most n_k */
    int is_finite; /* every value is */
    gsl_matrix *O;
    gsl_vector *lse;
} task;

/* Queries on their way along the keys, and their scores against one tile. */
typedef struct {
    double *q;    /* d_k rows of lanes: scale q */
    double *s;    /* a row for each key of the tile */
    double *o;    /* d_v rows: sum_j e^{s_j - m} v_j */
    double *m;    /* the largest score so far; -infinity: none seen */
    double *z;    /* sum_j e^{s_j - m} */
    size_t first; /* the query in lane 0 */
    size_t count; /* lanes in use; the others compute with zeros */
} group;

attn_stream attn_stream_default(size_t threads)
{
    return (attn_stream){.keys = 128, .threads = threads};
}

/*
 * sum_r += sum_t x_t y_rt for rows of lanes, t ascending; y_rt stands at
 * y[r * down + t * along]. Four terms at a time, so that a sum is fetched and
 * put back once for four multiply-adds.
 */
ATTN_CLONES static void stream_multiply(const double *restrict x,
                                        const double *restrict y, size_t down,
                                        size_t along, size_t terms,
                                        double *restrict sum, size_t rows)
{
    for (size_t r = 0; r < rows; r++, y += down, sum += LANES) {
        size_t t = 0;
        for (; t + 4 <= terms; t += 4) {
            const double *x0 = x + t * LANES, *x1 = x0 + LANES;
            const double *x2 = x1 + LANES, *x3 = x2 + LANES;
            const double y0 = y[t * along], y1 = y[(t + 1) * along];
            const double y2 = y[(t + 2) * along], y3 = y[(t + 3) * along];
            for (size_t i = 0; i < LANES; i++)
                sum[i] = (((sum[i] + x0[i] * y0) + x1[i] * y1) + x2[i] * y2) +
                         x3[i] * y3;
            ATTN_COUNT(4 * LANES);
        }
        for (; t < terms; t++) {
            for (size_t i = 0; i < LANES; i++)
                sum[i] += x[t * LANES + i] * y[t * along];
            ATTN_COUNT(LANES);
        }
    }
}

/* The same where some y is not finite: an x of 0 silences it. */
static void multiply_seen(const double *x, const double *y, size_t down,
                          size_t along, size_t terms, double *sum, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t t = 0; t < terms; t++)
            for (size_t i = 0; i < LANES; i++)
                if (x[t * LANES + i] != 0)
                    sum[r * LANES + i] +=
                        x[t * LANES + i] * y[r * down + t * along];
    ATTN_COUNT(rows * terms * LANES);
}

/* s - m, where infinity - infinity is 0: equal scores are equal. */
static inline double below(double s, double m)
{
    return s == m ? 0 : s - m;
}

/*
 * A tile of scores s becomes e^{s - m} for the new maximum m; z and o follow.
 * While nothing has been seen m is -infinity, and 0 stands in for it: then
 * e^{-infinity - 0} = 0 says all that there is to say.
 */
ATTN_CLONES static void stream_weigh(double *restrict s, size_t keys,
                                     double *restrict m, double *restrict z,
                                     double *restrict o, size_t d_v)
{
    double top[LANES], shrink[LANES];

    for (size_t i = 0; i < LANES; i++)
        top[i] = m[i];
    for (size_t j = 0; j < keys; j++)
        for (size_t i = 0; i < LANES; i++) {
            const double sj = s[j * LANES + i];
            top[i] = sj > top[i] ? sj : top[i];
        }
    for (size_t i = 0; i < LANES; i++) {
        const double old = m[i];
        m[i] = top[i];
        top[i] = top[i] == -INFINITY ? 0 : top[i];
        shrink[i] = attn_exp_inline(below(old, top[i]));
        z[i] *= shrink[i];
    }
    for (size_t j = 0; j < keys; j++)
        for (size_t i = 0; i < LANES; i++) {
            double *sj = &s[j * LANES + i];
            *sj = attn_exp_inline(below(*sj, top[i]));
        }
    for (size_t j = 0; j < keys; j++)
        for (size_t i = 0; i < LANES; i++)
            z[i] += s[j * LANES + i];
    for (size_t c = 0; c < d_v; c++)
        for (size_t i = 0; i < LANES; i++)
            o[c * LANES + i] *= shrink[i];
}

/* -infinity where the mask hides key first + j from a query of the group. */
static void hide(const attn_mask *mask, const group *g, size_t first,
                 size_t keys)
{
    if (mask->kind == ATTN_MASK_NONE ||
        (mask->kind == ATTN_MASK_CAUSAL && first + keys <= g->first + 1))
        return;
    for (size_t j = 0; j < keys; j++)
        for (size_t i = 0; i < g->count; i++)
            if (!attn_mask_sees(mask, g->first + i, first + j))
                g->s[j * LANES + i] = -INFINITY;
}

/* One tile of keys: scores, weights, weighted sum. */
static void visit(const task *t, const group *g, size_t first, size_t keys)
{
    const size_t d_k = t->K->size2, d_v = t->V->size2;
    const double *K = gsl_matrix_const_ptr(t->K, first, 0);
    const double *V = gsl_matrix_const_ptr(t->V, first, 0);

    /* s_j = sum_c q_c K_jc */
    memset(g->s, 0, keys * LANES * sizeof *g->s);
    stream_multiply(g->q, K, t->K->tda, 1, d_k, g->s, keys);
    hide(t->mask, g, first, keys);
    stream_weigh(g->s, keys, g->m, g->z, g->o, d_v);
    /* o_c += sum_j e^{s_j - m} V_jc */
    (t->is_finite ? stream_multiply : multiply_seen)(g->s, V, 1, t->V->tda,
                                                     keys, g->o, d_v);
}

/* The group's queries, times scale, into lanes; nothing seen yet. */
static void start(const task *t, const group *g)
{
    const size_t d_k = t->Q->size2;

    memset(g->q, 0, d_k * LANES * sizeof *g->q);
    memset(g->o, 0, t->V->size2 * LANES * sizeof *g->o);
    for (size_t i = 0; i < LANES; i++) {
        g->m[i] = -INFINITY;
        g->z[i] = 0;
    }
    for (size_t i = 0; i < g->count; i++)
        for (size_t c = 0; c < d_k; c++)
            g->q[c * LANES + i] =
                t->scale * gsl_matrix_get(t->Q, g->first + i, c);
}

/* o/z and m + ln z; *no_key is set when a query has seen nothing. */
static int finish(const task *t, const group *g, int *no_key)
{
    for (size_t i = 0; i < g->count; i++) {
        const double m = g->m[i], z = g->z[i];
        if (isnan(z))
            GSL_ERROR("a score is NaN", GSL_EDOM);
        *no_key |= z == 0;
        for (size_t c = 0; c < t->V->size2; c++)
            gsl_matrix_set(t->O, g->first + i, c,
                           z == 0 ? 0 : g->o[c * LANES + i] / z);
        if (t->lse)
            gsl_vector_set(t->lse, g->first + i,
                           isinf(m) ? m : m + attn_log(z));
    }
    return GSL_SUCCESS;
}

/* Block b of attn_blocks: queries b LANES .. against all keys they may see. */
static int work(size_t b, size_t blocks, attn_rng *r, void *partial,
                void *scratch, const void *setup)
{
    const task *t = setup;
    const size_t d_k = t->Q->size2, d_v = t->V->size2, n_k = t->K->size1;
    const size_t left = t->Q->size1 - b * LANES;
    group g = {.first = b * LANES, .count = left < LANES ? left : LANES};

    (void)blocks, (void)r;
    g.s = (double *)(((uintptr_t)scratch + LINE - 1) / LINE * LINE);
    g.q = g.s + LANES * t->keys;
    g.o = g.q + LANES * d_k;
    g.m = g.o + LANES * d_v;
    g.z = g.m + LANES;

    const size_t horizon = g.first + g.count; /* causal: seen keys end there */
    const size_t end =
        t->mask->kind == ATTN_MASK_CAUSAL && horizon < n_k ? horizon : n_k;
    start(t, &g);
    for (size_t j = 0; j < end; j += t->keys)
        visit(t, &g, j, end - j < t->keys ? end - j : t->keys);
    return finish(t, &g, partial);
}

static void merge(void *total, const void *partial)
{
    *(int *)total |= *(const int *)partial;
}

/* A tile has no more keys than there are, and at least one. */
static size_t keys_of(const attn_stream *how, size_t n_k)
{
    return how->keys < n_k ? how->keys : n_k + (n_k == 0);
}

/* Queries in blocks of LANES, as so many trials of attn_blocks. */
static int job_of(size_t n_q, size_t d_k, size_t d_v, size_t keys,
                  size_t threads, attn_blocks *job)
{
    const size_t most = SIZE_MAX / sizeof(double) / LANES / 8;

    if (d_k > most || d_v > most || keys > most)
        GSL_ERROR("a tile of more bytes than a size holds", GSL_ENOMEM);
    *job = (attn_blocks){
        .trials = n_q / LANES + (n_q % LANES != 0),
        .per_block = 1,
        .threads = threads,
        .partial_size = sizeof(int),
        .scratch_size = sizeof(double) * LANES * (keys + d_k + d_v + 2) + LINE};
    return GSL_SUCCESS;
}

size_t attn_stream_scratch(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                           const attn_stream *how)
{
    attn_blocks job;

    if (job_of(n_q, d_k, d_v, keys_of(how, n_k), how->threads, &job))
        return 0;
    return attn_blocks_bytes(&job);
}

static int is_finite(const gsl_matrix *V)
{
    for (size_t j = 0; j < V->size1; j++)
        for (size_t c = 0; c < V->size2; c++)
            if (!isfinite(gsl_matrix_get(V, j, c)))
                return 0;
    return 1;
}

int attn_stream_attend(const gsl_matrix *Q, const gsl_matrix *K,
                       const gsl_matrix *V, double scale, const attn_mask *mask,
                       const attn_stream *how, gsl_matrix *O, gsl_vector *lse)
{
    if (Q->size2 != K->size2 || K->size1 != V->size1 || O->size1 != Q->size1 ||
        O->size2 != V->size2 || (lse && lse->size != Q->size1))
        GSL_ERROR("Q is n_q x d_k, K n_k x d_k, V n_k x d_v, O n_q x d_v",
                  GSL_EBADLEN);
    if (how->keys == 0 || how->threads == 0)
        GSL_ERROR("a tile and threads are at least 1", GSL_EINVAL);
    const task t = {.Q = Q,
                    .K = K,
                    .V = V,
                    .scale = scale,
                    .mask = mask,
                    .keys = keys_of(how, K->size1),
                    .is_finite = is_finite(V),
                    .O = O,
                    .lse = lse};
    attn_blocks job;
    int no_key = 0, status = attn_mask_check(mask, Q->size1, K->size1);

    if (!status)
        status =
            job_of(Q->size1, Q->size2, V->size2, t.keys, how->threads, &job);
    if (!status)
        status = attn_blocks_run(&job, work, merge, &no_key, &t);
    return status ? status : no_key ? ATTN_SOFTMAX_NO_KEY : GSL_SUCCESS;
}

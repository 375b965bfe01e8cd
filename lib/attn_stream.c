/*
 * O = softmax(scale Q K^T) V, LANES queries against one tile of keys after the
 * other; in float where ATTN_FLOAT is defined (attn_stream_float.c).
 *
 * The queries stand side by side in lanes (attn_tile.h). Row c of q is
 * component c of the queries, row j of s their scores against key j of the
 * tile, row c of o component c of their outputs.
 */
#include "attn_stream.h"
#include "attn_blocks.h"
#include "attn_clones.h"
#include "attn_exp.h"
#include "attn_math.h"
#include "attn_real.h"
#include "attn_softmax.h"
#include "attn_tile.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LINE = 64 /* bytes of a cache line */ };

#ifndef ATTN_FLOAT
attn_stream attn_stream_default(size_t threads)
{
    return (attn_stream){.keys = 128, .threads = threads};
}
#endif

/* What all queries share. */
typedef struct {
    const MATRIX *Q, *K, *V;
    REAL scale;
    const attn_mask *mask;
    size_t keys;   /* in a tile, at most n_k */
    int is_finite; /* every value is */
    MATRIX *O;
    VECTOR *lse;
} task;

/* Queries on their way along the keys, and their scores against one tile. */
typedef struct {
    REAL *q;      /* d_k rows of lanes: scale q */
    REAL *s;      /* a row for each key of the tile */
    REAL *o;      /* d_v rows: sum_j e^{s_j - m} v_j */
    REAL *m;      /* the largest score so far; -infinity: none seen */
    REAL *z;      /* sum_j e^{s_j - m} */
    size_t first; /* the query in lane 0 */
    size_t count; /* lanes in use; the others compute with zeros */
} group;

/* s - m, where infinity - infinity is 0: equal scores are equal. */
static inline REAL below(REAL s, REAL m)
{
    return s == m ? 0 : s - m;
}

/*
 * A tile of scores s becomes e^{s - m} for the new maximum m; z follows, and
 * keep = e^{m_old - m} is what o has yet to be multiplied by. While nothing has
 * been seen m is -infinity, and 0 stands in for it: then e^{-infinity - 0} = 0
 * says all that there is to say.
 */
ATTN_INLINE void weigh(int version, REAL *restrict s, size_t keys,
                       REAL *restrict m, REAL *restrict z, REAL *restrict keep)
{
    REAL top[LANES], sum[LANES];

#pragma omp simd
    for (size_t i = 0; i < LANES; i++)
        top[i] = m[i];
    for (size_t j = 0; j < keys; j++) {
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            const REAL sj = s[j * LANES + i];
            top[i] = sj > top[i] ? sj : top[i];
        }
    }
#pragma omp simd
    for (size_t i = 0; i < LANES; i++) {
        const REAL old = m[i];
        m[i] = top[i];
        top[i] = top[i] == -(REAL)INFINITY ? 0 : top[i];
        keep[i] = EXP(version, below(old, top[i]));
        sum[i] = z[i] * keep[i];
    }
    for (size_t j = 0; j < keys; j++) {
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            REAL *sj = &s[j * LANES + i];
            *sj = EXP(version, below(*sj, top[i]));
            sum[i] += *sj;
        }
    }
#pragma omp simd
    for (size_t i = 0; i < LANES; i++)
        z[i] = sum[i];
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
                g->s[j * LANES + i] = -(REAL)INFINITY;
}

/* One tile of keys: scores, weights, weighted sum. */
ATTN_INLINE void visit_inline(int version, const task *t, const group *g,
                              size_t first, size_t keys)
{
    const size_t d_k = t->K->size2, d_v = t->V->size2;
    const REAL *K = t->K->data + first * t->K->tda;
    const REAL *V = t->V->data + first * t->V->tda;
    REAL keep[LANES];

    /* s_j = sum_c q_c K_jc */
    tile_multiply(version, g->q, K, t->K->tda, 1, d_k, NULL, g->s, keys);
    hide(t->mask, g, first, keys);
    weigh(version, g->s, keys, g->m, g->z, keep);
    /* o_c = keep o_c + sum_j e^{s_j - m} V_jc */
    if (t->is_finite)
        tile_multiply(version, g->s, V, 1, t->V->tda, keys, keep, g->o, d_v);
    else
        tile_any(version, 1, g->s, V, 1, t->V->tda, keys, keep, g->o, d_v);
}

ATTN_FMA_VERSIONS(visit,
                  (const task *t, const group *g, size_t first, size_t keys), t,
                  g, first, keys)

/* The group's queries, times scale, into lanes; nothing seen yet. */
static void start(const task *t, const group *g)
{
    const size_t d_k = t->Q->size2;

    memset(g->q, 0, d_k * LANES * sizeof *g->q);
    memset(g->o, 0, t->V->size2 * LANES * sizeof *g->o);
    for (size_t i = 0; i < LANES; i++) {
        g->m[i] = -(REAL)INFINITY;
        g->z[i] = 0;
    }
    for (size_t i = 0; i < g->count; i++)
        for (size_t c = 0; c < d_k; c++)
            g->q[c * LANES + i] =
                t->scale * t->Q->data[(g->first + i) * t->Q->tda + c];
}

/* o/z and m + ln z; *no_key is set when a query has seen nothing. */
static int finish(const task *t, const group *g, int *no_key)
{
    for (size_t i = 0; i < g->count; i++) {
        const REAL m = g->m[i], z = g->z[i];
        REAL *o = t->O->data + (g->first + i) * t->O->tda;
        if (isnan(z))
            GSL_ERROR("a score is NaN", GSL_EDOM);
        *no_key |= z == 0;
        for (size_t c = 0; c < t->V->size2; c++)
            o[c] = z == 0 ? 0 : g->o[c * LANES + i] / z;
        if (t->lse)
            t->lse->data[(g->first + i) * t->lse->stride] =
                isinf(m) ? m : (REAL)(m + attn_log(z));
    }
    return GSL_SUCCESS;
}

/* Groups that meet a tile in turn, while it is in the cache. */
enum { TOGETHER = 4 };

/* Keys that some query of the group may see end here. */
static size_t end_of(const task *t, const group *g)
{
    /* A block has a group. */
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    const size_t horizon = g->first + g->count, n_k = t->K->size1;

    return t->mask->kind == ATTN_MASK_CAUSAL && horizon < n_k ? horizon : n_k;
}

/* A block of attn_blocks: so many groups against all keys they may see. */
static int work(size_t first, size_t count, attn_rng *r, void *partial,
                void *scratch, const void *setup)
{
    const task *t = setup;
    const size_t d_k = t->Q->size2, d_v = t->V->size2, n_q = t->Q->size1;
    REAL *lanes = (REAL *)(((uintptr_t)scratch + LINE - 1) / LINE * LINE);
    REAL *s = lanes, *rest = s + LANES * t->keys;
    group groups[TOGETHER];
    int status = GSL_SUCCESS;

    (void)r;
    for (size_t k = 0; k < count; k++) {
        group *g = &groups[k];
        g->first = (first + k) * LANES;
        g->count = n_q - g->first < LANES ? n_q - g->first : LANES;
        g->s = s;
        g->q = rest;
        g->o = g->q + LANES * d_k;
        g->m = g->o + LANES * d_v;
        g->z = g->m + LANES;
        rest = g->z + LANES;
        start(t, g);
    }
    const size_t end = end_of(t, &groups[count - 1]);
    for (size_t j = 0; j < end; j += t->keys)
        for (size_t k = 0; k < count; k++) {
            const size_t stop = end_of(t, &groups[k]);
            if (j < stop)
                visit(t, &groups[k], j,
                      stop - j < t->keys ? stop - j : t->keys);
        }
    for (size_t k = 0; !status && k < count; k++)
        status = finish(t, &groups[k], partial);
    return status;
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
    const size_t row = LANES * sizeof(REAL),
                 most = SIZE_MAX / row / TOGETHER / 8;

    if (d_k > most || d_v > most || keys > most)
        GSL_ERROR("a tile of more bytes than a size holds", GSL_ENOMEM);
    *job = (attn_blocks){.trials = n_q / LANES + (n_q % LANES != 0),
                         .per_block = TOGETHER,
                         .threads = threads,
                         .partial_size = sizeof(int),
                         .scratch_size =
                             row * (keys + TOGETHER * (d_k + d_v + 2)) + LINE};
    return GSL_SUCCESS;
}

size_t NAME(attn_stream_scratch)(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                                 const attn_stream *how)
{
    attn_blocks job;

    if (job_of(n_q, d_k, d_v, keys_of(how, n_k), how->threads, &job))
        return 0;
    return attn_blocks_bytes(&job);
}

int NAME(attn_stream_attend)(const MATRIX *Q, const MATRIX *K, const MATRIX *V,
                             REAL scale, const attn_mask *mask,
                             const attn_stream *how, MATRIX *O, VECTOR *lse)
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
                    .is_finite = tile_is_finite(V),
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

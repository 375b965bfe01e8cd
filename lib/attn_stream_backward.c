/*
 * dQ, dK and dV in two sweeps over tiles of S.
 *
 * The sweeps are one and the same. What stands in lanes (attn_tile.h) has two
 * vectors, x and y, and meets rows that have two, a and b:
 *
 *     s = <x, a>,  p = e^{s - lse},  e = p (<y, b> - D)
 *     dx = sum e a,  dy = sum p b
 *
 * For dQ the lanes are queries, x = scale q, y = do, and the rows keys, a = k,
 * b = v; lse and D go with the lane. For dK and dV the lanes are keys, x =
 * scale k, y = v, and the rows queries, a = q, b = do; lse and D go with the
 * row. In both dx lacks the factor scale at first.
 */
#include "attn_stream_backward.h"
#include "attn_blocks.h"
#include "attn_exp.h"
#include "attn_tile.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The groups that meet a tile in turn, and the bytes of a cache line. */
enum { TOGETHER = 4, LINE = 64 };

/* One sweep: what all groups share. */
typedef struct {
    int by_key; /* lanes are keys and rows queries, not the other way round */
    const gsl_matrix *X, *Y, *A, *B;
    const double *lse, *D; /* of the queries; +infinity: sees nothing */
    double scale;
    const attn_mask *mask;
    size_t rows;         /* in a tile, at most those of A */
    int is_finite;       /* every number of A and B is */
    gsl_matrix *dX, *dY; /* dY: NULL for dQ's sweep */
} sweep;

/* Lanes on their way along the rows, and their numbers in one tile. */
typedef struct {
    double *x, *y, *dx, *dy; /* d_k, d_v, d_k, d_v rows of lanes */
    double *lse, *D;         /* a row each; of the lanes, where queries */
    double *p, *e;           /* a row for each row of the tile */
    size_t first;            /* the item in lane 0 */
    size_t count;            /* lanes in use */
} group;

static int sees(const sweep *t, size_t lane, size_t row)
{
    return t->by_key ? attn_mask_sees(t->mask, row, lane)
                     : attn_mask_sees(t->mask, lane, row);
}

/* The rows that some lane of the group may meet: from begin_of to end_of. */
static size_t begin_of(const sweep *t, const group *g)
{
    return t->mask->kind == ATTN_MASK_CAUSAL && t->by_key ? g->first : 0;
}

static size_t end_of(const sweep *t, const group *g)
{
    /* A block has a group. */
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    const size_t n = t->A->size1, horizon = g->first + g->count;

    return t->mask->kind == ATTN_MASK_CAUSAL && !t->by_key && horizon < n
               ? horizon
               : n;
}

/* s = -infinity where lane and row do not meet. */
static void hide(const sweep *t, const group *g, size_t first, size_t rows)
{
    const int past = t->by_key ? g->first + g->count <= first + 1
                               : first + rows <= g->first + 1;

    if (t->mask->kind == ATTN_MASK_NONE ||
        (t->mask->kind == ATTN_MASK_CAUSAL && past))
        return;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < g->count; i++)
            if (!sees(t, g->first + i, first + r))
                g->p[r * LANES + i] = -INFINITY;
}

/* p: from s to e^{s - lse}; e: from <y, b> to p (<y, b> - D), 0 where p is.
 * The lse of row r and lane i stands at lse[r * down + i * along], so does D.
 * The two sweeps round s differently: above 10^18 it can be far above the lse,
 * and 708 keeps the exponential in its range.
 */
ATTN_INLINE void weigh(int version, double *restrict p, double *restrict e,
                       size_t rows, const double *restrict lse,
                       const double *restrict D, size_t down, size_t along)
{
    for (size_t r = 0; r < rows; r++, lse += down, D += down, p += LANES) {
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            const double x = p[i] - lse[i * along];
            p[i] = attn_exp_weight(version, x > 708 ? 708 : x);
            e[r * LANES + i] =
                p[i] == 0 ? 0 : p[i] * (e[r * LANES + i] - D[i * along]);
        }
    }
}

/* sum += x y, as attn_tile.h has it, for a tile of weights x. */
ATTN_INLINE void add(int version, const sweep *t, const double *x,
                     const gsl_matrix *Y, size_t first, size_t rows,
                     double *sum)
{
    const double *y = gsl_matrix_const_ptr(Y, first, 0);
    double one[LANES];

    for (size_t i = 0; i < LANES; i++)
        one[i] = 1;
    if (t->is_finite)
        tile_multiply(version, x, y, 1, Y->tda, rows, one, sum, Y->size2);
    else
        tile_any(version, 1, x, y, 1, Y->tda, rows, one, sum, Y->size2);
}

/* One tile of rows. */
ATTN_INLINE void backward_visit_inline(int version, const sweep *t,
                                       const group *g, size_t first,
                                       size_t rows)
{
    const gsl_matrix *A = t->A, *B = t->B;

    tile_multiply(version, g->x, gsl_matrix_const_ptr(A, first, 0), A->tda, 1,
                  A->size2, NULL, g->p, rows);
    tile_multiply(version, g->y, gsl_matrix_const_ptr(B, first, 0), B->tda, 1,
                  B->size2, NULL, g->e, rows);
    hide(t, g, first, rows);
    if (t->by_key)
        weigh(version, g->p, g->e, rows, t->lse + first, t->D + first, 1, 0);
    else
        weigh(version, g->p, g->e, rows, g->lse, g->D, 0, 1);
    add(version, t, g->e, A, first, rows, g->dx);
    if (t->dY)
        add(version, t, g->p, B, first, rows, g->dy);
}

ATTN_FMA_VERSIONS(backward_visit,
                  (const sweep *t, const group *g, size_t first, size_t rows),
                  t, g, first, rows)

/* Rows of M from first on, times factor, into lanes; 0 where there is none. */
static void spread(const gsl_matrix *M, double factor, const group *g,
                   double *lanes)
{
    memset(lanes, 0, M->size2 * LANES * sizeof *lanes);
    for (size_t i = 0; i < g->count; i++)
        for (size_t c = 0; c < M->size2; c++)
            lanes[c * LANES + i] = factor * gsl_matrix_get(M, g->first + i, c);
}

/* And back. */
static void gather(const double *lanes, double factor, const group *g,
                   gsl_matrix *M)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t c = 0; c < M->size2; c++)
            gsl_matrix_set(M, g->first + i, c, factor * lanes[c * LANES + i]);
}

/* The rows of lanes of a group, from place on; returns where they end. */
static double *start(const sweep *t, group *g, double *place)
{
    const size_t x = LANES * t->X->size2, y = LANES * t->Y->size2;

    g->x = place;
    g->y = g->x + x;
    g->dx = g->y + y;
    g->dy = g->dx + x;
    g->lse = g->dy + y;
    g->D = g->lse + LANES;
    spread(t->X, t->scale, g, g->x);
    spread(t->Y, 1, g, g->y);
    memset(g->dx, 0, (x + y + 2 * LANES) * sizeof *g->dx);
    for (size_t i = 0; !t->by_key && i < g->count; i++) {
        g->lse[i] = t->lse[g->first + i];
        g->D[i] = t->D[g->first + i];
    }
    return g->D + LANES;
}

/* A block of attn_blocks: so many groups along all rows that they may meet. */
static int work(size_t first, size_t count, attn_rng *r, void *partial,
                void *scratch, const void *setup)
{
    const sweep *t = setup;
    double *p = (double *)(((uintptr_t)scratch + LINE - 1) / LINE * LINE);
    double *e = p + LANES * t->rows, *rest = e + LANES * t->rows;
    group groups[TOGETHER];

    (void)r, (void)partial;
    for (size_t k = 0; k < count; k++) {
        const size_t at = (first + k) * LANES, left = t->X->size1 - at;
        groups[k] = (group){
            .p = p, .e = e, .first = at, .count = left < LANES ? left : LANES};
        rest = start(t, &groups[k], rest);
    }
    const size_t end = end_of(t, &groups[count - 1]);
    for (size_t j = begin_of(t, &groups[0]); j < end; j += t->rows)
        for (size_t k = 0; k < count; k++) {
            const size_t stop = end_of(t, &groups[k]);
            if (j < stop)
                backward_visit(t, &groups[k], j,
                               stop - j < t->rows ? stop - j : t->rows);
        }
    for (size_t k = 0; k < count; k++) {
        gather(groups[k].dx, t->scale, &groups[k], t->dX);
        if (t->dY)
            gather(groups[k].dy, 1, &groups[k], t->dY);
    }
    return GSL_SUCCESS;
}

static void merge(void *total, const void *partial)
{
    (void)total, (void)partial;
}

static size_t rows_of(const attn_stream *how, size_t n)
{
    return how->keys < n ? how->keys : n + (n == 0);
}

/* n items in blocks of TOGETHER groups, along m rows. */
static int job_of(size_t n, size_t m, size_t d_k, size_t d_v,
                  const attn_stream *how, attn_blocks *job)
{
    const size_t rows = rows_of(how, m), row = LANES * sizeof(double);
    const size_t most = SIZE_MAX / row / TOGETHER / 16;

    if (d_k > most || d_v > most || rows > most)
        GSL_ERROR("a tile of more bytes than a size holds", GSL_ENOMEM);
    *job = (attn_blocks){.trials = n / LANES + (n % LANES != 0),
                         .per_block = TOGETHER,
                         .threads = how->threads,
                         .scratch_size =
                             row * (2 * rows + TOGETHER * 2 * (d_k + d_v + 1)) +
                             LINE};
    return GSL_SUCCESS;
}

size_t attn_stream_backward_scratch(size_t n_q, size_t n_k, size_t d_k,
                                    size_t d_v, const attn_stream *how)
{
    attn_blocks queries, keys;

    if (job_of(n_q, n_k, d_k, d_v, how, &queries) ||
        job_of(n_k, n_q, d_k, d_v, how, &keys))
        return 0;
    const size_t q = attn_blocks_bytes(&queries), k = attn_blocks_bytes(&keys);
    return 2 * (n_q + 1) * sizeof(double) + (q > k ? q : k);
}

static int run(sweep t, const attn_stream *how)
{
    attn_blocks job;
    int status =
        job_of(t.X->size1, t.A->size1, t.X->size2, t.Y->size2, how, &job);

    t.rows = rows_of(how, t.A->size1);
    t.is_finite = tile_is_finite(t.A) && tile_is_finite(t.B);
    return status ? status : attn_blocks_run(&job, work, merge, NULL, &t);
}

/* What a query's rows need: lse, and D_i = <dO_i, O_i>. A query that sees
 * nothing gets an lse of +infinity, below which every weight is 0. */
static int prepare(const gsl_matrix *O, const gsl_vector *lse,
                   const gsl_matrix *dO, double *of, double *D)
{
    for (size_t i = 0; i < O->size1; i++) {
        of[i] = gsl_vector_get(lse, i);
        if (!(of[i] < INFINITY))
            GSL_ERROR("a score is infinite or NaN", GSL_EDOM);
        of[i] = of[i] == -INFINITY ? INFINITY : of[i];
        D[i] = 0;
        for (size_t c = 0; c < O->size2; c++)
            D[i] = fma(gsl_matrix_get(dO, i, c), gsl_matrix_get(O, i, c), D[i]);
    }
    return GSL_SUCCESS;
}

static int is_shaped(const gsl_matrix *M, size_t rows, size_t columns)
{
    return M->size1 == rows && M->size2 == columns;
}

int attn_stream_backward(const gsl_matrix *Q, const gsl_matrix *K,
                         const gsl_matrix *V, double scale,
                         const attn_mask *mask, const attn_stream *how,
                         const gsl_matrix *O, const gsl_vector *lse,
                         const gsl_matrix *dO, gsl_matrix *dQ, gsl_matrix *dK,
                         gsl_matrix *dV)
{
    const size_t n_q = Q->size1, n_k = K->size1, d_k = Q->size2, d_v = V->size2;

    if (!is_shaped(K, n_k, d_k) || !is_shaped(V, n_k, d_v) ||
        !is_shaped(O, n_q, d_v) || !is_shaped(dO, n_q, d_v) ||
        !is_shaped(dQ, n_q, d_k) || !is_shaped(dK, n_k, d_k) ||
        !is_shaped(dV, n_k, d_v) || lse->size != n_q)
        GSL_ERROR("Q, dQ n_q x d_k; K, dK n_k x d_k; V, dV n_k x d_v; "
                  "O, dO n_q x d_v; lse n_q",
                  GSL_EBADLEN);
    if (how->keys == 0 || how->threads == 0)
        GSL_ERROR("a tile and threads are at least 1", GSL_EINVAL);
    int status = attn_mask_check(mask, n_q, n_k);
    if (status)
        return status;

    double *of = calloc(n_q + 1, sizeof *of), *D = calloc(n_q + 1, sizeof *D);
    const sweep by_query = {.X = Q,
                            .Y = dO,
                            .A = K,
                            .B = V,
                            .lse = of,
                            .D = D,
                            .scale = scale,
                            .mask = mask,
                            .dX = dQ};
    sweep by_key = by_query;

    by_key.by_key = 1;
    by_key.X = K, by_key.Y = V, by_key.A = Q, by_key.B = dO;
    by_key.dX = dK, by_key.dY = dV;
    status = of && D ? prepare(O, lse, dO, of, D) : GSL_ENOMEM;
    if (!status)
        status = run(by_query, how);
    if (!status)
        status = run(by_key, how);
    free(of);
    free(D);
    if (status == GSL_ENOMEM)
        GSL_ERROR("no memory for the backward pass", GSL_ENOMEM);
    return status;
}

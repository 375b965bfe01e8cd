/*
 * attn_stream_backward: the materialised layer's gradients for every tile, mask
 * and number of threads; signed differences of the forward pass; the edges.
 */
#include "attn_layer_backward.h"
#include "attn_product.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_stream_backward.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <string.h>

#define EPS 0x1p-52
enum { N_Q = 171, N_K = 150, D_K = 5, D_V = 7 };
enum { Q, K, V, O, DO, DQ, DK, DV, MATRICES };

/* One problem: all matrices, lse, and what the layer makes of it. */
typedef struct {
    gsl_matrix *m[MATRICES], *A, *dS, *want[MATRICES];
    gsl_vector *lse;
    double scale;
    attn_mask mask;
} problem;

static problem problem_make(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                            double scale, attn_mask mask, uint64_t setting)
{
    const size_t rows[] = {n_q, n_k, n_k, n_q, n_q, n_q, n_k, n_k};
    const size_t columns[] = {d_k, d_k, d_v, d_v, d_v, d_k, d_k, d_v};
    problem p = {.A = gsl_matrix_alloc(n_q, n_k),
                 .dS = gsl_matrix_alloc(n_q, n_k),
                 .lse = gsl_vector_alloc(n_q),
                 .scale = scale,
                 .mask = mask};

    for (size_t k = 0; k < MATRICES; k++) {
        attn_rng g;
        p.m[k] = gsl_matrix_alloc(rows[k], columns[k]);
        p.want[k] = gsl_matrix_alloc(rows[k], columns[k]);
        attn_rng_set(&g, 1,
                     attn_rng_experiment("test.stream_backward", setting), k);
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, p.m[k]->data,
                         rows[k] * columns[k]);
    }
    return p;
}

static void problem_free(problem *p)
{
    for (size_t k = 0; k < MATRICES; k++) {
        gsl_matrix_free(p->m[k]);
        gsl_matrix_free(p->want[k]);
    }
    gsl_matrix_free(p->A);
    gsl_matrix_free(p->dS);
    gsl_vector_free(p->lse);
}

static int forward(problem *p)
{
    const attn_stream how = attn_stream_default(1);

    return attn_stream_attend(p->m[Q], p->m[K], p->m[V], p->scale, &p->mask,
                              &how, p->m[O], p->lse);
}

static int backward(problem *p, size_t rows, size_t threads)
{
    const attn_stream how = {.keys = rows, .threads = threads};

    for (size_t k = DQ; k <= DV; k++) /* nothing is taken from before */
        gsl_matrix_set_all(p->m[k], NAN);
    return attn_stream_backward(p->m[Q], p->m[K], p->m[V], p->scale, &p->mask,
                                &how, p->m[O], p->lse, p->m[DO], p->m[DQ],
                                p->m[DK], p->m[DV]);
}

/* The layer's gradients into want. */
static void layer(problem *p)
{
    attn_layer_attend_masked(p->m[Q], p->m[K], p->m[V], p->scale, &p->mask,
                             p->A, p->want[O]);
    cr_assert_eq(attn_layer_attend_backward(p->m[Q], p->m[K], p->m[V], p->scale,
                                            p->A, p->m[DO], p->dS, p->want[DQ],
                                            p->want[DK], p->want[DV]),
                 0);
}

/* To 8 n eps, at gradients of order 1 and below. */
static void agree(const problem *p)
{
    const size_t n_q = p->m[Q]->size1, n_k = p->m[K]->size1;
    const double tolerance = 8 * (double)(n_q > n_k ? n_q : n_k) * EPS;

    for (size_t k = DQ; k <= DV; k++)
        for (size_t e = 0; e < p->m[k]->size1 * p->m[k]->size2; e++)
            cr_near(p->m[k]->data[e], p->want[k]->data[e], tolerance,
                    tolerance);
}

/* Row 5 sees nothing; row 40 only the very last key; nobody sees key 3. */
static gsl_matrix_uchar *some_seen(void)
{
    gsl_matrix_uchar *sees = gsl_matrix_uchar_calloc(N_Q, N_K);

    for (size_t i = 0; i < N_Q; i++)
        for (size_t j = 0; j < N_K; j++)
            gsl_matrix_uchar_set(sees, i, j,
                                 i == 5 || j == 3 ? 0
                                 : i == 40        ? j == N_K - 1
                                                  : (i + 2 * j) % 3 != 1);
    return sees;
}

Test(stream_backward, it_is_the_layer_for_every_tile_mask_and_number_of_threads)
{
    static const size_t tiles[] = {1, 7, 64, 128, N_K, N_Q + 50, SIZE_MAX};
    static const size_t threads[] = {2, 3, 7};
    gsl_matrix_uchar *sees = some_seen();
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal,
                               attn_mask_of(sees)};
    size_t ran = 0;

    for (size_t m = 0; m < 3; m++) {
        problem p = problem_make(N_Q, N_K, D_K, D_V, -0.7, masks[m], 0);
        cr_assert_eq(forward(&p), m == 2 ? ATTN_SOFTMAX_NO_KEY : 0);
        layer(&p);
        for (size_t t = 0; t < 7; t++) {
            double *one[MATRICES];
            cr_assert_eq(backward(&p, tiles[t], 1), 0);
            agree(&p);
            for (size_t k = DQ; k <= DV; k++) {
                const size_t bytes = 8 * p.m[k]->size1 * p.m[k]->size2;
                one[k] = malloc(bytes);
                memcpy(one[k], p.m[k]->data, bytes);
            }
            for (size_t c = 0; c < 3; c++, ran++) {
                cr_assert_eq(backward(&p, tiles[t], threads[c]), 0);
                for (size_t k = DQ; k <= DV; k++)
                    cr_assert_eq(memcmp(one[k], p.m[k]->data,
                                        8 * p.m[k]->size1 * p.m[k]->size2),
                                 0);
            }
            for (size_t k = DQ; k <= DV; k++)
                free(one[k]);
        }
        problem_free(&p);
    }
    cr_assert_eq(ran, 3 * 7 * 3);
    gsl_matrix_uchar_free(sees);
}

Test(stream_backward, it_is_the_layer_for_every_shape)
{
    size_t ran = 0;

    for (size_t n_q = 1; n_q <= 70; n_q += 23)
        for (size_t n_k = 1; n_k <= 40; n_k += 13)
            for (size_t d = 1; d <= 9; d++)
                for (size_t m = 0; m < 2; m++, ran++) {
                    problem p = problem_make(
                        n_q, n_k, d, 10 - d, 0.3,
                        m ? attn_mask_causal : attn_mask_none, ran);
                    cr_assert_eq(forward(&p), 0);
                    layer(&p);
                    cr_assert_eq(backward(&p, 8, 2), 0);
                    agree(&p);
                    problem_free(&p);
                }
    cr_assert_eq(ran, 4 * 4 * 9 * 2);
}

/* L = <dO, O>; central differences, signed. */
Test(stream_backward, it_is_the_slope_of_the_forward_pass)
{
    const double step = 6e-6;
    unsigned char m[4 * 6] = {1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0,
                              1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0};
    gsl_matrix_uchar_view M = gsl_matrix_uchar_view_array(m, 4, 6);
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal,
                               attn_mask_of(&M.matrix)};
    size_t ran = 0;

    for (size_t k = 0; k < 3; k++) {
        problem p = problem_make(4, 6, 3, 2, 0.8, masks[k], 300 + k);
        forward(&p);
        cr_assert_eq(backward(&p, 4, 1), 0);
        for (size_t x = Q; x <= V; x++)
            for (size_t e = 0; e < p.m[x]->size1 * p.m[x]->size2; e++, ran++) {
                double *at = &p.m[x]->data[e], loss[2];
                const double keep = *at;
                for (int side = 0; side < 2; side++) {
                    *at = side ? keep - step : keep + step;
                    forward(&p);
                    loss[side] =
                        attn_product_dot(p.m[DO]->data, p.m[O]->data, 4 * 2);
                }
                *at = keep;
                cr_near(p.m[DQ + x]->data[e], (loss[0] - loss[1]) / (2 * step),
                        1e-9, 1e-9);
            }
        problem_free(&p);
    }
    cr_assert_eq(ran, 3 * (4 * 3 + 6 * 3 + 6 * 2));
}

Test(stream_backward, heads_side_by_side)
{
    problem p = problem_make(40, 30, 6, 9, 1, attn_mask_causal, 500);
    static const size_t offset[MATRICES] = {2, 1, 3, 2, 4, 0, 3, 1};
    gsl_matrix_view view[MATRICES], want[MATRICES];
    const attn_stream how = attn_stream_default(2);

    for (size_t k = 0; k < MATRICES; k++) {
        const size_t width = k == Q || k == K || k == DQ || k == DK ? 3 : 5;
        view[k] =
            gsl_matrix_submatrix(p.m[k], 0, offset[k], p.m[k]->size1, width);
        want[k] = gsl_matrix_submatrix(p.want[k], 0, 1, p.m[k]->size1, width);
        if (k >= DQ)
            gsl_matrix_set_all(p.m[k], 9);
    }
    gsl_matrix *const h[] = {
        &view[Q].matrix,  &view[K].matrix,  &view[V].matrix,  &view[O].matrix,
        &view[DO].matrix, &view[DQ].matrix, &view[DK].matrix, &view[DV].matrix};
    cr_assert_eq(
        attn_stream_attend(h[Q], h[K], h[V], 1, &p.mask, &how, h[O], p.lse), 0);
    cr_assert_eq(attn_stream_backward(h[Q], h[K], h[V], 1, &p.mask, &how, h[O],
                                      p.lse, h[DO], h[DQ], h[DK], h[DV]),
                 0);
    attn_layer_attend_masked(h[Q], h[K], h[V], 1, &p.mask, p.A,
                             &want[O].matrix);
    attn_layer_attend_backward(h[Q], h[K], h[V], 1, p.A, h[DO], p.dS,
                               &want[DQ].matrix, &want[DK].matrix,
                               &want[DV].matrix);
    for (size_t k = DQ; k <= DV; k++)
        for (size_t i = 0; i < p.m[k]->size1; i++)
            for (size_t c = 0; c < p.m[k]->size2; c++) {
                const size_t inner =
                    c - offset[k]; /* wraps to the left of it */
                cr_near(gsl_matrix_get(p.m[k], i, c),
                        inner < h[k]->size2
                            ? gsl_matrix_get(&want[k].matrix, i, inner)
                            : 9,
                        1e-12, 1e-13);
            }
    problem_free(&p);
}

/* ---- edges ---- */

Test(stream_backward, what_is_not_seen_gives_and_gets_nothing_be_it_nan)
{
    static const size_t tiles[] = {1, 7, 128};
    gsl_matrix_uchar *sees = some_seen();
    const attn_mask mask = attn_mask_of(sees);
    problem p = problem_make(N_Q, N_K, D_K, D_V, 1, mask, 600);
    problem q = problem_make(N_Q, N_K, D_K, D_V, 1, mask, 600);
    size_t ran = 0;

    gsl_matrix_set(q.m[Q], 5, 0, NAN);
    gsl_matrix_set(q.m[DO], 5, 1, NAN);
    gsl_matrix_set(q.m[DO], 5, 2, INFINITY);
    gsl_matrix_set(q.m[K], 3, 2, NAN);
    gsl_matrix_set(q.m[V], 3, 0, INFINITY);
    gsl_matrix_set(q.m[V], 3, 6, NAN);
    cr_assert_eq(forward(&p), ATTN_SOFTMAX_NO_KEY);
    cr_assert_eq(forward(&q), ATTN_SOFTMAX_NO_KEY);
    for (size_t t = 0; t < 3; t++, ran++) {
        cr_assert_eq(backward(&p, tiles[t], 2), 0);
        cr_assert_eq(backward(&q, tiles[t], 2), 0);
        for (size_t k = DQ; k <= DV; k++)
            for (size_t e = 0; e < p.m[k]->size1 * p.m[k]->size2; e++)
                cr_near(q.m[k]->data[e], p.m[k]->data[e], 0, 0);
        for (size_t c = 0; c < D_K; c++) {
            cr_near(gsl_matrix_get(q.m[DQ], 5, c), 0, 0, 0);
            cr_near(gsl_matrix_get(q.m[DK], 3, c), 0, 0, 0);
        }
        for (size_t c = 0; c < D_V; c++)
            cr_near(gsl_matrix_get(q.m[DV], 3, c), 0, 0, 0);
    }
    cr_assert_eq(ran, 3);
    problem_free(&p);
    problem_free(&q);
    gsl_matrix_uchar_free(sees);
}

Test(stream_backward, a_score_of_minus_infinity_gives_nothing)
{
    problem p = problem_make(3, 4, 1, 2, 1, attn_mask_none, 601);

    gsl_matrix_set_all(p.m[Q], 1);
    gsl_matrix_set(p.m[K], 2, 0, -INFINITY);
    cr_assert_eq(forward(&p), 0);
    cr_assert_eq(backward(&p, 3, 1), 0);
    layer(&p);
    for (size_t k = DK; k <= DV; k++)
        for (size_t e = 0; e < p.m[k]->size1 * p.m[k]->size2; e++)
            cr_near(p.m[k]->data[e], p.want[k]->data[e], 64 * EPS, 64 * EPS);
    cr_near(gsl_matrix_get(p.m[DK], 2, 0), 0, 0, 0);
    gsl_matrix_set_all(p.m[K], -INFINITY); /* and now nobody sees anything */
    cr_assert_eq(forward(&p), ATTN_SOFTMAX_NO_KEY);
    cr_assert_eq(backward(&p, 3, 1), 0);
    for (size_t k = DQ; k <= DV; k++)
        cr_assert(gsl_matrix_isnull(p.m[k]));
    problem_free(&p);
}

Test(stream_backward, scores_without_a_derivative_are_refused)
{
    static const double bad[] = {INFINITY, NAN};
    size_t ran = 0;

    gsl_set_error_handler_off();
    for (size_t i = 0; i < 35; i++)
        for (size_t k = 0; k < 2; k++, ran++) {
            problem p = problem_make(35, 4, 2, 3, 1, attn_mask_none, 602);
            forward(&p);
            gsl_vector_set(p.lse, i, bad[k]);
            cr_assert_eq(backward(&p, 3, 2), GSL_EDOM);
            for (size_t m = DQ; m <= DV; m++)
                cr_assert(isnan(gsl_matrix_get(p.m[m], 0, 0)));
            problem_free(&p);
        }
    cr_assert_eq(ran, 70);
}

Test(stream_backward, what_does_not_fit_is_refused_and_nothing_is_written)
{
    problem p = problem_make(4, 6, 3, 2, 1, attn_mask_none, 603);
    gsl_matrix_uchar *sees = gsl_matrix_uchar_calloc(6, 4);
    const attn_mask turned = attn_mask_of(sees), empty = attn_mask_of(NULL);
    const attn_stream how = attn_stream_default(1);
    gsl_matrix *B = gsl_matrix_calloc(5, 7);
    gsl_vector *b = gsl_vector_calloc(5), *lse = p.lse;
    size_t ran = 0;

    gsl_set_error_handler_off();
    forward(&p);
    for (size_t wrong = 0; wrong < MATRICES; wrong++, ran++) {
        gsl_matrix *right = p.m[wrong];
        p.m[wrong] = B;
        cr_assert_eq(backward(&p, 3, 1), GSL_EBADLEN, "matrix %zu", wrong);
        p.m[wrong] = right;
    }
    cr_assert_eq(ran, MATRICES);
    p.lse = b;
    cr_assert_eq(backward(&p, 3, 1), GSL_EBADLEN);
    p.lse = lse;
    cr_assert_eq(backward(&p, 0, 1), GSL_EINVAL);
    cr_assert_eq(backward(&p, 3, 0), GSL_EINVAL);
    p.mask = turned;
    cr_assert_eq(backward(&p, 3, 1), GSL_EBADLEN);
    p.mask = empty;
    cr_assert_eq(backward(&p, 3, 1), GSL_EINVAL);
    for (size_t k = DQ; k <= DV; k++)
        for (size_t e = 0; e < p.m[k]->size1 * p.m[k]->size2; e++)
            cr_assert(isnan(p.m[k]->data[e]));
    cr_assert_eq(attn_stream_backward_scratch(9, 9, SIZE_MAX / 2, 1, &how), 0);
    cr_assert_eq(attn_stream_backward_scratch(9, 9, 1, SIZE_MAX / 2, &how), 0);
    problem_free(&p);
    gsl_matrix_free(B);
    gsl_vector_free(b);
    gsl_matrix_uchar_free(sees);
}

Test(stream_backward, scratch_grows_with_n_at_most)
{
    const attn_stream how = attn_stream_default(2);
    const size_t small = attn_stream_backward_scratch(1000, 800, 64, 32, &how);
    const size_t large =
        attn_stream_backward_scratch(100000, 80000, 64, 32, &how);

    cr_assert_gt(small, 2 * 256 * (2 * 128 + 8 * (64 + 32 + 1)));
    cr_assert_lt(large - small, 20 * (100000 - 1000));
}

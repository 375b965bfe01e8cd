/*
 * attn_stream_attend_float: the double one's numbers, to float's rounding, over
 * sizes that do not divide the tile, masks and edges; the same bytes for any
 * number of threads.
 */
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_stream.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <string.h>

#define EPS 0x1p-24 /* half an ulp of 1 */

/* The same numbers in float and in double. */
typedef struct {
    gsl_matrix *Q, *K, *V, *O;
    gsl_matrix_float *q, *k, *v, *o;
    gsl_vector *lse;
    gsl_vector_float *l;
} problem;

/* Normal numbers that both types hold. */
static void fill(gsl_matrix_float *f, gsl_matrix *d, uint64_t setting)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.stream_float", setting), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, d->data, d->size1 * d->size2);
    for (size_t e = 0; e < d->size1 * d->size2; e++)
        d->data[e] = f->data[e] = (float)d->data[e];
}

static problem problem_make(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                            uint64_t setting)
{
    const problem p = {.Q = gsl_matrix_alloc(n_q, d_k),
                       .K = gsl_matrix_alloc(n_k, d_k),
                       .V = gsl_matrix_alloc(n_k, d_v),
                       .O = gsl_matrix_alloc(n_q, d_v),
                       .q = gsl_matrix_float_alloc(n_q, d_k),
                       .k = gsl_matrix_float_alloc(n_k, d_k),
                       .v = gsl_matrix_float_alloc(n_k, d_v),
                       .o = gsl_matrix_float_alloc(n_q, d_v),
                       .lse = gsl_vector_alloc(n_q),
                       .l = gsl_vector_float_alloc(n_q)};

    fill(p.q, p.Q, 3 * setting);
    fill(p.k, p.K, 3 * setting + 1);
    fill(p.v, p.V, 3 * setting + 2);
    return p;
}

static void problem_free(problem *p)
{
    gsl_matrix_free(p->Q);
    gsl_matrix_free(p->K);
    gsl_matrix_free(p->V);
    gsl_matrix_free(p->O);
    gsl_matrix_float_free(p->q);
    gsl_matrix_float_free(p->k);
    gsl_matrix_float_free(p->v);
    gsl_matrix_float_free(p->o);
    gsl_vector_free(p->lse);
    gsl_vector_float_free(p->l);
}

static int stream(problem *p, const attn_mask *mask, size_t keys,
                  size_t threads)
{
    const attn_stream how = {.keys = keys, .threads = threads};

    gsl_matrix_float_set_all(p->o, (float)NAN);
    return attn_stream_attend_float(p->q, p->k, p->v, 0.5f, mask, &how, p->o,
                                    p->l);
}

/* The largest score that could be, all products of one sign. */
static double largest_score(const problem *p)
{
    double largest = 0;

    for (size_t i = 0; i < p->Q->size1; i++)
        for (size_t j = 0; j < p->K->size1; j++) {
            double s = 0;
            for (size_t c = 0; c < p->Q->size2; c++)
                s += 0.5 * fabs(gsl_matrix_get(p->Q, i, c) *
                                gsl_matrix_get(p->K, j, c));
            largest = fmax(largest, s);
        }
    return largest;
}

/* O to 4 (n_k + d_k max |s|) eps max |V|, lse to that without V, and its own
 * rounding. */
static void agree(problem *p, const attn_mask *mask, int status)
{
    const attn_stream how = attn_stream_default(1);
    const double n_k = (double)p->K->size1, d_k = (double)p->K->size2;
    const double atol = 4 * (n_k + d_k * largest_score(p)) * EPS;
    const double v = fmax(gsl_matrix_max(p->V), -gsl_matrix_min(p->V));

    cr_assert_eq(
        attn_stream_attend(p->Q, p->K, p->V, 0.5, mask, &how, p->O, p->lse),
        status);
    for (size_t i = 0; i < p->O->size1; i++) {
        for (size_t c = 0; c < p->O->size2; c++)
            cr_near((double)gsl_matrix_float_get(p->o, i, c),
                    gsl_matrix_get(p->O, i, c), 0, atol * v);
        cr_near((double)gsl_vector_float_get(p->l, i),
                gsl_vector_get(p->lse, i), 2 * EPS, atol);
    }
}

Test(stream_float, it_is_the_double_one_for_every_number_of_keys_and_queries)
{
    size_t ran = 0;

    for (size_t n = 1; n <= 200; n++, ran++) {
        const size_t n_q = 1 + 37 * n % 200;
        problem p = problem_make(n_q, n, 1 + n % 6, 1 + n % 11, n);
        cr_assert_eq(stream(&p, &attn_mask_none, 48, 2), 0);
        agree(&p, &attn_mask_none, 0);
        cr_assert_eq(stream(&p, &attn_mask_causal, 48, 2), 0);
        agree(&p, &attn_mask_causal, 0);
        problem_free(&p);
    }
    cr_assert_eq(ran, 200);
}

Test(stream_float, it_is_the_double_one_for_every_tile_mask_and_threads)
{
    enum { N_Q = 301, N_K = 150, D_V = 7 };
    static const size_t tiles[] = {1, 7, 64, 128, N_K, SIZE_MAX};
    static const size_t threads[] = {2, 3, 7};
    static float o[N_Q * D_V], l[N_Q];
    gsl_matrix_uchar *sees = gsl_matrix_uchar_calloc(N_Q, N_K);
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal,
                               attn_mask_of(sees)};
    problem p = problem_make(N_Q, N_K, 5, D_V, 1000);
    size_t ran = 0;

    for (size_t i = 0; i < N_Q; i++) /* row 5 sees nothing */
        for (size_t j = 0; j < N_K; j++)
            gsl_matrix_uchar_set(sees, i, j, i != 5 && (i + j) % 3 != 1);
    for (size_t m = 0; m < 3; m++)
        for (size_t k = 0; k < 6; k++) {
            const int status = m == 2 ? ATTN_SOFTMAX_NO_KEY : GSL_SUCCESS;
            cr_assert_eq(stream(&p, &masks[m], tiles[k], 1), status);
            agree(&p, &masks[m], status);
            memcpy(o, p.o->data, sizeof o);
            memcpy(l, p.l->data, sizeof l);
            for (size_t t = 0; t < 3; t++, ran++) {
                cr_assert_eq(stream(&p, &masks[m], tiles[k], threads[t]),
                             status);
                cr_assert_eq(memcmp(o, p.o->data, sizeof o), 0);
                cr_assert_eq(memcmp(l, p.l->data, sizeof l), 0);
            }
        }
    cr_assert_eq(ran, 3 * 6 * 3);
    problem_free(&p);
    gsl_matrix_uchar_free(sees);
}

Test(stream_float, heads_side_by_side_and_no_lse)
{
    problem p = problem_make(20, 30, 3, 5, 1001);
    gsl_matrix_float *W = gsl_matrix_float_alloc(20, 8);
    gsl_matrix_float_view o = gsl_matrix_float_submatrix(W, 0, 2, 20, 5);
    const attn_stream how = attn_stream_default(2);

    gsl_matrix_float_set_all(W, 9);
    cr_assert_eq(attn_stream_attend_float(p.q, p.k, p.v, 0.5f,
                                          &attn_mask_causal, &how, &o.matrix,
                                          NULL),
                 0);
    cr_assert_eq(stream(&p, &attn_mask_causal, 128, 1), 0);
    for (size_t i = 0; i < 20; i++)
        for (size_t c = 0; c < 8; c++)
            cr_assert_eq(gsl_matrix_float_get(W, i, c),
                         c < 2 || c == 7 ? 9
                                         : gsl_matrix_float_get(p.o, i, c - 2));
    problem_free(&p);
    gsl_matrix_float_free(W);
}

/* ---- edges ---- */

Test(stream_float, what_is_not_seen_has_no_say_be_it_nan)
{
    static const size_t tiles[] = {1, 3, 128};
    problem p = problem_make(90, 70, 2, 3, 1002);
    gsl_matrix_uchar *sees = gsl_matrix_uchar_alloc(90, 70);
    const attn_mask mask = attn_mask_of(sees);
    size_t ran = 0;

    for (size_t i = 0; i < 90; i++) /* nobody sees keys 0 and 69 */
        for (size_t j = 0; j < 70; j++)
            gsl_matrix_uchar_set(sees, i, j, j % 69 != 0);
    for (size_t t = 0; t < 3; t++, ran++) {
        problem q = problem_make(90, 70, 2, 3, 1002);
        gsl_matrix_float_set(q.k, 0, 1, (float)NAN);
        gsl_matrix_float_set(q.v, 0, 0, (float)INFINITY);
        gsl_matrix_float_set(q.v, 69, 2, (float)NAN);
        cr_assert_eq(stream(&p, &mask, tiles[t], 2), 0);
        cr_assert_eq(stream(&q, &mask, tiles[t], 2), 0);
        for (size_t e = 0; e < 90 * 3; e++)
            cr_assert_eq(p.o->data[e], q.o->data[e]);
        problem_free(&q);
    }
    cr_assert_eq(ran, 3);
    problem_free(&p);
    gsl_matrix_uchar_free(sees);
}

/* One query, keys of infinite and of overflowing score. */
Test(stream_float, infinite_scores_share_and_minus_infinity_is_not_seen)
{
    static const float some[] = {-INFINITY, INFINITY, 3, INFINITY, 700};
    static const size_t tiles[] = {1, 2, 3, 5};
    problem p = problem_make(1, 5, 1, 1, 1003);
    size_t ran = 0;

    p.q->data[0] = 2;
    for (size_t j = 0; j < 5; j++) {
        p.k->data[j] = some[j];
        p.v->data[j] = j == 0 ? (float)NAN : (float)(1u << j);
    }
    for (size_t t = 0; t < 4; t++, ran++) {
        cr_assert_eq(stream(&p, &attn_mask_none, tiles[t], 1), 0);
        cr_assert_eq(p.o->data[0], 5);
        cr_assert_eq(p.l->data[0], INFINITY);
    }
    cr_assert_eq(ran, 4);
    for (size_t j = 0; j < 5; j++)
        p.k->data[j] = -INFINITY;
    cr_assert_eq(stream(&p, &attn_mask_none, 2, 1), ATTN_SOFTMAX_NO_KEY);
    cr_assert_eq(p.o->data[0], 0);
    cr_assert_eq(p.l->data[0], -INFINITY);
    problem_free(&p);
}

Test(stream_float, a_visible_nan_is_reported_wherever_it_stands)
{
    size_t ran = 0;

    gsl_set_error_handler_off();
    for (size_t j = 0; j < 40; j++, ran++) {
        problem p = problem_make(70, 40, 2, 2, 1004);
        gsl_matrix_float_set(p.k, j, 1, (float)NAN);
        cr_assert_eq(stream(&p, &attn_mask_none, 16, 2), GSL_EDOM);
        problem_free(&p);
    }
    cr_assert_eq(ran, 40);
}

Test(stream_float, what_does_not_fit_is_refused_and_nothing_is_written)
{
    problem p = problem_make(4, 6, 3, 2, 1005);
    gsl_matrix_float *B = gsl_matrix_float_calloc(5, 7);
    gsl_vector_float *b = gsl_vector_float_calloc(5);
    gsl_matrix_uchar *sees = gsl_matrix_uchar_calloc(6, 4);
    const attn_mask none = attn_mask_none, turned = attn_mask_of(sees);
    const attn_mask empty = attn_mask_of(NULL);
    const attn_stream how = attn_stream_default(1);
    const attn_stream no_keys = {0, 1}, no_threads = {1, 0};

    gsl_set_error_handler_off();
    gsl_matrix_float_set_all(p.o, 7);
#define ATTEND(q, k, v, mask, how, o, l)                                       \
    attn_stream_attend_float((q), (k), (v), 1, (mask), (how), (o), (l))
    cr_assert_eq(ATTEND(B, p.k, p.v, &none, &how, p.o, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.q, B, p.v, &none, &how, p.o, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.q, p.k, B, &none, &how, p.o, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.q, p.k, p.v, &none, &how, B, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.q, p.k, p.v, &none, &how, p.o, b), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.q, p.k, p.v, &turned, &how, p.o, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.q, p.k, p.v, &empty, &how, p.o, NULL), GSL_EINVAL);
    cr_assert_eq(ATTEND(p.q, p.k, p.v, &none, &no_keys, p.o, NULL), GSL_EINVAL);
    cr_assert_eq(ATTEND(p.q, p.k, p.v, &none, &no_threads, p.o, NULL),
                 GSL_EINVAL);
    for (size_t e = 0; e < 8; e++)
        cr_assert_eq(p.o->data[e], 7);
    cr_assert_eq(attn_stream_scratch_float(9, 9, SIZE_MAX / 2, 1, &how), 0);
    cr_assert_gt(attn_stream_scratch_float(900, 900, 64, 64, &how),
                 256 * (128 + 4 * (64 + 64 + 2)));
    problem_free(&p);
    gsl_matrix_float_free(B);
    gsl_vector_float_free(b);
    gsl_matrix_uchar_free(sees);
}

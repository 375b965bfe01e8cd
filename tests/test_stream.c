/*
 * attn_stream: the materialised layer's numbers for every tile, mask and number
 * of threads; the edges; and no memory for n x n of anything.
 */
#include "attn_layer.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_stream.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define EPS 0x1p-52
enum { N_Q = 77, N_K = 150, D_K = 5, D_V = 7 };

static gsl_matrix_view view(double *x, size_t rows, size_t columns)
{
    return gsl_matrix_view_array(x, rows, columns);
}

static void fill(gsl_matrix *M, uint64_t setting)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.stream", setting), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, M->data, M->size1 * M->size2);
}

/* Row 5 sees nothing; row 40 only the very last key; the others every third of
 * a tail. */
static gsl_matrix_uchar *some_seen(void)
{
    gsl_matrix_uchar *sees = gsl_matrix_uchar_calloc(N_Q, N_K);

    for (size_t i = 0; i < N_Q; i++)
        for (size_t j = 0; j < N_K; j++)
            gsl_matrix_uchar_set(sees, i, j,
                                 i == 5    ? 0
                                 : i == 40 ? j == N_K - 1
                                           : j >= i && (i + j) % 3 != 1);
    return sees;
}

/* One problem: inputs, what the layer makes of it, what the stream does. */
typedef struct {
    gsl_matrix *Q, *K, *V, *S, *A, *want, *O;
    gsl_vector *lse;
} problem;

static problem problem_make(size_t n_q, size_t n_k, size_t d_k, size_t d_v,
                            uint64_t setting)
{
    const problem p = {.Q = gsl_matrix_alloc(n_q, d_k),
                       .K = gsl_matrix_alloc(n_k, d_k),
                       .V = gsl_matrix_alloc(n_k, d_v),
                       .S = gsl_matrix_alloc(n_q, n_k),
                       .A = gsl_matrix_alloc(n_q, n_k),
                       .want = gsl_matrix_alloc(n_q, d_v),
                       .O = gsl_matrix_alloc(n_q, d_v),
                       .lse = gsl_vector_alloc(n_q)};

    fill(p.Q, 10 * setting);
    fill(p.K, 10 * setting + 1);
    fill(p.V, 10 * setting + 2);
    return p;
}

static void problem_free(problem *p)
{
    gsl_matrix_free(p->Q);
    gsl_matrix_free(p->K);
    gsl_matrix_free(p->V);
    gsl_matrix_free(p->S);
    gsl_matrix_free(p->A);
    gsl_matrix_free(p->want);
    gsl_matrix_free(p->O);
    gsl_vector_free(p->lse);
}

static int stream(problem *p, double scale, const attn_mask *mask, size_t keys,
                  size_t threads)
{
    const attn_stream how = {.keys = keys, .threads = threads};

    gsl_matrix_set_all(p->O, NAN);
    return attn_stream_attend(p->Q, p->K, p->V, scale, mask, &how, p->O,
                              p->lse);
}

/* O and lse against the layer's, to 4 n eps; the status too. */
static void agree(problem *p, double scale, const attn_mask *mask, int status)
{
    const double rtol = 4 * (double)p->K->size1 * EPS;

    cr_assert_eq(
        attn_layer_attend_masked(p->Q, p->K, p->V, scale, mask, p->A, p->want),
        status);
    attn_layer_scores(p->Q, p->K, scale, p->S);
    attn_mask_apply(mask, p->S);
    for (size_t i = 0; i < p->O->size1; i++) {
        const gsl_vector_const_view s = gsl_matrix_const_row(p->S, i);
        double lse;
        for (size_t c = 0; c < p->O->size2; c++)
            cr_near(gsl_matrix_get(p->O, i, c), gsl_matrix_get(p->want, i, c),
                    rtol, rtol);
        attn_softmax_lse(&s.vector, &lse);
        cr_near(gsl_vector_get(p->lse, i), lse, rtol, rtol);
    }
}

Test(stream, it_is_the_layer_for_every_tile_mask_and_number_of_threads)
{
    static const size_t tiles[] = {1, 7, 64, 128, N_K, N_K + 50, SIZE_MAX};
    gsl_matrix_uchar *sees = some_seen();
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal,
                               attn_mask_of(sees)};
    problem p = problem_make(N_Q, N_K, D_K, D_V, 0);
    size_t ran = 0;

    for (size_t m = 0; m < 3; m++)
        for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++) {
            const int status = m == 2 ? ATTN_SOFTMAX_NO_KEY : GSL_SUCCESS;
            double o[N_Q * D_V], lse[N_Q];
            cr_assert_eq(stream(&p, 0.7, &masks[m], tiles[k], 1), status);
            agree(&p, 0.7, &masks[m], status);
            memcpy(o, p.O->data, sizeof o);
            memcpy(lse, p.lse->data, sizeof lse);
            for (size_t threads = 2; threads <= 5; threads++, ran++) {
                cr_assert_eq(stream(&p, 0.7, &masks[m], tiles[k], threads),
                             status);
                cr_assert_eq(memcmp(o, p.O->data, sizeof o), 0);
                cr_assert_eq(memcmp(lse, p.lse->data, sizeof lse), 0);
            }
        }
    cr_assert_eq(ran, 3 * 7 * 4);
    problem_free(&p);
    gsl_matrix_uchar_free(sees);
}

Test(stream, it_is_the_layer_for_every_shape)
{
    size_t ran = 0;

    for (size_t n_q = 1; n_q <= 70; n_q += 23)
        for (size_t n_k = 1; n_k <= 40; n_k += 13)
            for (size_t d = 1; d <= 9; d++, ran++) {
                problem p = problem_make(n_q, n_k, d, 10 - d, ran);
                cr_assert_eq(stream(&p, -0.3, &attn_mask_none, 8, 2), 0);
                agree(&p, -0.3, &attn_mask_none, 0);
                problem_free(&p);
            }
    cr_assert_eq(ran, 4 * 4 * 9);
}

/* Keys that are better and better, worse and worse, or far apart. */
Test(stream, a_maximum_that_keeps_moving)
{
    static const double steps[] = {0.5, -0.5, 9, -9, 400, -400};
    size_t ran = 0;

    for (size_t k = 0; k < 6; k++, ran++) {
        problem p = problem_make(3, 61, 1, 2, k);
        for (size_t i = 0; i < 3; i++)
            gsl_matrix_set(p.Q, i, 0, (double)i - 1); /* one is 0: all equal */
        for (size_t j = 0; j < 61; j++)
            gsl_matrix_set(p.K, j, 0, steps[k] * ((double)j - 17));
        cr_assert_eq(stream(&p, 1, &attn_mask_none, 4, 1), 0);
        agree(&p, 1, &attn_mask_none, 0);
        problem_free(&p);
    }
    cr_assert_eq(ran, 6);
}

Test(stream, heads_side_by_side_and_no_lse)
{
    problem p = problem_make(20, 30, 6, 8, 1);
    const attn_stream how = attn_stream_default(2);
    const gsl_matrix_view Q = gsl_matrix_submatrix(p.Q, 0, 2, 20, 3);
    const gsl_matrix_view K = gsl_matrix_submatrix(p.K, 0, 1, 30, 3);
    const gsl_matrix_view V = gsl_matrix_submatrix(p.V, 0, 3, 30, 5);
    gsl_matrix_view O = gsl_matrix_submatrix(p.O, 0, 2, 20, 5);
    gsl_matrix_view W = gsl_matrix_submatrix(p.want, 0, 2, 20, 5);

    gsl_matrix_set_all(p.O, 9);
    cr_assert_eq(attn_stream_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                    &attn_mask_causal, &how, &O.matrix, NULL),
                 0);
    attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, 1,
                             &attn_mask_causal, p.A, &W.matrix);
    for (size_t i = 0; i < 20; i++)
        for (size_t c = 0; c < 8; c++)
            cr_near(gsl_matrix_get(p.O, i, c),
                    c < 2 || c == 7 ? 9 : gsl_matrix_get(p.want, i, c), 1e-13,
                    1e-14);
    problem_free(&p);
}

/* ---- edges ---- */

Test(stream, what_is_not_seen_has_no_say_be_it_nan)
{
    static const size_t tiles[] = {1, 3, 128};
    gsl_matrix_uchar *sees = gsl_matrix_uchar_alloc(N_Q, N_K);
    const attn_mask mask = attn_mask_of(sees);
    problem p = problem_make(N_Q, N_K, D_K, D_V, 2);
    size_t ran = 0;

    gsl_matrix_uchar_set_all(sees, 1);
    for (size_t i = 0; i < N_Q; i++) /* nobody but row 3 sees key 10 */
        gsl_matrix_uchar_set(sees, i, 10, i == 3);
    for (size_t j = 0; j < N_K; j++) /* row 3 sees key 10 alone, row 4 none */
        for (size_t i = 3; i <= 4; i++)
            gsl_matrix_uchar_set(sees, i, j, i == 3 && j == 10);
    for (size_t i = 0; i < N_Q; i++) {
        gsl_matrix_uchar_set(sees, i, 0, 0);
        gsl_matrix_uchar_set(sees, i, 149, 0);
    }
    for (size_t k = 0; k < 3; k++, ran++) {
        cr_assert_eq(stream(&p, 1, &mask, tiles[k], 2), ATTN_SOFTMAX_NO_KEY);
        gsl_matrix_memcpy(p.want, p.O);
        problem q = problem_make(N_Q, N_K, D_K, D_V, 2);
        gsl_matrix_set(q.Q, 4, 0, NAN);
        gsl_matrix_set(q.K, 0, 2, NAN);
        gsl_matrix_set(q.V, 0, 0, INFINITY);
        gsl_matrix_set(q.V, 149, 6, NAN);
        gsl_matrix_set(q.V, 10, 1, NAN); /* row 3 sees it */
        cr_assert_eq(stream(&q, 1, &mask, tiles[k], 2), ATTN_SOFTMAX_NO_KEY);
        for (size_t i = 0; i < N_Q; i++)
            for (size_t c = 0; c < D_V; c++) {
                const double got = gsl_matrix_get(q.O, i, c);
                if (i == 3 && c == 1)
                    cr_assert(isnan(got));
                else
                    cr_near(got, gsl_matrix_get(p.want, i, c), 0, 0);
                cr_assert(i != 4 || got == 0);
            }
        cr_assert_eq(gsl_vector_get(q.lse, 4), -INFINITY);
        problem_free(&q);
    }
    cr_assert_eq(ran, 3);
    problem_free(&p);
    gsl_matrix_uchar_free(sees);
}

Test(stream, infinite_scores_share_and_minus_infinity_is_not_seen)
{
    static const size_t tiles[] = {1, 2, 3, 5};
    double q[2] = {1, -1}, v[5] = {NAN, 2, 4, 8, 16}, o[2], l[2];
    double k[5] = {-INFINITY, INFINITY, 3, INFINITY, 700};
    gsl_matrix_view Q = view(q, 1, 1), K = view(k, 5, 1), V = view(v, 5, 1);
    gsl_matrix_view O = view(o, 1, 1);
    gsl_vector_view lse = gsl_vector_view_array(l, 1);
    size_t ran = 0;

    for (size_t t = 0; t < 4; t++, ran++) {
        const attn_stream how = {.keys = tiles[t], .threads = 1};
        cr_assert_eq(attn_stream_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                        &attn_mask_none, &how, &O.matrix,
                                        &lse.vector),
                     0);
        cr_near(o[0], 5, 0, 0);
        cr_assert_eq(l[0], INFINITY);
    }
    cr_assert_eq(ran, 4);
    for (size_t j = 0; j < 5; j++)
        k[j] = -INFINITY;
    const attn_stream how = {.keys = 2, .threads = 1};
    cr_assert_eq(attn_stream_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                    &attn_mask_none, &how, &O.matrix,
                                    &lse.vector),
                 ATTN_SOFTMAX_NO_KEY);
    cr_near(o[0], 0, 0, 0);
    cr_assert_eq(l[0], -INFINITY);
}

Test(stream, a_visible_nan_is_reported_wherever_it_stands)
{
    size_t ran = 0;

    gsl_set_error_handler_off();
    for (size_t j = 0; j < 40; j++, ran++) {
        problem p = problem_make(35, 40, 2, 2, 3);
        gsl_matrix_set(p.K, j, 1, NAN);
        cr_assert_eq(stream(&p, 1, &attn_mask_none, 16, 2), GSL_EDOM);
        problem_free(&p);
    }
    cr_assert_eq(ran, 40);
}

Test(stream, what_does_not_fit_is_refused_and_nothing_is_written)
{
    problem p = problem_make(4, 6, 3, 2, 4);
    gsl_matrix_uchar *sees = gsl_matrix_uchar_calloc(6, 4);
    const attn_mask turned = attn_mask_of(sees), empty = attn_mask_of(NULL);
    const attn_mask none = attn_mask_none;
    const attn_stream how = attn_stream_default(1);
    const attn_stream no_keys = {0, 1}, no_threads = {1, 0};
    gsl_matrix *B = gsl_matrix_calloc(5, 7);
    gsl_vector *b = gsl_vector_calloc(5);

    gsl_set_error_handler_off();
    gsl_matrix_set_all(p.O, 7);
#define ATTEND(Q, K, V, mask, how, O, lse)                                     \
    attn_stream_attend((Q), (K), (V), 1, (mask), (how), (O), (lse))
    cr_assert_eq(ATTEND(B, p.K, p.V, &none, &how, p.O, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.Q, B, p.V, &none, &how, p.O, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.Q, p.K, B, &none, &how, p.O, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.Q, p.K, p.V, &none, &how, B, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.Q, p.K, p.V, &none, &how, p.O, b), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.Q, p.K, p.V, &turned, &how, p.O, NULL), GSL_EBADLEN);
    cr_assert_eq(ATTEND(p.Q, p.K, p.V, &empty, &how, p.O, NULL), GSL_EINVAL);
    cr_assert_eq(ATTEND(p.Q, p.K, p.V, &none, &no_keys, p.O, NULL), GSL_EINVAL);
    cr_assert_eq(ATTEND(p.Q, p.K, p.V, &none, &no_threads, p.O, NULL),
                 GSL_EINVAL);
    for (size_t e = 0; e < 8; e++)
        cr_near(p.O->data[e], 7, 0, 0);
    problem_free(&p);
    gsl_matrix_free(B);
    gsl_vector_free(b);
    gsl_matrix_uchar_free(sees);
}

/* ---- memory ---- */

Test(stream, scratch_grows_with_n_at_most_and_huge_sizes_are_refused)
{
    const attn_stream how = attn_stream_default(2);
    const size_t small = attn_stream_scratch(1000, 1000, 64, 64, &how);
    const size_t large = attn_stream_scratch(100000, 100000, 64, 64, &how);
    const attn_stream one = {.keys = 1, .threads = 2};
    const attn_stream whole = {.keys = SIZE_MAX, .threads = 1};

    cr_assert_gt(small, 2 * 256 * (128 + 4 * (64 + 64 + 2)));
    cr_assert_lt(large - small, 3 * (100000 - 1000));
    cr_assert_lt(attn_stream_scratch(1000, 1000, 64, 64, &one), small);
    gsl_set_error_handler_off();
    cr_assert_eq(attn_stream_scratch(9, SIZE_MAX, 1, 1, &whole), 0);
    cr_assert_eq(attn_stream_scratch(9, 9, SIZE_MAX / 2, 1, &how), 0);
    cr_assert_eq(attn_stream_scratch(9, 9, 1, SIZE_MAX / 2, &how), 0);
}

/* Under a sanitizer, address space is not memory. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* 20,000 tokens where the layer's weights alone would take 3.2 GB. */
Test(stream, it_works_where_n_squared_numbers_cannot_be_had)
{
    enum { N = 20000, D = 2 };
    const struct rlimit limit = {1u << 29, 1u << 29}; /* 512 MiB */
    const attn_stream how = attn_stream_default(2);
    gsl_matrix *X = gsl_matrix_alloc(N, D), *O = gsl_matrix_alloc(N, D);

    gsl_set_error_handler_off();
    fill(X, 99);
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    cr_assert_null(gsl_matrix_alloc(N, N));
    cr_assert_eq(attn_stream_attend(X, X, X, 1, &attn_mask_none, &how, O, NULL),
                 0);
    cr_assert(isfinite(gsl_matrix_get(O, N - 1, D - 1)));
    gsl_matrix_free(X);
    gsl_matrix_free(O);
}
#endif

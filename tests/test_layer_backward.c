/*
 * The backward pass: against signed central differences of the forward one, at
 * sizes that differ, with several heads and every kind of mask; at saturation;
 * and where the gradient is exactly 0.
 */
#include "attn_layer_backward.h"
#include "attn_product.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <string.h>

enum { N = 5, D = 4, D_K = 3, D_V = 2, HEADS = 3, OUT = HEADS * D_V };
enum { N_Q = 4, N_K = 6 };

/* Row 1 sees nothing; key 3 is seen by nobody. */
static unsigned char sees[N * N] = {1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1,
                                    0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1};

static attn_mask mask_of(int kind)
{
    static gsl_matrix_uchar_view m;

    m = gsl_matrix_uchar_view_array(sees, N, N);
    return kind == ATTN_MASK_NONE     ? attn_mask_none
           : kind == ATTN_MASK_CAUSAL ? attn_mask_causal
                                      : attn_mask_of(&m.matrix);
}

static gsl_matrix_view view(double *x, size_t rows, size_t columns)
{
    return gsl_matrix_view_array(x, rows, columns);
}

static void fill(attn_rng *g, gsl_matrix *M)
{
    attn_sample_fill(ATTN_SAMPLE_NORMAL, g, M->data, M->size1 * M->size2);
}

/* L = sum C_ij O_ij, so that dL/dO = C. */
static double loss(const gsl_matrix *O, const gsl_matrix *C)
{
    return attn_product_dot(O->data, C->data, O->size1 * O->size2);
}

/* ---- the whole layer ---- */

typedef struct {
    attn_layer *layer;
    attn_layer_workspace *w;
    attn_layer_gradient *g;
    gsl_matrix *X, *O, *C;
} bench;

static bench bench_make(uint64_t setting, double scale)
{
    bench b = {.layer = attn_layer_alloc(D, D_K, D_V, HEADS),
               .X = gsl_matrix_alloc(N, D),
               .O = gsl_matrix_alloc(N, OUT),
               .C = gsl_matrix_alloc(N, OUT)};
    attn_rng g;

    b.w = attn_layer_workspace_alloc(b.layer, N);
    b.g = attn_layer_gradient_alloc(b.layer, N);
    attn_rng_set(&g, 1, attn_rng_experiment("test.backward", setting), 0);
    fill(&g, b.layer->W_Q);
    fill(&g, b.layer->W_K);
    fill(&g, b.layer->W_V);
    fill(&g, b.X);
    fill(&g, b.C);
    b.layer->scale = scale;
    return b;
}

static void bench_free(bench *b)
{
    attn_layer_gradient_free(b->g);
    attn_layer_workspace_free(b->w);
    attn_layer_free(b->layer);
    gsl_matrix_free(b->X);
    gsl_matrix_free(b->O);
    gsl_matrix_free(b->C);
}

static double loss_of(bench *b, const attn_mask *mask)
{
    const int status =
        attn_layer_forward_masked(b->layer, b->X, mask, b->O, b->w);

    cr_assert(status == GSL_SUCCESS || status == ATTN_SOFTMAX_NO_KEY);
    return loss(b->O, b->C);
}

/* Every entry of M moved by h either way: a signed difference quotient with
 * error h^2 |L'''| and eps |L|/h, both below 1e-8 here. */
static size_t compare(bench *b, const attn_mask *mask, gsl_matrix *M,
                      const gsl_matrix *dM)
{
    const double h = 6e-6;

    for (size_t i = 0; i < M->size1; i++)
        for (size_t j = 0; j < M->size2; j++) {
            double *x = gsl_matrix_ptr(M, i, j);
            const double keep = *x;
            *x = keep + h;
            const double up = loss_of(b, mask);
            *x = keep - h;
            const double down = loss_of(b, mask);
            *x = keep;
            cr_near(gsl_matrix_get(dM, i, j), (up - down) / (2 * h), 1e-8,
                    1e-8);
        }
    return M->size1 * M->size2;
}

Test(backward, every_gradient_is_the_signed_difference_quotient)
{
    static const double scales[] = {0.5773502691896258, 1, 0.2, -0.7, 0};
    size_t ran = 0;

    for (size_t s = 0; s < 5; s++)
        for (int kind = ATTN_MASK_NONE; kind <= ATTN_MASK_EXPLICIT; kind++) {
            bench b = bench_make(s, scales[s]);
            const attn_mask mask = mask_of(kind);
            loss_of(&b, &mask);
            cr_assert_eq(attn_layer_backward(b.layer, b.X, b.w, b.C, b.g), 0);
            ran += compare(&b, &mask, b.X, b.g->dX);
            ran += compare(&b, &mask, b.layer->W_Q, b.g->dW_Q);
            ran += compare(&b, &mask, b.layer->W_K, b.g->dW_K);
            ran += compare(&b, &mask, b.layer->W_V, b.g->dW_V);
            bench_free(&b);
        }
    cr_assert_eq(ran, 15 * (N * D + 2 * D * HEADS * D_K + D * OUT));
}

Test(backward, it_starts_afresh_each_time)
{
    bench b = bench_make(9, 1);
    double first[D * HEADS * D_K];

    loss_of(&b, &attn_mask_causal);
    attn_layer_backward(b.layer, b.X, b.w, b.C, b.g);
    memcpy(first, b.g->dW_Q->data, sizeof first);
    attn_layer_backward(b.layer, b.X, b.w, b.C, b.g);
    cr_assert_eq(memcmp(first, b.g->dW_Q->data, sizeof first), 0);
    bench_free(&b);
}

/* A token that sees nothing and that nobody sees, as padding does. */
Test(backward, a_token_apart_has_gradient_zero_even_when_it_is_nan)
{
    bench b = bench_make(10, 0.6), c = bench_make(10, 0.6);
    unsigned char apart[N * N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            apart[i * N + j] = i != 3 && j != 3;
    gsl_matrix_uchar_view m = gsl_matrix_uchar_view_array(apart, N, N);
    const attn_mask mask = attn_mask_of(&m.matrix);

    loss_of(&b, &mask);
    attn_layer_backward(b.layer, b.X, b.w, b.C, b.g);
    for (size_t j = 0; j < D; j++)
        gsl_matrix_set(c.X, 3, j, NAN);
    loss_of(&c, &mask);
    attn_layer_backward(c.layer, c.X, c.w, c.C, c.g);
    for (size_t j = 0; j < D; j++)
        cr_near(gsl_matrix_get(c.g->dX, 3, j), 0, 0, 0);
    gsl_matrix *const got[] = {c.g->dX, c.g->dW_Q, c.g->dW_K, c.g->dW_V};
    gsl_matrix *const want[] = {b.g->dX, b.g->dW_Q, b.g->dW_K, b.g->dW_V};
    for (size_t k = 0; k < 4; k++)
        for (size_t e = 0; e < want[k]->size1 * want[k]->size2; e++)
            cr_near(got[k]->data[e], want[k]->data[e], 0, 0);
    bench_free(&b);
    bench_free(&c);
}

/* ---- one head ---- */

typedef struct {
    double q[N_Q * D_K], k[N_K * D_K], v[N_K * D_V];
    double a[N_Q * N_K], o[N_Q * D_V], c[N_Q * D_V];
    double ds[N_Q * N_K], dq[N_Q * D_K], dk[N_K * D_K], dv[N_K * D_V];
    gsl_matrix_view Q, K, V, A, O, C, dS, dQ, dK, dV;
} head;

static void head_make(head *h, uint64_t setting)
{
    attn_rng g;

    h->Q = view(h->q, N_Q, D_K);
    h->K = view(h->k, N_K, D_K);
    h->V = view(h->v, N_K, D_V);
    h->A = view(h->a, N_Q, N_K);
    h->O = view(h->o, N_Q, D_V);
    h->C = view(h->c, N_Q, D_V);
    h->dS = view(h->ds, N_Q, N_K);
    h->dQ = view(h->dq, N_Q, D_K);
    h->dK = view(h->dk, N_K, D_K);
    h->dV = view(h->dv, N_K, D_V);
    attn_rng_set(&g, 2, attn_rng_experiment("test.backward", setting), 0);
    fill(&g, &h->Q.matrix);
    fill(&g, &h->K.matrix);
    fill(&g, &h->V.matrix);
    fill(&g, &h->C.matrix);
}

static int head_backward(head *h, double scale)
{
    return attn_layer_attend_backward(&h->Q.matrix, &h->K.matrix, &h->V.matrix,
                                      scale, &h->A.matrix, &h->C.matrix,
                                      &h->dS.matrix, &h->dQ.matrix,
                                      &h->dK.matrix, &h->dV.matrix);
}

static double head_loss(head *h, double scale, const attn_mask *mask)
{
    attn_layer_attend_masked(&h->Q.matrix, &h->K.matrix, &h->V.matrix, scale,
                             mask, &h->A.matrix, &h->O.matrix);
    return loss(&h->O.matrix, &h->C.matrix);
}

Test(backward, one_head_with_fewer_queries_than_keys)
{
    const double step = 6e-6, scale = 0.8;
    head h;
    size_t ran = 0;

    head_make(&h, 0);
    for (int kind = ATTN_MASK_NONE; kind <= ATTN_MASK_CAUSAL; kind++) {
        const attn_mask mask = mask_of(kind);
        head_loss(&h, scale, &mask);
        cr_assert_eq(head_backward(&h, scale), 0);
        double *const at[] = {h.q, h.k, h.v}, *const d[] = {h.dq, h.dk, h.dv};
        const size_t sizes[] = {N_Q * D_K, N_K * D_K, N_K * D_V};
        for (size_t m = 0; m < 3; m++)
            for (size_t e = 0; e < sizes[m]; e++, ran++) {
                const double keep = at[m][e];
                at[m][e] = keep + step;
                const double up = head_loss(&h, scale, &mask);
                at[m][e] = keep - step;
                const double down = head_loss(&h, scale, &mask);
                at[m][e] = keep;
                cr_near(d[m][e], (up - down) / (2 * step), 1e-9, 1e-9);
            }
    }
    cr_assert_eq(ran, 2 * (N_Q * D_K + N_K * D_K + N_K * D_V));
}

/* dS of two keys at gap b is a_0 a_1 (da_0 - da_1), both to rounding. */
Test(backward, the_score_gradient_is_right_near_saturation)
{
    double v[2] = {3, -1.5}, c[1] = {0.75}, s[2], a[2], ds[2];
    gsl_matrix_view V = view(v, 2, 1), C = view(c, 1, 1), S = view(s, 1, 2);
    gsl_matrix_view A = view(a, 1, 2), dS = view(ds, 1, 2);
    size_t ran = 0;

    for (double gap = 0; gap <= 690; gap += 10, ran++) {
        s[0] = gap;
        s[1] = 0;
        attn_layer_weights(&S.matrix, &A.matrix);
        cr_assert_eq(attn_layer_scores_backward(&A.matrix, &V.matrix, &C.matrix,
                                                &dS.matrix),
                     0);
        cr_near(ds[0], a[0] * a[1] * 0.75 * 4.5, 8 * 0x1p-52, 0);
        cr_near(ds[1], -ds[0], 8 * 0x1p-52, 0);
    }
    cr_assert_eq(ran, 70);
}

Test(backward, a_shift_of_all_scores_has_no_gradient)
{
    head h;

    head_make(&h, 1);
    head_loss(&h, 1, &attn_mask_none);
    head_backward(&h, 1);
    for (size_t i = 0; i < N_Q; i++) {
        double sum = 0;
        for (size_t j = 0; j < N_K; j++)
            sum += h.ds[i * N_K + j];
        cr_near(sum, 0, 0, 4 * N_K * 0x1p-52);
    }
}

Test(backward, a_query_that_sees_nothing_and_an_unseen_key_have_gradient_zero)
{
    unsigned char m[N_Q * N_K];
    for (size_t i = 0; i < N_Q; i++)
        for (size_t j = 0; j < N_K; j++)
            m[i * N_K + j] = i != 2 && j != 4;
    gsl_matrix_uchar_view M = gsl_matrix_uchar_view_array(m, N_Q, N_K);
    const attn_mask mask = attn_mask_of(&M.matrix);
    head h, clean;

    head_make(&clean, 2);
    head_loss(&clean, 1, &mask);
    head_backward(&clean, 1);
    head_make(&h, 2);
    for (size_t x = 0; x < D_K; x++)
        h.q[2 * D_K + x] = h.k[4 * D_K + x] = NAN;
    for (size_t x = 0; x < D_V; x++) {
        h.v[4 * D_V + x] = x ? NAN : INFINITY;
        h.c[2 * D_V + x] = NAN; /* a downstream gradient that goes nowhere */
    }
    head_loss(&h, 1, &mask);
    memset(h.ds, 0xff, sizeof h.ds); /* nothing is taken from before */
    cr_assert_eq(head_backward(&h, 1), 0);
    for (size_t e = 0; e < N_Q * D_K; e++)
        cr_near(h.dq[e], e / D_K == 2 ? 0 : clean.dq[e], 0, 0);
    for (size_t e = 0; e < N_K * D_K; e++)
        cr_near(h.dk[e], e / D_K == 4 ? 0 : clean.dk[e], 0, 0);
    for (size_t e = 0; e < N_K * D_V; e++)
        cr_near(h.dv[e], e / D_V == 4 ? 0 : clean.dv[e], 0, 0);
    for (size_t e = 0; e < N_Q * N_K; e++)
        cr_near(h.ds[e], clean.ds[e], 0, 0);
}

Test(backward, one_key_leaves_nothing_to_decide)
{
    double q[2] = {1, 2}, k[2] = {3, 4}, v[2] = {5, 6}, a[1] = {1};
    double c[2] = {7, 8}, ds[1], dq[2], dk[2], dv[2];
    gsl_matrix_view Q = view(q, 1, 2), K = view(k, 1, 2), V = view(v, 1, 2);
    gsl_matrix_view A = view(a, 1, 1), C = view(c, 1, 2), dS = view(ds, 1, 1);
    gsl_matrix_view dQ = view(dq, 1, 2), dK = view(dk, 1, 2);
    gsl_matrix_view dV = view(dv, 1, 2);

    cr_assert_eq(attn_layer_attend_backward(&Q.matrix, &K.matrix, &V.matrix, 1,
                                            &A.matrix, &C.matrix, &dS.matrix,
                                            &dQ.matrix, &dK.matrix, &dV.matrix),
                 0);
    cr_near(ds[0], 0, 0, 0);
    for (size_t x = 0; x < 2; x++) {
        cr_near(dq[x], 0, 0, 0);
        cr_near(dk[x], 0, 0, 0);
        cr_near(dv[x], c[x], 0, 0);
    }
}

/* ---- refusals ---- */

Test(backward, shapes_that_do_not_fit_are_refused_and_nothing_is_written)
{
    head h;
    double bad[N_Q * N_K] = {0};
    gsl_matrix_view B = view(bad, 3, 7);
    gsl_matrix *const all[] = {&h.Q.matrix,  &h.K.matrix,  &h.V.matrix,
                               &h.A.matrix,  &h.C.matrix,  &h.dS.matrix,
                               &h.dQ.matrix, &h.dK.matrix, &h.dV.matrix};
    size_t ran = 0;

    gsl_set_error_handler_off();
    head_make(&h, 3);
    h.dv[0] = h.dq[0] = h.dk[0] = h.ds[0] = 7;
    for (size_t wrong = 0; wrong < 9; wrong++, ran++) {
        gsl_matrix *m[9];
        memcpy(m, all, sizeof m);
        m[wrong] = &B.matrix;
        cr_assert_eq(attn_layer_attend_backward(m[0], m[1], m[2], 1, m[3], m[4],
                                                m[5], m[6], m[7], m[8]),
                     GSL_EBADLEN, "argument %zu", wrong);
        if (wrong >= 2 && wrong <= 5)
            cr_assert_eq(attn_layer_scores_backward(m[3], m[2], m[4], m[5]),
                         GSL_EBADLEN);
    }
    cr_assert_eq(ran, 9);
    cr_near(h.dv[0], 7, 0, 0);
    cr_near(h.dq[0], 7, 0, 0);
    cr_near(h.dk[0], 7, 0, 0);
    cr_near(h.ds[0], 7, 0, 0);
}

Test(backward, a_layer_of_other_sizes_is_refused)
{
    bench b = bench_make(11, 1);
    attn_layer *wide = attn_layer_alloc(D, D_K, D_V + 1, HEADS);
    attn_layer_gradient *other = attn_layer_gradient_alloc(b.layer, N + 1);
    attn_layer_gradient *wider = attn_layer_gradient_alloc(wide, N);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_layer_backward(b.layer, b.X, b.w, b.X, b.g), GSL_EBADLEN);
    cr_assert_eq(attn_layer_backward(b.layer, b.O, b.w, b.C, b.g), GSL_EBADLEN);
    cr_assert_eq(attn_layer_backward(b.layer, b.X, b.w, b.C, other),
                 GSL_EBADLEN);
    cr_assert_eq(attn_layer_backward(b.layer, b.X, b.w, b.C, wider),
                 GSL_EBADLEN);
    cr_assert_null(attn_layer_gradient_alloc(b.layer, (size_t)1 << 62));
    cr_assert_null(attn_layer_gradient_alloc(b.layer, SIZE_MAX));
    cr_assert_null(attn_layer_gradient_alloc(b.layer, 0));
    attn_layer_gradient_free(NULL);
    attn_layer_gradient_free(other);
    attn_layer_gradient_free(wider);
    attn_layer_free(wide);
    bench_free(&b);
}

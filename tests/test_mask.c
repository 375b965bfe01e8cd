/* attn_mask and the layer under a mask: what is not seen has no say. */
#include "attn_layer.h"
#include "attn_mask.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "near.h"
#include <gsl/gsl_errno.h>

enum { N_Q = 4, N_K = 6, D_K = 3, D_V = 2 };

/* Row 2 sees nothing, key 5 is seen by nobody. */
static unsigned char sees[N_Q * N_K] = {1, 0, 1, 1, 0, 0, 0, 2, 0, 1, 1, 0,
                                        0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0};

static gsl_matrix_view view(double *x, size_t rows, size_t columns)
{
    return gsl_matrix_view_array(x, rows, columns);
}

static void fill(double *x, size_t n, uint64_t setting)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.mask", setting), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, x, n);
}

Test(mask, each_kind_hides_what_it_says)
{
    const gsl_matrix_uchar_const_view m =
        gsl_matrix_uchar_const_view_array(sees, N_Q, N_K);
    const attn_mask explicit = attn_mask_of(&m.matrix);
    size_t ran = 0;

    for (size_t i = 0; i < N_Q; i++)
        for (size_t j = 0; j < N_K; j++, ran++) {
            cr_assert(attn_mask_sees(&attn_mask_none, i, j));
            cr_assert_eq(attn_mask_sees(&attn_mask_causal, i, j), j <= i);
            cr_assert_eq(attn_mask_sees(&explicit, i, j),
                         sees[i * N_K + j] != 0);
        }
    cr_assert_eq(ran, N_Q * N_K);
}

Test(mask, hidden_scores_become_minus_infinity_even_a_nan)
{
    const gsl_matrix_uchar_const_view m =
        gsl_matrix_uchar_const_view_array(sees, N_Q, N_K);
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal,
                               attn_mask_of(&m.matrix)};
    size_t ran = 0;

    for (size_t k = 0; k < 3; k++) {
        double s[N_Q * N_K];
        gsl_matrix_view S = view(s, N_Q, N_K);
        for (size_t i = 0; i < N_Q; i++)
            for (size_t j = 0; j < N_K; j++)
                s[i * N_K + j] = attn_mask_sees(&masks[k], i, j) ? 7 : NAN;
        cr_assert_eq(attn_mask_apply(&masks[k], &S.matrix), GSL_SUCCESS);
        for (size_t i = 0; i < N_Q; i++)
            for (size_t j = 0; j < N_K; j++, ran++)
                cr_assert_eq(s[i * N_K + j],
                             attn_mask_sees(&masks[k], i, j) ? 7 : -INFINITY);
    }
    cr_assert_eq(ran, 3 * N_Q * N_K);
}

Test(mask, a_mask_that_does_not_fit_is_refused_and_nothing_is_written)
{
    const gsl_matrix_uchar_const_view m =
        gsl_matrix_uchar_const_view_array(sees, N_K, N_Q);
    const attn_mask turned = attn_mask_of(&m.matrix);
    const attn_mask nothing = attn_mask_of(NULL);
    const attn_mask unknown = {(attn_mask_kind)3, NULL};
    double room[N_Q * N_K] = {0}, o[N_Q * D_V] = {7};
    gsl_matrix_view S = view(room, N_Q, N_K), Q = view(room, N_Q, D_K);
    gsl_matrix_view K = view(room, N_K, D_K), V = view(room, N_K, D_V);
    double a[N_Q * N_K] = {7};
    gsl_matrix_view A = view(a, N_Q, N_K), O = view(o, N_Q, D_V);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_mask_apply(&turned, &S.matrix), GSL_EBADLEN);
    cr_assert_eq(attn_mask_apply(&nothing, &S.matrix), GSL_EINVAL);
    cr_assert_eq(attn_mask_apply(&unknown, &S.matrix), GSL_EINVAL);
    cr_assert_eq(attn_mask_check(&turned, N_K, N_Q), GSL_SUCCESS);
    cr_assert_eq(attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, 1,
                                          &turned, &A.matrix, &O.matrix),
                 GSL_EBADLEN);
    cr_assert_eq(attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, 1,
                                          &nothing, &A.matrix, &O.matrix),
                 GSL_EINVAL);
    cr_near(a[0], 7, 0, 0);
    cr_near(o[0], 7, 0, 0);
}

/* The masked head of a query is the unmasked head of the keys that it sees. */
Test(mask, a_masked_query_attends_to_the_seen_keys_alone)
{
    const gsl_matrix_uchar_const_view m =
        gsl_matrix_uchar_const_view_array(sees, N_Q, N_K);
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal,
                               attn_mask_of(&m.matrix)};
    double q[N_Q * D_K], k[N_K * D_K], v[N_K * D_V], a[N_Q * N_K], o[N_Q * D_V];
    gsl_matrix_view Q = view(q, N_Q, D_K), K = view(k, N_K, D_K);
    gsl_matrix_view V = view(v, N_K, D_V), A = view(a, N_Q, N_K);
    gsl_matrix_view O = view(o, N_Q, D_V);
    size_t ran = 0, empty = 0;

    fill(q, N_Q * D_K, 0);
    fill(k, N_K * D_K, 1);
    fill(v, N_K * D_V, 2);
    for (size_t c = 0; c < 3; c++) {
        cr_assert_eq(attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix,
                                              0.6, &masks[c], &A.matrix,
                                              &O.matrix),
                     c == 2 ? ATTN_SOFTMAX_NO_KEY : GSL_SUCCESS);
        for (size_t i = 0; i < N_Q; i++, ran++) {
            double ks[N_K * D_K], vs[N_K * D_V], as[N_K], want[D_V] = {0};
            size_t seen = 0;
            for (size_t j = 0; j < N_K; j++)
                if (attn_mask_sees(&masks[c], i, j)) {
                    for (size_t x = 0; x < D_K; x++)
                        ks[seen * D_K + x] = k[j * D_K + x];
                    for (size_t x = 0; x < D_V; x++)
                        vs[seen * D_V + x] = v[j * D_V + x];
                    seen++;
                }
            if (seen > 0) {
                gsl_matrix_view Qi = view(q + i * D_K, 1, D_K);
                gsl_matrix_view Ks = view(ks, seen, D_K);
                gsl_matrix_view Vs = view(vs, seen, D_V);
                gsl_matrix_view As = view(as, 1, seen), W = view(want, 1, D_V);
                attn_layer_attend(&Qi.matrix, &Ks.matrix, &Vs.matrix, 0.6,
                                  &As.matrix, &W.matrix);
            }
            empty += seen == 0;
            for (size_t x = 0; x < D_V; x++)
                cr_near(o[i * D_V + x], want[x], 1e-14, 1e-15);
        }
    }
    cr_assert_eq(ran, 3 * N_Q);
    cr_assert_eq(empty, 1);
}

Test(mask, nothing_of_an_unseen_key_reaches_the_output)
{
    const gsl_matrix_uchar_const_view m =
        gsl_matrix_uchar_const_view_array(sees, N_Q, N_K);
    const attn_mask mask = attn_mask_of(&m.matrix);
    double q[N_Q * D_K], k[N_K * D_K], v[N_K * D_V], a[N_Q * N_K];
    double clean[N_Q * D_V], o[N_Q * D_V];
    gsl_matrix_view Q = view(q, N_Q, D_K), K = view(k, N_K, D_K);
    gsl_matrix_view V = view(v, N_K, D_V), A = view(a, N_Q, N_K);
    gsl_matrix_view C = view(clean, N_Q, D_V), O = view(o, N_Q, D_V);

    fill(q, N_Q * D_K, 3);
    fill(k, N_K * D_K, 4);
    fill(v, N_K * D_V, 5);
    attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, 1, &mask,
                             &A.matrix, &C.matrix);
    q[2 * D_K] = NAN; /* the query that sees nothing */
    k[5 * D_K + 1] = NAN;
    v[5 * D_V] = NAN;
    v[5 * D_V + 1] = INFINITY;
    cr_assert_eq(attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, 1,
                                          &mask, &A.matrix, &O.matrix),
                 ATTN_SOFTMAX_NO_KEY);
    for (size_t x = 0; x < N_Q * D_V; x++)
        cr_near(o[x], clean[x], 0, 0);
    for (size_t i = 0; i < N_Q; i++)
        cr_near(a[i * N_K + 5], 0, 0, 0);
    k[3 * D_K] = NAN; /* a key that is seen */
    gsl_set_error_handler_off();
    cr_assert_eq(attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, 1,
                                          &mask, &A.matrix, &O.matrix),
                 GSL_EDOM);
}

Test(mask, a_query_that_sees_nothing_does_not_end_the_other_heads)
{
    enum { N = 4, D = 5, HEADS = 3 };
    unsigned char blind[N * N] = {0, 0, 0, 0, 1, 1, 0, 1,
                                  1, 1, 1, 1, 0, 1, 1, 0};
    const gsl_matrix_uchar_view m = gsl_matrix_uchar_view_array(blind, N, N);
    const attn_mask mask = attn_mask_of(&m.matrix);
    attn_layer *l = attn_layer_alloc(D, D_K, D_V, HEADS);
    attn_layer_workspace *w = attn_layer_workspace_alloc(l, N);
    double x[N * D], o[N * HEADS * D_V], a[N * N], want[N * D_V];
    gsl_matrix_view X = view(x, N, D), O = view(o, N, HEADS * D_V);
    gsl_matrix_view A = view(a, N, N), W = view(want, N, D_V);
    size_t ran = 0;

    fill(x, N * D, 6);
    fill(l->W_Q->data, D * HEADS * D_K, 7);
    fill(l->W_K->data, D * HEADS * D_K, 8);
    fill(l->W_V->data, D * HEADS * D_V, 9);
    cr_assert_eq(attn_layer_forward_masked(l, &X.matrix, &mask, &O.matrix, w),
                 ATTN_SOFTMAX_NO_KEY);
    for (size_t i = 0; i < HEADS; i++) {
        const gsl_matrix_view Q =
            gsl_matrix_submatrix(w->Q, 0, i * D_K, N, D_K);
        const gsl_matrix_view K =
            gsl_matrix_submatrix(w->K, 0, i * D_K, N, D_K);
        const gsl_matrix_view V =
            gsl_matrix_submatrix(w->V, 0, i * D_V, N, D_V);
        attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix, l->scale,
                                 &mask, &A.matrix, &W.matrix);
        for (size_t r = 0; r < N; r++)
            for (size_t c = 0; c < D_V; c++, ran++) {
                cr_near(o[r * HEADS * D_V + i * D_V + c], want[r * D_V + c], 0,
                        0);
                cr_assert_eq(want[r * D_V + c] == 0, r == 0);
            }
    }
    cr_assert_eq(ran, N * HEADS * D_V);
    attn_layer_workspace_free(w);
    attn_layer_free(l);
}

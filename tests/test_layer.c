/* attn_layer: the lecture's example, GSL's products, several heads, edges. */
#include "attn_layer.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "near.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>

enum { N = 6, D = 5, D_K = 3, D_V = 4, HEADS = 2 };

static gsl_matrix_view view(double *x, size_t rows, size_t columns)
{
    return gsl_matrix_view_array(x, rows, columns);
}

Test(layer, the_lectures_example)
{
    double q[4] = {2, 0, 0, 0};
    double k[16] = {-1, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double v[8] = {0, 0, 1, 0, 0, 1, 0, 1}, a[4], o[2];
    gsl_matrix_view Q = view(q, 1, 4), K = view(k, 4, 4), V = view(v, 4, 2);
    gsl_matrix_view A = view(a, 1, 4), O = view(o, 1, 2);

    cr_assert_eq(
        attn_layer_scores(&Q.matrix, &K.matrix, attn_layer_scale(4), &A.matrix),
        0);
    cr_near(a[0], -1, 0, 0);
    cr_near(a[1], 2, 0, 0);
    cr_near(a[2], 0, 0, 0);
    cr_assert_eq(attn_layer_attend(&Q.matrix, &K.matrix, &V.matrix, 0.5,
                                   &A.matrix, &O.matrix),
                 0);
    cr_near(a[0], 0.0377, 0, 5e-5);
    cr_near(a[1], 0.7573, 0, 5e-5);
    cr_near(a[2], 0.1025, 0, 5e-5);
    cr_near(a[3], a[2], 0, 0);
    cr_near(o[0], a[1], 1e-15, 0);
    cr_near(o[1], 2 * a[2], 1e-15, 0);
}

static void fill(attn_rng *g, gsl_matrix *M)
{
    attn_sample_fill(ATTN_SAMPLE_NORMAL, g, M->data, M->size1 * M->size2);
}

/* One head the long way round, with GSL's products and libm's exp. */
static void one_head(const attn_layer *l, const gsl_matrix *X, size_t head,
                     gsl_matrix *O)
{
    const gsl_matrix_const_view WQ =
        gsl_matrix_const_submatrix(l->W_Q, 0, head * D_K, D, D_K);
    const gsl_matrix_const_view WK =
        gsl_matrix_const_submatrix(l->W_K, 0, head * D_K, D, D_K);
    const gsl_matrix_const_view WV =
        gsl_matrix_const_submatrix(l->W_V, 0, head * D_V, D, D_V);
    double q[N * D_K], k[N * D_K], v[N * D_V], s[N * N];
    gsl_matrix_view Q = view(q, N, D_K), K = view(k, N, D_K);
    gsl_matrix_view V = view(v, N, D_V), S = view(s, N, N);

    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, X, &WQ.matrix, 0, &Q.matrix);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, X, &WK.matrix, 0, &K.matrix);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, X, &WV.matrix, 0, &V.matrix);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, l->scale, &Q.matrix, &K.matrix, 0,
                   &S.matrix);
    for (size_t i = 0; i < N; i++) {
        double Z = 0;
        for (size_t j = 0; j < N; j++)
            Z += exp(s[i * N + j]);
        for (size_t j = 0; j < N; j++)
            s[i * N + j] = exp(s[i * N + j]) / Z;
    }
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &S.matrix, &V.matrix, 0, O);
}

Test(layer, several_heads_agree_with_one_at_a_time)
{
    attn_layer *l = attn_layer_alloc(D, D_K, D_V, HEADS);
    attn_layer_workspace *w = attn_layer_workspace_alloc(l, N);
    double x[N * D], o[N * HEADS * D_V], want[N * D_V];
    gsl_matrix_view X = view(x, N, D), O = view(o, N, HEADS * D_V);
    gsl_matrix_view W = view(want, N, D_V);
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.layer", 0), 0);
    fill(&g, l->W_Q);
    fill(&g, l->W_K);
    fill(&g, l->W_V);
    fill(&g, &X.matrix);
    cr_near(l->scale, 1 / sqrt(3), 1e-16, 0);
    cr_assert_eq(attn_layer_parameters(l), HEADS * D * (2 * D_K + D_V));
    cr_assert_eq(attn_layer_forward(l, &X.matrix, &O.matrix, w), 0);
    for (size_t head = 0; head < HEADS; head++) {
        one_head(l, &X.matrix, head, &W.matrix);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < D_V; j++)
                cr_near(o[i * HEADS * D_V + head * D_V + j], want[i * D_V + j],
                        1e-13, 1e-14);
    }
    attn_layer_workspace_free(w);
    attn_layer_free(l);
}

Test(layer, rows_of_weights_sum_to_one)
{
    double s[N * N], a[N * N];
    gsl_matrix_view S = view(s, N, N), A = view(a, N, N);
    attn_rng g;

    attn_rng_set(&g, 2, attn_rng_experiment("test.layer", 1), 0);
    fill(&g, &S.matrix);
    gsl_matrix_scale(&S.matrix, 30);
    cr_assert_eq(attn_layer_weights(&S.matrix, &A.matrix), 0);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++) {
            cr_assert_geq(a[i * N + j], 0);
            sum += a[i * N + j];
        }
        cr_near(sum, 1, 4 * N * 0x1p-53, 0);
    }
}

Test(layer, a_key_that_is_not_seen_has_no_say_whatever_its_value)
{
    double s[4] = {0, -INFINITY, -INFINITY, -INFINITY}; /* two rows, two keys */
    double v[4] = {3, 4, NAN, INFINITY}, a[4], o[4];
    gsl_matrix_view S = view(s, 2, 2), A = view(a, 2, 2);
    gsl_matrix_view V = view(v, 2, 2), O = view(o, 2, 2);

    cr_assert_eq(attn_layer_weights(&S.matrix, &A.matrix), ATTN_SOFTMAX_NO_KEY);
    cr_assert_eq(attn_layer_output(&A.matrix, &V.matrix, &O.matrix), 0);
    cr_near(o[0], 3, 0, 0);
    cr_near(o[1], 4, 0, 0);
    cr_near(o[2], 0, 0, 0);
    cr_near(o[3], 0, 0, 0);
}

Test(layer, a_nan_in_a_query_is_reported)
{
    double q[2] = {NAN, 1}, k[4] = {1, 2, 3, 4}, v[2] = {1, 2}, a[2], o[1];
    gsl_matrix_view Q = view(q, 1, 2), K = view(k, 2, 2), V = view(v, 2, 1);
    gsl_matrix_view A = view(a, 1, 2), O = view(o, 1, 1);

    gsl_set_error_handler_off();
    cr_assert_eq(attn_layer_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                   &A.matrix, &O.matrix),
                 GSL_EDOM);
}

Test(layer, shapes_that_do_not_fit_are_refused)
{
    double room[64] = {0};
    gsl_matrix_view q = view(room, 2, 3), k = view(room, 4, 3);
    gsl_matrix_view v = view(room, 4, 5), a = view(room, 2, 4);
    gsl_matrix_view o = view(room, 2, 5), bad = view(room, 3, 2);
    gsl_matrix *Q = &q.matrix, *K = &k.matrix, *V = &v.matrix;
    gsl_matrix *A = &a.matrix, *O = &o.matrix, *B = &bad.matrix;

    gsl_set_error_handler_off();
    cr_assert_eq(attn_layer_scores(Q, B, 1, A), GSL_EBADLEN);
    cr_assert_eq(attn_layer_weights(A, B), GSL_EBADLEN);
    cr_assert_eq(attn_layer_output(A, B, O), GSL_EBADLEN);
    cr_assert_eq(attn_layer_attend(Q, K, B, 1, A, O), GSL_EBADLEN);
    cr_assert_eq(attn_layer_attend(Q, K, V, 1, B, O), GSL_EBADLEN);
    cr_assert_eq(attn_layer_attend(Q, K, V, 1, A, B), GSL_EBADLEN);

    attn_layer *l = attn_layer_alloc(3, 1, 5, 1);
    attn_layer_workspace *w = attn_layer_workspace_alloc(l, 2);
    cr_assert_eq(attn_layer_forward(l, Q, O, w), GSL_SUCCESS);
    cr_assert_eq(attn_layer_forward(l, K, O, w), GSL_EBADLEN);
    cr_assert_eq(attn_layer_forward(l, Q, A, w), GSL_EBADLEN);
    attn_layer_workspace_free(w);
    attn_layer_free(l);
}

Test(layer, sizes_of_nothing_and_sizes_too_large_are_refused)
{
    static const size_t zero[][4] = {
        {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}};
    const size_t huge = (size_t)1 << 62;
    size_t ran = 0;

    gsl_set_error_handler_off();
    for (size_t i = 0; i < 4; i++, ran++)
        cr_assert_null(
            attn_layer_alloc(zero[i][0], zero[i][1], zero[i][2], zero[i][3]));
    cr_assert_eq(ran, 4);
    cr_assert_null(attn_layer_alloc(huge, 8, 1, 1));
    cr_assert_null(attn_layer_alloc(1, huge, 1, 8));
    attn_layer *l = attn_layer_alloc(2, 1, 1, 8);
    cr_assert_null(attn_layer_workspace_alloc(l, huge));
    attn_layer_free(l);
    attn_layer_free(NULL);
    attn_layer_workspace_free(NULL);
}

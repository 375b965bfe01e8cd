/* attn_counted: the library's bytes, and counts that follow by hand. */
#include "attn_counted.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_theory.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <string.h>

enum { N = 37, D = 5, D_K = 3, D_V = 4, HEADS = 2, OUT = HEADS * D_V };

static void fill(gsl_matrix *M, uint64_t setting)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.counted", setting), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, M->data, M->size1 * M->size2);
}

Test(counted, a_forward_pass_counts_every_multiply_add_and_byte)
{
    attn_layer *l = attn_layer_alloc(D, D_K, D_V, HEADS);
    attn_layer_workspace *w = attn_layer_workspace_alloc(l, N);
    gsl_matrix *X = gsl_matrix_alloc(N, D), *O = gsl_matrix_alloc(N, OUT);
    gsl_matrix *want = gsl_matrix_alloc(N, OUT);
    attn_counted c;

    fill(X, 0);
    fill(l->W_Q, 1);
    fill(l->W_K, 2);
    fill(l->W_V, 3);
    cr_assert_eq(attn_layer_forward(l, X, want, w), 0);
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(attn_counted_forward(l, X, O, &c), 0);
        cr_assert_eq(c.multiply_adds,
                     HEADS * (N * N * (D_K + D_V) + N * D * (2 * D_K + D_V)));
        cr_assert_eq(c.bytes, 8 * HEADS * (N * N + N * (2 * D_K + D_V)));
        cr_assert_eq(memcmp(O->data, want->data, 8 * N * OUT), 0);
    }
    gsl_set_error_handler_off();
    cr_assert_eq(attn_counted_forward(l, want, O, &c), GSL_EBADLEN);
    gsl_matrix_free(X);
    gsl_matrix_free(O);
    gsl_matrix_free(want);
    attn_layer_workspace_free(w);
    attn_layer_free(l);
}

Test(counted, a_key_of_weight_zero_is_no_work)
{
    double q[1] = {1}, k[3] = {0, -INFINITY, 1}, v[6] = {0}, a[3], o[2];
    gsl_matrix_view Q = gsl_matrix_view_array(q, 1, 1);
    gsl_matrix_view K = gsl_matrix_view_array(k, 3, 1);
    gsl_matrix_view V = gsl_matrix_view_array(v, 3, 2);
    gsl_matrix_view A = gsl_matrix_view_array(a, 1, 3);
    gsl_matrix_view O = gsl_matrix_view_array(o, 1, 2);
    attn_counted c;

    cr_assert_eq(attn_counted_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                     &A.matrix, &O.matrix, &c),
                 0);
    cr_assert_eq(c.multiply_adds, 3 + 2 * 2);
    cr_assert_eq(c.bytes, 0);
}

Test(counted, the_stream_counts_idle_lanes_and_its_scratch)
{
    gsl_matrix *Q = gsl_matrix_alloc(N, D_K), *K = gsl_matrix_alloc(200, D_K);
    gsl_matrix *V = gsl_matrix_alloc(200, D_V), *O = gsl_matrix_alloc(N, D_V);
    gsl_matrix *want = gsl_matrix_alloc(N, D_V);
    const attn_stream how = attn_stream_default(1);
    attn_counted c;

    fill(Q, 4);
    fill(K, 5);
    fill(V, 6);
    cr_assert_eq(
        attn_stream_attend(Q, K, V, 0.5, &attn_mask_none, &how, want, NULL), 0);
    cr_assert_eq(attn_counted_stream(Q, K, V, 0.5, O, &c), 0);
    cr_assert_eq(c.multiply_adds, 64 * 200 * (D_K + D_V)); /* 37 in 2 x 32 */
    cr_assert_eq(c.bytes, attn_stream_scratch(N, 200, D_K, D_V, &how));
    cr_assert_eq(memcmp(O->data, want->data, 8 * N * D_V), 0);
    gsl_matrix_set(V, 7, 1, NAN); /* another loop, as much work */
    cr_assert_eq(attn_counted_stream(Q, K, V, 0.5, O, &c), 0);
    cr_assert_eq(c.multiply_adds, 64 * 200 * (D_K + D_V));
    gsl_matrix_free(Q);
    gsl_matrix_free(K);
    gsl_matrix_free(V);
    gsl_matrix_free(O);
    gsl_matrix_free(want);
}

Test(counted, the_predicted_cost_and_where_its_parts_cross)
{
    const attn_theory_cost c = attn_theory_cost_of(N, D, D_K, D_V, HEADS);

    cr_near(c.projections, HEADS * N * D * (2 * D_K + D_V), 0, 0);
    cr_near(c.scores, HEADS * N * N * D_K, 0, 0);
    cr_near(c.sum, HEADS * N * N * D_V, 0, 0);
    cr_near(attn_theory_cost_crossing(64, 64, 64), 96, 0, 0);
    cr_near(attn_theory_cost_crossing(D, D_K, D_V), 50.0 / 7, 1e-15, 0);
}

/*
 * Broken laws. Linked into copies of the programs with --wrap, so that a call
 * of f from another file comes to __wrap_f here; ATTN_SABOTAGE names the one
 * thing that is broken, and everything else passes through. The programs and
 * the library know nothing of it. tests/test_sabotage.c has the table.
 */
#include "attn_convolution.h"
#include "attn_fresh.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_pairs.h"
#include "attn_permutation.h"
#include "attn_position.h"
#include "attn_product.h"
#include "attn_softmax.h"
#include "attn_theory.h"
#include "attn_train.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_permute_matrix.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is(const char *name)
{
    const char *asked = getenv("ATTN_SABOTAGE");

    return asked && strcmp(asked, name) == 0;
}

/* Declare the real f and the wrapper with one signature. */
#define WRAP(type, f, ...)                                                     \
    type __real_##f(__VA_ARGS__);                                              \
    type __wrap_##f(__VA_ARGS__);                                              \
    type __wrap_##f(__VA_ARGS__)

WRAP(double, attn_exp, double x)
{
    return __real_attn_exp(is("exp_wrong") && x > 0 ? 1.001 * x : x);
}

WRAP(attn_theory_score, attn_theory_score_of, attn_sample_law law, size_t d_k,
     double v, double rho)
{
    return __real_attn_theory_score_of(law, d_k, v,
                                       is("correlation_forgotten") ? 0 : rho);
}

WRAP(int, attn_pairs_measure, attn_blocks job, const attn_pairs *pairs,
     attn_pairs_sample *out)
{
    attn_pairs p = *pairs;

    if (is("hypotheses_kept")) {
        p.v = 1;
        p.rho = 0;
    }
    return __real_attn_pairs_measure(job, &p, out);
}

WRAP(double, attn_layer_scale, size_t d_k)
{
    return is("scale_wrong") ? 1 / (double)d_k : __real_attn_layer_scale(d_k);
}

WRAP(int, attn_layer_scores, const gsl_matrix *Q, const gsl_matrix *K,
     double scale, gsl_matrix *S)
{
    const int status = __real_attn_layer_scores(
        Q, K, is("scores_doubled") ? 2 * scale : scale, S);

    if (is("scores_know_places"))
        *gsl_matrix_ptr(S, 0, 0) += 1e-9;
    return status;
}

WRAP(int, attn_layer_weights, const gsl_matrix *S, gsl_matrix *A)
{
    const int status = __real_attn_layer_weights(S, A);

    if (is("weights_know_places"))
        *gsl_matrix_ptr(A, 0, 0) += 1e-9;
    return status;
}

WRAP(int, attn_layer_forward, const attn_layer *layer, const gsl_matrix *X,
     gsl_matrix *O, attn_layer_workspace *w)
{
    const int status = __real_attn_layer_forward(layer, X, O, w);

    if (is("outputs_know_places"))
        *gsl_matrix_ptr(O, 0, 0) += 1e-9;
    if (is("outputs_all_equal"))
        gsl_matrix_set_all(O, 1);
    return status;
}

WRAP(int, attn_product_ab, const gsl_matrix *A, const gsl_matrix *B,
     gsl_matrix *C)
{
    const int status = __real_attn_product_ab(A, B, C);

    if (is("product_wrong"))
        *gsl_matrix_ptr(C, 0, 0) += 1e-9;
    return status;
}

WRAP(double, attn_product_dot, const double *x, const double *y, size_t n)
{
    const double dot = __real_attn_product_dot(x, y, n);

    return is("signs_wrong") && dot > 0 ? 1.1 * dot : dot;
}

WRAP(int, attn_softmax, const gsl_vector *s, gsl_vector *a)
{
    const int status = __real_attn_softmax(s, a);

    if (is("softmax_soft")) { /* the winner gives a thousandth away */
        const size_t p = gsl_vector_max_index(a);
        *gsl_vector_ptr(a, p) *= 0.999;
        *gsl_vector_ptr(a, p ? 0 : a->size - 1) += 0.001;
    }
    return status;
}

WRAP(int, attn_softmax_jacobian, const gsl_vector *a, gsl_matrix *J)
{
    const int status = __real_attn_softmax_jacobian(a, J);

    if (is("jacobian_sign"))
        gsl_matrix_scale(J, -1);
    if (is("jacobian_diagonal")) /* a_j, with 1 - a_j forgotten */
        for (size_t j = 0; j < a->size; j++)
            gsl_matrix_set(J, j, j, gsl_vector_get(a, j));
    if (is("jacobian_asymmetric"))
        *gsl_matrix_ptr(J, 0, 1) += 1e-16;
    return status;
}

WRAP(double, attn_softmax_trace, const gsl_vector *a)
{
    return __real_attn_softmax_trace(a) * (is("trace_wrong") ? 1.2 : 1);
}

WRAP(double, attn_softmax_frobenius, const gsl_vector *a)
{
    return __real_attn_softmax_frobenius(a) * (is("frobenius_wrong") ? 1.2 : 1);
}

WRAP(int, attn_convolution_circular, const gsl_vector *w, const gsl_matrix *X,
     gsl_matrix *O)
{
    const int status = __real_attn_convolution_circular(w, X, O);

    if (is("convolution_padded")) /* zeros beyond the edge, no circle */
        for (size_t j = 0; j < X->size2; j++)
            *gsl_matrix_ptr(O, 0, j) -=
                gsl_vector_get(w, 0) * gsl_matrix_get(X, X->size1 - 1, j);
    if (is("convolution_pointwise"))
        gsl_matrix_memcpy(O, X);
    return status;
}

WRAP(void, attn_position_sinusoidal, gsl_matrix *P)
{
    __real_attn_position_sinusoidal(P);
    if (is("positions_forgotten"))
        gsl_matrix_set_zero(P);
}

WRAP(int, attn_train_begin, attn_train_head *head, const gsl_matrix *E,
     const gsl_matrix *W_Q, const gsl_matrix *W_K, const gsl_matrix *W_V,
     const gsl_permutation *partner, double scale)
{
    return __real_attn_train_begin(
        head, E, W_Q, W_K, W_V, partner,
        is("heads_all_scaled") ? 1 / sqrt((double)head->d_k) : scale);
}

WRAP(void, attn_train_step, attn_train_head *head, double rate, int with_values)
{
    __real_attn_train_step(head, is("steps_wrong") ? -rate : rate, with_values);
}

/* P on the columns where it fits: the wrong axis. */
WRAP(int, attn_permutation_rows, const gsl_permutation *p, const gsl_matrix *X,
     gsl_matrix *Y)
{
    if (!is("permutation_of_columns") || p->size > X->size2)
        return __real_attn_permutation_rows(p, X, Y);
    gsl_matrix_memcpy(Y, X);
    gsl_matrix_view part = gsl_matrix_submatrix(Y, 0, 0, Y->size1, p->size);
    return gsl_permute_matrix(p, &part.matrix);
}

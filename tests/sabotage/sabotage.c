/*
 * Broken laws. Linked into copies of the programs with --wrap, so that a call
 * of f from another file comes to __wrap_f here; ATTN_SABOTAGE names the one
 * thing that is broken, and everything else passes through. The programs and
 * the library know nothing of it. tests/test_sabotage.c has the table.
 */
#include "attn_bar.h"
#include "attn_convolution.h"
#include "attn_counted.h"
#include "attn_fresh.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_pairs.h"
#include "attn_permutation.h"
#include "attn_position.h"
#include "attn_product.h"
#include "attn_softmax.h"
#include "attn_stream.h"
#include "attn_theory.h"
#include "attn_train.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_permute_matrix.h>
#include <gsl/gsl_vector.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Nothing is broken: a terminal is feigned, and its bar tells each share. */
WRAP(int, isatty, int file)
{
    return is("watched") ? file == STDERR_FILENO : __real_isatty(file);
}

WRAP(void, attn_bar_show, double share, void *bar)
{
    if (is("watched"))
        fprintf(stderr, "share %g\n", share);
    else
        __real_attn_bar_show(share, bar);
}

static double broken(double x)
{
    if (is("exp_slow") && x < 0)
        return 0.99 * x;
    return is("exp_wrong") && x > 0 ? 1.001 * x : x;
}

WRAP(double, attn_exp, double x)
{
    return __real_attn_exp(broken(x));
}

WRAP(void, attn_exp_all, const double *x, size_t n, double *y)
{
    for (size_t j = 0; j < n; j++)
        y[j] = broken(x[j]);
    __real_attn_exp_all(y, n, y);
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

    if (is("scores_dead"))
        gsl_matrix_set_zero(S);
    if (is("scores_know_places"))
        *gsl_matrix_ptr(S, 0, 0) += 1e-9;
    return status;
}

WRAP(int, attn_layer_weights, const gsl_matrix *S, gsl_matrix *A)
{
    if (is("weights_local")) { /* the last key is out of reach */
        gsl_matrix_memcpy(A, S);
        gsl_matrix_set(A, 0, A->size2 - 1, -INFINITY);
        return __real_attn_layer_weights(A, A);
    }
    const int status = __real_attn_layer_weights(S, A);

    if (is("weights_know_places"))
        *gsl_matrix_ptr(A, 0, 0) += 1e-9;
    return status;
}

WRAP(int, attn_layer_forward, const attn_layer *layer, const gsl_matrix *X,
     gsl_matrix *O, attn_layer_workspace *w)
{
    static size_t calls;
    const int status = __real_attn_layer_forward(layer, X, O, w);

    if (is("layer_fails_once") && ++calls == 20)
        return GSL_EDOM;
    if (is("outputs_know_places"))
        *gsl_matrix_ptr(O, 0, 0) += 1e-9;
    if (is("outputs_all_equal"))
        gsl_matrix_set_all(O, 1);
    if (is("outputs_doubled"))
        gsl_matrix_scale(O, 2);
    return status;
}

WRAP(int, attn_layer_output, const gsl_matrix *A, const gsl_matrix *V,
     gsl_matrix *O)
{
    const int status = __real_attn_layer_output(A, V, O);

    if (is("outputs_doubled"))
        gsl_matrix_scale(O, 2);
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

/* Scores: halved, or a little less the farther apart the tokens are. */
WRAP(int, attn_product_abt, double alpha, const gsl_matrix *A,
     const gsl_matrix *B, gsl_matrix *C)
{
    const int status = __real_attn_product_abt(
        is("scores_halved") ? alpha / 2 : alpha, A, B, C);

    if (is("scores_fall_with_distance"))
        for (size_t i = 0; i < C->size1; i++)
            for (size_t j = 0; j < C->size2; j++)
                *gsl_matrix_ptr(C, i, j) -= 1e-9 * fabs((double)i - (double)j);
    return status;
}

WRAP(double, attn_product_dot, const double *x, const double *y, size_t n)
{
    const double dot = __real_attn_product_dot(x, y, n);

    return is("signs_wrong") && dot > 0 ? 1.1 * dot : dot;
}

WRAP(int, attn_softmax, const gsl_vector *s, gsl_vector *a)
{
    if (is("softmax_tempered")) { /* of s/2 */
        gsl_vector_memcpy(a, s);
        gsl_vector_scale(a, 0.5);
        return __real_attn_softmax(a, a);
    }
    const int status = __real_attn_softmax(s, a);

    if (is("softmax_first")) /* a decision for the first key, always */
        gsl_vector_set_basis(a, 0);

    if (is("softmax_soft")) { /* the winner gives a thousandth away */
        const size_t p = gsl_vector_max_index(a);
        *gsl_vector_ptr(a, p) *= 0.999;
        *gsl_vector_ptr(a, p ? 0 : a->size - 1) += 0.001;
    }
    if (is("weights_negative"))
        *gsl_vector_ptr(a, gsl_vector_min_index(a)) *= -1;
    if (is("one_hot_gives_away") && attn_softmax_rest(a) == 0)
        gsl_vector_set(a, gsl_vector_min_index(a), 1e-300);
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
    if (is("one_hot_leaks") && attn_softmax_rest(a) == 0)
        *gsl_matrix_ptr(J, 0, 0) += 1e-300;
    return status;
}

WRAP(int, attn_softmax_jvp, const gsl_vector *a, const gsl_vector *x,
     gsl_vector *y)
{
    const int status = __real_attn_softmax_jvp(a, x, y);

    if (is("jvp_doubled"))
        gsl_vector_scale(y, 2);
    if (is("jvp_sign"))
        gsl_vector_scale(y, -1);
    if (is("one_hot_leaks") && attn_softmax_rest(a) == 0)
        *gsl_vector_ptr(y, 0) += 1e-300;
    return status;
}

WRAP(double, attn_softmax_entropy, const gsl_vector *a)
{
    return __real_attn_softmax_entropy(a) * (is("entropy_sign") ? -1 : 1);
}

WRAP(int, attn_theory_max_normal, size_t n, attn_theory_value *mean)
{
    const int status = __real_attn_theory_max_normal(n, mean);

    mean->value *= is("max_wrong") ? 0.8 : 1;
    return status;
}

WRAP(int, attn_theory_jacobian_at, size_t n, double sigma,
     attn_theory_jacobian *J)
{
    const int status = __real_attn_theory_jacobian_at(n, sigma, J);

    J->squares.value *= is("sharing_wrong") ? 0.8 : 1;
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
    if (is("convolution_renamed")) { /* of X with its first rows exchanged */
        gsl_matrix *Y = gsl_matrix_alloc(X->size1, X->size2);
        gsl_matrix_memcpy(Y, X);
        gsl_matrix_swap_rows(Y, 0, 1);
        const int status = __real_attn_convolution_circular(w, Y, O);
        gsl_matrix_swap_rows(O, 0, 1);
        gsl_matrix_free(Y);
        return status;
    }
    const int status = __real_attn_convolution_circular(w, X, O);

    if (is("convolution_padded")) /* zeros beyond the edge, no circle */
        for (size_t j = 0; j < X->size2; j++)
            *gsl_matrix_ptr(O, 0, j) -=
                gsl_vector_get(w, 0) * gsl_matrix_get(X, X->size1 - 1, j);
    if (is("convolution_pointwise"))
        gsl_matrix_memcpy(O, X);
    return status;
}

WRAP(int, attn_convolution_padded, const gsl_vector *w, const gsl_matrix *X,
     gsl_matrix *O)
{
    const int status = __real_attn_convolution_padded(w, X, O);

    if (is("convolution_local")) /* its own input and nothing else */
        gsl_matrix_memcpy(O, X);
    return status;
}

WRAP(int, attn_convolution_full, const gsl_vector *a, const gsl_vector *b,
     gsl_vector *c)
{
    double w[15];
    gsl_vector_view W = gsl_vector_view_array(w, a->size);

    gsl_vector_memcpy(&W.vector, a);
    if (is("convolution_local")) { /* the first tap's share to the second */
        w[1] += w[0] / 2;
        w[0] /= 2;
    }
    return __real_attn_convolution_full(&W.vector, b, c);
}

WRAP(char *, strtok, char *text, const char *ends)
{
    if (is("words_lost") && !text) /* every second word */
        __real_strtok(NULL, ends);
    return __real_strtok(text, ends);
}

/* Row i a little longer than row i - 1. */
static void drift(gsl_matrix *X)
{
    for (size_t i = 0; i < X->size1; i++) {
        gsl_vector_view row = gsl_matrix_row(X, i);
        gsl_vector_scale(&row.vector, 1 + 1e-9 * (double)i);
    }
}

WRAP(void, attn_position_sinusoidal, gsl_matrix *P)
{
    __real_attn_position_sinusoidal(P);
    if (is("positions_forgotten"))
        gsl_matrix_set_zero(P);
    if (is("positions_drift"))
        drift(P);
}

WRAP(int, attn_position_rotary, gsl_matrix *X)
{
    const int status = __real_attn_position_rotary(X);

    if (is("positions_drift"))
        drift(X);
    return status;
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

WRAP(int, attn_permutation_is_shift, const gsl_permutation *p)
{
    if (is("shift_overlooked") && gsl_permutation_get(p, 0) == 2)
        return 0;
    return __real_attn_permutation_is_shift(p);
}

WRAP(int, attn_counted_forward, const attn_layer *layer, const gsl_matrix *X,
     gsl_matrix *O, attn_counted *count)
{
    const int status = __real_attn_counted_forward(layer, X, O, count);

    if (is("product_twice"))
        count->multiply_adds += X->size1 * layer->d * layer->d_k;
    if (is("loop_over_tokens_more"))
        count->multiply_adds *= X->size1;
    if (is("loop_over_width_more"))
        count->multiply_adds *= layer->d;
    if (is("weights_copied"))
        count->bytes += 8 * X->size1 * X->size1;
    return status;
}

WRAP(int, attn_counted_stream, const gsl_matrix *Q, const gsl_matrix *K,
     const gsl_matrix *V, double scale, gsl_matrix *O, attn_counted *count)
{
    const int status = __real_attn_counted_stream(Q, K, V, scale, O, count);

    if (is("tile_twice"))
        count->multiply_adds += 128 * 32 * Q->size2;
    if (is("stream_holds_weights"))
        count->bytes += 8 * Q->size1 * K->size1;
    if (is("stream_drifts"))
        gsl_matrix_scale(O, 1 + 1e-9);
    return status;
}

WRAP(int, attn_stream_attend, const gsl_matrix *Q, const gsl_matrix *K,
     const gsl_matrix *V, double scale, const attn_mask *mask,
     const attn_stream *how, gsl_matrix *O, gsl_vector *lse)
{
    const int status = __real_attn_stream_attend(
        Q, K, V, scale, is("weights_local") ? &attn_mask_causal : mask, how, O,
        lse);

    if (is("stream_drifts"))
        gsl_matrix_scale(O, 1 + 1e-9);
    return status;
}

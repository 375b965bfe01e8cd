/*
 * dQ = scale dS K, dK = scale dS^T Q, dV = A^T dO, with dS_i = J(a_i) V dO_i;
 * dW = X^T d(X W), dX = d(X W) W^T. Over each line stands the forward line
 * whose derivative it takes.
 */
#include "attn_layer_backward.h"
#include "attn_matrix.h"
#include "attn_product.h"
#include "attn_softmax.h"
#include <gsl/gsl_errno.h>
#include <stdint.h>
#include <stdlib.h>

int attn_layer_scores_backward(const gsl_matrix *A, const gsl_matrix *V,
                               const gsl_matrix *dO, gsl_matrix *dS)
{
    if (A->size2 != V->size1 || dO->size1 != A->size1 ||
        dO->size2 != V->size2 || dS->size1 != A->size1 || dS->size2 != A->size2)
        GSL_ERROR("A and dS are n_q x n_k, V is n_k x d_v, dO is n_q x d_v",
                  GSL_EBADLEN);

    for (size_t i = 0; i < A->size1; i++) {
        const gsl_vector_const_view a = gsl_matrix_const_row(A, i);
        gsl_vector_view ds = gsl_matrix_row(dS, i);

        /* o = sum_j a_j v_j: da_j = <do, v_j>; a key that is not seen has
         * no say, and J gives it gradient 0 whatever da_j is */
        for (size_t j = 0; j < A->size2; j++)
            gsl_vector_set(&ds.vector, j,
                           gsl_vector_get(&a.vector, j) == 0
                               ? 0
                               : attn_product_dot(
                                     gsl_matrix_const_ptr(dO, i, 0),
                                     gsl_matrix_const_ptr(V, j, 0), V->size2));
        /* a = softmax(s): ds = J^T da = J da */
        attn_softmax_jvp(&a.vector, &ds.vector, &ds.vector);
    }
    return GSL_SUCCESS;
}

static int same_shape(const gsl_matrix *A, const gsl_matrix *B)
{
    return A->size1 == B->size1 && A->size2 == B->size2;
}

int attn_layer_attend_backward(const gsl_matrix *Q, const gsl_matrix *K,
                               const gsl_matrix *V, double scale,
                               const gsl_matrix *A, const gsl_matrix *dO,
                               gsl_matrix *dS, gsl_matrix *dQ, gsl_matrix *dK,
                               gsl_matrix *dV)
{
    if (Q->size2 != K->size2 || A->size1 != Q->size1 || A->size2 != K->size1 ||
        !same_shape(Q, dQ) || !same_shape(K, dK) || !same_shape(V, dV))
        GSL_ERROR("A is n_q x n_k; dQ, dK, dV have the shapes of Q, K, V",
                  GSL_EBADLEN);

    /* A = softmax(S), O = A V: to the scores */
    int status = attn_layer_scores_backward(A, V, dO, dS);
    if (status)
        return status;
    /* O = A V: dV = A^T dO */
    status = attn_product_atb(1, A, dO, dV);
    /* S = scale Q K^T: dQ = scale dS K, a sum over keys like the output's */
    if (!status)
        status = attn_layer_output(dS, K, dQ);
    gsl_matrix_scale(dQ, scale);
    /* S = scale Q K^T: dK = scale dS^T Q */
    if (!status)
        status = attn_product_atb(scale, dS, Q, dK);
    return status;
}

/* A matrix of zeros; NULL with GSL_ENOMEM. */
static gsl_matrix *like(const gsl_matrix *M)
{
    return attn_matrix_calloc(M->size1, M->size2);
}

attn_layer_gradient *attn_layer_gradient_alloc(const attn_layer *layer,
                                               size_t n)
{
    const size_t h = layer->heads;
    if (n == 0 || n > SIZE_MAX / h)
        GSL_ERROR_NULL("a gradient of no tokens, or of too many", GSL_ENOMEM);
    attn_layer_gradient *g = calloc(1, sizeof *g);
    if (!g)
        GSL_ERROR_NULL("no memory for a gradient", GSL_ENOMEM);

    g->dW_Q = like(layer->W_Q);
    g->dW_K = like(layer->W_K);
    g->dW_V = like(layer->W_V);
    g->dX = attn_matrix_calloc(n, layer->d);
    g->part = attn_matrix_calloc(n, layer->d);
    g->dQ = attn_matrix_calloc(n, h * layer->d_k);
    g->dK = attn_matrix_calloc(n, h * layer->d_k);
    g->dV = attn_matrix_calloc(n, h * layer->d_v);
    g->dS = attn_matrix_calloc(h * n, n);
    if (!g->dW_Q || !g->dW_K || !g->dW_V || !g->dX || !g->part || !g->dQ ||
        !g->dK || !g->dV || !g->dS) {
        attn_layer_gradient_free(g);
        return NULL;
    }
    return g;
}

void attn_layer_gradient_free(attn_layer_gradient *g)
{
    if (!g)
        return;
    gsl_matrix_free(g->dW_Q);
    gsl_matrix_free(g->dW_K);
    gsl_matrix_free(g->dW_V);
    gsl_matrix_free(g->dX);
    gsl_matrix_free(g->dQ);
    gsl_matrix_free(g->dK);
    gsl_matrix_free(g->dV);
    gsl_matrix_free(g->dS);
    gsl_matrix_free(g->part);
    free(g);
}

static gsl_matrix_view head_of(gsl_matrix *M, size_t head, size_t width)
{
    return gsl_matrix_submatrix(M, 0, head * width, M->size1, width);
}

/* Head i, from its columns of dO to its columns of dQ, dK, dV. */
static int head_backward(const attn_layer *layer, size_t i,
                         const attn_layer_workspace *w, const gsl_matrix *dO,
                         attn_layer_gradient *g)
{
    const size_t n = w->A->size2, d_k = layer->d_k, d_v = layer->d_v;
    const gsl_matrix_view Q = head_of(w->Q, i, d_k), K = head_of(w->K, i, d_k);
    const gsl_matrix_view V = head_of(w->V, i, d_v);
    const gsl_matrix_view A = gsl_matrix_submatrix(w->A, i * n, 0, n, n);
    const gsl_matrix_const_view head =
        gsl_matrix_const_submatrix(dO, 0, i * d_v, n, d_v);
    gsl_matrix_view dQ = head_of(g->dQ, i, d_k), dK = head_of(g->dK, i, d_k);
    gsl_matrix_view dV = head_of(g->dV, i, d_v);
    gsl_matrix_view dS = gsl_matrix_submatrix(g->dS, i * n, 0, n, n);

    return attn_layer_attend_backward(
        &Q.matrix, &K.matrix, &V.matrix, layer->scale, &A.matrix, &head.matrix,
        &dS.matrix, &dQ.matrix, &dK.matrix, &dV.matrix);
}

/* Y = X W: dW = X^T dY, and dY W^T is added to dX. */
static int projection_backward(const gsl_matrix *X, const gsl_matrix *W,
                               const gsl_matrix *dY, gsl_matrix *dW,
                               attn_layer_gradient *g)
{
    int status = attn_product_atb(1, X, dY, dW);

    if (!status)
        status = attn_product_abt(1, dY, W, g->part);
    gsl_matrix_add(g->dX, g->part);
    return status;
}

int attn_layer_backward(const attn_layer *layer, const gsl_matrix *X,
                        const attn_layer_workspace *w, const gsl_matrix *dO,
                        attn_layer_gradient *g)
{
    const size_t n = w->A->size2;
    if (X->size1 != n || X->size2 != layer->d || dO->size1 != n ||
        dO->size2 != layer->heads * layer->d_v || !same_shape(g->dX, X) ||
        !same_shape(g->dS, w->A) || !same_shape(g->dW_Q, layer->W_Q) ||
        !same_shape(g->dW_V, layer->W_V))
        GSL_ERROR("X is n x d, dO n x heads d_v, for the workspace's n and "
                  "the gradient's",
                  GSL_EBADLEN);
    int status = GSL_SUCCESS;

    /* O = (head 0, head 1, ...) */
    for (size_t i = 0; !status && i < layer->heads; i++)
        status = head_backward(layer, i, w, dO, g);

    /* Q = X W_Q, K = X W_K, V = X W_V: X has three ways to the loss */
    gsl_matrix_set_zero(g->dX);
    if (!status)
        status = projection_backward(X, layer->W_Q, g->dQ, g->dW_Q, g);
    if (!status)
        status = projection_backward(X, layer->W_K, g->dK, g->dW_K, g);
    if (!status)
        status = projection_backward(X, layer->W_V, g->dV, g->dW_V, g);
    return status;
}

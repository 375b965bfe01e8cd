/* O = softmax(scale Q K^T) V, with Q = X W_Q, K = X W_K, V = X W_V. */
#include "attn_layer.h"
#include "attn_clones.h"
#include "attn_count.h"
#include "attn_matrix.h"
#include "attn_product.h"
#include "attn_softmax.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

double attn_layer_scale(size_t d_k)
{
    return 1 / sqrt((double)d_k);
}

int attn_layer_scores(const gsl_matrix *Q, const gsl_matrix *K, double scale,
                      gsl_matrix *S)
{
    return attn_product_abt(scale, Q, K, S);
}

int attn_layer_weights(const gsl_matrix *S, gsl_matrix *A)
{
    int status = GSL_SUCCESS;

    if (S->size1 != A->size1 || S->size2 != A->size2)
        GSL_ERROR("scores and weights have one shape", GSL_EBADLEN);
    for (size_t i = 0; i < S->size1; i++) {
        const gsl_vector_const_view s = gsl_matrix_const_row(S, i);
        gsl_vector_view a = gsl_matrix_row(A, i);
        const int row = attn_softmax(&s.vector, &a.vector);
        if (row == ATTN_SOFTMAX_NO_KEY)
            status = row;
        else if (row)
            return row;
    }
    return status;
}

/* O += A V */
ATTN_CLONES static void layer_output(const gsl_matrix *A, const gsl_matrix *V,
                                     gsl_matrix *O)
{
    for (size_t i = 0; i < A->size1; i++) {
        double *o = gsl_matrix_ptr(O, i, 0);
        for (size_t j = 0; j < A->size2; j++) {
            const double a = gsl_matrix_get(A, i, j);
            const double *v = gsl_matrix_const_ptr(V, j, 0);
            if (a == 0)
                continue; /* a key that is not seen has no say */
            for (size_t c = 0; c < V->size2; c++)
                o[c] += a * v[c];
            ATTN_COUNT(V->size2);
        }
    }
}

int attn_layer_output(const gsl_matrix *A, const gsl_matrix *V, gsl_matrix *O)
{
    if (A->size2 != V->size1 || O->size1 != A->size1 || O->size2 != V->size2)
        GSL_ERROR("A is n_q x n_k, V is n_k x d_v, O is n_q x d_v",
                  GSL_EBADLEN);

    gsl_matrix_set_zero(O);
    layer_output(A, V, O);
    return GSL_SUCCESS;
}

int attn_layer_attend_masked(const gsl_matrix *Q, const gsl_matrix *K,
                             const gsl_matrix *V, double scale,
                             const attn_mask *mask, gsl_matrix *A,
                             gsl_matrix *O)
{
    if (A->size2 != V->size1 || O->size1 != Q->size1 || O->size2 != V->size2)
        GSL_ERROR("V is n_k x d_v, A is n_q x n_k, O is n_q x d_v",
                  GSL_EBADLEN);
    int status = attn_mask_check(mask, Q->size1, K->size1);

    if (!status)
        status = attn_layer_scores(Q, K, scale, A);
    if (!status)
        status = attn_mask_apply(mask, A);
    if (!status)
        status = attn_layer_weights(A, A);
    if (!status || status == ATTN_SOFTMAX_NO_KEY) {
        const int output = attn_layer_output(A, V, O);
        status = output ? output : status;
    }
    return status;
}

int attn_layer_attend(const gsl_matrix *Q, const gsl_matrix *K,
                      const gsl_matrix *V, double scale, gsl_matrix *A,
                      gsl_matrix *O)
{
    return attn_layer_attend_masked(Q, K, V, scale, &attn_mask_none, A, O);
}

attn_layer *attn_layer_alloc(size_t d, size_t d_k, size_t d_v, size_t heads)
{
    if (d == 0 || d_k == 0 || d_v == 0 || heads == 0)
        GSL_ERROR_NULL("a layer's sizes are at least 1", GSL_EINVAL);
    if (d_k > SIZE_MAX / heads || d_v > SIZE_MAX / heads)
        GSL_ERROR_NULL("heads times width overflows", GSL_ENOMEM);
    attn_layer *layer = calloc(1, sizeof *layer);
    if (!layer)
        GSL_ERROR_NULL("no memory for a layer", GSL_ENOMEM);

    layer->d = d;
    layer->d_k = d_k;
    layer->d_v = d_v;
    layer->heads = heads;
    layer->scale = attn_layer_scale(d_k);
    layer->W_Q = attn_matrix_calloc(d, heads * d_k);
    layer->W_K = attn_matrix_calloc(d, heads * d_k);
    layer->W_V = attn_matrix_calloc(d, heads * d_v);
    if (!layer->W_Q || !layer->W_K || !layer->W_V) {
        attn_layer_free(layer);
        return NULL;
    }
    return layer;
}

void attn_layer_free(attn_layer *layer)
{
    if (!layer)
        return;
    gsl_matrix_free(layer->W_Q);
    gsl_matrix_free(layer->W_K);
    gsl_matrix_free(layer->W_V);
    free(layer);
}

size_t attn_layer_parameters(const attn_layer *layer)
{
    return layer->heads * layer->d * (2 * layer->d_k + layer->d_v);
}

attn_layer_workspace *attn_layer_workspace_alloc(const attn_layer *layer,
                                                 size_t n)
{
    if (n > SIZE_MAX / layer->heads)
        GSL_ERROR_NULL("heads times tokens overflows", GSL_ENOMEM);
    attn_layer_workspace *w = calloc(1, sizeof *w);
    if (!w)
        GSL_ERROR_NULL("no memory for a workspace", GSL_ENOMEM);

    w->Q = attn_matrix_calloc(n, layer->heads * layer->d_k);
    w->K = attn_matrix_calloc(n, layer->heads * layer->d_k);
    w->V = attn_matrix_calloc(n, layer->heads * layer->d_v);
    w->A = attn_matrix_calloc(layer->heads * n, n);
    if (!w->Q || !w->K || !w->V || !w->A) {
        attn_layer_workspace_free(w);
        return NULL;
    }
    return w;
}

void attn_layer_workspace_free(attn_layer_workspace *w)
{
    if (!w)
        return;
    gsl_matrix_free(w->Q);
    gsl_matrix_free(w->K);
    gsl_matrix_free(w->V);
    gsl_matrix_free(w->A);
    free(w);
}

/* Columns head*width .. of M. */
static gsl_matrix_view head_of(gsl_matrix *M, size_t head, size_t width)
{
    return gsl_matrix_submatrix(M, 0, head * width, M->size1, width);
}

int attn_layer_forward_masked(const attn_layer *layer, const gsl_matrix *X,
                              const attn_mask *mask, gsl_matrix *O,
                              attn_layer_workspace *w)
{
    const size_t n = w->A->size2;
    if (X->size1 != n || X->size2 != layer->d || O->size1 != n ||
        O->size2 != layer->heads * layer->d_v)
        GSL_ERROR("X is n x d, O is n x heads d_v, for the workspace's n",
                  GSL_EBADLEN);
    int status = attn_mask_check(mask, n, n);

    if (!status)
        status = attn_product_ab(X, layer->W_Q, w->Q);
    if (!status)
        status = attn_product_ab(X, layer->W_K, w->K);
    if (!status)
        status = attn_product_ab(X, layer->W_V, w->V);
    /* A query that sees nothing (NO_KEY) is no reason to leave heads out. */
    for (size_t i = 0; i < layer->heads; i++) {
        if (status && status != ATTN_SOFTMAX_NO_KEY)
            break;
        const gsl_matrix_view Q = head_of(w->Q, i, layer->d_k);
        const gsl_matrix_view K = head_of(w->K, i, layer->d_k);
        const gsl_matrix_view V = head_of(w->V, i, layer->d_v);
        gsl_matrix_view A = gsl_matrix_submatrix(w->A, i * n, 0, n, n);
        gsl_matrix_view head = head_of(O, i, layer->d_v);
        status = attn_layer_attend_masked(&Q.matrix, &K.matrix, &V.matrix,
                                          layer->scale, mask, &A.matrix,
                                          &head.matrix);
    }
    return status;
}

int attn_layer_forward(const attn_layer *layer, const gsl_matrix *X,
                       gsl_matrix *O, attn_layer_workspace *w)
{
    return attn_layer_forward_masked(layer, X, &attn_mask_none, O, w);
}

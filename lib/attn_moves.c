/* p = q K^T, s = scale p, e = exp(s - shift), a = e/sum e, o = a V. */
#include "attn_moves.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_product.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

attn_moves *attn_moves_alloc(size_t n, size_t d_k, size_t d_v)
{
    if (n == 0 || d_k == 0 || d_v == 0)
        GSL_ERROR_NULL("sizes are at least 1", GSL_EINVAL);
    attn_moves *m = calloc(1, sizeof *m);
    if (!m)
        GSL_ERROR_NULL("no memory for the moves", GSL_ENOMEM);

    m->n = n;
    m->d_k = d_k;
    m->d_v = d_v;
    m->scale = attn_layer_scale(d_k);
    m->q = attn_matrix_calloc(1, d_k);
    m->K = attn_matrix_calloc(n, d_k);
    m->V = attn_matrix_calloc(n, d_v);
    m->products = attn_matrix_calloc(1, n);
    m->scores = attn_matrix_calloc(1, n);
    m->exponentials = attn_matrix_calloc(1, n);
    m->weights = attn_matrix_calloc(1, n);
    m->output = attn_matrix_calloc(1, d_v);
    m->words = calloc(n, sizeof *m->words);
    if (!m->q || !m->K || !m->V || !m->products || !m->scores ||
        !m->exponentials || !m->weights || !m->output || !m->words) {
        attn_moves_free(m);
        return NULL;
    }
    return m;
}

void attn_moves_free(attn_moves *m)
{
    if (!m)
        return;
    gsl_matrix_free(m->q);
    gsl_matrix_free(m->K);
    gsl_matrix_free(m->V);
    gsl_matrix_free(m->products);
    gsl_matrix_free(m->scores);
    gsl_matrix_free(m->exponentials);
    gsl_matrix_free(m->weights);
    gsl_matrix_free(m->output);
    free(m->words);
    free(m);
}

int attn_moves_make(attn_moves *m)
{
    int status = attn_layer_scores(m->q, m->K, 1, m->products);

    if (!status)
        status = attn_layer_scores(m->q, m->K, m->scale, m->scores);
    if (!status)
        status = attn_layer_weights(m->scores, m->weights);
    if (!status)
        status = attn_layer_output(m->weights, m->V, m->output);
    if (status)
        return status;

    const double top = gsl_matrix_max(m->scores);
    if (isinf(top))
        GSL_ERROR("a score is infinite", GSL_EOVRFLW);
    m->shift = fabs(top) > ATTN_MOVES_STEEP ? top : 0;
    m->sum = 0;
    for (size_t j = 0; j < m->n; j++) {
        const double e = attn_exp(gsl_matrix_get(m->scores, 0, j) - m->shift);
        gsl_matrix_set(m->exponentials, 0, j, e);
        m->sum += e;
    }
    return GSL_SUCCESS;
}

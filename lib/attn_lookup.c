/* p = 1/(1 + (n-1) e^-b), r = (n-1) e^-b p, and a layer that has them. */
#include "attn_lookup.h"
#include "attn_math.h"
#include <gsl/gsl_errno.h>
#include <math.h>

double attn_lookup_weight(size_t n, double b)
{
    return 1 / (1 + (double)(n - 1) * attn_exp(-b));
}

double attn_lookup_rest(size_t n, double b)
{
    const double others = (double)(n - 1) * attn_exp(-b);

    return others / (1 + others);
}

double attn_lookup_trace(size_t n, double b)
{
    const double p = attn_lookup_weight(n, b), r = attn_lookup_rest(n, b);

    return n > 1 ? r * (1 + p - r / (double)(n - 1)) : 0;
}

double attn_lookup_frobenius(size_t n, double b)
{
    const double p = attn_lookup_weight(n, b), r = attn_lookup_rest(n, b);
    const double m = (double)n - 1, e = r / m;

    return n > 1
               ? r * sqrt(p * p +
                          (2 * p * p + (1 - e) * (1 - e) + (m - 1) * e * e) / m)
               : 0;
}

double attn_lookup_one(size_t n)
{
    return attn_lookup_one_top() + attn_log((double)(n - 1));
}

double attn_lookup_one_top(void)
{
    return 53 * attn_log(2);
}

double attn_lookup_zero(void)
{
    return 1075 * attn_log(2);
}

double attn_lookup_top_first(const gsl_vector *s)
{
    const size_t p = gsl_vector_max_index(s);
    double Z = 1;

    for (size_t j = 0; j < s->size; j++)
        if (j != p)
            Z += attn_exp(gsl_vector_get(s, j) - gsl_vector_get(s, p));
    return 1 / Z;
}

int attn_lookup_program(attn_layer *layer, const size_t *target, double b)
{
    if (layer->heads != 1 || layer->d_k < layer->d)
        GSL_ERROR("one head and a coordinate for each key", GSL_EBADLEN);
    for (size_t i = 0; i < layer->d; i++)
        if (target[i] >= layer->d)
            GSL_ERROR("a target that is no token", GSL_EBADLEN);

    gsl_matrix_set_zero(layer->W_Q);
    gsl_matrix_set_zero(layer->W_K);
    for (size_t i = 0; i < layer->d; i++) {
        gsl_matrix_set(layer->W_Q, i, target[i], b / layer->scale);
        gsl_matrix_set(layer->W_K, i, i, 1);
    }
    return GSL_SUCCESS;
}

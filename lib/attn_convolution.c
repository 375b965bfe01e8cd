/* O_i = sum_t w_t X_{i + t - c}, on a circle or between zeros. */
#include "attn_convolution.h"
#include <gsl/gsl_errno.h>

static int convolve(const gsl_vector *w, const gsl_matrix *X, gsl_matrix *O,
                    int circular)
{
    const size_t n = X->size1, centre = (w->size - 1) / 2;

    if (O->size1 != n || O->size2 != X->size2)
        GSL_ERROR("X and O have one shape", GSL_EBADLEN);
    gsl_matrix_set_zero(O);
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < w->size; t++) {
            const size_t from = (i + t + n - centre % n) % n;
            const double wt = gsl_vector_get(w, t);
            if (!circular && (i + t < centre || i + t - centre >= n))
                continue;
            for (size_t j = 0; j < X->size2; j++)
                *gsl_matrix_ptr(O, i, j) += wt * gsl_matrix_get(X, from, j);
        }
    return GSL_SUCCESS;
}

int attn_convolution_circular(const gsl_vector *w, const gsl_matrix *X,
                              gsl_matrix *O)
{
    return convolve(w, X, O, 1);
}

int attn_convolution_padded(const gsl_vector *w, const gsl_matrix *X,
                            gsl_matrix *O)
{
    return convolve(w, X, O, 0);
}

int attn_convolution_full(const gsl_vector *a, const gsl_vector *b,
                          gsl_vector *c)
{
    if (c->size + 1 != a->size + b->size)
        GSL_ERROR("kernels of m and n give one of m + n - 1", GSL_EBADLEN);
    gsl_vector_set_zero(c);
    for (size_t t = 0; t < a->size; t++)
        for (size_t i = 0; i < b->size; i++)
            *gsl_vector_ptr(c, i + t) +=
                gsl_vector_get(a, t) * gsl_vector_get(b, i);
    return GSL_SUCCESS;
}

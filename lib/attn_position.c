/* Angles i w_c, w_c = 10000^{-2c/d}: added as sines, or turned by. */
#include "attn_position.h"
#include "attn_math.h"
#include <gsl/gsl_errno.h>

/* w_c */
static double frequency(size_t c, size_t d)
{
    return attn_exp(-2 * (double)c / (double)d * attn_log(10000));
}

void attn_position_sinusoidal(gsl_matrix *P)
{
    for (size_t j = 0; j < P->size2; j++) {
        const double w = frequency(j / 2, P->size2);
        for (size_t i = 0; i < P->size1; i++) {
            const double angle = (double)i * w;
            gsl_matrix_set(P, i, j, j % 2 ? attn_cos(angle) : attn_sin(angle));
        }
    }
}

int attn_position_rotary(gsl_matrix *X)
{
    if (X->size2 % 2)
        GSL_ERROR("rotary embedding turns pairs of columns", GSL_EBADLEN);
    for (size_t c = 0; c < X->size2 / 2; c++) {
        const double w = frequency(c, X->size2);
        for (size_t i = 0; i < X->size1; i++) {
            const double angle = (double)i * w;
            const double cosine = attn_cos(angle), sine = attn_sin(angle);
            const double x = gsl_matrix_get(X, i, 2 * c);
            const double y = gsl_matrix_get(X, i, 2 * c + 1);
            gsl_matrix_set(X, i, 2 * c, cosine * x - sine * y);
            gsl_matrix_set(X, i, 2 * c + 1, sine * x + cosine * y);
        }
    }
    return GSL_SUCCESS;
}

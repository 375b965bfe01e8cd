/* P_{i,2c} = sin(i w_c), P_{i,2c+1} = cos(i w_c), w_c = 10000^{-2c/d}. */
#include "attn_position.h"
#include "attn_math.h"

void attn_position_sinusoidal(gsl_matrix *P)
{
    const double d = (double)P->size2, log_base = attn_log(10000);

    for (size_t j = 0; j < P->size2; j++) {
        const double w = attn_exp(-2 * (double)(j / 2) / d * log_base);
        for (size_t i = 0; i < P->size1; i++) {
            const double angle = (double)i * w;
            gsl_matrix_set(P, i, j, j % 2 ? attn_cos(angle) : attn_sin(angle));
        }
    }
}

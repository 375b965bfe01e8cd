/* P X, P, and the cyclic shifts. */
#include "attn_permutation.h"
#include <gsl/gsl_errno.h>

int attn_permutation_rows(const gsl_permutation *p, const gsl_matrix *X,
                          gsl_matrix *Y)
{
    if (p->size != X->size1 || Y->size1 != X->size1 || Y->size2 != X->size2)
        GSL_ERROR("a permutation of n goes with n rows", GSL_EBADLEN);
    for (size_t i = 0; i < X->size1; i++) {
        const gsl_vector_const_view row =
            gsl_matrix_const_row(X, gsl_permutation_get(p, i));
        gsl_matrix_set_row(Y, i, &row.vector);
    }
    return GSL_SUCCESS;
}

int attn_permutation_matrix(const gsl_permutation *p, gsl_matrix *P)
{
    if (P->size1 != p->size || P->size2 != p->size)
        GSL_ERROR("the matrix of a permutation of n is n x n", GSL_EBADLEN);
    gsl_matrix_set_zero(P);
    for (size_t i = 0; i < P->size1; i++)
        gsl_matrix_set(P, i, gsl_permutation_get(p, i), 1);
    return GSL_SUCCESS;
}

void attn_permutation_shift(gsl_permutation *p, size_t by)
{
    for (size_t i = 0; i < p->size; i++)
        p->data[i] = (i + by) % p->size;
}

int attn_permutation_is_shift(const gsl_permutation *p)
{
    for (size_t i = 0; i < p->size; i++)
        if (gsl_permutation_get(p, i) !=
            (gsl_permutation_get(p, 0) + i) % p->size)
            return 0;
    return 1;
}

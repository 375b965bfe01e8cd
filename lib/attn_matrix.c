#include "attn_matrix.h"
#include "attn_math.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>

gsl_matrix *attn_matrix_calloc(size_t rows, size_t columns)
{
    if (columns && rows > SIZE_MAX / sizeof(double) / columns)
        GSL_ERROR_NULL("a matrix of more bytes than a size holds", GSL_ENOMEM);
    gsl_block *block = gsl_block_calloc(rows * columns);
    gsl_matrix *M =
        block ? gsl_matrix_alloc_from_block(block, 0, rows, columns, columns)
              : NULL;

    if (M)
        M->owner = 1; /* the matrix frees the block */
    else
        gsl_block_free(block);
    return M;
}

double attn_matrix_largest(const gsl_matrix *A)
{
    double largest = 0;

    for (size_t i = 0; i < A->size1; i++)
        for (size_t j = 0; j < A->size2; j++)
            largest = attn_max(largest, fabs(gsl_matrix_get(A, i, j)));
    return largest;
}

double attn_matrix_difference(const gsl_matrix *A, const gsl_matrix *B)
{
    double largest = 0;

    for (size_t i = 0; i < A->size1; i++)
        for (size_t j = 0; j < A->size2; j++)
            largest = attn_max(largest, fabs(gsl_matrix_get(A, i, j) -
                                             gsl_matrix_get(B, i, j)));
    return largest;
}

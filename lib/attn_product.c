/* x.y, A B, A B^T and A^T B, summed in one fixed order. */
#include "attn_product.h"
#include "attn_clones.h"
#include "attn_count.h"
#include <gsl/gsl_errno.h>

static inline double dot(const double *x, const double *y, size_t n)
{
    double sum[8] = {0};
    size_t j = 0;

    for (; j + 8 <= n; j += 8) {
        for (size_t lane = 0; lane < 8; lane++)
            sum[lane] += x[j + lane] * y[j + lane];
        ATTN_COUNT(8);
    }
    double total = ((sum[0] + sum[4]) + (sum[2] + sum[6])) +
                   ((sum[1] + sum[5]) + (sum[3] + sum[7]));
    for (; j < n; j++) {
        total += x[j] * y[j];
        ATTN_COUNT(1);
    }
    return total;
}

ATTN_CLONES static double product_dot(const double *x, const double *y,
                                      size_t n)
{
    return dot(x, y, n);
}

double attn_product_dot(const double *x, const double *y, size_t n)
{
    return product_dot(x, y, n);
}

/* C += A B */
ATTN_CLONES static void product_ab(const gsl_matrix *A, const gsl_matrix *B,
                                   gsl_matrix *C)
{
    for (size_t i = 0; i < C->size1; i++) {
        double *c = gsl_matrix_ptr(C, i, 0);
        for (size_t k = 0; k < B->size1; k++) {
            const double a = gsl_matrix_get(A, i, k);
            const double *b = gsl_matrix_const_ptr(B, k, 0);
            for (size_t j = 0; j < C->size2; j++)
                c[j] += a * b[j];
            ATTN_COUNT(C->size2);
        }
    }
}

int attn_product_ab(const gsl_matrix *A, const gsl_matrix *B, gsl_matrix *C)
{
    if (A->size2 != B->size1 || C->size1 != A->size1 || C->size2 != B->size2)
        GSL_ERROR("A is m x k, B is k x n, C is m x n", GSL_EBADLEN);

    gsl_matrix_set_zero(C);
    product_ab(A, B, C);
    return GSL_SUCCESS;
}

/* C = alpha A B^T */
ATTN_CLONES static void product_abt(double alpha, const gsl_matrix *A,
                                    const gsl_matrix *B, gsl_matrix *C)
{
    for (size_t i = 0; i < C->size1; i++)
        for (size_t j = 0; j < C->size2; j++)
            gsl_matrix_set(C, i, j,
                           alpha * dot(gsl_matrix_const_ptr(A, i, 0),
                                       gsl_matrix_const_ptr(B, j, 0),
                                       A->size2));
}

int attn_product_abt(double alpha, const gsl_matrix *A, const gsl_matrix *B,
                     gsl_matrix *C)
{
    if (A->size2 != B->size2 || C->size1 != A->size1 || C->size2 != B->size1)
        GSL_ERROR("A is m x k, B is n x k, C is m x n", GSL_EBADLEN);

    product_abt(alpha, A, B, C);
    return GSL_SUCCESS;
}

static int is_zero_row(const gsl_matrix *A, size_t k)
{
    const gsl_vector_const_view row = gsl_matrix_const_row(A, k);

    return gsl_vector_isnull(&row.vector);
}

/* C += A^T B */
ATTN_CLONES static void product_atb(const gsl_matrix *A, const gsl_matrix *B,
                                    gsl_matrix *C)
{
    for (size_t k = 0; k < A->size1; k++) {
        const double *a = gsl_matrix_const_ptr(A, k, 0);
        const double *b = gsl_matrix_const_ptr(B, k, 0);
        if (is_zero_row(A, k) || is_zero_row(B, k))
            continue;
        for (size_t i = 0; i < C->size1; i++) {
            double *c = gsl_matrix_ptr(C, i, 0);
            for (size_t j = 0; j < C->size2; j++)
                c[j] += a[i] * b[j];
            ATTN_COUNT(C->size2);
        }
    }
}

int attn_product_atb(double alpha, const gsl_matrix *A, const gsl_matrix *B,
                     gsl_matrix *C)
{
    if (A->size1 != B->size1 || C->size1 != A->size2 || C->size2 != B->size2)
        GSL_ERROR("A is k x m, B is k x n, C is m x n", GSL_EBADLEN);

    gsl_matrix_set_zero(C);
    product_atb(A, B, C);
    gsl_matrix_scale(C, alpha);
    return GSL_SUCCESS;
}

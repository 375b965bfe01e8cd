/*
 * Masks: which keys a query sees ("Scores, Softmax, and the Weighted Sum"; the
 * score of a key that is not seen is -infinity, so its weight is exactly 0).
 */
#ifndef ATTN_MASK_H
#define ATTN_MASK_H

#include <gsl/gsl_matrix.h>
#include <stddef.h>

typedef enum {
    ATTN_MASK_NONE,    /* every query sees every key */
    ATTN_MASK_CAUSAL,  /* query i sees keys 0 .. i, also where n_q != n_k */
    ATTN_MASK_EXPLICIT /* query i sees key j where sees_ij is not 0 */
} attn_mask_kind;

typedef struct {
    attn_mask_kind kind;
    const gsl_matrix_uchar *sees; /* EXPLICIT: n_q x n_k, the caller's */
} attn_mask;

extern const attn_mask attn_mask_none, attn_mask_causal;

/* The explicit mask of a matrix, which must outlive it. */
attn_mask attn_mask_of(const gsl_matrix_uchar *sees);

/* Does the mask go with n_q queries and n_k keys? GSL_SUCCESS; GSL_EBADLEN for
 * an explicit one of another shape; GSL_EINVAL for a kind that is none of the
 * three, or no matrix. */
int attn_mask_check(const attn_mask *mask, size_t n_q, size_t n_k);

/* S_ij = -infinity where query i does not see key j, whatever stood there, NaN
 * included. S is n_q x n_k; statuses as attn_mask_check. */
int attn_mask_apply(const attn_mask *mask, gsl_matrix *S);

/* Does query i see key j? The mask has been checked. */
static inline int attn_mask_sees(const attn_mask *mask, size_t i, size_t j)
{
    return mask->kind == ATTN_MASK_NONE ||
           (mask->kind == ATTN_MASK_CAUSAL
                ? j <= i
                : gsl_matrix_uchar_get(mask->sees, i, j) != 0);
}

#endif

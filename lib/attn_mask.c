/* S_ij = -infinity where query i does not see key j. */
#include "attn_mask.h"
#include <gsl/gsl_errno.h>
#include <math.h>

const attn_mask attn_mask_none = {ATTN_MASK_NONE, NULL};
const attn_mask attn_mask_causal = {ATTN_MASK_CAUSAL, NULL};

attn_mask attn_mask_of(const gsl_matrix_uchar *sees)
{
    return (attn_mask){ATTN_MASK_EXPLICIT, sees};
}

int attn_mask_check(const attn_mask *mask, size_t n_q, size_t n_k)
{
    switch (mask->kind) {
    case ATTN_MASK_NONE:
    case ATTN_MASK_CAUSAL:
        return GSL_SUCCESS;
    case ATTN_MASK_EXPLICIT:
        if (!mask->sees)
            GSL_ERROR("an explicit mask has a matrix", GSL_EINVAL);
        if (mask->sees->size1 != n_q || mask->sees->size2 != n_k)
            GSL_ERROR("an explicit mask is n_q x n_k", GSL_EBADLEN);
        return GSL_SUCCESS;
    }
    GSL_ERROR("a mask is none, causal or explicit", GSL_EINVAL);
}

int attn_mask_apply(const attn_mask *mask, gsl_matrix *S)
{
    const int status = attn_mask_check(mask, S->size1, S->size2);

    if (status || mask->kind == ATTN_MASK_NONE)
        return status;
    for (size_t i = 0; i < S->size1; i++)
        for (size_t j = 0; j < S->size2; j++)
            if (!attn_mask_sees(mask, i, j))
                gsl_matrix_set(S, i, j, -INFINITY);
    return GSL_SUCCESS;
}

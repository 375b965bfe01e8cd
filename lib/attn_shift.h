/*
 * A reader's own shift matrix and circulant matrix (Problem 19; "Attention
 * Doesn't Know Where Anything Is"): read from a text file and judged in
 * sentences.
 *
 * The shift matrix T of n rows moves every row by one place, round the circle:
 * row i of T X is row i + 1 of X, or row i - 1; both are called so. It is a
 * permutation matrix, T^T T = I, and T^n = I is the first power that is. A
 * matrix C commutes with T when, and only when, C_ij depends on j - i mod n
 * alone: it is circulant, C = sum_m w_m T^m, and C X is the circular
 * convolution of X with w. ("equivariance.convolution" in docs/derivations.md.)
 */
#ifndef ATTN_SHIFT_H
#define ATTN_SHIFT_H

#include "attn_text.h"
#include <gsl/gsl_matrix.h>
#include <stddef.h>
#include <stdio.h>

enum { ATTN_SHIFT_ROWS = 64 };

typedef struct {
    size_t n;
    const gsl_matrix *S, *C; /* n x n, the reader's; C may be NULL */
    const gsl_matrix *w;     /* 1 x at most n; may be NULL */
    int step;                /* 1 or -1: row i of T X is row i + step of X */
    gsl_matrix *T;         /* the shift matrix that S is or comes nearest to */
    gsl_matrix *A, *B, *D; /* n x n: scratch */

    size_t statements, right; /* made and found right by attn_shift_judge */
} attn_shift;

/*
 * From the entries S, and perhaps C, and perhaps w with it, of a text, which
 * must outlive it. GSL_SUCCESS, or GSL_EINVAL (anything else found) or
 * GSL_ENOMEM with *shift NULL and error filled.
 */
int attn_shift_read(const attn_text *text, attn_shift **shift,
                    attn_text_error *error);
void attn_shift_free(attn_shift *shift);

/*
 * A sentence for each of: S is the shift matrix; S^n = I and no smaller power
 * is; S^T S = I; C commutes with the shift; C = sum_m w_m S^m is the circular
 * convolution with w. What is said of C goes by T, so that a wrong S spoils
 * nothing of it. All entries are compared as they are: whatever is right is
 * exact. A GSL status.
 */
int attn_shift_judge(attn_shift *shift, FILE *out);

#endif

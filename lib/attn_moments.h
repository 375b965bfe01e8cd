/*
 * Count, mean and central sums up to the fourth, one value at a time or merged
 * from parts.
 *
 * With M_p = sum (x - mean)^p, updating and merging follow Chan, Golub and
 * LeVeque (1979) and Pebay (Sandia report SAND2008-6212): no E[x^2] - E[x]^2,
 * so nothing cancels. Merging the parts of the same blocks in the same order
 * gives the same bits, whatever thread made them.
 */
#ifndef ATTN_MOMENTS_H
#define ATTN_MOMENTS_H

#include <stddef.h>

typedef struct {
    size_t n;    /* how many values */
    double mean; /* 0 when there are none */
    double M2;   /* sum (x - mean)^2 */
    double M3;   /* sum (x - mean)^3 */
    double M4;   /* sum (x - mean)^4 */
} attn_moments;

/* Start from the empty sample: attn_moments m = {0}. */

/* Take in one value. */
void attn_moments_add(attn_moments *m, double x);

/* Take in the sample that part stands for; either may be empty. */
void attn_moments_merge(attn_moments *m, const attn_moments *part);

/* Unbiased sample variance M2/(n - 1); NaN for n < 2, where there is none. */
double attn_moments_variance(const attn_moments *m);

/* Standard error of the mean, sqrt(variance/n); NaN for n < 2. */
double attn_moments_se(const attn_moments *m);

#endif

/*
 * a b + c rounded once, as fma() and fmaf() have it, in versions
 * (ATTN_FMA_VERSIONS in attn_clones.h): by the processor's instruction, or, in
 * version ATTN_FMA_SOFT, with the same bits by additions and multiplications
 * alone. libm's software takes a hundred times as long, and is in no vector.
 *
 * Sum and product are kept whole, as a rounded number and its error:
 *
 *     a b = p + e,  p + c = s + f,  a b + c = s + (e + f)
 *
 * e + f is rounded to odd: towards zero, and if that was not exact the last bit
 * becomes 1. So the last sum, rounded to nearest, knows on which side of a tie
 * it is (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums:
 * proved algorithms using rounding to odd", IEEE Transactions on Computers
 * 57(4), 2008; they add e to c first, and need one more exact sum). It is
 * right: where f is 0 nothing but that sum rounds. Elsewhere p and c do not
 * cancel, or p + c would be exact: an ulp of p is at most two of s, and neither
 * |e| nor |f| is more than one. Ties then lie a few quarters of that ulp from
 * s, numbers that end in 0, and odd rounding takes e + f across none of these.
 *
 * Float needs the half of it: a double holds the whole product.
 */
#ifndef ATTN_FMA_H
#define ATTN_FMA_H

#include "attn_clones.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Returns the error: a + b = *sum + error (Knuth, TAOCP 2, 4.2.2). */
static inline double attn_fma_two_sum(double a, double b, double *sum)
{
    const double s = a + b, b_part = s - a;

    *sum = s;
    return (a - (s - b_part)) + (b - b_part);
}

/* Returns the low half: a = *high + low, 26 bits each (Dekker 1971). */
static inline double attn_fma_split(double a, double *high)
{
    const double shifted = 0x1.0000002p27 * a;

    *high = shifted - (shifted - a);
    return a - *high;
}

/* Rounded to odd, sum + error; an infinite sum stays, and a NaN. */
static inline double attn_fma_to_odd(double sum, double error)
{
    uint64_t s, e;

    memcpy(&s, &sum, sizeof s);
    memcpy(&e, &error, sizeof e);
    const uint64_t too_far = (s ^ e) >> 63, odd = (s - too_far) | 1;
    s = fabs(error) > 0 ? odd : s;
    memcpy(&sum, &s, sizeof sum);
    return sum;
}

/*
 * Without a branch, for vectors, where |a| and |b| are at most 2^995, |a b| and
 * |c| at most 2^1000, and e is a double: a b is 0 or |a b| >= 2^-968; or |c| >=
 * 2^-900, which hides it. The sum of -0 and -0 may be +0. NaN for NaN.
 */
ATTN_INLINE double attn_fma_safe(int version, double a, double b, double c)
{
    double a_high, b_high, sum, rest;

    if (version != ATTN_FMA_SOFT)
        return fma(a, b, c);
    const double a_low = attn_fma_split(a, &a_high);
    const double b_low = attn_fma_split(b, &b_high);
    const double product = a * b;
    const double e =
        a_low * b_low -
        (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    const double f = attn_fma_two_sum(product, c, &sum);
    const double error = attn_fma_two_sum(e, f, &rest);
    return sum + attn_fma_to_odd(rest, error);
}

/* Of any numbers; out of that range libm is asked after all. */
ATTN_INLINE double attn_fma(int version, double a, double b, double c)
{
    const double product = a * b;

    if (version != ATTN_FMA_SOFT)
        return fma(a, b, c);
    if (a == 0 || b == 0)
        return product + c;
    if ((fabs(product) >= 0x1p-968 || fabs(c) >= 0x1p-900) &&
        fabs(product) <= 0x1p1000 && fabs(c) <= 0x1p1000 &&
        fabs(a) <= 0x1p995 && fabs(b) <= 0x1p995)
        return attn_fma_safe(version, a, b, c);
    return fma(a, b, c);
}

/* Of any numbers, without a branch. */
ATTN_INLINE float attn_fma_float(int version, float a, float b, float c)
{
    double sum;

    if (version != ATTN_FMA_SOFT)
        return fmaf(a, b, c);
    const double error = attn_fma_two_sum((double)a * b, c, &sum);
    return (float)attn_fma_to_odd(sum, error);
}

#endif

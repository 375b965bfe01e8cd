/*
 * exp, log, log1p, sin and cos whose every bit is the same on every machine
 * and in every build: libm's last bit is not (it changes with the processor).
 *
 * Made of + - * / and bit operations on IEEE doubles, without contraction
 * (-ffp-contract=off). Errors are at most 1 ulp (tests/test_math.c, against
 * MPFR; the largest seen is 0.81). NaN gives NaN, always the same one. For
 * whatever reaches a record file.
 */
#ifndef ATTN_MATH_H
#define ATTN_MATH_H

#include <stddef.h>

/* e^x; 0 below -745.14, infinity above 709.79, subnormals in between. */
double attn_exp(double x);

/* y_j = e^{x_j}, j < n, with the bits of attn_exp and several times as fast; y
 * may be x. */
void attn_exp_all(const double *x, size_t n, double *y);

/* ln x; -infinity at 0, NaN below it. */
double attn_log(double x);

/* y_j = ln x_j, j < n, with the bits of attn_log and several times as fast; y
 * may be x. */
void attn_log_all(const double *x, size_t n, double *y);

/* ln(1 + x), right to 1 ulp for tiny x too; -infinity at -1, NaN below it. */
double attn_log1p(double x);

/* Sine and cosine of |x| <= 2^27 radians; NaN beyond, for no position or
 * angle here comes near it. */
double attn_sin(double x);
double attn_cos(double x);

/* The larger and the smaller of two, NaN when either is: fmax and fmin drop it,
 * and so would a check that looks for the worst of its cases. */
static inline double attn_max(double x, double y)
{
    return x >= y || x != x ? x : y;
}

static inline double attn_min(double x, double y)
{
    return x <= y || x != x ? x : y;
}

#endif

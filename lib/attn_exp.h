/*
 * Exponentials to be inlined into loops: without a branch, so that compilers
 * make vectors of them. attn_exp_inline is attn_exp's very arithmetic, with the
 * same bits; attn_exp_weight is for the stream. Everyone else calls attn_exp
 * (attn_math.h).
 */
#ifndef ATTN_EXP_H
#define ATTN_EXP_H

#include "attn_fma.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The double whose bits are u. */
static inline double attn_exp_from_bits(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* e^x = 2^k e^r, x = k ln 2 + r, |r| <= ln(2)/2 */
static inline double attn_exp_inline(double x)
{
    /* Adding 1.5 2^52 rounds to the nearest integer k, and leaves k in the low
     * bits. ln 2 = HI + LO; HI has 42 bits, so k HI is exact. */
    const double rounder = 0x1.8p52, inverse_ln2 = 0x1.71547652b82fep0;
    const double ln2_hi = 0x1.62e42fefa38p-1, ln2_lo = 0x1.ef35793c7673p-45;

    /* Beyond these the last product is infinity or 0 in any case. */
    const double capped = x > 710 ? 710 : x;
    const double y = capped < -746 ? -746 : capped;

    const double shifted = y * inverse_ln2 + rounder;
    const double k = shifted - rounder;
    /* r = hi + lo, exactly the sum of two doubles (Knuth, TAOCP 2, 4.2.2) */
    const double a = y - k * ln2_hi, b = -k * ln2_lo;
    const double hi = a + b, b_part = hi - a;
    const double lo = (a - (hi - b_part)) + (b - b_part);

    /* (e^r - 1 - r)/r^2; the first term left out is r^15/15! < 2^-63 */
    double p = 1.0 / 87178291200;
    p = 1.0 / 6227020800 + hi * p;
    p = 1.0 / 479001600 + hi * p;
    p = 1.0 / 39916800 + hi * p;
    p = 1.0 / 3628800 + hi * p;
    p = 1.0 / 362880 + hi * p;
    p = 1.0 / 40320 + hi * p;
    p = 1.0 / 5040 + hi * p;
    p = 1.0 / 720 + hi * p;
    p = 1.0 / 120 + hi * p;
    p = 1.0 / 24 + hi * p;
    p = 1.0 / 6 + hi * p;
    p = 1.0 / 2 + hi * p;

    /* 1 + r + series, the first sum exactly (Dekker 1971) */
    const double series = lo + hi * hi * p;
    const double one_hi = 1 + hi, one_lo = hi - (one_hi - 1);
    const double e_to_r = one_hi + (one_lo + series);

    /* 2^k in two factors, for k = 1024 and for subnormal results: the first
     * product is exact, so only the second one rounds. The bits of shifted are
     * those of 1.5 2^52 plus k; 2048 keeps the halved number positive. */
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    const uint64_t n = bits - 0x4338000000000000; /* k modulo 2^64 */
    const uint64_t half = ((n + 2048) >> 1) - 1024;
    const double power = e_to_r * attn_exp_from_bits((half + 1023) << 52) *
                         attn_exp_from_bits((n - half + 1023) << 52);
    return x == x ? power : (double)NAN;
}

/*
 * The weight e^x of a score at x <= 0 from the largest, with fused
 * multiply-adds alone (attn_fma.h) and half the operations: at most 1 ulp off
 * from -708 up, 0 below, -infinity included; NaN for NaN. An x above 0 by
 * rounding does no harm, to 708. (attn_fma_safe is right: where a product is
 * tiny, a constant is added.)
 */
ATTN_INLINE double attn_exp_weight(int version, double x)
{
    const double rounder = 0x1.8p52, inverse_ln2 = 0x1.71547652b82fep0;
    const double ln2_hi = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56;
    const double shifted = attn_fma_safe(version, x, inverse_ln2, rounder);
    const double k = shifted - rounder;
    const double r = attn_fma_safe(version, -k, ln2_lo,
                                   attn_fma_safe(version, -k, ln2_hi, x));

    /* e^r; the first term left out is r^14/14! < 2^-57 */
    double p = 1.0 / 6227020800;
    p = attn_fma_safe(version, p, r, 1.0 / 479001600);
    p = attn_fma_safe(version, p, r, 1.0 / 39916800);
    p = attn_fma_safe(version, p, r, 1.0 / 3628800);
    p = attn_fma_safe(version, p, r, 1.0 / 362880);
    p = attn_fma_safe(version, p, r, 1.0 / 40320);
    p = attn_fma_safe(version, p, r, 1.0 / 5040);
    p = attn_fma_safe(version, p, r, 1.0 / 720);
    p = attn_fma_safe(version, p, r, 1.0 / 120);
    p = attn_fma_safe(version, p, r, 1.0 / 24);
    p = attn_fma_safe(version, p, r, 1.0 / 6);
    p = attn_fma_safe(version, p, r, 1.0 / 2);
    p = attn_fma_safe(version, p, r, 1);
    p = attn_fma_safe(version, p, r, 1);

    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return x < -708 ? 0 : p * attn_exp_from_bits((bits + 1023) << 52);
}

/* The same in float: at most 1 ulp off from -87 up, 0 below. */
ATTN_INLINE float attn_exp_weight_float(int version, float x)
{
    const float rounder = 0x1.8p23f, inverse_ln2 = 0x1.715476p0f;
    const float ln2_hi = 0x1.62e43p-1f, ln2_lo = -0x1.05c61p-29f;
    const float shifted = attn_fma_float(version, x, inverse_ln2, rounder);
    const float k = shifted - rounder;
    const float r = attn_fma_float(version, -k, ln2_lo,
                                   attn_fma_float(version, -k, ln2_hi, x));

    /* the first term left out is r^8/8! < 2^-27 */
    float p = 1.0f / 5040;
    p = attn_fma_float(version, p, r, 1.0f / 720);
    p = attn_fma_float(version, p, r, 1.0f / 120);
    p = attn_fma_float(version, p, r, 1.0f / 24);
    p = attn_fma_float(version, p, r, 1.0f / 6);
    p = attn_fma_float(version, p, r, 1.0f / 2);
    p = attn_fma_float(version, p, r, 1);
    p = attn_fma_float(version, p, r, 1);

    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    return x < -87 ? 0 : p * power;
}

#endif

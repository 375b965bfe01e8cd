/*
 * Each function is the same three steps: bring x into a short interval (and
 * keep what the rounding of that step lost), sum a series there, undo the first
 * step. The largest term is added last and exactly (hi + lo), so that the
 * result is rounded once and the series contributes a small fraction of an ulp.
 *
 * Methods: W. J. Cody and W. Waite, "Software Manual for the Elementary
 * Functions" (1980), for the reductions; J.-M. Muller, "Elementary Functions"
 * (3rd ed., 2016), chapters 3 and 11. Rounding is to nearest, as C starts up.
 */
#include "attn_math.h"
#include "attn_clones.h"
#include "attn_exp.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* Adding and subtracting it rounds |x| < 2^51 to the nearest integer. */
#define ROUNDER 0x1.8p52

/* ln 2 = HI + LO; HI has 42 bits, so k HI is exact for |k| < 2^11. */
#define LN2_HI 0x1.62e42fefa38p-1
#define LN2_LO 0x1.ef35793c7673p-45
#define SQRT2 0x1.6a09e667f3bcdp0

/* The sum of two doubles, exactly: hi is the rounded one, lo what it lost. */
typedef struct {
    double hi, lo;
} sum;

/* a + b where |a| >= |b| or a = 0 (Dekker 1971). */
static inline sum fast_two_sum(double a, double b)
{
    const double hi = a + b;

    return (sum){hi, b - (hi - a)};
}

/* a + b in any order (Knuth, TAOCP 2, 4.2.2). */
static sum two_sum(double a, double b)
{
    sum s;

    s.lo = attn_fma_two_sum(a, b, &s.hi);
    return s;
}

static inline uint64_t bits_of(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

/* c[0] + c[1] x + ... + c[n-1] x^(n-1), by Horner. */
static double polynomial(const double *c, size_t n, double x)
{
    double p = c[n - 1];

    for (size_t i = n - 1; i-- > 0;)
        p = c[i] + x * p;
    return p;
}

double attn_exp(double x)
{
    return attn_exp_inline(x);
}

ATTN_CLONES static void math_exp_all(const double *x, size_t n, double *y)
{
#pragma omp simd /* for y = x too */
    for (size_t j = 0; j < n; j++)
        y[j] = attn_exp_inline(x[j]);
}

void attn_exp_all(const double *x, size_t n, double *y)
{
    math_exp_all(x, n, y);
}

/*
 * k ln 2 + ln(1 + f) + c, for sqrt(1/2) <= 1 + f <= sqrt(2) and tiny c.
 *
 * s = f/(2 + f) gives ln(1 + f) = 2 artanh s = 2 s + s R,
 * R = 2/3 s^2 + 2/5 s^4 + ..., and 2 s = f - f^2/2 + s f^2/2, so
 * ln(1 + f) = f - f^2/2 + s (f^2/2 + R): terms that shrink, the first exact.
 */
static inline double log_sum(double k, double f, double c)
{
    const double s = f / (2 + f);
    const double s2 = s * s;
    double p = 2.0 / 21; /* the first term left out is s^22/23 < 2^-60 */
    p = 2.0 / 19 + s2 * p;
    p = 2.0 / 17 + s2 * p;
    p = 2.0 / 15 + s2 * p;
    p = 2.0 / 13 + s2 * p;
    p = 2.0 / 11 + s2 * p;
    p = 2.0 / 9 + s2 * p;
    p = 2.0 / 7 + s2 * p;
    p = 2.0 / 5 + s2 * p;
    p = 2.0 / 3 + s2 * p;
    const double R = s2 * p;
    const double half_f2 = 0.5 * f * f;
    const double rest = k * LN2_LO + c + s * (half_f2 + R);
    const sum a = fast_two_sum(k * LN2_HI, f); /* |k ln 2| > |f| or k = 0 */
    const sum b = fast_two_sum(a.hi, -half_f2);

    return b.hi + (b.lo + (a.lo + rest));
}

/* m with x = 2^k m, sqrt(1/2) <= m <= sqrt(2), for finite x > 0. The exponent
 * becomes a double as the low bits of 2^52: vectors have no shorter way. */
static inline double mantissa(double x, double *k)
{
    const int subnormal = x < 0x1p-1022;
    const uint64_t u = bits_of(subnormal ? x * 0x1p54 : x);
    const double exponent =
        attn_exp_from_bits(u >> 52 | bits_of(0x1p52)) - 0x1p52;
    const double m = attn_exp_from_bits((u & 0xfffffffffffff) | bits_of(1));
    const int upper = m > SQRT2;

    *k = exponent - (subnormal ? 1023 + 54 : 1023) + (upper ? 1 : 0);
    return upper ? 0.5 * m : m;
}

/* Without a branch, so that compilers make vectors of it. */
static inline double log_inline(double x)
{
    double k;
    const double m = mantissa(x, &k);
    const double y = log_sum(k, m - 1, 0);
    const double edge = x == 0 ? -INFINITY : x == INFINITY ? x : (double)NAN;

    return x > 0 && x < INFINITY ? y : edge;
}

double attn_log(double x)
{
    return log_inline(x);
}

ATTN_CLONES static void math_log_all(const double *x, size_t n, double *y)
{
#pragma omp simd /* for y = x too */
    for (size_t j = 0; j < n; j++)
        y[j] = log_inline(x[j]);
}

void attn_log_all(const double *x, size_t n, double *y)
{
    math_log_all(x, n, y);
}

/* ln(1 + x) = ln(u) + ln(1 + c/u), where u + c = 1 + x exactly */
double attn_log1p(double x)
{
    if (!(x > -1))
        return x == -1 ? -INFINITY : NAN;
    if (x == INFINITY || x == 0) /* -0 stays -0 */
        return x;
    if (x > -0.29 && x < 0.41)
        return log_sum(0, x, 0);

    double k;
    const sum u = two_sum(1, x);
    const double m = mantissa(u.hi, &k);
    return log_sum(k, m - 1, u.lo / u.hi);
}

/* An angle hi + lo in [-pi/4, pi/4], and the quarter turns taken off it. */
typedef struct {
    double hi, lo;
    unsigned quarters; /* modulo 4 */
} angle;

/*
 * x - k pi/2 for |x| <= 2^27. pi/2 is cut into pieces of 26 bits, so that
 * k < 2^27 times a piece is exact; the last piece has a double's 53. No double
 * in the range is nearer to a multiple of pi/2 than 2^-60.5 (the worst, found
 * with continued fractions, is 0x1.6c6cbc45dc8dep5), and the error here is
 * below 2^-129.
 */
static angle reduce(double x)
{
    const double shifted = x * 0x1.45f306dc9c883p-1 + ROUNDER; /* 2/pi */
    const double k = shifted - ROUNDER;
    const double first = x - k * 0x1.921fb5p0 - k * 0x1.110b46p-26; /* exact */
    const sum second = two_sum(first, -k * 0x1.1a6262p-54);
    const sum third = two_sum(second.hi, -k * 0x1.3145cp-78);
    const double rest = second.lo + (third.lo - k * 0x1.b839a252049c1p-104);
    const sum r = two_sum(third.hi, rest);

    return (angle){r.hi, r.lo, (unsigned)bits_of(shifted) & 3};
}

/* sin(hi + lo) = hi + (hi^3 (-1/3! + hi^2/5! - ...) + lo cos(hi)) */
static double sine(double hi, double lo)
{
    /* The first term left out is hi^19/19! < 2^-63. */
    static const double c[] = {-1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800,
                               1.0 / 6227020800,
                               -1.0 / 1307674368e3,
                               1.0 / 355687428096e3};
    const double z = hi * hi;

    return hi + (hi * z * polynomial(c, LENGTH(c), z) + lo * (1 - 0.5 * z));
}

/* cos(hi + lo) = 1 - hi^2/2 + (hi^4 (1/4! - hi^2/6! + ...) - lo sin(hi)) */
static double cosine(double hi, double lo)
{
    /* The first term left out is hi^20/20! < 2^-68. */
    static const double c[] = {1.0 / 24,
                               -1.0 / 720,
                               1.0 / 40320,
                               -1.0 / 3628800,
                               1.0 / 479001600,
                               -1.0 / 87178291200,
                               1.0 / 20922789888e3,
                               -1.0 / 6402373705728e3};
    const double z = hi * hi;
    const sum s = fast_two_sum(1, -0.5 * z);

    return s.hi + (s.lo + (z * z * polynomial(c, LENGTH(c), z) - hi * lo));
}

/* sin(x + quarters pi/2): sin, cos, -sin, -cos in turn */
static double turned_sine(double x, unsigned quarters)
{
    if (!(fabs(x) <= 0x1p27))
        return NAN;

    const angle a = reduce(x);
    const unsigned q = a.quarters + quarters;
    const double y = q & 1 ? cosine(a.hi, a.lo) : sine(a.hi, a.lo);
    return q & 2 ? -y : y;
}

double attn_sin(double x)
{
    /* Here sin x = x (1 - x^2/6) rounds to x; -0 stays -0. */
    if (fabs(x) < 0x1p-27)
        return x;
    return turned_sine(x, 0);
}

double attn_cos(double x)
{
    return turned_sine(x, 1);
}

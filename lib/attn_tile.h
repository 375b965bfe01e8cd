/*
 * The one product of streaming attention, forward and backward: rows of lanes
 * times the numbers of a matrix. In REAL, double or float (attn_real.h).
 *
 * An array of lanes is [row * LANES + lane], LANES * sizeof(REAL) = 256 bytes:
 * 32 doubles or 64 floats side by side. Each lane does what one alone would do,
 * its sum over the terms in ascending order with one fused multiply-add each:
 * the bits depend neither on how wide the processor's vectors are nor on how
 * many sums are in the making at a time.
 *
 * That number is what makes it fast. A multiply-add takes four cycles and two
 * start in each, so at least eight vectors of sums have to grow side by side,
 * in registers from the first term to the last: here four rows of all lanes in
 * 16 of 32 registers of 64 bytes, or of a quarter of the lanes in 8 of 16 of
 * 32 bytes.
 */
#ifndef ATTN_TILE_H
#define ATTN_TILE_H

#include "attn_clones.h"
#include "attn_count.h"
#include "attn_fma.h"
#include "attn_real.h"
#include <gsl/gsl_matrix.h>
#include <math.h>
#include <stddef.h>

enum { LANES = 256 / sizeof(REAL) };

/* The four rows of sums from sum on, and of y; lanes 0 .. width-1. */
ATTN_INLINE void tile_four(int version, size_t width, const REAL *restrict x,
                           const REAL *restrict y, size_t down, size_t along,
                           size_t terms, const REAL *restrict keep,
                           REAL *restrict sum)
{
    REAL a[LANES], b[LANES], c[LANES], d[LANES];

#pragma omp simd
    for (size_t i = 0; i < width; i++)
        a[i] = b[i] = c[i] = d[i] = 0;
    for (size_t t = 0; t < terms; t++, x += LANES, y += along) {
        const REAL ya = y[0], yb = y[down], yc = y[2 * down], yd = y[3 * down];
#pragma omp simd
        for (size_t i = 0; i < width; i++) {
            a[i] = FMA_SAFE(version, x[i], ya, a[i]);
            b[i] = FMA_SAFE(version, x[i], yb, b[i]);
            c[i] = FMA_SAFE(version, x[i], yc, c[i]);
            d[i] = FMA_SAFE(version, x[i], yd, d[i]);
        }
    }
#pragma omp simd
    for (size_t i = 0; i < width; i++) {
        REAL *s = sum + i;
        s[0] = keep ? FMA(version, s[0], keep[i], a[i]) : a[i];
        s[LANES] = keep ? FMA(version, s[LANES], keep[i], b[i]) : b[i];
        s[2 * LANES] = keep ? FMA(version, s[2 * LANES], keep[i], c[i]) : c[i];
        s[3 * LANES] = keep ? FMA(version, s[3 * LANES], keep[i], d[i]) : d[i];
    }
    ATTN_COUNT(4 * width * terms);
}

/* One row of them. */
ATTN_INLINE void tile_one(int version, const REAL *restrict x,
                          const REAL *restrict y, size_t along, size_t terms,
                          const REAL *restrict keep, REAL *restrict sum)
{
    REAL a[LANES];

#pragma omp simd
    for (size_t i = 0; i < LANES; i++)
        a[i] = 0;
    for (size_t t = 0; t < terms; t++, x += LANES, y += along) {
#pragma omp simd
        for (size_t i = 0; i < LANES; i++)
            a[i] = FMA_SAFE(version, x[i], *y, a[i]);
    }
#pragma omp simd
    for (size_t i = 0; i < LANES; i++)
        sum[i] = keep ? FMA(version, sum[i], keep[i], a[i]) : a[i];
    ATTN_COUNT(LANES * terms);
}

/* One lane after the other, of any numbers; where is_silent, an x of 0 silences
 * a y that is not finite. */
ATTN_INLINE void tile_any(int version, int is_silent, const REAL *x,
                          const REAL *y, size_t down, size_t along,
                          size_t terms, const REAL *keep, REAL *sum,
                          size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < LANES; i++) {
            REAL a = 0, *s = &sum[r * LANES + i];
            for (size_t t = 0; t < terms; t++) {
                const REAL xt = x[t * LANES + i];
                if (!is_silent || xt != 0)
                    a = FMA(version, xt, y[r * down + t * along], a);
            }
            *s = keep ? FMA(version, *s, keep[i], a) : a;
        }
    ATTN_COUNT(rows * terms * LANES);
}

/* Keeps the smallest |x| but 0 in *least; 0 if |x| > 2^480 or NaN. */
static inline int tile_note(double x, double *least)
{
    const double size = fabs(x);

    if (size > 0 && size < *least)
        *least = size;
    return size <= 0x1p480;
}

/* Is attn_fma_safe right for every x y, and the sums? */
ATTN_INLINE int tile_is_safe(int version, const REAL *x, const REAL *y,
                             size_t down, size_t along, size_t terms,
                             size_t rows)
{
    double x_least = INFINITY, y_least = INFINITY;
    int is_safe = 1;

    if (version != ATTN_FMA_SOFT || sizeof(REAL) < sizeof(double))
        return 1;
    for (size_t i = 0; i < terms * LANES; i++)
        is_safe &= tile_note(x[i], &x_least);
    for (size_t r = 0; r < rows; r++)
        for (size_t t = 0; t < terms; t++)
            is_safe &= tile_note(y[r * down + t * along], &y_least);
    return is_safe && x_least * y_least >= 0x1p-968;
}

/* Is every number of M finite, so that no x of 0 has anything to silence? */
static inline int tile_is_finite(const MATRIX *M)
{
    for (size_t i = 0; i < M->size1; i++)
        for (size_t j = 0; j < M->size2; j++)
            if (!isfinite(M->data[i * M->tda + j]))
                return 0;
    return 1;
}

/*
 * sum_r = keep sum_r + sum_t x_t y_rt for rows of lanes, t ascending; y_rt
 * stands at y[r * down + t * along]. keep is one row; NULL: sum is no input.
 */
ATTN_INLINE void tile_multiply(int version, const REAL *x, const REAL *y,
                               size_t down, size_t along, size_t terms,
                               const REAL *keep, REAL *sum, size_t rows)
{
    const size_t width = version == ATTN_FMA_32 ? LANES : LANES / 4;
    size_t r = 0;

    if (!tile_is_safe(version, x, y, down, along, terms, rows)) {
        tile_any(version, 0, x, y, down, along, terms, keep, sum, rows);
        return;
    }
    for (; r + 4 <= rows; r += 4)
        for (size_t i = 0; i < LANES; i += width)
            tile_four(version, width, x + i, y + r * down, down, along, terms,
                      keep ? keep + i : keep, sum + r * LANES + i);
    for (; r < rows; r++)
        tile_one(version, x, y + r * down, along, terms, keep, sum + r * LANES);
}

#endif

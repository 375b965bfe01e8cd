/*
 * Quantiles of a sorted sample, interpolated (Hyndman and Fan 1996, number 7):
 * with i + delta = share (n - 1), i whole and 0 <= delta < 1,
 *
 *     (1 - delta) x_i + delta x_{i+1},
 *
 * which is GSL's gsl_stats_quantile_from_sorted_data. Here the operations stand
 * in a fixed order and none are fused: GSL compiled for arm64 fuses them, and
 * where the sample has few values (shares of 1024 tokens, say) a quantile lies
 * half-way between two numbers of nine digits, so that the last bit is printed.
 */
#ifndef ATTN_QUANTILE_H
#define ATTN_QUANTILE_H

#include <stddef.h>

/*
 * sorted: n values, ascending. share: 0 the smallest, 1/2 the median, 1 the
 * largest. NaN for n = 0 and for a share outside [0, 1].
 */
double attn_quantile(const double *sorted, size_t n, double share);

#endif

/*
 * Softmax and its Jacobian ("Scores, Softmax, and the Weighted Sum";
 * "Saturation Kills the Gradient").
 *
 *     a_j = exp(s_j) / sum_l exp(s_l),     J_jl = a_j (1[j = l] - a_l)
 *
 * Everything but the first two functions starts from the weights a, as the
 * lecture's formula does. Near saturation 1 - a_max is summed from the other
 * weights, and norms are scaled by the runner-up, so nothing cancels and
 * nothing underflows. (With sum a^2 - 2 sum a^3 + (sum a^2)^2 every digit of
 * the Frobenius norm is wrong from gap 25 on.)
 *
 * Errors, where eps = 2^-52, n is the number of scores, g_j how far score j
 * lies below the largest one, and gap the least g_j of the others:
 *
 *     a_j                      (n + 8 + g_j) eps |a_j|
 *     lse                      (n + 1 + |lse|) eps
 *     J_jl                     (2 n + 8 + g_j + g_l) eps |J_jl|; the largest
 *                              one's own: gap in the place of g_j + g_l
 *     rest, trace, norms, H    (4 n + 12 + gap) eps of themselves
 *
 * Where the result is below 1e-300, n 2^-1072 is added (H: 800 times that).
 * So much the roundings cannot add up to, to first order: s_j - s_max is off
 * by g_j eps/2, and with it the exponential, which is right to eps; a sum of n
 * positive terms is off by n eps/2; a mean of g_j over the weights of the
 * others exceeds gap by ln n at most. (tests/test_reference.c, 200-bit
 * arithmetic, n to 10^6, scores to 1e308, gaps to 800. Seen: up to n = 1000,
 * 150 eps for a weight and 40 for a norm; at n = 20,000, in sums of equal terms
 * that all round one way, 700 and 3000.)
 *
 * A vector of weights is one with a_j >= 0 and sum 1, or all zero.
 */
#ifndef ATTN_SOFTMAX_H
#define ATTN_SOFTMAX_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

/* The status of a softmax over scores that are all -infinity: not an error,
 * so no handler is called; outside GSL's own numbers. */
enum { ATTN_SOFTMAX_NO_KEY = 1025 };

/*
 * a = softmax(s); a may be s. The largest score is subtracted first, and its
 * term 1 is added to the sum of the others last.
 * -infinity: weight exactly 0. +infinity: those scores share the weight.
 * No key can be seen (all -infinity): a = 0, ATTN_SOFTMAX_NO_KEY.
 * NaN: GSL_EDOM, a is not written. Unequal sizes: GSL_EBADLEN.
 */
int attn_softmax(const gsl_vector *s, gsl_vector *a);

/* *lse = ln sum_l exp(s_l); -infinity with ATTN_SOFTMAX_NO_KEY when no key can
 * be seen, +infinity when a score is; NaN: GSL_EDOM. */
int attn_softmax_lse(const gsl_vector *s, double *lse);

/* Entropy -sum a ln a, in nats: 0 for one-hot to ln n for uniform. */
double attn_softmax_entropy(const gsl_vector *a);

/* J, n x n, from a of n. Unequal sizes: GSL_EBADLEN. */
int attn_softmax_jacobian(const gsl_vector *a, gsl_matrix *J);

/* y = J x (= J^T x, for J is symmetric): y_j = a_j (x_j - sum_l a_l x_l).
 * y may be x. Unequal sizes: GSL_EBADLEN. */
int attn_softmax_jvp(const gsl_vector *a, const gsl_vector *x, gsl_vector *y);

/* tr J = sum a_j (1 - a_j): the nuclear norm, since J is positive
 * semidefinite; at most 1 - 1/n, at uniform weights. */
double attn_softmax_trace(const gsl_vector *a);

/* Frobenius norm of J; at most 1/2, at a tie of two. */
double attn_softmax_frobenius(const gsl_vector *a);

/* Spectral norm, the largest eigenvalue of J; at most 1/2, at a tie of two. */
double attn_softmax_spectral(const gsl_vector *a);

/* 1 - max a, summed from the other weights. */
double attn_softmax_rest(const gsl_vector *a);

#endif

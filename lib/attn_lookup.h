/*
 * An attention layer as a lookup table ("Looking Forward", Problem 20): one-hot
 * tokens, one key a token, and scores that are b (the gap) for the key that is
 * asked for and 0 for the n - 1 others. With E = e^-b,
 *
 *     weight  p = 1/(1 + (n-1) E),   rest  r = 1 - p = (n-1) E p.
 *
 * The first line of each function's comment is its law; docs/derivations.md
 * derives them. All are right to n eps relative while E is a normal number, b
 * below 708; beyond, r and what is made of it have the absolute error of E, at
 * most 2^-1075 for each other key.
 */
#ifndef ATTN_LOOKUP_H
#define ATTN_LOOKUP_H

#include "attn_layer.h"
#include <gsl/gsl_vector.h>
#include <stddef.h>

/* p and r of n >= 1 keys at gap b. */
double attn_lookup_weight(size_t n, double b);
double attn_lookup_rest(size_t n, double b);

/* tr J = r (1 + p - e), e = r/(n-1) the weight of each other key: between r
 * and 2 r. */
double attn_lookup_trace(size_t n, double b);

/* |J|_F = r sqrt(p^2 + (2 p^2 + (1-e)^2 + (n-2) e^2)/(n-1)). */
double attn_lookup_frobenius(size_t n, double b);

/*
 * Gaps from which on, in double precision,
 * one      the weight is exactly 1 when the others' exponentials are summed
 *          first (attn_softmax): 53 ln 2 + ln(n-1); n >= 2
 * one_top  the same when the largest exponential, 1, comes first: 53 ln 2,
 *          whatever n is
 * zero     every other weight is exactly 0: 1075 ln 2
 */
double attn_lookup_one(size_t n);
double attn_lookup_one_top(void);
double attn_lookup_zero(void);

/* The largest weight of softmax(s) with the largest exponential summed first:
 * what attn_softmax would give in the other order. s is finite. */
double attn_lookup_top_first(const gsl_vector *s);

/*
 * Program a layer of one head and d_k >= d: token i asks for the key of token
 * target[i] with gap b. W_Q has b/scale at (i, target[i]), W_K 1 at (j, j), all
 * else 0; W_V is left alone, its row t is the value of token t. GSL_EBADLEN:
 * d_k < d, more heads than one, or a target that is no token.
 */
int attn_lookup_program(attn_layer *layer, const size_t *target, double b);

#endif

/*
 * A task that attention can solve ("Saturation Kills the Gradient"): every
 * token type has a fixed partner, and a query is to find its partner among the
 * tokens of a sequence.
 *
 * A sequence of n tokens is written as n types: the query first, its partner
 * second, then n - 2 others, all different. Attention does not know where
 * anything is, so nothing is lost by that order.
 */
#ifndef ATTN_PARTNER_H
#define ATTN_PARTNER_H

#include "attn_rng.h"
#include <gsl/gsl_permutation.h>
#include <stddef.h>

/*
 * Draw partners: p maps each type to its partner, never to itself. A cyclic
 * permutation, each with the same probability (Sattolo 1986). GSL_EINVAL for
 * fewer than two types.
 */
int attn_partner_draw(attn_rng *g, gsl_permutation *p);

/*
 * Draw count sequences of n tokens into tokens[0 .. count n - 1]. spare is
 * scratch for as many numbers as there are types. GSL_EINVAL unless
 * 2 <= n <= types.
 */
int attn_partner_sequences(attn_rng *g, const gsl_permutation *p, size_t n,
                           size_t count, size_t *tokens, size_t *spare);

#endif

/*
 * Exact predictions at finite n, N and d_k: what the programs measure against.
 *
 * docs/derivations.md derives each. An integral comes with an estimate of its
 * own error, and is good to 1e-9 or better unless its comment says otherwise.
 */
#ifndef ATTN_THEORY_H
#define ATTN_THEORY_H

#include "attn_sample.h"
#include <stddef.h>

typedef struct {
    double value;
    double error; /* estimate of |value - truth| */
} attn_theory_value;

/* ---- "Why divide by sqrt(d_k)?": one score <q, k> ---- */

typedef struct {
    double mean;
    double variance;
    double mu4; /* fourth central moment */
} attn_theory_score;

/*
 * Entries of the law times sqrt(v), so of variance v, with correlation rho
 * between q_j and k_j (normal entries only; rho = 0 for the others):
 *     mean v rho d_k,  variance v^2 d_k (1 + rho^2),
 *     mu4 = 3 variance^2 + v^4 d_k kappa,
 *     kappa = E[x^4]^2 - 3, or 6 (1 + 6 rho^2 + rho^4) for normal entries.
 */
attn_theory_score attn_theory_score_of(attn_sample_law law, size_t d_k,
                                       double v, double rho);

/* Var(s^2) = (mu4 - variance^2 (N - 3)/(N - 1))/N of the unbiased sample
 * variance of N >= 2 independent values. */
double attn_theory_variance_of_variance(double variance, double mu4, size_t N);

/*
 * Variance of (1/n^2) sum_ij s_ij^2 over the n^2 dependent scores of one
 * Q K^T, normal entries: (2 d_k^2 + 6 d_k + 4 d_k (n - 1))/n^2; and the factor
 * sqrt(1 + 2 (n - 1)/(d_k + 3)) by which pooling them as if they were
 * independent understates its root.
 */
double attn_theory_layer_variance(size_t n, size_t d_k);
double attn_theory_pooling_factor(size_t n, size_t d_k);

/*
 * P(|<q, k>| > x). Normal: E[2 Phi(-x/R)], R ~ chi of d_k degrees, by
 * quadrature. Rademacher: the binomial tail. Other laws: GSL_EUNIMPL.
 */
int attn_theory_tail(attn_sample_law law, size_t d_k, double x,
                     attn_theory_value *p);

/* ---- "Saturation Kills the Gradient": the softmax of normal scores ---- */

/* E[M_n], the mean of the largest of n standard normals. */
int attn_theory_max_normal(size_t n, attn_theory_value *mean);

/*
 * E prod_j (sum_i a_i^powers[j]) for a = softmax of n independent N(0, sigma^2)
 * scores; up to 4 powers of 1 to 8, with sum at most 8.
 */
int attn_theory_power_sums(size_t n, double sigma, const unsigned *powers,
                           size_t count, attn_theory_value *value);

/* What a fresh head's Jacobian is on average: first and second moments. */
typedef struct {
    attn_theory_value squares;    /* E sum a^2 */
    attn_theory_value trace;      /* E tr J = 1 - E sum a^2 */
    attn_theory_value trace2;     /* E (tr J)^2 */
    attn_theory_value frobenius2; /* E |J|_F^2 */
    attn_theory_value frobenius4; /* E |J|_F^4 */
    attn_theory_value stein2;     /* E (tr J - sum a s/sigma^2)^2, which is
                                     E[|J|_F^2 + sum a^2/sigma^2] */
} attn_theory_jacobian;

/* For n independent N(0, sigma^2) scores. GSL_EINVAL: n or sigma is 0, or n is
 * above 1e9, where the grid no longer holds B_0^n. */
int attn_theory_jacobian_at(size_t n, double sigma, attn_theory_jacobian *J);

/*
 * For a fresh head: given q the scores are N(0, scale^2 |q|^2), so the above
 * is averaged over |q| ~ chi of d_k degrees; for each of count sizes n at once.
 * GSL_EINVAL as above. At d_k <= 2 stein2 is of no use: E 1/|q|^2 is infinite,
 * and the integral's own error says so.
 */
int attn_theory_fresh_head(const size_t *n, size_t count, size_t d_k,
                           double scale, attn_theory_jacobian *J);

/* ---- "Looking Forward": what a layer costs ---- */

/* Multiply-adds of one forward pass, exact as long as they are below 2^53. */
typedef struct {
    double projections; /* heads n d (2 d_k + d_v) */
    double scores;      /* heads n^2 d_k */
    double sum;         /* heads n^2 d_v, the weighted sum */
} attn_theory_cost;

attn_theory_cost attn_theory_cost_of(size_t n, size_t d, size_t d_k, size_t d_v,
                                     size_t heads);

/* The n from which scores and weighted sum are not the smaller part any more:
 * d (2 d_k + d_v)/(d_k + d_v), which is 1.5 d when d_k = d_v. */
double attn_theory_cost_crossing(size_t d, size_t d_k, size_t d_v);

#endif

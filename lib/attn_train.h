/*
 * One head that learns the task of attn_partner by gradient descent
 * ("Saturation Kills the Gradient").
 *
 * The query is token t, a its weights over the n tokens of its sequence, and
 *
 *     o = sum_j a_j v_j,   L = |o - y_t|^2/d_v,   y_t = v of t's partner at
 *                                                  birth, a fixed target
 *
 * A sequence's tokens are rows of the embeddings E (m x d), so all queries and
 * keys are rows of E W_Q and E W_K: they are projected once per step, not once
 * per occurrence. The gradient to W_Q is E^T dQ, where row t of dQ collects
 * what all queries of type t ask for. So a step W_Q <- W_Q - eta E^T dQ does
 *
 *     E W_Q <- E W_Q - eta G dQ,   G = E E^T  (m x m)
 *
 * and W_Q itself is never needed; W_K and W_V go the same way. The loss knows
 * queries and keys by their inner products alone, and every step keeps them in
 * the span of the 2 m rows that E W_Q and E W_K have at birth. So where
 * d_k > 2 m, and d >= m, those rows are turned into a basis of that span (the
 * Cholesky factor of their Gram matrix), which changes no score, now or later.
 * Values are combinations of the values at birth, V = C V_0.
 *
 * Everything is + - * / sqrt and attn_exp in a fixed order.
 */
#ifndef ATTN_TRAIN_H
#define ATTN_TRAIN_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_permutation.h>
#include <stddef.h>

enum { ATTN_TRAIN_TYPES = 65536 }; /* products of all pairs are kept */

typedef struct {
    size_t m;   /* token types */
    size_t n;   /* tokens in a sequence */
    size_t d;   /* width of an embedding */
    size_t d_k; /* width of a query and a key */
    size_t d_v; /* width of a value */
    double scale;
    const gsl_permutation *partner;

    gsl_matrix G;      /* E E^T */
    gsl_matrix Q, K;   /* E W_Q, E W_K, in that basis if there is one */
    gsl_matrix C;      /* E W_V = C V_0; the identity at birth */
    gsl_matrix V0;     /* V_0 V_0^T */
    gsl_matrix Y;      /* V V_0^T: products of values and targets */
    gsl_matrix H;      /* V V^T */
    gsl_matrix dS;     /* dL/d<q_t, k_j>, mean over a batch */
    gsl_matrix dQ, dK; /* dL/dQ, dL/dK */
    gsl_matrix dC;     /* dL/dV = dC V_0 */

    double *a, *ds, *g; /* of the sequence last seen: a, dL/ds, dL/da */
    gsl_matrix step;    /* scratch, as Q */
    gsl_matrix U, P;    /* scratch, m x m */
    double *w;          /* scratch, max(m, d) */
    size_t *at;         /* scratch, max(m, d) */
    double *room;       /* where all of it is */
} attn_train_head;

/* A head without weights, for m types in sequences of n. NULL: GSL_EINVAL for
 * a size of 0 and unless 2 <= n <= m <= ATTN_TRAIN_TYPES; GSL_ENOMEM. */
attn_train_head *attn_train_alloc(size_t m, size_t n, size_t d, size_t d_k,
                                  size_t d_v);
void attn_train_free(attn_train_head *head);

/*
 * Begin with these matrices: E m x d, W_Q and W_K d x d_k, W_V d x d_v. The
 * scale multiplies <q, k>. The partners are kept by reference. Shapes that do
 * not fit: GSL_EBADLEN. Queries and keys that are linearly dependent where they
 * should be a basis: GSL_ESING.
 */
int attn_train_begin(attn_train_head *head, const gsl_matrix *E,
                     const gsl_matrix *W_Q, const gsl_matrix *W_K,
                     const gsl_matrix *W_V, const gsl_permutation *partner,
                     double scale);

/* What one sequence shows. */
typedef struct {
    double loss;
    double rest;   /* 1 - the largest weight */
    size_t winner; /* the token that has it: 0 .. n-1, 1 is the partner */
    int hit;       /* the partner alone has it */
    double ds;     /* |dL/ds| */
    double dW_Q;   /* Frobenius norms of this sequence's gradients */
    double dW_K;
    double dW_V;
} attn_train_row;

/*
 * Forward and backward through one sequence, tokens[0 .. n-1]. Norms of the
 * three last gradients are computed if with_norms, else left 0.
 * A score that is not finite: GSL_EDOM.
 */
int attn_train_look(attn_train_head *head, const size_t *tokens, int with_norms,
                    attn_train_row *row);

/*
 * Mean loss over count sequences (tokens[0 .. count n - 1]) and its gradient,
 * in dQ, dK and, if with_values, dC. A score that is not finite: GSL_EDOM.
 */
int attn_train_gradient(attn_train_head *head, const size_t *tokens,
                        size_t count, int with_values, double *loss);

/* Frobenius norm of the gradient in dQ as one on W_Q, |E^T dQ|. */
double attn_train_norm(const attn_train_head *head);

/* One step of gradient descent down the gradient just computed. */
void attn_train_step(attn_train_head *head, double rate, int with_values);

#endif

/*
 * Entries of random vectors: independent, mean 0, variance 1 (the hypothesis
 * of "Why divide by sqrt(d_k)?").
 *
 * Only + - * / sqrt and bit operations, and attn_log and attn_exp where a law
 * needs them: the same stream gives the same bytes on every machine.
 */
#ifndef ATTN_SAMPLE_H
#define ATTN_SAMPLE_H

#include "attn_rng.h"
#include <gsl/gsl_matrix.h>
#include <stddef.h>

typedef enum {
    ATTN_SAMPLE_NORMAL,     /* N(0, 1) */
    ATTN_SAMPLE_UNIFORM,    /* uniform on (-sqrt 3, sqrt 3) */
    ATTN_SAMPLE_RADEMACHER, /* -1 or 1, each with probability 1/2 */
    ATTN_SAMPLE_LAPLACE,    /* density exp(-|x| sqrt 2) / sqrt 2 */
    ATTN_SAMPLE_STUDENT8,   /* Student t with 8 degrees, times sqrt(6/8) */
    ATTN_SAMPLE_LAWS        /* how many there are */
} attn_sample_law;

/* Their names, in the order of the enumeration, closed by NULL. */
extern const char *const attn_sample_names[ATTN_SAMPLE_LAWS + 1];

/*
 * Fill x[0 .. n-1] with independent entries of the law, drawn from g; n = 0
 * draws nothing. Two calls need not give what one call for both would. A law
 * that is none of these: the error handler has GSL_EINVAL, and x is left alone.
 */
void attn_sample_fill(attn_sample_law law, attn_rng *g, double *x, size_t n);

/* M_ij = sd x, row by row, for independent x of N(0, 1) drawn from g. A matrix
 * without gaps between its rows gets what one fill of all its entries gives. */
void attn_sample_matrix(attn_rng *g, double sd, gsl_matrix *M);

/* E x^4 of the law: 3, 9/5, 1, 6, 9/2 in the order of the enumeration. */
double attn_sample_fourth_moment(attn_sample_law law);

#endif

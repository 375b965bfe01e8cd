/*
 * A reader's own layer and the dictionary that it should be ("Looking Forward",
 * Problem 20): read from a text file, asked for every key, and judged in
 * sentences.
 *
 * Token t is the t-th key of the file and the t-th row of W_Q, W_K and W_V: its
 * embedding is one-hot, so these rows are its query, key and value. Rows beyond
 * the last key belong to tokens that are in no dictionary: they may ask, and
 * nobody can listen to them.
 */
#ifndef ATTN_DICTIONARY_H
#define ATTN_DICTIONARY_H

#include "attn_text.h"
#include <gsl/gsl_matrix.h>
#include <stddef.h>
#include <stdio.h>

enum { ATTN_DICTIONARY_KEYS = 64, ATTN_DICTIONARY_VALUES = 64 };

typedef struct {
    size_t n; /* keys */
    size_t d; /* tokens, at least n */
    double scale;
    const char **keys;  /* n; they belong to the text */
    size_t *lines;      /* n: where the file has them */
    int *differ;        /* n: comes several times with several values */
    gsl_matrix *wanted; /* n x d_v: what the dictionary says; for a key that
                           comes several times, the mean */
    gsl_matrix *Q;      /* d x d_k */
    gsl_matrix *K, *V;  /* n x d_k, n x d_v */

    gsl_matrix *S, *A; /* d x n: scores, weights */
    gsl_matrix *O;     /* d x d_v: what the layer returns */
    double tolerance;  /* 2 n eps max |value| */
} attn_dictionary;

/*
 * From the entries W_Q, W_K, W_V (rows of one number of tokens), "key NAME"
 * (its value) and perhaps scale (default 1/sqrt(d_k)) of a text, which must
 * outlive it. GSL_SUCCESS, or GSL_EINVAL (anything else found) or GSL_ENOMEM
 * with *dictionary NULL and error filled.
 */
int attn_dictionary_read(const attn_text *text, attn_dictionary **dictionary,
                         attn_text_error *error);
void attn_dictionary_free(attn_dictionary *dictionary);

/* Ask the layer for every token: S, A and O. A GSL status. */
int attn_dictionary_ask(attn_dictionary *dictionary);

/* Does the layer return what the dictionary says for key t, up to the
 * tolerance? */
int attn_dictionary_is_right(const attn_dictionary *dictionary, size_t t);

/* The gap between the two largest scores of token t; 0 when n is 1. */
double attn_dictionary_gap(const attn_dictionary *dictionary, size_t t);

/* The largest distance of what the layer returns for key t from what the
 * dictionary says. */
double attn_dictionary_off(const attn_dictionary *dictionary, size_t t);

/* A sentence for every token: what the layer returns, what the dictionary says,
 * where the weight is, what to change. */
void attn_dictionary_print(const attn_dictionary *dictionary, FILE *out);

#endif

/*
 * One query's way through the layer with every move kept, as it is worked by
 * hand in "Scores, Softmax, and the Weighted Sum":
 *
 *     p_j = <q, k_j>,  s_j = scale p_j,  e_j = exp(s_j - shift),
 *     a_j = e_j/sum_l e_l,  o = sum_j a_j v_j
 */
#ifndef ATTN_MOVES_H
#define ATTN_MOVES_H

#include "attn_text.h"
#include <gsl/gsl_matrix.h>
#include <stddef.h>
#include <stdio.h>

enum {
    ATTN_MOVES_KEYS = 64,  /* of a reader's own file, at most */
    ATTN_MOVES_VALUES = 64 /* numbers of a value in it */
};

/* Beyond it exp overflows, or a sum of many does. */
#define ATTN_MOVES_STEEP 700

typedef struct {
    size_t n, d_k, d_v;
    double scale;
    const char *query;  /* the word that asks; kept by reference */
    const char **words; /* n, those that answer */
    gsl_matrix *q;      /* 1 x d_k */
    gsl_matrix *K;      /* n x d_k */
    gsl_matrix *V;      /* n x d_v */

    gsl_matrix *products;     /* 1 x n */
    gsl_matrix *scores;       /* 1 x n */
    double shift;             /* 0, or the largest score where exp needs it */
    gsl_matrix *exponentials; /* 1 x n */
    double sum;               /* of the exponentials, from first to last */
    gsl_matrix *weights;      /* 1 x n, by attn_softmax */
    gsl_matrix *output;       /* 1 x d_v */
} attn_moves;

/*
 * Zeros for q, K and V, no words, and the scale 1/sqrt(d_k). NULL: GSL_EINVAL
 * for a size of 0, GSL_ENOMEM for sizes that cannot be had.
 */
attn_moves *attn_moves_alloc(size_t n, size_t d_k, size_t d_v);
void attn_moves_free(attn_moves *m);

/*
 * Make all moves from q, K, V and scale. The shift is 0, as on the board,
 * unless the largest score is beyond +-ATTN_MOVES_STEEP. GSL_EDOM for a NaN
 * score, GSL_EOVRFLW for one of +infinity, ATTN_SOFTMAX_NO_KEY when all are
 * -infinity.
 */
int attn_moves_make(attn_moves *m);

/*
 * Take q, K, V and perhaps the scale from entries "query", "key WORD", "value
 * WORD" (as many, in the keys' order) and "scale" of a text, which must outlive
 * the moves: the words are its own. GSL_SUCCESS, or GSL_EINVAL (anything else
 * found) or GSL_ENOMEM with *moves NULL and error filled.
 */
int attn_moves_read(const attn_text *text, attn_moves **moves,
                    attn_text_error *error);

/* Print every move that was made, step by step; up to ATTN_MOVES_VALUES numbers
 * of a value. */
void attn_moves_print(const attn_moves *m, FILE *out);

#endif

/*
 * The layer and the stream with their work counted ("Looking Forward"): the
 * very source files of attn_product, attn_layer, attn_blocks and attn_stream,
 * compiled a second time, so that every loop that runs and every array that is
 * asked for adds to a count. Outputs and statuses are those of the functions
 * named, bit for bit.
 */
#ifndef ATTN_COUNTED_H
#define ATTN_COUNTED_H

#include "attn_layer.h"
#include "attn_mask.h"
#include "attn_stream.h"
#include <gsl/gsl_matrix.h>
#include <stdint.h>

typedef struct {
    uint64_t multiply_adds; /* s += x y, idle lanes of vectors included */
    uint64_t bytes;         /* asked for: scratch and workspace */
} attn_counted;

/* attn_layer_workspace_alloc, attn_layer_forward, and the workspace freed. */
int attn_counted_forward(const attn_layer *layer, const gsl_matrix *X,
                         gsl_matrix *O, attn_counted *count);

/* attn_layer_attend: from Q, K and V on; asks for nothing. */
int attn_counted_attend(const gsl_matrix *Q, const gsl_matrix *K,
                        const gsl_matrix *V, double scale, gsl_matrix *A,
                        gsl_matrix *O, attn_counted *count);

/* attn_stream_attend without a mask, in tiles of 128 keys, on one thread. */
int attn_counted_stream(const gsl_matrix *Q, const gsl_matrix *K,
                        const gsl_matrix *V, double scale, gsl_matrix *O,
                        attn_counted *count);

#endif

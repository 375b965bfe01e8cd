/* The source of the layer and the stream once more, under names of its own and
 * with every loop and every array counted. */
#define attn_product_dot attn_counted_product_dot
#define attn_product_ab attn_counted_product_ab
#define attn_product_abt attn_counted_product_abt
#define attn_product_atb attn_counted_product_atb
#define attn_layer_scale attn_counted_layer_scale
#define attn_layer_scores attn_counted_layer_scores
#define attn_layer_weights attn_counted_layer_weights
#define attn_layer_output attn_counted_layer_output
#define attn_layer_attend attn_counted_layer_attend
#define attn_layer_attend_masked attn_counted_layer_attend_masked
#define attn_layer_alloc attn_counted_layer_alloc
#define attn_layer_free attn_counted_layer_free
#define attn_layer_parameters attn_counted_layer_parameters
#define attn_layer_workspace_alloc attn_counted_workspace_alloc
#define attn_layer_workspace_free attn_counted_workspace_free
#define attn_layer_forward attn_counted_layer_forward
#define attn_layer_forward_masked attn_counted_layer_forward_masked
#define attn_blocks_bytes attn_counted_blocks_bytes
#define attn_blocks_run attn_counted_blocks_run
#define attn_blocks_processors attn_counted_blocks_processors
#define attn_stream_default attn_counted_stream_default
#define attn_stream_attend attn_counted_stream_attend
#define attn_stream_scratch attn_counted_stream_scratch
#define product_dot counted_product_dot
#define product_ab counted_product_ab
#define product_abt counted_product_abt
#define product_atb counted_product_atb
#define layer_output counted_layer_output

#include "attn_counted.h"
#include "attn_matrix.h"
#include <gsl/gsl_errno.h>
#include <stdlib.h>

/* Counts of the call in hand; every function below starts them at 0. */
static _Thread_local attn_counted so_far;

static void *counting_calloc(size_t count, size_t size)
{
    so_far.bytes += count * size;
    return calloc(count, size);
}

static gsl_matrix *counting_matrix(size_t rows, size_t columns)
{
    so_far.bytes += rows * columns * sizeof(double);
    return attn_matrix_calloc(rows, columns);
}

#define ATTN_COUNT(n) (so_far.multiply_adds += (n))
#define attn_matrix_calloc counting_matrix
#include "attn_layer.c"
#include "attn_product.c"
#define calloc counting_calloc
#include "attn_blocks.c"
#include "attn_stream.c"

int attn_counted_forward(const attn_layer *layer, const gsl_matrix *X,
                         gsl_matrix *O, attn_counted *count)
{
    so_far = (attn_counted){0};
    attn_layer_workspace *w = attn_layer_workspace_alloc(layer, X->size1);
    const int status = w ? attn_layer_forward(layer, X, O, w) : GSL_ENOMEM;

    attn_layer_workspace_free(w);
    *count = so_far;
    return status;
}

int attn_counted_attend(const gsl_matrix *Q, const gsl_matrix *K,
                        const gsl_matrix *V, double scale, gsl_matrix *A,
                        gsl_matrix *O, attn_counted *count)
{
    so_far = (attn_counted){0};
    const int status = attn_layer_attend(Q, K, V, scale, A, O);

    *count = so_far;
    return status;
}

int attn_counted_stream(const gsl_matrix *Q, const gsl_matrix *K,
                        const gsl_matrix *V, double scale, gsl_matrix *O,
                        attn_counted *count)
{
    const attn_stream how = attn_stream_default(1);

    so_far = (attn_counted){0};
    const int status =
        attn_stream_attend(Q, K, V, scale, &attn_mask_none, &how, O, NULL);

    *count = so_far;
    return status;
}

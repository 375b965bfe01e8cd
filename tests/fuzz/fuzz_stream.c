/*
 * Streaming attention against the materialised layer: any small shape, tile,
 * mask and scale, and entries that are small, infinite or NaN. The same status,
 * and where an output is claimed the same output, up to rounding.
 */
#include "attn_layer.h"
#include "attn_softmax.h"
#include "attn_stream.h"
#include "fuzz.h"
#include <gsl/gsl_errno.h>
#include <math.h>

#define EPS 0x1p-52

typedef struct {
    size_t n_q, n_k, d_k, d_v;
    double scale;
    attn_stream how;
    gsl_matrix *Q, *K, *V, *S, *A, *O, *want;
    gsl_matrix_uchar *sees;
    gsl_vector *lse;
    attn_mask mask;
} problem;

static void fill(gsl_matrix *M, const uint8_t **data, size_t *size)
{
    for (size_t k = 0; k < M->size1 * M->size2; k++) {
        const uint8_t byte = fuzz_byte(data, size);
        M->data[k] = byte == 255   ? NAN
                     : byte == 254 ? INFINITY
                     : byte == 253 ? -INFINITY
                                   : (byte - 126) / 16.0;
    }
}

static problem make(const uint8_t **data, size_t *size)
{
    static const double scales[] = {1, 0.7, -1, 0, 1e-3, 40, 1e4, 0.5};
    problem p = {0};
    uint8_t kind;

    p.n_q = 1 + fuzz_byte(data, size) % 36; /* groups are 32 queries */
    p.n_k = 1 + fuzz_byte(data, size) % 24;
    p.d_k = 1 + fuzz_byte(data, size) % 5;
    p.d_v = 1 + fuzz_byte(data, size) % 5;
    p.scale = scales[fuzz_byte(data, size) % 8];
    p.how = (attn_stream){.keys = 1 + fuzz_byte(data, size) % 28, .threads = 1};
    kind = fuzz_byte(data, size) % 3;
    p.Q = gsl_matrix_alloc(p.n_q, p.d_k);
    p.K = gsl_matrix_alloc(p.n_k, p.d_k);
    p.V = gsl_matrix_alloc(p.n_k, p.d_v);
    p.S = gsl_matrix_alloc(p.n_q, p.n_k);
    p.A = gsl_matrix_alloc(p.n_q, p.n_k);
    p.O = gsl_matrix_alloc(p.n_q, p.d_v);
    p.want = gsl_matrix_alloc(p.n_q, p.d_v);
    p.sees = gsl_matrix_uchar_alloc(p.n_q, p.n_k);
    p.lse = gsl_vector_alloc(p.n_q);
    fill(p.K, data, size);
    fill(p.V, data, size);
    fill(p.Q, data, size);
    for (size_t k = 0; k < p.n_q * p.n_k; k++)
        p.sees->data[k] = kind == 2 && (fuzz_byte(data, size) & 1);
    p.mask = kind == 0   ? attn_mask_none
             : kind == 1 ? attn_mask_causal
                         : attn_mask_of(p.sees);
    return p;
}

static void discard(problem *p)
{
    gsl_matrix_free(p->Q);
    gsl_matrix_free(p->K);
    gsl_matrix_free(p->V);
    gsl_matrix_free(p->S);
    gsl_matrix_free(p->A);
    gsl_matrix_free(p->O);
    gsl_matrix_free(p->want);
    gsl_matrix_uchar_free(p->sees);
    gsl_vector_free(p->lse);
}

/* Is every value finite that query i sees, in column c? Otherwise no output is
 * claimed there. */
static int is_claimed(const problem *p, size_t i, size_t c)
{
    for (size_t j = 0; j < p->n_k; j++)
        if (attn_mask_sees(&p->mask, i, j) &&
            !isfinite(gsl_matrix_get(p->V, j, c)))
            return 0;
    return 1;
}

/* The largest sum of |q k| scale of row i: a score's rounding goes with it. */
static double largest_score(const problem *p, size_t i)
{
    double most = 0;

    for (size_t j = 0; j < p->n_k; j++) {
        double sum = 0;
        for (size_t c = 0; c < p->d_k; c++)
            sum += fabs(p->scale * gsl_matrix_get(p->Q, i, c) *
                        gsl_matrix_get(p->K, j, c));
        most = isfinite(sum) && sum > most ? sum : most;
    }
    return most;
}

static void check_row(const problem *p, size_t i)
{
    const double eps =
        4 * EPS * ((double)p->n_k + (double)(p->d_k + 1) * largest_score(p, i));
    const gsl_vector_const_view s = gsl_matrix_const_row(p->S, i);
    const double got = gsl_vector_get(p->lse, i);
    double lse = 0;

    for (size_t c = 0; c < p->d_v; c++) {
        const double o = gsl_matrix_get(p->O, i, c);
        if (is_claimed(p, i, c))
            HOLDS(fabs(o - gsl_matrix_get(p->want, i, c)) <= 8 * eps);
    }
    attn_softmax_lse(&s.vector, &lse);
    HOLDS(got == lse || fabs(got - lse) <= eps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    problem p = make(&data, &size);

    gsl_set_error_handler_off();
    const int status =
        attn_stream_attend(p.Q, p.K, p.V, p.scale, &p.mask, &p.how, p.O, p.lse);
    HOLDS(status == GSL_SUCCESS || status == ATTN_SOFTMAX_NO_KEY ||
          status == GSL_EDOM);
    HOLDS(attn_layer_attend_masked(p.Q, p.K, p.V, p.scale, &p.mask, p.A,
                                   p.want) == status);
    if (status != GSL_EDOM) {
        attn_layer_scores(p.Q, p.K, p.scale, p.S);
        attn_mask_apply(&p.mask, p.S);
        for (size_t i = 0; i < p.n_q; i++)
            check_row(&p, i);
    }
    discard(&p);
    return 0;
}

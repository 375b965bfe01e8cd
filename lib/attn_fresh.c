/* s_j = scale <q, k_j>, a = softmax(s), J = diag(a) - a a^T, again and again.
 */
#include "attn_fresh.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_product.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

/* A block's result; norms has room for a block where they are kept. */
typedef struct {
    attn_fresh_sample sample;
    double norms[];
} part;

/* What the blocks so far make; next is where the next norm goes, or NULL. */
typedef struct {
    attn_fresh_sample *sample;
    double *next;
} whole;

/* The i-th trial of its block. */
static void record(part *p, const attn_fresh *head, size_t i, double sigma,
                   const gsl_vector *s, const gsl_vector *a, gsl_matrix *J)
{
    attn_fresh_sample *out = &p->sample;
    const double n = (double)head->n;
    const double trace = attn_softmax_trace(a);
    const double frobenius = attn_softmax_frobenius(a);
    const double spectral = attn_softmax_spectral(a);
    const double rest = attn_softmax_rest(a);
    const double mean_score = attn_product_dot(a->data, s->data, head->n);

    attn_moments_add(&out->trace, trace);
    attn_moments_add(&out->frobenius2, frobenius * frobenius);
    attn_moments_add(&out->spectral2, spectral * spectral);
    attn_moments_add(&out->squares,
                     attn_product_dot(a->data, a->data, head->n));
    attn_moments_add(&out->entropy, attn_softmax_entropy(a));
    attn_moments_add(&out->stein, trace - mean_score / (sigma * sigma));

    attn_softmax_jacobian(a, J);
    const double entry = attn_matrix_largest(J);
    out->largest_entry =
        attn_max(out->largest_entry, entry == 0 ? 0 : entry / rest);
    if (head->n > 1)
        out->largest_norm = attn_max(
            out->largest_norm,
            attn_max(trace / (1 - 1 / n), 2 * attn_max(frobenius, spectral)));
    if (head->norms)
        p->norms[i] = frobenius;
}

static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    const attn_fresh *head = setup;
    const size_t n = head->n, d_k = head->d_k;
    double *q = scratch, *k = q + d_k, *scores = k + d_k;
    gsl_vector_view s = gsl_vector_view_array(scores, n);
    gsl_vector_view a = gsl_vector_view_array(scores + n, n);
    gsl_matrix_view J = gsl_matrix_view_array(scores + 2 * n, n, n);
    int status = GSL_SUCCESS;

    (void)first;
    for (size_t i = 0; !status && i < count; i++) {
        attn_sample_fill(ATTN_SAMPLE_NORMAL, g, q, d_k);
        for (size_t j = 0; j < n; j++) {
            attn_sample_fill(ATTN_SAMPLE_NORMAL, g, k, d_k);
            scores[j] = head->scale * attn_product_dot(q, k, d_k);
        }
        status = attn_softmax(&s.vector, &a.vector);
        record(partial, head, i,
               head->scale * sqrt(attn_product_dot(q, q, d_k)), &s.vector,
               &a.vector, &J.matrix);
    }
    return status;
}

static void merge(void *total, const void *partial)
{
    whole *const w = total;
    const part *const block = partial;
    attn_fresh_sample *t = w->sample;
    const attn_fresh_sample *p = &block->sample;

    attn_moments_merge(&t->trace, &p->trace);
    attn_moments_merge(&t->frobenius2, &p->frobenius2);
    attn_moments_merge(&t->spectral2, &p->spectral2);
    attn_moments_merge(&t->squares, &p->squares);
    attn_moments_merge(&t->entropy, &p->entropy);
    attn_moments_merge(&t->stein, &p->stein);
    t->largest_entry = attn_max(t->largest_entry, p->largest_entry);
    t->largest_norm = attn_max(t->largest_norm, p->largest_norm);
    if (w->next) {
        memcpy(w->next, block->norms, p->trace.n * sizeof *w->next);
        w->next += p->trace.n;
    }
}

int attn_fresh_measure(attn_blocks job, const attn_fresh *head,
                       attn_fresh_sample *out)
{
    whole w = {out, head->norms};

    job.partial_size =
        sizeof(part) + (head->norms ? job.per_block * sizeof(double) : 0);
    job.scratch_size =
        (2 * head->d_k + (2 + head->n) * head->n) * sizeof(double);
    *out = (attn_fresh_sample){0};
    return attn_blocks_run(&job, work, merge, &w, head);
}

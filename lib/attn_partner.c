/* Partners by Sattolo's shuffle, sequences by a shuffle that stops early. */
#include "attn_partner.h"
#include <gsl/gsl_errno.h>

/* Uniform on 0 .. n-1, up to n/2^52. */
static size_t below(attn_rng *g, size_t n)
{
    return (size_t)(attn_rng_uniform(g) * (double)n);
}

static void swap(size_t *x, size_t i, size_t j)
{
    const size_t xi = x[i];

    x[i] = x[j];
    x[j] = xi;
}

int attn_partner_draw(attn_rng *g, gsl_permutation *p)
{
    if (p->size < 2)
        GSL_ERROR("a partner takes two types", GSL_EINVAL);
    gsl_permutation_init(p);
    for (size_t i = p->size - 1; i > 0; i--)
        swap(p->data, i, below(g, i)); /* never i itself: one cycle */
    return GSL_SUCCESS;
}

int attn_partner_sequences(attn_rng *g, const gsl_permutation *p, size_t n,
                           size_t count, size_t *tokens, size_t *spare)
{
    const size_t m = p->size;

    if (n < 2 || n > m)
        GSL_ERROR("a sequence holds a query, its partner, and no type twice",
                  GSL_EINVAL);
    for (size_t i = 0; i < count; i++, tokens += n) {
        size_t left = 0;
        tokens[0] = below(g, m);
        tokens[1] = gsl_permutation_get(p, tokens[0]);
        for (size_t t = 0; t < m; t++)
            if (t != tokens[0] && t != tokens[1])
                spare[left++] = t;
        for (size_t j = 2; j < n; j++) {
            swap(spare, j - 2, j - 2 + below(g, left - (j - 2)));
            tokens[j] = spare[j - 2];
        }
    }
    return GSL_SUCCESS;
}

/* Whole numbers from words of 64 bits: floor(word/(max/n)), drawn again where
 * that is n or more (GSL's gsl_rng_uniform_int). */
#include "words.h"
#include "attn_rng.h"
#include <gsl/gsl_errno.h>
#include <string.h>

unsigned long lab_uniform_int(const gsl_rng *r, unsigned long n)
{
    if (n == 0)
        GSL_ERROR_VAL("no number is below 0", GSL_EINVAL, 0);

    const uint64_t scale = UINT64_MAX / n;
    uint64_t k;

    do
        k = attn_rng_next(r->state) / scale;
    while (k >= n);
    return (unsigned long)k;
}

static void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char x = a[i];

        a[i] = b[i];
        b[i] = x;
    }
}

void lab_shuffle(const gsl_rng *r, void *base, size_t n, size_t size)
{
    char *x = base;

    for (size_t i = n - 1; n > 0 && i > 0; i--)
        swap(x + i * size, x + lab_uniform_int(r, i + 1) * size, size);
}

/*
 * What random numbers cost: a word of the generator, an entry of each law, a
 * term of a dot product, in nanoseconds of CPU time on one core. The normals'
 * limit is the word that each of them takes.
 *
 *     make && gcc -std=c11 -O3 -D_POSIX_C_SOURCE=200809L -Ilib \
 *         bench/sampler.c build/release/libattn.a -lgsl -lgslcblas -lm \
 *         -fopenmp -o build/release/bench_sampler
 */
#include "attn_product.h"
#include "attn_sample.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Arrays that stay in the nearest cache; a millisecond a reading, or so. */
enum { COUNT = 2048, REPEATS = 200, READINGS = 25 };

static double x[COUNT], y[COUNT];
static attn_rng g;
static volatile double sink; /* what is stored here is not optimised away */

static void words(int unused)
{
    attn_rng local = g;
    uint64_t all = 0;

    (void)unused;
    for (size_t i = 0; i < COUNT; i++)
        all ^= attn_rng_next(&local);
    g = local;
    sink = (double)all;
}

static void entries(int law)
{
    attn_sample_fill((attn_sample_law)law, &g, x, COUNT);
}

static void dot(int unused)
{
    (void)unused;
    sink = attn_product_dot(x, y, COUNT);
}

static double nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double u = *(const double *)a, v = *(const double *)b;

    return (u > v) - (u < v);
}

static void report(const char *what, void (*work)(int), int which)
{
    double reading[READINGS];

    for (int k = 0; k < READINGS; k++) {
        const double start = nanoseconds();
        for (int i = 0; i < REPEATS; i++)
            work(which);
        reading[k] = (nanoseconds() - start) / ((double)COUNT * REPEATS);
    }
    qsort(reading, READINGS, sizeof *reading, ascending);
    printf("%-12s %6.2f %6.2f\n", what, reading[READINGS / 2], reading[0]);
}

int main(void)
{
    attn_rng_set(&g, 1, attn_rng_experiment("bench", 0), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, y, COUNT);
    printf("%-12s %6s %6s\n", "what", "ns", "least");
    report("word", words, 0);
    for (int law = 0; law < ATTN_SAMPLE_LAWS; law++)
        report(attn_sample_names[law], entries, law);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, x, COUNT);
    report("dot_term", dot, 0);
    return ferror(stdout) || fflush(stdout) != 0;
}

/*
 * The speed of streaming attention, one head: attention N D double|float
 * THREADS. Q, K and V are N x D, standard normal, the same at every run.
 *
 *     make && cc -std=c11 -O2 -Ilib bench/attention.c build/release/libattn.a \
 *         $(pkg-config --cflags --libs gsl) -fopenmp -lm -o attention
 *
 * Prints: seconds of one call, 1e9 operations a second
 * (4 n^2 d in that time), peak resident KiB of the process, and a checksum, the
 * sum of O, whose bits depend on nothing but n, d and the type.
 */
#define _POSIX_C_SOURCE 200809L
#include "attn_cli.h"
#include "attn_layer.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_stream.h"
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static size_t n, d, threads;
static int is_float;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Row i of matrix m of the three. */
static void draw(uint64_t m, size_t i, double *row)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("bench.attention", m), i);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, row, d);
}

static int run_double(double *seconds, double *sum)
{
    const attn_stream how = attn_stream_default(threads);
    gsl_matrix *M[4]; /* Q, K, V, O */

    for (size_t m = 0; m < 4; m++) {
        M[m] = gsl_matrix_alloc(n, d);
        for (size_t i = 0; i < n; i++)
            draw(m, i, gsl_matrix_ptr(M[m], i, 0));
    }
    const double start = now();
    const int status = attn_stream_attend(M[0], M[1], M[2], attn_layer_scale(d),
                                          &attn_mask_none, &how, M[3], NULL);

    *seconds = now() - start;
    for (size_t e = 0; e < n * d; e++)
        *sum += M[3]->data[e];
    for (size_t m = 0; m < 4; m++)
        gsl_matrix_free(M[m]);
    return status;
}

static int run_float(double *seconds, double *sum)
{
    const attn_stream how = attn_stream_default(threads);
    gsl_matrix_float *M[4];
    gsl_vector *row = gsl_vector_alloc(d);

    for (size_t m = 0; m < 4; m++) {
        M[m] = gsl_matrix_float_alloc(n, d);
        for (size_t i = 0; i < n; i++) {
            draw(m, i, row->data);
            for (size_t c = 0; c < d; c++)
                gsl_matrix_float_set(M[m], i, c, (float)row->data[c]);
        }
    }
    const double start = now();
    const int status =
        attn_stream_attend_float(M[0], M[1], M[2], (float)attn_layer_scale(d),
                                 &attn_mask_none, &how, M[3], NULL);

    *seconds = now() - start;
    for (size_t e = 0; e < n * d; e++)
        *sum += (double)M[3]->data[e];
    for (size_t m = 0; m < 4; m++)
        gsl_matrix_float_free(M[m]);
    gsl_vector_free(row);
    return status;
}

int main(int argc, char *argv[])
{
    static const char *const types[] = {"double", "float", NULL};
    attn_cli_option arguments[] = {
        {"N", ATTN_CLI_SIZE, &n, NULL, 1, 1e7, NULL, 0},
        {"D", ATTN_CLI_SIZE, &d, NULL, 1, 1e4, NULL, 0},
        {"type", ATTN_CLI_CHOICE, &is_float, NULL, 0, 0, types, 0},
        {"THREADS", ATTN_CLI_SIZE, &threads, NULL, 1, 1024, NULL, 0}};
    attn_cli_error error = {"attention N D double|float THREADS"};
    int status = argc == 5 ? GSL_SUCCESS : GSL_EINVAL;

    gsl_set_error_handler_off();
    for (int a = 0; !status && a < 4; a++)
        status = attn_cli_read(&arguments[a], argv[a + 1], &error);
    if (status) {
        fprintf(stderr, "attention: %s\n", error.text);
        return 2;
    }

    double seconds = 0, sum = 0;
    struct rusage usage;
    status = (is_float ? run_float : run_double)(&seconds, &sum);
    if (status) {
        fprintf(stderr, "attention: %s\n", gsl_strerror(status));
        return 2;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("seconds %.4f gflops %.1f peak_kib %ld checksum %.17g\n", seconds,
           4 * (double)n * (double)n * (double)d / seconds * 1e-9,
           usage.ru_maxrss, sum);
    return fflush(stdout) ? 2 : 0;
}

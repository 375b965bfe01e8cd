/*
 * The speed of OpenBLAS, the yardstick of bench/attention.c: gemm double|float
 * N multiplies two N x N matrices three times, on OPENBLAS_NUM_THREADS threads
 * (all, if that is not set).
 *
 *     cc -std=c11 -O2 bench/gemm.c $(pkg-config --cflags --libs openblas) \
 *         -o gemm
 *
 * Prints: the kernel that OpenBLAS took, seconds of the shortest, and 1e9
 * operations a second (2 n^3 in that time). Where the kernel is not the
 * processor's best, as with Debian 12's OpenBLAS on processors newer than it,
 * OPENBLAS_CORETYPE names another: SkylakeX, Haswell, Zen.
 */
#define _POSIX_C_SOURCE 200809L
#include <cblas.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The shortest of three products; a negative number: no memory. */
static double seconds_of(int is_float, int n)
{
    const size_t size = is_float ? sizeof(float) : sizeof(double);
    const size_t entries = (size_t)n * (size_t)n;
    void *A = malloc(entries * size), *B = malloc(entries * size);
    void *C = malloc(entries * size);
    double shortest = -1;

    for (int k = 0; A && B && C && k < 3; k++) {
        for (size_t e = 0; e < entries; e++)
            if (is_float)
                ((float *)A)[e] = ((float *)B)[e] = (float)(e % 7);
            else
                ((double *)A)[e] = ((double *)B)[e] = (double)(e % 7);
        const double start = now();
        if (is_float)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1,
                        A, n, B, n, 0, C, n);
        else
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1,
                        A, n, B, n, 0, C, n);
        const double took = now() - start;
        shortest = k == 0 || took < shortest ? took : shortest;
    }
    free(A);
    free(B);
    free(C);
    return shortest;
}

int main(int argc, char *argv[])
{
    const int is_float = argc == 3 && !strcmp(argv[1], "float");
    char *end = NULL;

    errno = 0;
    const long n = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (n < 1 || n > 30000 || errno || *end ||
        (!is_float && strcmp(argv[1], "double"))) {
        fprintf(stderr, "gemm: double|float N, N from 1 to 30000\n");
        return 2;
    }
    const double seconds = seconds_of(is_float, (int)n);
    if (seconds < 0) {
        fprintf(stderr, "gemm: no memory for three %ld x %ld matrices\n", n, n);
        return 2;
    }
    printf("kernel %s seconds %.4f gflops %.1f\n", openblas_get_corename(),
           seconds, 2 * (double)n * (double)n * (double)n / seconds * 1e-9);
    return fflush(stdout) ? 2 : 0;
}

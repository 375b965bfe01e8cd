/*
 * Spread of scores with GSL alone, as one writes it: spread_gsl N THREADS.
 * GSL's ziggurat on a Mersenne twister a thread; nothing is stored.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* Variance of N scores of head size d_k. */
static double spread(size_t N, size_t d_k)
{
    double sum = 0, squares = 0;

#pragma omp parallel reduction(+ : sum, squares)
    {
        gsl_rng *g = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(g, 1000 * d_k + (unsigned)omp_get_thread_num());
#pragma omp for
        for (size_t i = 0; i < N; i++) {
            double s = 0;
            for (size_t j = 0; j < d_k; j++)
                s += gsl_ran_gaussian_ziggurat(g, 1) *
                     gsl_ran_gaussian_ziggurat(g, 1);
            sum += s;
            squares += s * s;
        }
        gsl_rng_free(g);
    }
    /* No cancellation to speak of: the mean is near 0. */
    return (squares - sum * sum / (double)N) / (double)(N - 1);
}

int main(int argc, char *argv[])
{
    const size_t N = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    const int threads = argc == 3 ? atoi(argv[2]) : 0;

    if (N < 2 || threads < 1) {
        fputs("spread_gsl: give N, at least 2, and THREADS\n", stderr);
        return 2;
    }
    omp_set_num_threads(threads);
    const double start = omp_get_wtime();
    for (size_t d_k = 1; d_k <= 1024; d_k *= 2)
        printf("%zu %.9g\n", d_k, spread(N, d_k));
    printf("seconds %.9g\n", omp_get_wtime() - start);
    return 0;
}

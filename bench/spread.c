/*
 * Spread of scores, the sweep of bin/score_spread and nothing else, to see how
 * its cost grows: spread N THREADS D_K ...
 */
#include "attn_pairs.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    if (argc < 4) {
        fputs("spread: give N, THREADS and head sizes\n", stderr);
        return 2;
    }
    const double start = omp_get_wtime();
    for (int i = 3; i < argc; i++) {
        const attn_pairs pairs = {ATTN_SAMPLE_NORMAL,
                                  strtoul(argv[i], NULL, 10), 1, 0};
        const attn_blocks job = {.trials = strtoul(argv[1], NULL, 10),
                                 .per_block = 64,
                                 .seed = 1,
                                 .experiment = (uint64_t)i,
                                 .threads = strtoul(argv[2], NULL, 10)};
        attn_pairs_sample sample;
        if (attn_pairs_measure(job, &pairs, &sample))
            return 2;
        printf("%zu %.9g\n", pairs.d_k, attn_moments_variance(&sample.scores));
    }
    printf("seconds %.9g\n", omp_get_wtime() - start);
    return 0;
}

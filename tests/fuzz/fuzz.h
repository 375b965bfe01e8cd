/*
 * What the fuzzers share. A fuzzer is a function of any bytes that must come
 * back: it aborts when a promise of the library's headers is broken, and the
 * sanitizers do when memory or arithmetic is.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The passing condition: a comparison with NaN fails. */
#define HOLDS(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* The next byte; 0 where there are none left. */
static inline uint8_t fuzz_byte(const uint8_t **data, size_t *size)
{
    if (*size == 0)
        return 0;
    --*size;
    return *(*data)++;
}

/* A number from one or two bytes: mostly small and exact, and everything that
 * is at an edge. */
static inline double fuzz_number(const uint8_t **data, size_t *size)
{
    static const double edges[] = {0,      -0.0,   1,    -1,       0x1p-52,
                                   1e-300, 5e-324, 36.7, -36.7,    700,
                                   -745.2, -800,   1e15, INFINITY, -INFINITY};
    enum { EDGES = sizeof edges / sizeof *edges };
    const uint8_t first = fuzz_byte(data, size);

    if (first < EDGES)
        return edges[first];
    return (256 * (first - 136) + fuzz_byte(data, size)) / 1024.0;
}

#endif

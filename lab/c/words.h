/*
 * Before every source of the project: GSL draws whole numbers from the bits of
 * an unsigned long, of which this machine has half as many as a 64-bit one.
 * The two functions that do so draw here as they do there.
 */
#ifndef LAB_WORDS_H
#define LAB_WORDS_H

#include <gsl/gsl_randist.h>

/* gsl_rng_uniform_int and gsl_ran_shuffle of a generator of attn_rng_gsl. */
unsigned long lab_uniform_int(const gsl_rng *r, unsigned long n);
void lab_shuffle(const gsl_rng *r, void *base, size_t n, size_t size);

#define gsl_rng_uniform_int lab_uniform_int
#define gsl_ran_shuffle lab_shuffle

#endif

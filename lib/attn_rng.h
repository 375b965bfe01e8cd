/*
 * Streams of random numbers, one for each (seed, experiment, block).
 *
 * xoshiro256++ 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47, 2021): period 2^256 - 1, four words of state,
 * which SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) fills from a mix of
 * the three. The numbers of a block depend on those three alone, never on the
 * thread that draws them. Two triples that differ in exactly one component
 * never share a start, for each is mixed in by a bijection; others do with
 * probability 2^-64.
 */
#ifndef ATTN_RNG_H
#define ATTN_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

typedef struct {
    uint64_t s[4]; /* never all zero */
} attn_rng;

/* The next output of SplitMix64, whose whole state is *state. */
uint64_t attn_rng_splitmix64(uint64_t *state);

/*
 * The number of an experiment, from its name ("score_spread.sweep") and, where
 * it repeats itself at several settings, the number of the setting.
 */
uint64_t attn_rng_experiment(const char *name, uint64_t setting);

/* Set g to the start of the stream (seed, experiment, block). */
void attn_rng_set(attn_rng *g, uint64_t seed, uint64_t experiment,
                  uint64_t block);

/*
 * The generator as a GSL type; gsl_rng_set(r, seed) is SplitMix64 of seed.
 * gsl_rng_get gives the top bits of a word, as many as an unsigned long has;
 * gsl_rng_uniform the top 53, times 2^-53: in [0, 1), so 0 can come.
 */
extern const gsl_rng_type *const attn_rng_xoshiro256pp;

/* A gsl_rng that draws from g, for every gsl_ran_*; g must outlive it. */
gsl_rng attn_rng_gsl(attn_rng *g);

/* The next 64 bits. */
static inline uint64_t attn_rng_next(attn_rng *g)
{
    uint64_t *s = g->s;
    const uint64_t sum = s[0] + s[3];
    const uint64_t out = ((sum << 23) | (sum >> 41)) + s[0];
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return out;
}

/* Uniform on the 2^52 midpoints of (0, 1): never 0, never 1. */
static inline double attn_rng_uniform(attn_rng *g)
{
    return ((double)(attn_rng_next(g) >> 12) + 0.5) * 0x1p-52;
}

#endif

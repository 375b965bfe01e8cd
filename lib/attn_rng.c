#include "attn_rng.h"
#include <limits.h>

/* Counter plus a finaliser that is a bijection of the 64-bit words. */
uint64_t attn_rng_splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* One number mixed into another: a bijection of either, the other held. */
static uint64_t absorb(uint64_t hash, uint64_t number)
{
    uint64_t state = hash ^ number;

    return attn_rng_splitmix64(&state);
}

/* At most one of the four words is 0, for they are images of four counters. */
static void fill_state(attn_rng *g, uint64_t counter)
{
    for (int i = 0; i < 4; i++)
        g->s[i] = attn_rng_splitmix64(&counter);
}

uint64_t attn_rng_experiment(const char *name, uint64_t setting)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a: Fowler, Noll, Vo */

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    return absorb(absorb(0, hash), setting);
}

void attn_rng_set(attn_rng *g, uint64_t seed, uint64_t experiment,
                  uint64_t block)
{
    fill_state(g, absorb(absorb(absorb(0, seed), experiment), block));
}

static void set(void *state, unsigned long seed)
{
    fill_state(state, seed);
}

/* The top bits, as many as an unsigned long has. */
static unsigned long get(void *state)
{
    const int spare = 64 - (int)(sizeof(unsigned long) * CHAR_BIT);

    return (unsigned long)(attn_rng_next(state) >> spare);
}

/* Uniform on the 2^53 multiples of 2^-53 in [0, 1), as GSL's contract asks. */
static double get_double(void *state)
{
    return (double)(attn_rng_next(state) >> 11) * 0x1p-53;
}

static const gsl_rng_type xoshiro256pp = {
    .name = "xoshiro256++",
    .max = ULONG_MAX,
    .min = 0,
    .size = sizeof(attn_rng),
    .set = set,
    .get = get,
    .get_double = get_double,
};

const gsl_rng_type *const attn_rng_xoshiro256pp = &xoshiro256pp;

gsl_rng attn_rng_gsl(attn_rng *g)
{
    return (gsl_rng){attn_rng_xoshiro256pp, g};
}

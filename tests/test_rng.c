/* The generator against its published vectors, its starts and GSL. */
#include "attn_rng.h"
#include "near.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <limits.h>
#include <stdlib.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static attn_rng start(uint64_t seed, uint64_t experiment, uint64_t block)
{
    attn_rng g;

    attn_rng_set(&g, seed, experiment, block);
    return g;
}

/* The inverse of an odd factor modulo 2^64, by Newton's iteration. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t y = odd;

    for (int i = 0; i < 6; i++)
        y *= 2 - odd * y;
    return y;
}

/* The state whose next SplitMix64 output is z. */
static uint64_t undo_splitmix64(uint64_t z)
{
    z ^= z >> 31 ^ z >> 62;
    z *= inverse(0x94d049bb133111eb);
    z ^= z >> 27 ^ z >> 54;
    z *= inverse(0xbf58476d1ce4e5b9);
    z ^= z >> 30 ^ z >> 60;
    return z - 0x9e3779b97f4a7c15;
}

/* 100 components that a careless mix would confuse. */
static uint64_t component(size_t i)
{
    if (i < 60)
        return i;
    if (i < 80)
        return UINT64_MAX - (i - 60);
    return (uint64_t)1 << (i - 74);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

Test(rng, splitmix64_gives_the_published_vector)
{
    static const uint64_t want[] = {6457827717110365317, 3203168211198807973,
                                    9817491932198370423u, 4593380528125082431,
                                    16408922859458223821u};
    uint64_t state = 1234567;

    for (size_t i = 0; i < LENGTH(want); i++)
        cr_assert(attn_rng_splitmix64(&state) == want[i], "number %zu", i);
}

Test(rng, xoshiro_gives_the_published_vector)
{
    static const uint64_t want[] = {41943041,
                                    58720359,
                                    3588806011781223,
                                    3591011842654386,
                                    9228616714210784205u,
                                    9973669472204895162u,
                                    14011001112246962877u,
                                    12406186145184390807u,
                                    15849039046786891736u,
                                    10450023813501588000u};
    attn_rng g = {{1, 2, 3, 4}};

    for (size_t i = 0; i < LENGTH(want); i++)
        cr_assert(attn_rng_next(&g) == want[i], "number %zu", i);
}

Test(rng, no_two_triples_of_a_million_share_a_start)
{
    enum { SIDE = 100, COUNT = SIDE * SIDE * SIDE };
    uint64_t *word = malloc(COUNT * sizeof *word);
    size_t n = 0;

    cr_assert_not_null(word);
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            for (size_t k = 0; k < SIDE; k++)
                word[n++] =
                    start(component(i), component(j), component(k)).s[0];
    cr_assert_eq(n, COUNT);
    qsort(word, n, sizeof *word, by_value);
    for (size_t i = 1; i < n; i++)
        cr_assert(word[i - 1] != word[i], "%llx comes twice",
                  (unsigned long long)word[i]);
    free(word);
}

/* Over the first 16 words of 100,001 streams: how often a bit differs from that
 * of the block before, and which low byte, the ziggurat's layer, comes. */
Test(rng, neighbouring_blocks_differ_in_every_bit_half_the_time)
{
    enum { BLOCKS = 100000, WORDS = 16, BYTES = 256 };
    const double n = (double)BLOCKS * WORDS;
    static double differ[64], byte[BYTES];
    uint64_t before[WORDS] = {0};
    double bits = 0, bytes = 0;

    for (uint64_t block = 0; block <= BLOCKS; block++) {
        attn_rng g = start(1, 2, block);
        for (size_t i = 0; i < WORDS; i++) {
            const uint64_t word = attn_rng_next(&g), change = word ^ before[i];
            before[i] = word;
            if (block == 0)
                continue;
            byte[word % BYTES]++;
            for (int b = 0; b < 64; b++)
                differ[b] += (double)(change >> b & 1);
        }
    }
    for (int b = 0; b < 64; b++)
        bits += pow(differ[b] - n / 2, 2) / (n / 4);
    for (int b = 0; b < BYTES; b++)
        bytes += pow(byte[b] - n / BYTES, 2) / (n / BYTES);
    const double p = gsl_cdf_chisq_Q(bits, 64);
    const double q = gsl_cdf_chisq_Q(bytes, BYTES - 1);
    cr_assert(p > 1e-4 && p < 1 - 1e-4, "bits: p = %g", p);
    cr_assert(q > 1e-4 && q < 1 - 1e-4, "low bytes: p = %g", q);
}

/* So the map from block, the others held, is one to one; and so for them. */
Test(rng, each_component_can_be_read_back_from_the_start)
{
    attn_rng random = start(1, 2, 3);
    int read = 0;

    for (size_t i = 0; i < 1000; i++) {
        const uint64_t seed = attn_rng_next(&random);
        const uint64_t experiment = component(i % 100);
        const uint64_t block = attn_rng_next(&random);
        const attn_rng g = start(seed, experiment, block);
        uint64_t state = seed, hash = attn_rng_splitmix64(&state);

        state = hash ^ experiment;
        hash = attn_rng_splitmix64(&state);
        state = undo_splitmix64(undo_splitmix64(g.s[0]));
        cr_assert((state ^ hash) == block);
        state = undo_splitmix64(state ^ block) ^ experiment;
        cr_assert(undo_splitmix64(state) == seed);
        read++;
    }
    cr_assert_eq(read, 1000);
}

Test(rng, a_start_never_is_all_zero)
{
    /* The one counter whose first word is 0, and the three before it. */
    uint64_t counter = undo_splitmix64(0);
    int zeros = 0;

    if (ULONG_MAX < UINT64_MAX)
        cr_skip_test("unsigned long has 32 bits here");

    gsl_rng *r = gsl_rng_alloc(attn_rng_xoshiro256pp);
    for (int i = 0; i < 4; i++) {
        gsl_rng_set(r, (unsigned long)counter);
        const uint64_t *s = ((attn_rng *)r->state)->s;
        cr_assert(s[0] | s[1] | s[2] | s[3]);
        zeros += s[i] == 0;
        counter -= 0x9e3779b97f4a7c15;
    }
    cr_assert_eq(zeros, 4);
    gsl_rng_free(r);
}

Test(rng, experiments_are_told_apart_by_name_and_setting)
{
    static const char *const names[] = {
        "",        "a",  "b",  "score_spread.sweep", "spread.scaled",
        "b.scale", "ab", "ba", "score_spread.demo",  "spread.routine",
        "jacobian"};
    uint64_t number[LENGTH(names) * 1000];
    size_t n = 0;

    for (size_t i = 0; i < LENGTH(names); i++)
        for (uint64_t setting = 0; setting < 1000; setting++)
            number[n++] = attn_rng_experiment(names[i], setting);
    cr_assert_eq(n, LENGTH(number));
    qsort(number, n, sizeof *number, by_value);
    for (size_t i = 1; i < n; i++)
        cr_assert(number[i - 1] != number[i]);
}

/* next() is rotl(s[0] + s[3], 23) + s[0]. */
Test(rng, uniform_is_never_0_or_1)
{
    attn_rng lowest = {{0, 1, 1, 0}}, highest = {{0, 1, 1, UINT64_MAX}};
    attn_rng copy = lowest;

    cr_assert(attn_rng_next(&copy) == 0);
    copy = highest;
    cr_assert(attn_rng_next(&copy) == UINT64_MAX);
    cr_near(attn_rng_uniform(&lowest), 0x1p-53, 0, 0);
    cr_near(attn_rng_uniform(&highest), 1 - 0x1p-53, 0, 0);
}

Test(rng, gsl_draws_the_same_words)
{
    attn_rng g = start(1, 2, 3), copy = g;
    gsl_rng r = attn_rng_gsl(&g);

    cr_assert_eq(gsl_rng_min(&r), 0);
    cr_assert_eq(gsl_rng_max(&r), ULONG_MAX);
    cr_assert_str_eq(gsl_rng_name(&r), "xoshiro256++");
    for (int i = 0; i < 100; i++) {
        const int spare = ULONG_MAX < UINT64_MAX ? 32 : 0;
        cr_assert(gsl_rng_get(&r) == attn_rng_next(&copy) >> spare);
        cr_near(gsl_rng_uniform(&r),
                (double)(attn_rng_next(&copy) >> 11) * 0x1p-53, 0, 0);
    }
}

Test(rng, gsl_uniform_is_below_1)
{
    attn_rng highest = {{0, 1, 1, UINT64_MAX}};
    gsl_rng r = attn_rng_gsl(&highest);

    cr_near(gsl_rng_uniform(&r), 1 - 0x1p-53, 0, 0);
}

Test(rng, gsl_set_fills_the_state_with_splitmix64_of_the_seed)
{
    gsl_rng *r = gsl_rng_alloc(attn_rng_xoshiro256pp);
    uint64_t state = 1234567;

    gsl_rng_set(r, 1234567);
    for (int i = 0; i < 4; i++)
        cr_assert(((attn_rng *)r->state)->s[i] == attn_rng_splitmix64(&state));
    gsl_rng_free(r);
}

Test(rng, a_gsl_clone_draws_the_same_numbers)
{
    gsl_rng *r = gsl_rng_alloc(attn_rng_xoshiro256pp);
    gsl_rng *clone = gsl_rng_clone(r);

    for (int i = 0; i < 100; i++)
        cr_assert_eq(gsl_rng_get(r), gsl_rng_get(clone));
    gsl_rng_free(clone);
    gsl_rng_free(r);
}

/* Standard errors: sqrt((E x^4 - 1)/n) of a mean square, n = 200,000. */
Test(rng, gsl_distributions_have_their_moments)
{
    enum { COUNT = 200000 };
    attn_rng g = start(1, 2, 3);
    gsl_rng r = attn_rng_gsl(&g);
    double normal = 0, exponential = 0, six = 0;

    for (int i = 0; i < COUNT; i++) {
        const double z = gsl_ran_gaussian_ziggurat(&r, 1);
        normal += z * z / COUNT;
        exponential += gsl_ran_exponential(&r, 1) / COUNT;
        six += (double)gsl_rng_uniform_int(&r, 6) / COUNT;
    }
    cr_near(normal, 1, 0, 5 * sqrt(2.0 / COUNT));
    cr_near(exponential, 1, 0, 5 * sqrt(1.0 / COUNT));
    cr_near(six, 2.5, 0, 5 * sqrt(35.0 / 12 / COUNT));
}

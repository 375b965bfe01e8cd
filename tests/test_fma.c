/*
 * attn_fma.h without the processor's help: the bits of fma() and fmaf(), in ten
 * million random cases of every kind and in all triples of a list.
 */
#include "attn_exp.h"
#include "attn_fma.h"
#include "attn_rng.h"
#include "attn_tile.h"
#include "near.h"
#include <float.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

enum { RANDOM = 10000000 };

/* What double and float differ in. */
typedef struct {
    int digits;      /* of a significand, in bits */
    int least, most; /* exponents: 2^least is the smallest normal number */
    int is_float;
    size_t compared;
} format;

static const format in_double = {53, -1022, 1023, 0, 0};
static const format in_float = {24, -126, 127, 1, 0};

static attn_rng stream(uint64_t setting)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.fma", setting), 0);
    return g;
}

/* from, from + 1, ..., to */
static int integer(attn_rng *g, int from, int to)
{
    return from + (int)(attn_rng_next(g) % (uint64_t)(to - from + 1));
}

/* +-1.m 2^exponent, rounded to the format where that is below its normals. */
static double number(attn_rng *g, const format *f, int from, int to)
{
    const uint64_t m = attn_rng_next(g), one = (uint64_t)1 << (f->digits - 1);
    const double x =
        ldexp((double)(one + m % one), integer(g, from, to) - f->digits + 1);

    return (double)(m >> 63 ? -1 : 1) * (f->is_float ? (float)x : x);
}

/* x and as many times its last bit; x is not 0. */
static double moved(const format *f, double x, int steps)
{
    return x + steps * ldexp(x > 0 ? 1 : -1, ilogb(x) - f->digits + 1);
}

static int is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static void check(format *f, double a, double b, double c)
{
    double got, want;

    if (f->is_float) {
        got = attn_fma_float(ATTN_FMA_SOFT, (float)a, (float)b, (float)c);
        want = fmaf((float)a, (float)b, (float)c);
    } else {
        got = attn_fma(ATTN_FMA_SOFT, a, b, c);
        want = fma(a, b, c);
    }
    f->compared++;
    if (!is_same(got, want))
        cr_assert_fail("%a * %a + %a = %a, not %a", a, b, c, want, got);
}

/* ---- kinds of cases ---- */

typedef void kind(attn_rng *g, format *f);

static void any_scale(attn_rng *g, format *f)
{
    const int e = f->most / 3;

    check(f, number(g, f, -e, e), number(g, f, -e, e),
          number(g, f, -2 * e, 2 * e));
}

/* c has bits in common with a b, or nearly. */
static void overlapping(attn_rng *g, format *f)
{
    const int e = integer(g, -20, 20), d = integer(g, -20, 20);
    const int far = 2 * f->digits + 3;

    check(f, number(g, f, d, d), number(g, f, e, e),
          number(g, f, d + e - far, d + e + far));
}

/* c = -a b rounded, and some last bits more or less. */
static void cancelling(attn_rng *g, format *f)
{
    const double a = number(g, f, -20, 20), b = number(g, f, -20, 20);
    const double product = f->is_float ? (float)(a * b) : a * b;

    check(f, a, b, -moved(f, product, integer(g, -3, 3)));
}

/* a b is half a last bit of c, or a quarter or a whole, or differs from it in
 * the last bits of a and b; so many last bits of c are 0 or 1. */
static void tied(attn_rng *g, format *f)
{
    const double sign = integer(g, 0, 1) ? -1 : 1;
    const double near_one = moved(f, 1, integer(g, -2, 2));
    const double half = ldexp(sign, -f->digits + integer(g, -2, 2));
    const double c = integer(g, 0, 3) ? number(g, f, 0, 0) : 1;

    check(f, near_one, half * moved(f, 1, integer(g, -2, 2)),
          integer(g, 0, 1) ? c : moved(f, 1, integer(g, -4, 4)));
}

/* Significands of few bits: ties, exact results and zeros. */
static void short_numbers(attn_rng *g, format *f)
{
    const double a = integer(g, -99, 99), b = integer(g, -99, 99);
    const double c = integer(g, -9999, 9999);

    check(f, ldexp(a, integer(g, -f->digits, 0)), b,
          ldexp(c, integer(g, -f->digits, 0)));
}

/* Subnormal numbers, products and results, and the range that fma() is asked
 * for. */
static void tiny(attn_rng *g, format *f)
{
    const int e = integer(g, f->least / 2 - 60, f->least / 2 + 60);
    const int d = f->least - e + integer(g, -2 * f->digits, 2 * f->digits);
    const int far = 2 * f->digits + 3;
    const double a = number(g, f, e, e), b = number(g, f, d, d);

    check(f, a, b, number(g, f, f->least - f->digits, f->least + far));
    check(f, a, b, number(g, f, d + e - far, d + e + far));
    check(f, number(g, f, f->least - f->digits, f->least), b,
          number(g, f, f->least - f->digits, f->least + far));
}

/* Numbers, products and results next to the largest. */
static void huge(attn_rng *g, format *f)
{
    const int e = integer(g, f->most / 2 - 60, f->most);
    const int far = f->digits + 3;

    check(f, number(g, f, e, e), number(g, f, f->most - far - e, f->most - e),
          number(g, f, f->most - far, f->most));
}

/* Any bits at all. */
static void any_bits(attn_rng *g, format *f)
{
    double x[3];

    for (size_t i = 0; i < 3; i++) {
        const uint64_t u = attn_rng_next(g);
        const uint32_t v = (uint32_t)u;
        float y;
        memcpy(&y, &v, sizeof y);
        memcpy(&x[i], &u, sizeof x[i]);
        x[i] = f->is_float ? y : x[i];
    }
    check(f, x[0], x[1], x[2]);
}

static void check_kind(kind *draw, uint64_t setting)
{
    format d = in_double, s = in_float;
    attn_rng g = stream(setting);

    for (size_t i = 0; i < RANDOM; i++) {
        draw(&g, &d);
        draw(&g, &s);
    }
    cr_assert_geq(d.compared, RANDOM);
    cr_assert_geq(s.compared, RANDOM);
}

Test(fma, has_its_bits_at_any_scale)
{
    check_kind(any_scale, 1);
}

Test(fma, has_its_bits_where_product_and_sum_overlap)
{
    check_kind(overlapping, 2);
}

Test(fma, has_its_bits_where_they_cancel)
{
    check_kind(cancelling, 3);
}

Test(fma, has_its_bits_at_ties)
{
    check_kind(tied, 4);
    check_kind(short_numbers, 5);
}

Test(fma, has_its_bits_below_the_normal_numbers)
{
    check_kind(tiny, 6);
}

Test(fma, has_its_bits_at_the_edge_of_overflow)
{
    check_kind(huge, 7);
}

Test(fma, has_its_bits_for_any_bits)
{
    check_kind(any_bits, 8);
}

/* The list: zeros, infinities, NaN, and numbers around every power of two at
 * which something happens. */
static size_t list(const format *f, double *x)
{
    const int p = f->digits;
    const int powers[] = {f->least - p + 1,
                          f->least,
                          f->least / 2,
                          -968,
                          -900,
                          -2 * p,
                          -p,
                          -p / 2,
                          -1,
                          0,
                          p / 2,
                          p,
                          f->most / 2,
                          995,
                          1000,
                          f->most};
    const double rest[] = {0, 3, NAN, INFINITY,
                           f->is_float ? (double)FLT_MAX : DBL_MAX};
    size_t n = 0;

    for (size_t i = 0; i < LENGTH(powers); i++) {
        if (powers[i] < f->least - p + 1 || powers[i] > f->most)
            continue;
        const double y = ldexp(1, powers[i]);
        x[n++] = y;
        if (powers[i] > f->least) {
            x[n++] = moved(f, y, 1);
            x[n++] = y - (moved(f, y, 1) - y) / 2;
        }
    }
    for (size_t i = 0; i < LENGTH(rest); i++)
        x[n++] = rest[i];
    for (size_t i = 0; i < n; i++)
        x[n + i] = -x[i];
    return 2 * n;
}

static void check_list(format f)
{
    double x[200];
    const size_t n = list(&f, x);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                check(&f, x[i], x[j], x[k]);
    cr_assert_gt(f.compared, 200000);
}

Test(fma, has_its_bits_for_all_triples_of_a_list)
{
    check_list(in_double);
    check_list(in_float);
}

/* ---- what is made of it ---- */

Test(fma, exp_weight_has_the_same_bits_without_it)
{
    attn_rng g = stream(9);
    size_t ran = 0;

    for (int i = 0; i < 1000000; i++, ran++) {
        const double size = attn_rng_uniform(&g), sign = i % 9 ? -1 : 1;
        const double x =
            sign * ldexp(size, integer(&g, -1074, sign < 0 ? 1024 : 9));
        const float y = (float)x;
        cr_assert(is_same(attn_exp_weight(ATTN_FMA_SOFT, x),
                          attn_exp_weight(ATTN_FMA_16, x)),
                  "at %a", x);
        cr_assert(is_same((double)attn_exp_weight_float(ATTN_FMA_SOFT, y),
                          (double)attn_exp_weight_float(ATTN_FMA_16, y)),
                  "at %a", x);
    }
    cr_assert_eq(ran, 1000000);
}

enum { TERMS = 9, ROWS = 6 };

/* Lanes, numbers, what to keep and a sum, of exponents within +-far. */
typedef struct {
    double x[TERMS * LANES], y[ROWS * TERMS], keep[LANES], sum[ROWS * LANES];
} tile;

static tile tile_of(attn_rng *g, int far)
{
    tile t;
    double *x = t.x;

    for (size_t i = 0; i < sizeof t / sizeof *x; i++)
        x[i] = integer(g, 0, 9) ? number(g, &in_double, -far, far) : 0;
    return t;
}

static void check_tile(const tile *t, const double *keep)
{
    tile a = *t, b = *t;

    tile_multiply(ATTN_FMA_SOFT, t->x, t->y, TERMS, 1, TERMS, keep, a.sum,
                  ROWS);
    tile_multiply(ATTN_FMA_32, t->x, t->y, TERMS, 1, TERMS, keep, b.sum, ROWS);
    for (size_t i = 0; i < ROWS * LANES; i++)
        cr_assert(is_same(a.sum[i], b.sum[i]), "%a, not %a", a.sum[i],
                  b.sum[i]);
}

Test(fma, a_tile_has_the_same_bits_without_it)
{
    const int far[] = {0, 30, 400, 900};
    const double odd[] = {INFINITY, -INFINITY,    NAN,
                          DBL_MAX,  DBL_TRUE_MIN, -0.0};
    attn_rng g = stream(10);
    size_t safe = 0, unsafe = 0;

    for (size_t i = 0; i < 3000; i++) {
        tile t = tile_of(&g, far[i % 4]);
        double *at = i % 5 ? &t.x[i % (TERMS * LANES)] : &t.y[i % TERMS];
        if (i % 7 == 0)
            *at = odd[i % LENGTH(odd)];
        if (tile_is_safe(ATTN_FMA_SOFT, t.x, t.y, TERMS, 1, TERMS, ROWS))
            safe++;
        else
            unsafe++;
        check_tile(&t, NULL);
        check_tile(&t, t.keep);
    }
    cr_assert_gt(safe, 1000);
    cr_assert_gt(unsafe, 1000);
}

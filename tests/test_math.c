/*
 * attn_math against MPFR at more than a million points a function: at most
 * 1 ulp, the distance of the doubles where the true value lies.
 */
#include "attn_exp.h"
#include "attn_math.h"
#include "attn_rng.h"
#include "near.h"
#include <float.h>
#include <gsl/gsl_math.h>
#include <mpfr.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

enum { RANDOM = 200000 }; /* points in each range */

/* A function beside MPFR's, and how far they have been apart. */
typedef struct {
    double (*own)(double);
    int (*mpfr)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    mpfr_t x, y;
    size_t points;
    double worst, worst_at; /* error in ulp, and where */
} comparison;

static comparison compare(double (*own)(double),
                          int (*mpfr)(mpfr_t, const mpfr_t, mpfr_rnd_t))
{
    comparison c = {.own = own, .mpfr = mpfr};

    mpfr_init2(c.x, 53);
    mpfr_init2(c.y, 80);
    return c;
}

static void at(comparison *c, double x)
{
    const double got = c->own(x);

    mpfr_set_d(c->x, x, MPFR_RNDN);
    c->mpfr(c->y, c->x, MPFR_RNDN);

    const double want = mpfr_get_d(c->y, MPFR_RNDN);
    double error = 0;
    if (got != want && mpfr_regular_p(c->y)) {
        const long exponent = mpfr_get_exp(c->y) - 53;

        /* ulp 2^exponent, no finer than a subnormal's; in two exact steps */
        mpfr_sub_d(c->y, c->y, got, MPFR_RNDN);
        mpfr_mul_2si(c->y, c->y, exponent > -1074 ? -exponent : 1074,
                     MPFR_RNDN);
        error = fabs(mpfr_get_d(c->y, MPFR_RNDN));
    } else if (got != want) {
        error = INFINITY;
    }
    c->points++;
    if (!(error <= c->worst)) {
        c->worst = error;
        c->worst_at = x;
    }
}

static void finish(comparison *c, const char *name)
{
    mpfr_clears(c->x, c->y, NULL);
    mpfr_free_cache();
    cr_log_info("%s: %.3f ulp at %a, the worst of %zu points", name, c->worst,
                c->worst_at, c->points);
    cr_assert_geq(c->points, 1000000);
    cr_assert(c->worst <= 1, "%s(%a) is off by %.3f ulp", name, c->worst_at,
              c->worst);
}

static attn_rng stream(const char *name)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment(name, 0), 0);
    return g;
}

static double between(attn_rng *g, double low, double high)
{
    return low + attn_rng_uniform(g) * (high - low);
}

static double from_bits(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

/* A double whose bits are uniform between those of 0 <= low < high: every
 * power of two alike, subnormals too. */
static double any_scale(attn_rng *g, double low, double high)
{
    const uint64_t from = bits_of(low), to = bits_of(high);

    return from_bits(from + attn_rng_next(g) % (to - from + 1));
}

/* x and the three doubles on either side. */
static void around(comparison *c, double x)
{
    double below = x, above = x;

    at(c, x);
    for (int i = 0; i < 3; i++) {
        at(c, below = nextafter(below, -INFINITY));
        at(c, above = nextafter(above, INFINITY));
    }
}

Test(math, exp_is_within_1_ulp)
{
    comparison c = compare(attn_exp, mpfr_exp);
    attn_rng g = stream("exp");

    for (int i = 0; i < RANDOM; i++) {
        at(&c, between(&g, -746, 710));
        at(&c, between(&g, -1, 1));
        at(&c, between(&g, -745.2, -707)); /* subnormal results */
        at(&c, any_scale(&g, 0, 709.7));
        at(&c, -any_scale(&g, 0, 745.2));
    }
    /* where the reduction changes its mind */
    for (int k = -2151; k <= 2049; k++)
        around(&c, k * (M_LN2 / 2));
    finish(&c, "exp");
}

static double weight(double x)
{
    return attn_exp_weight(ATTN_FMA_BASELINE, x);
}

Test(math, exp_weight_is_within_1_ulp)
{
    comparison c = compare(weight, mpfr_exp);
    attn_rng g = stream("exp_weight");

    for (int i = 0; i < RANDOM; i++) {
        at(&c, between(&g, -708, 0));
        at(&c, between(&g, -40, 0));
        at(&c, between(&g, -1, 0));
        at(&c, between(&g, -0.4, 0));
        at(&c, -any_scale(&g, 0, 708));
    }
    for (int k = -2042; k <= 0; k++)
        around(&c, k * (M_LN2 / 2));
    finish(&c, "exp_weight");
    cr_assert_eq(weight(0), 1);
    cr_assert_eq(weight(nextafter(-708, -INFINITY)), 0);
    cr_assert_eq(weight(-DBL_MAX), 0);
    cr_assert_eq(weight(-INFINITY), 0);
    cr_assert(isnan(weight(NAN)));
}

static float weight_float(float x)
{
    return attn_exp_weight_float(ATTN_FMA_BASELINE, x);
}

/* Its error in ulp; attn_exp stands for the true value. */
static double weight_float_error(float x)
{
    const double want = attn_exp((double)x);
    int exponent;

    frexp(want, &exponent);
    return fabs((double)weight_float(x) - want) * ldexp(1, 24 - exponent);
}

Test(math, exp_weight_float_is_within_1_ulp)
{
    attn_rng g = stream("exp_weight_float");
    double worst = 0;
    size_t ran = 0;

    for (int i = 0; i <= 87 << 14; i++, ran++) /* a grid, exact in float */
        worst = attn_max(worst, weight_float_error(-(float)i * 0x1p-14f));
    for (int i = 0; i < RANDOM; i++, ran += 2) {
        const float tiny = (float)any_scale(&g, 0x1p-149, 87);
        worst = attn_max(worst, weight_float_error(-tiny));
        worst = attn_max(worst, weight_float_error((float)between(&g, -1, 0)));
    }
    cr_log_info("exp_weight_float: %.3f ulp, the worst of %zu", worst, ran);
    cr_assert_geq(ran, 1000000);
    cr_assert(worst <= 1, "%.3f ulp", worst);
    cr_assert_eq(weight_float(0), 1);
    cr_assert_eq(weight_float(nextafterf(-87, -INFINITY)), 0);
    cr_assert_eq(weight_float(-FLT_MAX), 0);
    cr_assert_eq(weight_float(-(float)INFINITY), 0);
    cr_assert(isnan(weight_float((float)NAN)));
}

Test(math, log_is_within_1_ulp)
{
    comparison c = compare(attn_log, mpfr_log);
    attn_rng g = stream("log");

    for (int i = 0; i < RANDOM; i++) {
        at(&c, any_scale(&g, 0x1p-1074, DBL_MAX));
        at(&c, any_scale(&g, 0x1p-1074, 0x1p-1022));
        at(&c, between(&g, 0.25, 4));
        at(&c, 1 + any_scale(&g, 0x1p-52, 0.5));
        at(&c, 1 - any_scale(&g, 0x1p-53, 0.5));
    }
    for (int k = -1072; k < 1024; k++) {
        around(&c, ldexp(1, k));
        around(&c, ldexp(M_SQRT2, k));
    }
    finish(&c, "log");
}

Test(math, log1p_is_within_1_ulp)
{
    comparison c = compare(attn_log1p, mpfr_log1p);
    attn_rng g = stream("log1p");

    for (int i = 0; i < RANDOM; i++) {
        at(&c, any_scale(&g, 0, DBL_MAX));
        at(&c, any_scale(&g, 0, 1));
        at(&c, -any_scale(&g, 0, 1 - 0x1p-53));
        at(&c, any_scale(&g, 0x1p-53, 0.5) - 1);
        at(&c, between(&g, -0.9, 4));
    }
    around(&c, -0.29);
    around(&c, 0.41);
    for (int k = -60; k < 1023; k++)
        around(&c, ldexp(1, k));
    finish(&c, "log1p");
}

/* The doubles nearest to odd and even multiples of pi/2. */
static void near_multiples(comparison *c, attn_rng *g)
{
    /* the nearest of all up to 2^27, by continued fractions */
    static const double nearest[] = {0x1.6c6cbc45dc8dep5,  0x1.6c6cbc45dc8dep6,
                                     0x1.b951f1572eba5p23, 0x1.6c6cbc45dc8dep7,
                                     0x1.b951f1572eba5p24, 0x1.b951f1572eba5p25,
                                     0x1.b951f1572eba5p26, 0x1.39c6fd67805a7p18,
                                     0x1.9eb7148f354d6p20, 0x1.921fb54442d18p0};
    mpfr_t half_pi, x;

    mpfr_inits2(120, half_pi, x, NULL);
    mpfr_const_pi(half_pi, MPFR_RNDN);
    mpfr_div_ui(half_pi, half_pi, 2, MPFR_RNDN);
    for (unsigned long k = 1; k <= 40000; k++) {
        const unsigned long random = attn_rng_next(g) % 85000000;

        mpfr_mul_ui(x, half_pi, k <= 2000 ? k : random, MPFR_RNDN);
        around(c, mpfr_get_d(x, MPFR_RNDN));
    }
    for (size_t i = 0; i < LENGTH(nearest); i++) {
        around(c, nearest[i]);
        around(c, -nearest[i]);
    }
    mpfr_clears(half_pi, x, NULL);
}

static void compare_circular(comparison *c, const char *name)
{
    attn_rng g = stream(name);

    for (int i = 0; i < RANDOM; i++) {
        at(c, between(&g, -0x1p27, 0x1p27));
        at(c, between(&g, -7, 7));
        at(c, any_scale(&g, 0, 0x1p27));
        at(c, -any_scale(&g, 0x1p-30, 0x1p27));
    }
    for (int k = -1000; k <= 1000; k++)
        around(c, k * M_PI_4);
    at(c, 0x1p27);
    at(c, -0x1p27);
    near_multiples(c, &g);
    finish(c, name);
}

Test(math, sin_is_within_1_ulp)
{
    comparison c = compare(attn_sin, mpfr_sin);

    compare_circular(&c, "sin");
}

Test(math, cos_is_within_1_ulp)
{
    comparison c = compare(attn_cos, mpfr_cos);

    compare_circular(&c, "cos");
}

Test(math, exp_has_its_edges)
{
    cr_near(attn_exp(0), 1, 0, 0);
    cr_near(attn_exp(-0.0), 1, 0, 0);
    cr_near(attn_exp(INFINITY), INFINITY, 0, 0);
    cr_near(attn_exp(709.79), INFINITY, 0, 0);
    cr_near(attn_exp(DBL_MAX), INFINITY, 0, 0);
    cr_near(attn_exp(-INFINITY), 0, 0, 0);
    cr_near(attn_exp(-745.14), 0, 0, 0);
    cr_near(attn_exp(-745.13), 0x1p-1074, 0, 0);
    cr_near(attn_exp(-DBL_MAX), 0, 0, 0);
}

Test(math, log_has_its_edges)
{
    cr_near(attn_log(1), 0, 0, 0);
    cr_near(attn_log(0), -INFINITY, 0, 0);
    cr_near(attn_log(-0.0), -INFINITY, 0, 0);
    cr_near(attn_log(INFINITY), INFINITY, 0, 0);
    cr_assert(isnan(attn_log(-0x1p-1074)));
    cr_assert(isnan(attn_log(-INFINITY)));
}

Test(math, log1p_has_its_edges)
{
    cr_near(attn_log1p(0x1p-1074), 0x1p-1074, 0, 0);
    cr_near(attn_log1p(-1), -INFINITY, 0, 0);
    cr_near(attn_log1p(INFINITY), INFINITY, 0, 0);
    cr_assert(isnan(attn_log1p(-1 - 0x1p-52)));
    cr_assert(isnan(attn_log1p(-INFINITY)));
    cr_assert(signbit(attn_log1p(-0.0)) && !signbit(attn_log1p(0.0)));
}

Test(math, sin_and_cos_have_their_edges)
{
    const double outside[] = {nextafter(0x1p27, INFINITY), 0x1p60, INFINITY};

    cr_near(attn_cos(0), 1, 0, 0);
    cr_near(attn_cos(-0.0), 1, 0, 0);
    cr_near(attn_sin(0x1p-1074), 0x1p-1074, 0, 0);
    cr_assert(signbit(attn_sin(-0.0)) && !signbit(attn_sin(0.0)));
    for (size_t i = 0; i < LENGTH(outside); i++) {
        cr_assert(isnan(attn_sin(outside[i])) && isnan(attn_sin(-outside[i])));
        cr_assert(isnan(attn_cos(outside[i])) && isnan(attn_cos(-outside[i])));
    }
}

/* One bit pattern: a NaN too is the same in every build. */
Test(math, nan_gives_the_one_quiet_nan)
{
    double (*const own[])(double) = {attn_exp, attn_log, attn_log1p, attn_sin,
                                     attn_cos};
    const uint64_t nans[] = {0x7ff8000000000000, 0xfff8000000000000,
                             0x7ff8000000000123};

    for (size_t i = 0; i < LENGTH(own); i++)
        for (size_t j = 0; j < LENGTH(nans); j++)
            cr_assert(bits_of(own[i](from_bits(nans[j]))) ==
                      0x7ff8000000000000);
}

Test(math, sine_is_odd_and_cosine_even)
{
    attn_rng g = stream("parity");
    int compared = 0;

    for (int i = 0; i < 10000; i++, compared++) {
        const double x = any_scale(&g, 0, 0x1p27);

        cr_assert(bits_of(attn_sin(-x)) == bits_of(-attn_sin(x)));
        cr_assert(bits_of(attn_cos(-x)) == bits_of(attn_cos(x)));
    }
    cr_assert_eq(compared, 10000);
}

Test(math, the_larger_and_the_smaller_keep_a_nan)
{
    cr_assert_eq(attn_max(1, 2), 2);
    cr_assert_eq(attn_max(2, 1), 2);
    cr_assert_eq(attn_min(1, 2), 1);
    cr_assert_eq(attn_min(2, 1), 1);
    cr_assert(isnan(attn_max(NAN, 1)) && isnan(attn_max(1, NAN)));
    cr_assert(isnan(attn_min(NAN, 1)) && isnan(attn_min(1, NAN)));
}

/* Every kind of number: random bits, numbers between 0 and `far`, the edges. */
static void check_many(void (*all)(const double *, size_t, double *),
                       double (*one)(double), double far)
{
    static const double edges[] = {0,        -0.0,      1,    710,    709.79,
                                   -745.13,  -745.14,   -746, 1e300,  -1e300,
                                   INFINITY, -INFINITY, NAN,  5e-324, -708.5,
                                   709.0,    -0x1p-60,  36.7, M_SQRT2};
    enum { MANY = 1003 };
    double x[MANY], y[MANY];
    attn_rng g;
    size_t ran = 0;

    attn_rng_set(&g, 1, attn_rng_experiment("test.math.many", 0), 0);
    for (int round = 0; round < 100; round++) {
        for (size_t j = 0; j < MANY; j++) {
            const uint64_t u = attn_rng_next(&g);
            memcpy(&x[j], &u, sizeof u);
            if (round % 2)
                x[j] = far * attn_rng_uniform(&g);
        }
        memcpy(x + round, edges, sizeof edges);
        all(x, MANY, y);
        for (size_t j = 0; j < MANY; j++, ran++) {
            const double want = one(x[j]);
            cr_assert(memcmp(&y[j], &want, sizeof want) == 0, "at %a", x[j]);
        }
        all(x, MANY, x);
        cr_assert(memcmp(x, y, sizeof x) == 0);
        all(x, 0, y); /* none is none */
    }
    cr_assert_eq(ran, 100 * MANY);
}

Test(math, exp_of_many_has_the_bits_of_exp_of_one)
{
    check_many(attn_exp_all, attn_exp, -800); /* the range of a softmax */
}

Test(math, log_of_many_has_the_bits_of_log_of_one)
{
    check_many(attn_log_all, attn_log, 2);
}

#include "attn_sample.h"
#include "attn_clones.h"
#include "attn_math.h"
#include "attn_ziggurat.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

#define SQRT3 0x1.bb67ae8584caap0
#define INVERSE_SQRT2 0x1.6a09e667f3bcdp-1

/* Logarithms taken at a time. */
enum { CHUNK = 256 };

const char *const attn_sample_names[] = {"normal",  "uniform",  "rademacher",
                                         "laplace", "student8", NULL};

/* x, or -x where the lowest bit of sign is set. */
static inline double with_sign(double x, uint64_t sign)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    u ^= sign << 63;
    memcpy(&x, &u, sizeof x);
    return x;
}

/*
 * One word serves one try of the ziggurat, each bit once (Doornik 2005): the
 * layer from bits 0 to 7, the sign from bit 8, the magnitude from the other 53.
 */
static inline size_t layer(uint64_t word)
{
    return word & 255;
}

/* Uniform between 0 and the right edge of the word's layer, with its sign. */
static inline double point(uint64_t word)
{
    return (double)(int64_t)(word >> 11) * attn_ziggurat_step[word & 511];
}

/*
 * Left of the next layer's edge, a point is under the curve for sure. In one
 * layer the words are in the order of their points, and an integer is compared
 * before the point is known: what is predicted wrongly is found out sooner.
 */
static inline int is_inside(uint64_t word)
{
    return word < attn_ziggurat_inside[layer(word)];
}

/* A normal number beyond r (Marsaglia 1964). */
static double tail(attn_rng *g)
{
    const double r = attn_ziggurat_x[1];
    double a, b;

    do {
        a = -attn_log(attn_rng_uniform(g)) / r;
        b = -attn_log(attn_rng_uniform(g));
    } while (2 * b < a * a);
    return r + a;
}

/*
 * Is a point at x, uniform over the height of layer i, below exp(-x^2/2)?
 * That is f[i+1] e^t with t = (x[i+1]^2 - x^2)/2 <= 0, and
 * 1 + t <= e^t <= 1 + t + t^2/2 settles nearly every case without attn_exp.
 */
static int is_under_curve(attn_rng *g, size_t i, double x)
{
    const double *f = attn_ziggurat_f;
    const double y = f[i] + attn_rng_uniform(g) * (f[i + 1] - f[i]);
    const double edge = attn_ziggurat_x[i + 1];
    const double t = 0.5 * (edge - x) * (edge + x);

    if (y < f[i + 1] * (1 + t))
        return 1;
    if (y > f[i + 1] * (1 + t + 0.5 * t * t))
        return 0;
    return y < attn_exp(-0.5 * x * x);
}

/*
 * The normal number that word began, by the ziggurat (Marsaglia and Tsang
 * 2000). It stays out of line, for only 1.2 % of the words need it.
 */
ATTN_NOINLINE static double finish_normal(attn_rng *g, uint64_t word)
{
    for (;; word = attn_rng_next(g)) {
        if (is_inside(word))
            return point(word);
        if (layer(word) == 0)
            return with_sign(tail(g), word >> 8);
        if (is_under_curve(g, layer(word), point(word)))
            return point(word);
    }
}

/*
 * Here and below the generator is a local copy, so that its state stays in
 * registers; the rare path, a call, gets a copy of the copy.
 */
static inline double normal(attn_rng *g)
{
    const uint64_t word = attn_rng_next(g);

    if (is_inside(word))
        return point(word);

    attn_rng copy = *g;
    const double x = finish_normal(&copy, word);
    *g = copy;
    return x;
}

static void fill_normal(attn_rng *g, double *x, size_t n)
{
    attn_rng local = *g;

    for (size_t i = 0; i < n; i++)
        x[i] = normal(&local);
    *g = local;
}

/* sqrt(3) (2 u - 1), u a midpoint of (0, 1): exactly symmetric about 0. */
static void fill_uniform(attn_rng *g, double *x, size_t n)
{
    attn_rng local = *g;

    for (size_t i = 0; i < n; i++)
        x[i] = SQRT3 * (2 * attn_rng_uniform(&local) - 1);
    *g = local;
}

/* Each word gives 64 signs, lowest bit first; the last word's rest is lost. */
static void fill_rademacher(attn_rng *g, double *x, size_t n)
{
    attn_rng local = *g;

    for (size_t i = 0; i < n; i += 64) {
        const uint64_t word = attn_rng_next(&local);
        const size_t count = n - i < 64 ? n - i : 64;

        for (size_t j = 0; j < count; j++)
            x[i + j] = with_sign(1, word >> j);
    }
    *g = local;
}

/* -ln(u) is exponential with E = 1 and E(square) = 2; bit 0 is not in u. */
static void fill_laplace(attn_rng *g, double *x, size_t n)
{
    attn_rng local = *g;
    uint64_t word[CHUNK];
    double u[CHUNK];

    for (size_t count; n > 0; n -= count, x += count) {
        count = n < CHUNK ? n : CHUNK;
        for (size_t i = 0; i < count; i++) {
            word[i] = attn_rng_next(&local);
            u[i] = ((double)(int64_t)(word[i] >> 12) + 0.5) * 0x1p-52;
        }
        attn_log_all(u, count, u);
        for (size_t i = 0; i < count; i++)
            x[i] = with_sign(-u[i] * INVERSE_SQRT2, word[i]);
    }
    *g = local;
}

/*
 * t = z / sqrt(c/8) with c chi-squared of 8 degrees, the sum of four
 * exponentials of mean 2: c = -2 ln(u1 u2 u3 u4). The variance of t is 8/6, so
 * sqrt(6/8) t = z sqrt(6/c) = z sqrt(3 / -ln(u1 u2 u3 u4)).
 */
static void fill_student8(attn_rng *g, double *x, size_t n)
{
    attn_rng local = *g;
    double u[CHUNK];

    for (size_t count; n > 0; n -= count, x += count) {
        count = n < CHUNK ? n : CHUNK;
        for (size_t i = 0; i < count; i++) {
            x[i] = normal(&local);
            u[i] = attn_rng_uniform(&local); /* of four: >= 2^-212 */
            for (int j = 1; j < 4; j++)
                u[i] *= attn_rng_uniform(&local);
        }
        attn_log_all(u, count, u);
        for (size_t i = 0; i < count; i++)
            x[i] *= sqrt(3 / -u[i]);
    }
    *g = local;
}

void attn_sample_fill(attn_sample_law law, attn_rng *g, double *x, size_t n)
{
    static void (*const fill[])(attn_rng *, double *, size_t) = {
        fill_normal, fill_uniform, fill_rademacher, fill_laplace,
        fill_student8};

    if ((unsigned)law >= ATTN_SAMPLE_LAWS)
        GSL_ERROR_VOID("no such law", GSL_EINVAL);
    fill[law](g, x, n);
}

void attn_sample_matrix(attn_rng *g, double sd, gsl_matrix *M)
{
    const size_t parts = M->tda == M->size2 ? 1 : M->size1;

    for (size_t i = 0; i < parts; i++)
        fill_normal(g, M->data + i * M->tda, M->size1 / parts * M->size2);
    gsl_matrix_scale(M, sd);
}

double attn_sample_fourth_moment(attn_sample_law law)
{
    static const double moment[] = {3, 9.0 / 5, 1, 6, 9.0 / 2};

    if ((unsigned)law >= ATTN_SAMPLE_LAWS)
        GSL_ERROR_VAL("no such law", GSL_EINVAL, GSL_NAN);
    return moment[law];
}

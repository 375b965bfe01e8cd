/*
 * Print lib/attn_ziggurat.h: the 256 layers of equal area v under
 * f(x) = exp(-x^2/2) (Marsaglia and Tsang, "The ziggurat method for generating
 * random variables", J. Stat. Software 5(8), 2000).
 *
 * Layer 0 is the strip below f(r) with the tail beyond r:
 *     v = r f(r) + integral of f from r to infinity,
 * and the edges x[1] = r > x[2] > ... > x[256] = 0 of the others follow from
 *     f(x[i+1]) = f(x[i]) + v / x[i].
 * r is the one root for which the last step lands on f(0) = 1.
 *
 *     gcc tools/ziggurat_tables.c -lmpfr -lgmp -o build/ziggurat_tables
 *     build/ziggurat_tables > lib/attn_ziggurat.h
 */
#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>

enum { LAYERS = 256, PRECISION = 256 };

static mpfr_t x[LAYERS + 1], f[LAYERS + 1];

/* y = exp(-a^2/2) */
static void density(mpfr_t y, const mpfr_t a)
{
    mpfr_sqr(y, a, MPFR_RNDN);
    mpfr_div_si(y, y, -2, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
}

/* v = r f(r) + sqrt(pi/2) erfc(r / sqrt 2) */
static void area(mpfr_t v, const mpfr_t r)
{
    mpfr_t t;

    mpfr_init(t);
    mpfr_sqrt_ui(t, 2, MPFR_RNDN);
    mpfr_div(t, r, t, MPFR_RNDN);
    mpfr_erfc(v, t, MPFR_RNDN);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_div_ui(t, t, 2, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_mul(v, v, t, MPFR_RNDN);
    density(t, r);
    mpfr_mul(t, t, r, MPFR_RNDN);
    mpfr_add(v, v, t, MPFR_RNDN);
    mpfr_clear(t);
}

/* Fill the tables from r; the sign of (where the last step lands) - 1. */
static int build(const mpfr_t r)
{
    mpfr_t v, step;
    int sign = 0;

    mpfr_inits(v, step, NULL);
    area(v, r);
    mpfr_set(x[1], r, MPFR_RNDN);
    density(f[1], r);
    mpfr_div(x[0], v, f[1], MPFR_RNDN);
    density(f[0], x[0]);
    for (int i = 1; i < LAYERS && sign <= 0; i++) {
        mpfr_div(step, v, x[i], MPFR_RNDN);
        mpfr_add(f[i + 1], f[i], step, MPFR_RNDN);
        sign = mpfr_cmp_ui(f[i + 1], 1);
        mpfr_log(x[i + 1], f[i + 1], MPFR_RNDN); /* unused where f > 1 */
        mpfr_mul_si(x[i + 1], x[i + 1], -2, MPFR_RNDN);
        mpfr_sqrt(x[i + 1], x[i + 1], MPFR_RNDN);
    }
    mpfr_clears(v, step, NULL);
    return sign;
}

/* The larger r, the smaller v: halve [3, 4] until it is as short as can be. */
static void solve(mpfr_t r)
{
    mpfr_t low, high;

    mpfr_inits(low, high, NULL);
    mpfr_set_ui(low, 3, MPFR_RNDN);
    mpfr_set_ui(high, 4, MPFR_RNDN);
    for (int i = 0; i < PRECISION - 16; i++) {
        mpfr_add(r, low, high, MPFR_RNDN);
        mpfr_div_ui(r, r, 2, MPFR_RNDN);
        mpfr_set(build(r) > 0 ? low : high, r, MPFR_RNDN);
    }
    mpfr_set(r, high, MPFR_RNDN);
    build(r);
    mpfr_set_ui(x[LAYERS], 0, MPFR_RNDN);
    mpfr_set_ui(f[LAYERS], 1, MPFR_RNDN);
    mpfr_clears(low, high, NULL);
}

static double rounded(mpfr_t a)
{
    return mpfr_get_d(a, MPFR_RNDN);
}

static void begin(const char *comment, const char *type, const char *name,
                  int count)
{
    printf("\n/* %s */\nstatic const %s attn_ziggurat_%s[%d] = {", comment,
           type, name, count);
}

static const char *before(int i)
{
    return i % 3 ? " " : "\n    ";
}

static void print(const char *comment, const char *name, mpfr_t *a)
{
    begin(comment, "double", name, LAYERS + 1);
    for (int i = 0; i <= LAYERS; i++)
        printf("%s%a,", before(i), rounded(a[i]));
    printf("\n};\n");
}

static void print_steps(void)
{
    begin("x[i] 2^-53 for i = 0, 1, ..., 255, then -x[i] 2^-53.", "double",
          "step", 2 * LAYERS);
    for (int i = 0; i < 2 * LAYERS; i++)
        printf("%s%a,", before(i),
               (i < LAYERS ? 0x1p-53 : -0x1p-53) * rounded(x[i % LAYERS]));
    printf("\n};\n");
}

/* How many of the points j (x[i] 2^-53), j < 2^53, lie left of x[i+1], by
 * halving: as products of doubles they do not fall as j grows. */
static uint64_t inside(int i)
{
    uint64_t low = 0, high = (uint64_t)1 << 53;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if ((double)middle * (0x1p-53 * rounded(x[i])) < rounded(x[i + 1]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void print_inside(void)
{
    begin("2^11 times how many j have j x[i] 2^-53 < x[i+1], as rounded.",
          "uint64_t", "inside", LAYERS);
    for (int i = 0; i < LAYERS; i++)
        printf("%s0x%016" PRIx64 ",", before(i), inside(i) << 11);
    printf("\n};\n");
}

int main(void)
{
    mpfr_t r;

    mpfr_set_default_prec(PRECISION);
    mpfr_init(r);
    for (int i = 0; i <= LAYERS; i++)
        mpfr_inits(x[i], f[i], NULL);
    solve(r);
    printf("/*\n"
           " * The ziggurat's 256 layers of equal area under exp(-x^2/2), as\n"
           " * tools/ziggurat_tables.c prints them.\n"
           " */\n"
           "#ifndef ATTN_ZIGGURAT_H\n#define ATTN_ZIGGURAT_H\n\n"
           "#include <stdint.h>\n\n"
           "/* clang-format off */\n");
    print("The layers' right edges; x[0] = v/f(r), x[1] = r, x[256] = 0.", "x",
          x);
    print("exp(-x^2/2) at the edges.", "f", f);
    print_steps();
    print_inside();
    printf("\n/* clang-format on */\n\n#endif\n");
    for (int i = 0; i <= LAYERS; i++)
        mpfr_clears(x[i], f[i], NULL);
    mpfr_clear(r);
    mpfr_free_cache();
    return fflush(stdout) || ferror(stdout);
}

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

static void print(const char *comment, const char *name, mpfr_t *a)
{
    printf("\n/* %s */\nstatic const double attn_ziggurat_%s[%d] = {\n",
           comment, name, LAYERS + 1);
    for (int i = 0; i <= LAYERS; i++) {
        const double d = mpfr_get_d(a[i], MPFR_RNDN);

        printf("%s%a,%s", i % 3 ? " " : "    ", d,
               i % 3 == 2 || i == LAYERS ? "\n" : "");
    }
    printf("};\n");
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
           "/* clang-format off */\n");
    print("The layers' right edges; x[0] = v/f(r), x[1] = r, x[256] = 0.", "x",
          x);
    print("exp(-x^2/2) at the edges.", "f", f);
    printf("\n/* clang-format on */\n\n#endif\n");
    for (int i = 0; i <= LAYERS; i++)
        mpfr_clears(x[i], f[i], NULL);
    mpfr_clear(r);
    mpfr_free_cache();
    return fflush(stdout) || ferror(stdout);
}

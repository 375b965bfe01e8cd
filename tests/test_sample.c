/*
 * The laws against exact moments, distribution functions and independence, at
 * fixed seeds: |z| < 5 where a number has an exact standard error, the same
 * probability for a count, 1e-4 < p < 1 - 1e-4 for whole distributions. And the
 * ziggurat's tables against their definition.
 */
#include "attn_sample.h"
#include "attn_ziggurat.h"
#include "near.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 256, COUNT = 4000000, SORTED = 1000000 };

/* n entries of the law; the caller frees them. */
static double *draw(attn_sample_law law, const char *name, size_t n)
{
    double *x = malloc(n * sizeof *x);
    attn_rng g;

    cr_assert_not_null(x);
    attn_rng_set(&g, 1, attn_rng_experiment(name, law), 0);
    attn_sample_fill(law, &g, x, n);
    return x;
}

/*
 * E x^p, p even:
 * normal     (p - 1)!! = 1 3 5 ... (p - 1)
 * uniform    3^(p/2)/(p + 1)
 * rademacher 1
 * laplace    p!/2^(p/2)
 * student8   3^(p/2) (p - 1)!! Gamma(4 - p/2)/Gamma(4), infinite from p = 8
 */
static double even_moment(attn_sample_law law, int p)
{
    double m = law == ATTN_SAMPLE_UNIFORM ? 1.0 / (p + 1) : 1;

    for (int j = 2; j <= p; j += 2)
        switch (law) {
        case ATTN_SAMPLE_NORMAL:
            m *= j - 1;
            break;
        case ATTN_SAMPLE_UNIFORM:
            m *= 3;
            break;
        case ATTN_SAMPLE_LAPLACE:
            m *= j * (j - 1) / 2.0;
            break;
        case ATTN_SAMPLE_STUDENT8:
            m *= j < 8 ? 3 * (j - 1) / (4 - j / 2.0) : INFINITY;
            break;
        default:
            break;
        }
    return m;
}

static double moment(attn_sample_law law, int p)
{
    return p % 2 ? 0 : even_moment(law, p);
}

/* E f(x) is expected, Var f(x) known: |z| < 5, or equality at variance 0. */
static void check_mean(const char *law, const char *what, int which,
                       double mean, double expected, double variance, double n)
{
    const double limit = 5 * sqrt(variance / n);

    cr_assert(isfinite(limit) && fabs(mean - expected) <= limit,
              "%s, %s %d: %.9g, not %.9g +- %.2g", law, what, which, mean,
              expected, limit / 5);
}

Test(sample, moments_are_exact_as_far_as_they_have_a_standard_error)
{
    /* Var x^p needs E x^2p: student8 has that up to p = 3. */
    static const int last[] = {8, 8, 8, 4, 3};
    int checked = 0;

    for (attn_sample_law law = 0; law < ATTN_SAMPLE_LAWS; law++) {
        double *x = draw(law, "moments", COUNT);
        double sum[9] = {0};

        for (size_t i = 0; i < COUNT; i++) {
            double power = 1;
            for (int p = 1; p <= last[law]; p++)
                sum[p] += power *= x[i];
        }
        for (int p = 1; p <= last[law]; p++, checked++)
            check_mean(attn_sample_names[law], "moment", p, sum[p] / COUNT,
                       moment(law, p),
                       moment(law, 2 * p) - pow(moment(law, p), 2), COUNT);
        free(x);
    }
    cr_assert_eq(checked, 31);
}

Test(sample, fourth_moments_are_those_of_the_laws)
{
    int checked = 0;

    for (attn_sample_law law = 0; law < ATTN_SAMPLE_LAWS; law++, checked++)
        cr_near(attn_sample_fourth_moment(law), even_moment(law, 4), 1e-15, 0);
    cr_assert_eq(checked, 5);
}

Test(sample, each_law_has_a_name)
{
    cr_assert_str_eq(attn_sample_names[ATTN_SAMPLE_NORMAL], "normal");
    cr_assert_str_eq(attn_sample_names[ATTN_SAMPLE_UNIFORM], "uniform");
    cr_assert_str_eq(attn_sample_names[ATTN_SAMPLE_RADEMACHER], "rademacher");
    cr_assert_str_eq(attn_sample_names[ATTN_SAMPLE_LAPLACE], "laplace");
    cr_assert_str_eq(attn_sample_names[ATTN_SAMPLE_STUDENT8], "student8");
    cr_assert_null(attn_sample_names[ATTN_SAMPLE_LAWS]);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Into cells by value, then within each: u lies in [0, 1], nearly evenly. */
static void sort_fractions(double *u, size_t n)
{
    const size_t cells = n / 16 + 1;
    size_t *end = calloc(cells + 2, sizeof *end);
    double *copy = malloc(n * sizeof *copy);
    size_t within = 0;

    cr_assert(end && copy);
    memcpy(copy, u, n * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        within += u[i] >= 0 && u[i] <= 1;
    cr_assert_eq(within, n);
    for (size_t i = 0; i < n; i++)
        end[(size_t)(u[i] * (double)cells) + 1]++;
    for (size_t c = 1; c <= cells; c++)
        end[c] += end[c - 1];
    for (size_t i = 0; i < n; i++) /* from the beginning of a cell to its end */
        u[end[(size_t)(copy[i] * (double)cells)]++] = copy[i];
    for (size_t c = 0, begin = 0; c <= cells; begin = end[c++])
        qsort(u + begin, end[c] - begin, sizeof *u, ascending);
    free(end);
    free(copy);
}

static void check_p(const char *what, const char *test, double p)
{
    cr_assert(p > 1e-4 && p < 1 - 1e-4, "%s, %s: p = %g", what, test, p);
}

/* P(K > d) of Kolmogorov's law: 2 sum_j (-1)^(j-1) exp(-2 j^2 d^2) */
static double kolmogorov(double d)
{
    double p = 0;

    for (int j = 20; j >= 1; j--)
        p += (j % 2 ? 2 : -2) * exp(-2.0 * j * j * d * d);
    return p;
}

/*
 * Are u[0 .. n-1], the values of a distribution function where numbers were
 * drawn, uniform? By sqrt(n) sup |F_n - F|, which sees the middle, and by
 *     A^2 = -n - (1/n) sum_i (2i - 1) (ln u_i + ln(1 - u_(n+1-i))),
 * which sees the ends (Anderson and Darling 1954). In the limit A^2 is the sum
 * of chi-squared numbers over j (j + 1); its first term alone decides far out,
 * P(A^2 > z) -> sqrt(3) erfc(sqrt z), sqrt(3) being the product over j > 1 of
 * (1 - 2/(j (j + 1)))^(-1/2) (Zolotarev 1961). For small z, P(A^2 < z) is
 * 2 exp(-pi^2/(8 z))/sqrt z (Marsaglia and Marsaglia 2004). At 1e-4 both are
 * within 2 per cent of their tables.
 */
static void check_uniform(const char *what, double *u, size_t n)
{
    const double N = (double)n;
    double sup = 0, sum = 0;

    sort_fractions(u, n);
    for (size_t i = 0; i < n; i++) {
        sup = GSL_MAX_DBL(sup, u[i] - (double)i / N);
        sup = GSL_MAX_DBL(sup, (double)(i + 1) / N - u[i]);
        sum += (double)(2 * i + 1) * (log(u[i]) + log1p(-u[n - 1 - i]));
    }
    const double a2 = -N - sum / N;
    cr_assert(isfinite(sup) && isfinite(a2), "%s: %g, %g", what, sup, a2);
    check_p(what, "Kolmogorov", kolmogorov(sqrt(N) * sup));
    cr_assert(M_SQRT3 * gsl_sf_erfc(sqrt(a2)) > 1e-4 &&
                  2 * exp(-M_PI * M_PI / (8 * a2)) / sqrt(a2) > 1e-4,
              "%s, Anderson and Darling: %g", what, a2);
}

/*
 * How many of n trials of probability p, against its law: |z| < 5 where many
 * are expected, else Poisson's probabilities of as few and of as many.
 */
static void check_count(const char *what, double at, size_t count, double p,
                        size_t n)
{
    const double mean = p * (double)n, k = (double)count;
    const double limit = gsl_cdf_ugaussian_Q(5);
    const double z = (k - mean) / sqrt(mean * (1 - p));
    const double below = mean > 1000 ? gsl_cdf_ugaussian_P(z)
                                     : gsl_cdf_poisson_P((unsigned)count, mean);
    const double above = mean > 1000 ? gsl_cdf_ugaussian_Q(z)
                         : count > 0
                             ? gsl_cdf_poisson_Q((unsigned)count - 1, mean)
                             : 1;

    cr_assert(below > limit && above > limit, "%zu %s %g, not %g", count, what,
              at, mean);
}

static double uniform_cdf(double x)
{
    return gsl_cdf_flat_P(x, -M_SQRT3, M_SQRT3);
}

static double laplace_cdf(double x)
{
    return gsl_cdf_laplace_P(x, M_SQRT1_2);
}

static double student8_cdf(double x)
{
    return gsl_cdf_tdist_P(x / sqrt(0.75), 8);
}

/* Of a normal number known to lie beyond r. */
static double tail_cdf(double x)
{
    return 1 - gsl_cdf_ugaussian_Q(x) / gsl_cdf_ugaussian_Q(attn_ziggurat_x[1]);
}

static void check_law(attn_sample_law law, double (*cdf)(double), size_t n)
{
    double *x = draw(law, "distributions", n);

    for (size_t i = 0; i < n; i++)
        x[i] = cdf(x[i]);
    check_uniform(attn_sample_names[law], x, n);
    free(x);
}

Test(sample, distributions_are_those_of_gsl)
{
    check_law(ATTN_SAMPLE_UNIFORM, uniform_cdf, SORTED);
    check_law(ATTN_SAMPLE_LAPLACE, laplace_cdf, SORTED);
    check_law(ATTN_SAMPLE_STUDENT8, student8_cdf, SORTED);
}

/* So many that numbers 0.3 % too wide show. */
Test(sample, ten_million_normals_are_normal)
{
    check_law(ATTN_SAMPLE_NORMAL, gsl_cdf_ugaussian_P, 10 * SORTED);
}

/* Bins between the layers' edges, so a fault of one layer shows in one bin. */
Test(sample, each_layer_of_the_normal_has_its_share)
{
    double *x = draw(ATTN_SAMPLE_NORMAL, "layers", 4 * COUNT);
    static double count[2][LAYERS + 1]; /* [sign], beyond the edge x[i] */
    double chi2 = 0;

    for (size_t i = 0; i < 4 * COUNT; i++) {
        size_t low = 0, high = LAYERS;
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            if (attn_ziggurat_x[middle] > fabs(x[i]))
                low = middle;
            else
                high = middle;
        }
        count[x[i] < 0][high]++;
    }
    for (size_t i = 1; i <= LAYERS; i++) {
        const double above =
            i == 1 ? 0 : gsl_cdf_ugaussian_Q(attn_ziggurat_x[i - 1]);
        const double expected =
            4.0 * COUNT * (gsl_cdf_ugaussian_Q(attn_ziggurat_x[i]) - above);
        for (int sign = 0; sign < 2; sign++)
            chi2 += pow(count[sign][i] - expected, 2) / expected;
    }
    check_p("layers", "chi squared", gsl_cdf_chisq_Q(chi2, 2 * LAYERS - 1));
    free(x);
}

Test(sample, normal_tails_are_as_heavy_as_they_should_be)
{
    const double edge[] = {1, 2, 3, attn_ziggurat_x[1], 4, 5, 6};
    double *x = draw(ATTN_SAMPLE_NORMAL, "tails", 4 * COUNT);
    int checked = 0;

    for (size_t j = 0; j < sizeof edge / sizeof *edge; j++, checked++) {
        size_t above = 0, below = 0;

        for (size_t i = 0; i < 4 * COUNT; i++) {
            above += x[i] > edge[j];
            below += x[i] < -edge[j];
        }
        const double q = gsl_cdf_ugaussian_Q(edge[j]);
        check_count("above", edge[j], above, q, 4 * COUNT);
        check_count("below", -edge[j], below, q, 4 * COUNT);
    }
    cr_assert_eq(checked, 7);
    free(x);
}

/* A generator whose next word is this one, and whose further ones are random:
 * next() is rotl(s[0] + s[3], 23) + s[0]. */
static attn_rng beginning_with(uint64_t word, attn_rng *random)
{
    const uint64_t s1 = attn_rng_next(random), s2 = attn_rng_next(random);

    return (attn_rng){{0, s1, s2, (word >> 23) | (word << 41)}};
}

/* A word for layer i and a magnitude uniform on (low, x[i]), as it comes out.
 */
static uint64_t word_for(size_t i, double low, attn_rng *random, double *x)
{
    const double edge = attn_ziggurat_x[i];
    const double u = (low + (edge - low) * attn_rng_uniform(random)) / edge;
    const uint64_t magnitude = (uint64_t)(u * 0x1p53);

    *x = (double)magnitude * 0x1p-53 * edge;
    return magnitude << 11 | (attn_rng_next(random) & 1) << 8 | i;
}

/* As many beyond r as 1.5e10 draws give: 30 of them lie beyond 6. */
Test(sample, normal_tail_has_its_shape)
{
    const double edge[] = {4, 4.5, 5, 5.5, 6, 6.5};
    const double r = attn_ziggurat_x[1];
    double *x = malloc(COUNT * sizeof *x), unused;
    attn_rng random;

    cr_assert_not_null(x);
    attn_rng_set(&random, 1, attn_rng_experiment("tail", 0), 0);
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t word = word_for(0, r + 1e-9, &random, &unused);
        attn_rng g = beginning_with(word, &random);

        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, &x[i], 1);
        cr_assert((x[i] < 0) == (word >> 8 & 1));
        x[i] = fabs(x[i]);
    }
    for (size_t j = 0; j < sizeof edge / sizeof *edge; j++) {
        size_t count = 0;
        for (size_t i = 0; i < COUNT; i++)
            count += x[i] > edge[j];
        check_count("beyond", edge[j], count, 1 - tail_cdf(edge[j]), COUNT);
    }
    for (size_t i = 0; i < COUNT; i++)
        x[i] = tail_cdf(x[i]);
    check_uniform("tail", x, COUNT);
    free(x);
}

/* One word is enough, and its 53 high bits are the magnitude, bit by bit. */
Test(sample, a_point_of_the_normal_inside_its_layer_is_kept)
{
    attn_rng random;
    int kept = 0;

    attn_rng_set(&random, 1, attn_rng_experiment("inside", 0), 0);
    for (size_t j = 0; j < 1000 * LAYERS; j++) {
        double x, got;
        const size_t i = j % LAYERS;
        const uint64_t word = word_for(i, 0, &random, &x);
        attn_rng g = beginning_with(word, &random), next = g;

        if (x >= attn_ziggurat_x[i + 1])
            continue;
        attn_rng_next(&next);
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, &got, 1);
        cr_near(got, word >> 8 & 1 ? -x : x, 0, 0);
        cr_assert(memcmp(&g, &next, sizeof g) == 0);
        kept++;
    }
    cr_assert(kept > 900 * LAYERS, "%d", kept);
}

/* The second word gives the point's height in its layer. */
Test(sample, a_point_of_the_normal_is_kept_if_it_is_under_the_curve)
{
    attn_rng random;
    int kept = 0, refused = 0;

    attn_rng_set(&random, 1, attn_rng_experiment("wedge", 0), 0);
    for (size_t j = 0; j < 4000 * 255; j++) {
        const size_t i = 1 + j % 255;
        const double *f = attn_ziggurat_f;
        double x, got;
        const uint64_t word = word_for(i, attn_ziggurat_x[i + 1], &random, &x);
        attn_rng g = beginning_with(word, &random), copy = g;

        attn_rng_next(&copy);
        const double y = f[i] + attn_rng_uniform(&copy) * (f[i + 1] - f[i]);
        const double curve = exp(-0.5 * x * x);
        if (x < attn_ziggurat_x[i + 1] || fabs(y - curve) < 1e-14)
            continue; /* not in the wedge, or too close to call */
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, &got, 1);
        cr_assert((got == (word >> 8 & 1 ? -x : x)) == (y < curve),
                  "layer %zu, x = %a", i, x);
        y < curve ? kept++ : refused++;
    }
    cr_assert(kept > 400000 && refused > 400000, "%d, %d", kept, refused);
}

/*
 * Numbers x and y of a law that should be independent: E x y = 0, Var = 1; of
 * squares less 1, E = 0, Var = (E x^4 - 1)^2.
 */
static void check_unrelated(attn_sample_law law, const char *what, int which,
                            const double *x, const double *y, size_t n)
{
    const double m4 = attn_sample_fourth_moment(law);
    double product = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        product += x[i] * y[i];
        squares += (x[i] * x[i] - 1) * (y[i] * y[i] - 1);
    }
    check_mean(attn_sample_names[law], what, which, product / (double)n, 0, 1,
               (double)n);
    check_mean(attn_sample_names[law], what, which, squares / (double)n, 0,
               pow(m4 - 1, 2), (double)n);
}

Test(sample, neighbours_are_uncorrelated)
{
    int checked = 0;

    for (attn_sample_law law = 0; law < ATTN_SAMPLE_LAWS; law++) {
        double *x = draw(law, "neighbours", COUNT + 64);

        for (size_t lag = 1; lag <= 64; lag += lag < 8 ? 1 : lag, checked++)
            check_unrelated(law, "lag", (int)lag, x, x + lag, COUNT);
        free(x);
    }
    cr_assert_eq(checked, 55);
}

/* As experiments use them: a short stretch of each of many streams. */
Test(sample, streams_of_neighbouring_blocks_are_uncorrelated)
{
    enum { LENGTH = 64, BLOCKS = COUNT / LENGTH };
    int checked = 0;

    for (attn_sample_law law = 0; law < ATTN_SAMPLE_LAWS; law++, checked++) {
        double *x = malloc((BLOCKS + 1) * LENGTH * sizeof *x);

        cr_assert_not_null(x);
        for (size_t block = 0; block <= BLOCKS; block++) {
            attn_rng g;
            attn_rng_set(&g, 1, attn_rng_experiment("blocks", law), block);
            attn_sample_fill(law, &g, x + block * LENGTH, LENGTH);
        }
        check_unrelated(law, "blocks apart", 1, x, x + LENGTH, BLOCKS * LENGTH);
        free(x);
    }
    cr_assert_eq(checked, 5);
}

Test(sample, fills_exactly_n)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 1000};
    const double canary = 12345;
    int checked = 0;

    for (attn_sample_law law = 0; law < ATTN_SAMPLE_LAWS; law++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++, checked++) {
            double x[1001];
            attn_rng g, before;

            attn_rng_set(&g, 1, 2, 3);
            before = g;
            for (size_t i = 0; i < 1001; i++)
                x[i] = canary;
            attn_sample_fill(law, &g, x, sizes[j]);
            for (size_t i = 0; i < 1001; i++)
                cr_assert((x[i] == canary) == (i >= sizes[j]),
                          "%s: x[%zu] of %zu", attn_sample_names[law], i,
                          sizes[j]);
            cr_assert((memcmp(&g, &before, sizeof g) == 0) == (sizes[j] == 0));
        }
    cr_assert_eq(checked, 40);
}

Test(sample, the_same_stream_gives_the_same_bytes)
{
    int checked = 0;

    for (attn_sample_law law = 0; law < ATTN_SAMPLE_LAWS; law++, checked++) {
        double *x = draw(law, "bytes", 10001), *y = draw(law, "bytes", 10001);

        cr_assert_arr_eq(x, y, 10001 * sizeof *x);
        free(x);
        free(y);
    }
    cr_assert_eq(checked, 5);
}

/* However a caller cuts the stream, the normals and the state are the same. */
Test(sample, normals_at_once_are_those_one_at_a_time)
{
    static const size_t sizes[] = {1, 2, 63, 64, 65, 1000, 4096, 4097};
    double x[4097], one;
    attn_rng g, copy;
    size_t checked = 0;

    attn_rng_set(&g, 1, attn_rng_experiment("one at a time", 0), 0);
    copy = g;
    for (size_t j = 0; checked < 1000000; j++) {
        const size_t n = sizes[j % (sizeof sizes / sizeof *sizes)];

        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, x, n);
        for (size_t i = 0; i < n; i++, checked++) {
            attn_sample_fill(ATTN_SAMPLE_NORMAL, &copy, &one, 1);
            cr_assert(memcmp(&x[i], &one, sizeof one) == 0, "%zu of %zu", i, n);
        }
        cr_assert(memcmp(&g, &copy, sizeof g) == 0, "state after %zu", n);
    }
}

Test(sample, rademacher_is_one_or_minus_one)
{
    double *x = draw(ATTN_SAMPLE_RADEMACHER, "signs", 10001);

    for (size_t i = 0; i < 10001; i++)
        cr_assert(x[i] == 1 || x[i] == -1);
    free(x);
}

/* Extreme words by construction: next() is rotl(s[0] + s[3], 23) + s[0]. */
Test(sample, uniform_is_symmetric_at_its_ends)
{
    attn_rng lowest = {{0, 1, 1, 0}}, highest = {{0, 1, 1, UINT64_MAX}};
    double low, high;

    attn_sample_fill(ATTN_SAMPLE_UNIFORM, &lowest, &low, 1);
    attn_sample_fill(ATTN_SAMPLE_UNIFORM, &highest, &high, 1);
    cr_near(low, -high, 0, 0);
    cr_near(high, M_SQRT3, 1e-15, 0);
}

Test(sample, laplace_is_finite_and_not_0_at_its_ends)
{
    attn_rng lowest = {{0, 1, 1, 0}}, highest = {{0, 1, 1, UINT64_MAX}};
    double x;

    attn_sample_fill(ATTN_SAMPLE_LAPLACE, &lowest, &x, 1);
    cr_near(x, 53 * M_LN2 * M_SQRT1_2, 1e-15, 0);
    attn_sample_fill(ATTN_SAMPLE_LAPLACE, &highest, &x, 1);
    cr_near(x, -0x1p-53 * M_SQRT1_2, 1e-15, 0);
}

Test(sample, an_unknown_law_is_refused)
{
    attn_rng g = {{1, 2, 3, 4}};
    const attn_rng before = g;
    double x = 12345;

    gsl_set_error_handler_off();
    attn_sample_fill(ATTN_SAMPLE_LAWS, &g, &x, 1);
    cr_assert(x == 12345 && memcmp(&g, &before, sizeof g) == 0);
    cr_assert(isnan(attn_sample_fourth_moment(ATTN_SAMPLE_LAWS)));
}

Test(ziggurat, edges_fall_to_zero_and_heights_rise_to_one)
{
    for (int i = 0; i < LAYERS; i++) {
        cr_assert(attn_ziggurat_x[i] > attn_ziggurat_x[i + 1], "x[%d]", i);
        cr_assert(attn_ziggurat_f[i] < attn_ziggurat_f[i + 1], "f[%d]", i);
    }
    cr_near(attn_ziggurat_x[LAYERS], 0, 0, 0);
    cr_near(attn_ziggurat_f[LAYERS], 1, 0, 0);
}

/* Relative error of f from the rounding of x: x^2 2^-53, below 2e-15. */
Test(ziggurat, heights_are_the_density_at_the_edges)
{
    mpfr_t y;

    mpfr_init2(y, 120);
    for (int i = 0; i <= LAYERS; i++) {
        mpfr_set_d(y, attn_ziggurat_x[i], MPFR_RNDN);
        mpfr_sqr(y, y, MPFR_RNDN);
        mpfr_div_si(y, y, -2, MPFR_RNDN);
        mpfr_exp(y, y, MPFR_RNDN);
        cr_near(attn_ziggurat_f[i], mpfr_get_d(y, MPFR_RNDN), 2e-15, 0);
    }
    mpfr_clear(y);
}

/* v from layer 0, the strip below f(r) and the tail; then every other layer. */
Test(ziggurat, layers_have_equal_areas)
{
    const double *x = attn_ziggurat_x, *f = attn_ziggurat_f;
    const double v =
        x[1] * f[1] + M_SQRT2 * M_SQRTPI / 2 * gsl_sf_erfc(x[1] / M_SQRT2);

    cr_near(v, 0.00492867323399, 1e-11, 0); /* Marsaglia and Tsang */
    cr_near(x[1], 3.6541528853610088, 1e-15, 0);
    cr_near(x[0] * f[1], v, 1e-14, 0);
    for (int i = 1; i < LAYERS; i++)
        cr_near(x[i] * (f[i + 1] - f[i]), v, 1e-12, 0);
}

/* Each point, the rounded product of the layer's edge and a fraction j 2^-53,
 * is on its side of the next edge: the last one inside, and the one after. */
Test(ziggurat, words_are_inside_as_their_points_are)
{
    int checked = 0;

    for (int i = 0; i < LAYERS; i++, checked++) {
        const uint64_t inside = attn_ziggurat_inside[i], j = inside >> 11;
        const double x = attn_ziggurat_x[i], edge = attn_ziggurat_x[i + 1];

        cr_assert((inside & 2047) == 0 && (j == 0) == (i == LAYERS - 1));
        cr_assert(j == 0 || (double)(j - 1) * 0x1p-53 * x < edge, "x[%d]", i);
        cr_assert((double)j * 0x1p-53 * x >= edge, "x[%d]", i);
        cr_near(attn_ziggurat_step[i], x * 0x1p-53, 0, 0);
        cr_near(attn_ziggurat_step[LAYERS + i], x * -0x1p-53, 0, 0);
    }
    cr_assert_eq(checked, LAYERS);
}

Test(sample, a_matrix_is_one_fill_times_its_standard_deviation)
{
    enum { ROWS = 3, COLUMNS = 5 };
    double x[ROWS * COLUMNS], m[ROWS * COLUMNS];
    gsl_matrix_view M = gsl_matrix_view_array(m, ROWS, COLUMNS);
    attn_rng g, h;

    attn_rng_set(&g, 1, attn_rng_experiment("test.matrix", 0), 0);
    h = g;
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, x, ROWS * COLUMNS);
    attn_sample_matrix(&h, 0.3, &M.matrix);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        cr_expect_eq(m[i], x[i] * 0.3);
    cr_expect_eq(attn_rng_next(&g), attn_rng_next(&h));
}

Test(sample, a_part_of_a_matrix_is_filled_and_nothing_beside_it)
{
    enum { ROWS = 4, COLUMNS = 6 };
    double m[ROWS * COLUMNS];
    gsl_matrix_view whole = gsl_matrix_view_array(m, ROWS, COLUMNS);
    gsl_matrix_view part = gsl_matrix_submatrix(&whole.matrix, 1, 2, 2, 3);
    size_t ran = 0;
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.matrix", 1), 0);
    gsl_matrix_set_all(&whole.matrix, 7);
    attn_sample_matrix(&g, 2, &part.matrix);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++, ran++) {
            const int is_inside = i >= 1 && i < 3 && j >= 2 && j < 5;
            cr_expect((gsl_matrix_get(&whole.matrix, i, j) != 7) == is_inside,
                      "row %zu, column %zu", i, j);
        }
    cr_assert_eq(ran, ROWS * COLUMNS);
}

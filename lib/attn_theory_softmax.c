/*
 * E prod_i a_i^{k_i} for a = softmax of n independent N(0, sigma^2) scores.
 *
 * With 1/Z^K = (1/Gamma(K)) int_0^inf t^{K-1} e^{-tZ} dt, t = e^{-u}, and
 *     g_k(x) = exp(k x - e^x),   B_k(u) = E g_k(s - u),
 * independent scores factor:
 *     E prod_{i<=m} a_i^{k_i}
 *         = (1/Gamma(K)) int B_{k_1} ... B_{k_m} B_0^{n-m} du,   K = sum k_i.
 * Integrands are analytic and vanish at both ends, where the trapezoidal rule
 * converges exponentially (Trefethen and Weideman, SIAM Review 56, 2014). Both
 * integrals use it with one common step, so B_k is a discrete convolution
 * without a single exponential inside. The error is estimated by doubling the
 * step, which takes the square root of the true one.
 *
 * The average over |q| ~ chi is a Gauss-Legendre rule of GSL's.
 */
#include "attn_clones.h"
#include "attn_math.h"
#include "attn_theory.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

enum {
    POWERS = 8, /* largest K */
    MOST_KEYS = 1000000000,
    PARTS = 4,         /* most factors of a product */
    NODES = 40,        /* Gauss-Legendre nodes over |q| */
    NODES_COARSE = 30, /* the same, for the error */
    MOMENTS = 8        /* power sums that a Jacobian's moments need */
};

static const double step = 0.125; /* in u and x; error ~ e^{-pi^2/step} */
static const double step_z =
    0.25;                        /* in z = s/sigma; error e^{-2 pi^2/step^2} */
static const double tail_z = 10; /* scores beyond 10 sigma do not exist */
static const double top_x = 4;   /* g_8(4) = 1.5e-10, g_8(5) < 1e-46 */
static const double bottom_x = -38; /* e^{-38} = 3e-17 */

/* B_k at u = first + j step, j < count, and powers of B_0 for one n. */
typedef struct {
    size_t count;
    double first, step;
    double *B[POWERS + 1];
    double *others[PARTS + 1]; /* others[m] = B_0^{n-m}, m = 1 .. min(n, 4) */
} table;

/* sigma below 1/2: g is smooth on the scale of z, so sum over z directly. */
static void fill_narrow(table *t, double sigma, double h)
{
    const int half = (int)(tail_z / h);

    for (size_t j = 0; j < t->count; j++) {
        const double u = t->first + (double)j * t->step;
        for (int m = -half; m <= half; m++) {
            const double z = m * h, e = attn_exp(sigma * z - u);
            double g = h * gsl_ran_ugaussian_pdf(z) * attn_exp(-e);
            for (int k = 0; k <= POWERS; k++, g *= e)
                t->B[k][j] += g;
        }
    }
}

/* y += g x */
ATTN_CLONES static void theory_add(double *restrict y, double g,
                                   const double *restrict x, size_t count)
{
    for (size_t j = 0; j < count; j++)
        y[j] += g * x[j];
}

/*
 * sigma from 1/2 on: in x = s - u, B_k(u) = int g_k(x) phi((x+u)/sigma)/sigma
 * dx, and by parts B_0(u) = int g_1(x) Phi((x+u)/sigma) dx. On the common grid
 * x + u = (first + i + j) step.
 */
static int fill_wide(table *t, double sigma)
{
    const double h = t->step;
    const int low = (int)floor(bottom_x / h), high = (int)ceil((top_x + 1) / h);
    const size_t nodes = (size_t)(high - low) + 1, sums = t->count + nodes;
    double *density = malloc(2 * sums * sizeof *density);
    if (!density)
        return GSL_ENOMEM;
    double *cumulative = density + sums;

    for (size_t m = 0; m < sums; m++) {
        const double z = (t->first + (low + (double)m) * h) / sigma;
        density[m] = gsl_ran_ugaussian_pdf(z) / sigma;
        cumulative[m] = gsl_cdf_ugaussian_P(z);
    }
    for (size_t i = 0; i < nodes; i++) {
        const double x = (low + (double)i) * h, e = attn_exp(x);
        double g = h * attn_exp(x - e); /* g_1 */
        theory_add(t->B[0], g, cumulative + i, t->count);
        for (int k = 1; k <= POWERS && g > 1e-30; k++, g *= e)
            theory_add(t->B[k], g, density + i, t->count);
    }
    free(density);
    return GSL_SUCCESS;
}

static void table_free(table *t)
{
    free(t->B[0]);
}

/* Fill t for sigma, with steps `coarse` times the usual. */
static int table_make(table *t, double sigma, int coarse)
{
    t->step = coarse * step;
    t->first = t->step * floor((-tail_z * sigma - top_x) / t->step);
    const double last = tail_z * sigma - bottom_x;
    t->count = (size_t)((last - t->first) / t->step) + 2;
    t->B[0] = calloc((POWERS + PARTS + 1) * t->count, sizeof *t->B[0]);
    if (!t->B[0])
        return GSL_ENOMEM;
    for (size_t k = 1; k <= POWERS; k++)
        t->B[k] = t->B[0] + k * t->count;
    for (size_t m = 1; m <= PARTS; m++)
        t->others[m] = t->B[POWERS] + m * t->count;
    if (sigma >= 0.5)
        return fill_wide(t, sigma);
    fill_narrow(t, sigma, coarse * step_z);
    return GSL_SUCCESS;
}

/* Set the powers of B_0 that n keys need. */
static void set_keys(table *t, size_t n)
{
    const size_t most = n < PARTS ? n : PARTS;

    for (size_t j = 0; j < t->count; j++) {
        double power = gsl_pow_uint(t->B[0][j], (unsigned)(n - most));
        for (size_t m = most; m > 0; m--, power *= t->B[0][j])
            t->others[m][j] = power;
    }
}

/* The sum over distinct i_1 .. i_m of E prod a_i^{k_i}: n (n-1) ... (n-m+1)
 * times one of them. */
static double distinct(const table *t, size_t n, const unsigned *k, size_t m)
{
    double sum = 0, ways = 1;
    unsigned K = 0;

    if (m > n)
        return 0;
    for (size_t i = 0; i < m; i++) {
        ways *= (double)(n - i);
        K += k[i];
    }
    for (size_t j = 0; j < t->count; j++) {
        double f = t->others[m][j];
        for (size_t i = 0; i < m; i++)
            f *= t->B[k[i]][j];
        sum += f;
    }
    return ways * sum * t->step / gsl_sf_gamma(K);
}

/*
 * E prod_j sum_i a_i^{p_j}: every way to let some of the indices coincide is a
 * partition of the powers; the next one joins a block or opens its own.
 */
static double power_sums(const table *t, size_t n, const unsigned *powers,
                         size_t left, const unsigned *blocks, size_t m)
{
    unsigned grown[PARTS];
    double sum = 0;

    if (left == 0)
        return distinct(t, n, blocks, m);
    for (size_t b = 0; b <= m; b++) {
        for (size_t i = 0; i < PARTS; i++)
            grown[i] = i < m ? blocks[i] : 0;
        grown[b] += powers[0];
        sum += power_sums(t, n, powers + 1, left - 1, grown, b < m ? m : m + 1);
    }
    return sum;
}

int attn_theory_power_sums(size_t n, double sigma, const unsigned *powers,
                           size_t count, attn_theory_value *value)
{
    const unsigned none[PARTS] = {0};
    double at[2];
    unsigned K = 0;

    for (size_t i = 0; i < count && i < PARTS; i++)
        K += powers[i] ? powers[i] : POWERS + 1;
    if (n == 0 || n > MOST_KEYS || !(sigma > 0) || count == 0 ||
        count > PARTS || K > POWERS)
        GSL_ERROR("n, sigma > 0, up to 4 powers of sum up to 8", GSL_EINVAL);
    for (int coarse = 1; coarse <= 2; coarse++) {
        table t = {0};
        const int status = table_make(&t, sigma, coarse);
        if (!status) {
            set_keys(&t, n);
            at[coarse - 1] = power_sums(&t, n, powers, count, none, 0);
        }
        table_free(&t);
        if (status)
            GSL_ERROR("no memory for a table", GSL_ENOMEM);
    }
    *value = (attn_theory_value){at[0], fabs(at[0] - at[1])};
    return GSL_SUCCESS;
}

/* The moments of a Jacobian, as plain numbers to be averaged. */
typedef struct {
    double squares, trace, trace2, frobenius2, frobenius4, stein2;
} moments;

/*
 * With p2 = sum a^2 and p3 = sum a^3: tr J = 1 - p2 and |J|^2 = p2 - 2 p3 +
 * p2^2. (The difference is harmless here: it is of means, not of one draw.)
 */
static moments moments_of(table *t, size_t n, double sigma)
{
    static const unsigned powers[MOMENTS][PARTS] = {
        {2}, {3}, {2, 2}, {2, 3}, {3, 3}, {2, 2, 2}, {3, 2, 2}, {2, 2, 2, 2}};
    static const size_t counts[MOMENTS] = {1, 1, 2, 2, 2, 3, 3, 4};
    const unsigned none[PARTS] = {0};
    double E[MOMENTS];

    set_keys(t, n);
    for (size_t i = 0; i < MOMENTS; i++)
        E[i] = power_sums(t, n, powers[i], counts[i], none, 0);
    const double p2 = E[0], p3 = E[1], p22 = E[2], p23 = E[3], p33 = E[4];
    const double p222 = E[5], p322 = E[6], p2222 = E[7];
    const double frobenius2 = p2 - 2 * p3 + p22;

    return (moments){.squares = p2,
                     .trace = 1 - p2,
                     .trace2 = 1 - 2 * p2 + p22,
                     .frobenius2 = frobenius2,
                     .frobenius4 =
                         p22 + 4 * p33 + p2222 - 4 * p23 + 2 * p222 - 4 * p322,
                     .stein2 = frobenius2 + p2 / (sigma * sigma)};
}

static void accumulate(moments *sum, double weight, const moments *m)
{
    sum->squares += weight * m->squares;
    sum->trace += weight * m->trace;
    sum->trace2 += weight * m->trace2;
    sum->frobenius2 += weight * m->frobenius2;
    sum->frobenius4 += weight * m->frobenius4;
    sum->stein2 += weight * m->stein2;
}

static attn_theory_jacobian with_error(const moments *fine,
                                       const moments *coarse)
{
#define VALUE(x) .x = { fine->x, fabs(fine->x - coarse->x) }
    return (attn_theory_jacobian){VALUE(squares),    VALUE(trace),
                                  VALUE(trace2),     VALUE(frobenius2),
                                  VALUE(frobenius4), VALUE(stein2)};
#undef VALUE
}

/* Add weight times the moments at sigma to sums[i], for every n[i]. */
static int add_at(const size_t *n, size_t count, double sigma, int coarse,
                  double weight, moments *sums)
{
    table t = {0};
    const int status = table_make(&t, sigma, coarse);

    for (size_t i = 0; !status && i < count; i++) {
        const moments m = moments_of(&t, n[i], sigma);
        accumulate(&sums[i], weight, &m);
    }
    table_free(&t);
    return status;
}

int attn_theory_jacobian_at(size_t n, double sigma, attn_theory_jacobian *J)
{
    moments fine = {0}, coarse = {0};
    int status;

    if (n == 0 || n > MOST_KEYS || !(sigma > 0))
        GSL_ERROR("n is 1 to 1e9, sigma is positive", GSL_EINVAL);
    status = add_at(&n, 1, sigma, 1, 1, &fine);
    if (!status)
        status = add_at(&n, 1, sigma, 2, 1, &coarse);
    if (status)
        GSL_ERROR("no memory for a table", GSL_ENOMEM);
    *J = with_error(&fine, &coarse);
    return GSL_SUCCESS;
}

/* sums[i] = average over |q| ~ chi of the moments at sigma = scale |q|. */
static int average(const size_t *n, size_t count, size_t d_k, double scale,
                   int coarse, moments *sums)
{
    const size_t nodes = coarse == 1 ? NODES : NODES_COARSE;
    const double d = (double)d_k, middle = sqrt(d);
    int status = GSL_SUCCESS;
    gsl_integration_glfixed_table *rule =
        gsl_integration_glfixed_table_alloc(nodes);

    if (!rule)
        return GSL_ENOMEM;
    for (size_t i = 0; !status && i < nodes; i++) {
        double r, weight;
        /* |q| is within 6 of sqrt(d) but for 3e-12. */
        gsl_integration_glfixed_point(fmax(0, middle - 6), middle + 6, i, &r,
                                      &weight, rule);
        status = add_at(n, count, scale * r, coarse,
                        weight * 2 * r * gsl_ran_chisq_pdf(r * r, d), sums);
    }
    gsl_integration_glfixed_table_free(rule);
    return status;
}

int attn_theory_fresh_head(const size_t *n, size_t count, size_t d_k,
                           double scale, attn_theory_jacobian *J)
{
    if (d_k == 0 || !(scale > 0) || count == 0)
        GSL_ERROR("d_k, scale and count are positive", GSL_EINVAL);
    for (size_t i = 0; i < count; i++)
        if (n[i] == 0 || n[i] > MOST_KEYS)
            GSL_ERROR("n is 1 to 1e9", GSL_EINVAL);
    moments *fine = calloc(2 * count, sizeof *fine);
    if (!fine)
        GSL_ERROR("no memory for the moments", GSL_ENOMEM);
    moments *coarse = fine + count;
    int status = average(n, count, d_k, scale, 1, fine);

    if (!status)
        status = average(n, count, d_k, scale, 2, coarse);
    for (size_t i = 0; !status && i < count; i++)
        J[i] = with_error(&fine[i], &coarse[i]);
    free(fine);
    if (status)
        GSL_ERROR("no memory for a table", GSL_ENOMEM);
    return GSL_SUCCESS;
}

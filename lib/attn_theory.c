/* Predictions for one score, and the largest of n normals. */
#include "attn_theory.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <math.h>

enum { INTERVALS = 1000 };

attn_theory_score attn_theory_score_of(attn_sample_law law, size_t d_k,
                                       double v, double rho)
{
    const double d = (double)d_k, m4 = attn_sample_fourth_moment(law);
    const double r2 = rho * rho;
    const double kappa =
        law == ATTN_SAMPLE_NORMAL ? 6 * (1 + 6 * r2 + r2 * r2) : m4 * m4 - 3;
    const double variance = v * v * d * (1 + r2);

    return (attn_theory_score){.mean = v * rho * d,
                               .variance = variance,
                               .mu4 = 3 * variance * variance +
                                      v * v * v * v * d * kappa};
}

double attn_theory_variance_of_variance(double variance, double mu4, size_t N)
{
    const double n = (double)N;

    return (mu4 - variance * variance * (n - 3) / (n - 1)) / n;
}

double attn_theory_layer_variance(size_t n, size_t d_k)
{
    const double d = (double)d_k, tokens = (double)n;

    return (2 * d * d + 6 * d + 4 * d * (tokens - 1)) / (tokens * tokens);
}

double attn_theory_pooling_factor(size_t n, size_t d_k)
{
    return sqrt(1 + 2 * ((double)n - 1) / ((double)d_k + 3));
}

/* Integrate f over [a, b], or over the line when both are infinite. */
static int integrate(gsl_function *f, double a, double b,
                     attn_theory_value *value)
{
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(INTERVALS);
    int status;

    if (!w)
        return GSL_ENOMEM;
    if (isinf(a))
        status = gsl_integration_qagi(f, 1e-13, 1e-11, INTERVALS, w,
                                      &value->value, &value->error);
    else
        status = gsl_integration_qag(f, a, b, 1e-13, 1e-11, INTERVALS,
                                     GSL_INTEG_GAUSS61, w, &value->value,
                                     &value->error);
    gsl_integration_workspace_free(w);
    return status;
}

typedef struct {
    double d, x; /* tail: degrees, threshold */
    double n;    /* largest of n */
} parameters;

/* 2 Phi(-x/r) times the density of chi: r^2 ~ chi^2, dr^2 = 2 r dr. */
static double tail_integrand(double r, void *context)
{
    const parameters *p = context;

    return r > 0 ? 2 * gsl_cdf_ugaussian_P(-p->x / r) * 2 * r *
                       gsl_ran_chisq_pdf(r * r, p->d)
                 : 0;
}

/* P(|2 B - d| > x), B binomial(d, 1/2): a sum of d signs. */
static double rademacher_tail(size_t d_k, double x)
{
    /* 2 B - d > x is B >= m, m the smallest such integer. */
    const double m = floor((x + (double)d_k) / 2) + 1;

    if (m > (double)d_k)
        return 0;
    return fmin(1, 2 * gsl_cdf_binomial_Q((unsigned)m - 1, 0.5, (unsigned)d_k));
}

int attn_theory_tail(attn_sample_law law, size_t d_k, double x,
                     attn_theory_value *p)
{
    parameters at = {.d = (double)d_k, .x = x};
    gsl_function f = {.function = tail_integrand, .params = &at};
    const double middle = sqrt(at.d);

    if (!(x >= 0) || d_k == 0)
        GSL_ERROR("the tail needs d_k >= 1 and x >= 0", GSL_EINVAL);
    if (law == ATTN_SAMPLE_RADEMACHER) {
        *p = (attn_theory_value){rademacher_tail(d_k, x), 1e-14};
        return GSL_SUCCESS;
    }
    if (law != ATTN_SAMPLE_NORMAL)
        return GSL_EUNIMPL; /* an answer, not an error */
    /* chi is within 9 of sqrt(d) but for 1e-17. */
    return integrate(&f, fmax(0, middle - 9), middle + 9, p);
}

/* x n phi(x) Phi(x)^{n-1} */
static double max_integrand(double x, void *context)
{
    const parameters *p = context;

    return x * p->n * gsl_ran_ugaussian_pdf(x) *
           pow(gsl_cdf_ugaussian_P(x), p->n - 1);
}

int attn_theory_max_normal(size_t n, attn_theory_value *mean)
{
    parameters at = {.n = (double)n};
    gsl_function f = {.function = max_integrand, .params = &at};

    if (n == 0)
        GSL_ERROR("the largest of no numbers", GSL_EINVAL);
    return integrate(&f, -INFINITY, INFINITY, mean);
}

attn_theory_cost attn_theory_cost_of(size_t n, size_t d, size_t d_k, size_t d_v,
                                     size_t heads)
{
    const double N = (double)n, D = (double)d, h = (double)heads;
    const double k = (double)d_k, v = (double)d_v;

    return (attn_theory_cost){.projections = h * N * D * (2 * k + v),
                              .scores = h * N * N * k,
                              .sum = h * N * N * v};
}

double attn_theory_cost_crossing(size_t d, size_t d_k, size_t d_v)
{
    const double D = (double)d, k = (double)d_k, v = (double)d_v;

    return D * (2 * k + v) / (k + v);
}

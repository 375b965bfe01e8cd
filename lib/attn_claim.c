/* Verdicts: what decides each kind. Printing is in attn_claim_print.c. */
#include "attn_claim.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct attn_claims {
    uint64_t seed;
    size_t count, room;
    int has_lost; /* one for which there was no memory */
    attn_claim *at;
};

/* p below which one check rejects, so that the suite keeps its promise. */
static const double limit_p = ATTN_CLAIM_ALARM / ATTN_CLAIM_CHECKS;

/* The two-sided limit on |z|: 4.21. */
static double limit_z(void)
{
    return gsl_cdf_ugaussian_Qinv(limit_p / 2);
}

attn_claims *attn_claims_alloc(uint64_t seed)
{
    attn_claims *claims = calloc(1, sizeof *claims);

    if (!claims)
        GSL_ERROR_NULL("no memory for the claims", GSL_ENOMEM);
    claims->seed = seed;
    return claims;
}

void attn_claims_free(attn_claims *claims)
{
    if (claims)
        free(claims->at);
    free(claims);
}

static const attn_claim *add(attn_claims *claims, const char *id,
                             const attn_claim *claim)
{
    if (claims->count == claims->room) {
        const size_t room = claims->room ? 2 * claims->room : 16;
        attn_claim *at = realloc(claims->at, room * sizeof *at);
        if (!at) {
            claims->has_lost = 1;
            GSL_ERROR_NULL("no memory for a claim", GSL_ENOMEM);
        }
        claims->at = at;
        claims->room = room;
    }
    attn_claim *slot = &claims->at[claims->count++];
    *slot = *claim;
    strncpy(slot->id, id, sizeof slot->id - 1);
    return slot;
}

/* A claim without p and power: those are for stat and approx. */
static attn_claim plain(attn_claim_kind kind, double predicted, double measured,
                        double uncertainty, double ratio, size_t n,
                        attn_claim_verdict verdict, const char *why)
{
    return (attn_claim){.kind = kind,
                        .predicted = predicted,
                        .measured = measured,
                        .uncertainty = uncertainty,
                        .ratio = ratio,
                        .p = (double)NAN,
                        .caught = (double)NAN,
                        .n = n,
                        .verdict = verdict,
                        .why = why};
}

/* HOLDS or CONTRADICTED: the condition is written so that NaN fails it. */
static attn_claim_verdict holds(int condition, size_t n)
{
    return condition && n > 0 ? ATTN_CLAIM_HOLDS : ATTN_CLAIM_CONTRADICTED;
}

const attn_claim *attn_claims_exact(attn_claims *claims, const char *id,
                                    double predicted, double measured,
                                    double tolerance, size_t n, const char *why)
{
    const double error = fabs(measured - predicted);
    const attn_claim claim =
        plain(ATTN_CLAIM_EXACT, predicted, measured, tolerance,
              error == 0      ? 0
              : tolerance > 0 ? error / tolerance
                              : (double)NAN,
              n, holds(error <= tolerance, n), why);

    return add(claims, id, &claim);
}

const attn_claim *attn_claims_floor(attn_claims *claims, const char *id,
                                    double floor, double measured, size_t n,
                                    const char *why)
{
    const attn_claim claim =
        plain(ATTN_CLAIM_EXACT, (double)NAN, measured, floor, measured / floor,
              n, holds(isfinite(measured) && measured >= floor, n), why);

    return add(claims, id, &claim);
}

const attn_claim *attn_claims_bound(attn_claims *claims, const char *id,
                                    double largest_ratio, double rounding,
                                    size_t n, const char *why)
{
    const attn_claim claim =
        plain(ATTN_CLAIM_BOUND, 1, largest_ratio, rounding,
              largest_ratio / (1 + rounding), n,
              holds(largest_ratio <= 1 + rounding, n), why);

    return add(claims, id, &claim);
}

/* A contradiction is decided before power is looked at; a pass needs power. */
static attn_claim_verdict stat_verdict(double p, double caught, double margin,
                                       size_t n)
{
    if (n < 2 || isnan(p))
        return ATTN_CLAIM_INCONCLUSIVE;
    if (p < limit_p)
        return ATTN_CLAIM_INCONSISTENT;
    if (!(caught <= margin))
        return ATTN_CLAIM_INCONCLUSIVE;
    return p < ATTN_CLAIM_WEAK_P ? ATTN_CLAIM_WEAK : ATTN_CLAIM_CONSISTENT;
}

const attn_claim *attn_claims_stat(attn_claims *claims, const char *id,
                                   double predicted, double measured, double se,
                                   double scale, double margin, size_t n,
                                   const char *why)
{
    const double z = n < 2 ? (double)NAN : (measured - predicted) / se;
    const double p = 2 * gsl_cdf_ugaussian_Q(fabs(z));
    const double caught =
        (limit_z() + gsl_cdf_ugaussian_Pinv(ATTN_CLAIM_POWER)) * se /
        fabs(scale);
    attn_claim claim =
        plain(ATTN_CLAIM_STAT, predicted, measured, n < 2 ? (double)NAN : se, z,
              n, stat_verdict(p, caught, margin, n), why);

    claim.p = p;
    claim.caught = n < 2 ? (double)NAN : caught;
    return add(claims, id, &claim);
}

/* The limit of a chi^2 on k degrees, for power(). */
typedef struct {
    double degrees, limit;
} sweep_test;

/*
 * P(noncentral chi^2 > limit) - 0.9 at noncentrality lambda: the mixture of
 * central ones on k + 2j degrees, j ~ Poisson(lambda/2).
 */
static double missing_power(double lambda, void *context)
{
    const sweep_test *t = context;
    const double spread = 10 * sqrt(lambda / 2) + 10;
    const unsigned from = (unsigned)fmax(0, lambda / 2 - spread);
    const unsigned to = (unsigned)(lambda / 2 + spread);
    double power = 0;

    for (unsigned j = from; j <= to; j++)
        power += gsl_ran_poisson_pdf(j, lambda / 2) *
                 gsl_cdf_chisq_Q(t->limit, t->degrees + 2.0 * j);
    return power - ATTN_CLAIM_POWER;
}

/* The noncentrality that a sweep over count points catches; NaN: no memory. */
static double caught_noncentrality(size_t count)
{
    sweep_test t = {.degrees = (double)count,
                    .limit = gsl_cdf_chisq_Qinv(limit_p, (double)count)};
    gsl_function f = {.function = missing_power, .params = &t};
    double low = 0.1, high = 100 + 10 * t.limit;
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);

    if (!solver)
        return (double)NAN;
    gsl_root_fsolver_set(solver, &f, low, high);
    do {
        if (gsl_root_fsolver_iterate(solver))
            break;
        low = gsl_root_fsolver_x_lower(solver);
        high = gsl_root_fsolver_x_upper(solver);
    } while (gsl_root_test_interval(low, high, 0, 1e-9) == GSL_CONTINUE);
    const double root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return root;
}

/* Phi^-1(1 - p), finite for every p that a double can be. */
static double z_of(double p)
{
    return p < 0.5 ? gsl_cdf_ugaussian_Qinv(fmax(p, 1e-300))
                   : gsl_cdf_ugaussian_Qinv(fmin(p, 1 - 0x1p-53));
}

const attn_claim *attn_claims_sweep(attn_claims *claims, const char *id,
                                    size_t count, const double *z,
                                    const double *relative_se, double margin,
                                    size_t n, const char *why)
{
    double chi2 = 0, information = 0;

    for (size_t i = 0; i < count; i++) {
        chi2 += z[i] * z[i];
        information += 1 / (relative_se[i] * relative_se[i]);
    }
    const int known = n >= 2 && count > 0 && isfinite(chi2);
    const double p = known ? gsl_cdf_chisq_Q(chi2, (double)count) : (double)NAN;
    const double noncentrality =
        known ? caught_noncentrality(count) : (double)NAN;
    const double caught = sqrt(noncentrality / information);
    if (known && isnan(noncentrality)) {
        claims->has_lost = 1;
        GSL_ERROR_NULL("no memory for the power of a sweep", GSL_ENOMEM);
    }
    attn_claim claim =
        plain(ATTN_CLAIM_STAT, (double)count, known ? chi2 : (double)NAN,
              sqrt(2 * (double)count), known ? z_of(p) : (double)NAN, n,
              stat_verdict(p, caught, margin, n), why);

    claim.p = p;
    claim.caught = caught;
    return add(claims, id, &claim);
}

/* Half the confidence interval of a mean whose se n trials estimated. */
static double half_interval(double se, size_t n)
{
    return n < 2 ? (double)NAN
                 : gsl_cdf_tdist_Qinv(limit_p / 2, (double)n - 1) * se;
}

/* Inside, outside, or astride (NaN is astride). Trials that all agree estimate
 * se = 0, which is no interval: they may contradict, but never pass. */
static attn_claim_verdict approx_verdict(int inside, int outside)
{
    return inside    ? ATTN_CLAIM_CONSISTENT
           : outside ? ATTN_CLAIM_INCONSISTENT
                     : ATTN_CLAIM_INCONCLUSIVE;
}

const attn_claim *attn_claims_approx(attn_claims *claims, const char *id,
                                     double predicted, double measured,
                                     double se, double scale, double margin,
                                     size_t n, const char *why)
{
    const double allowed = margin * fabs(scale), half = half_interval(se, n);
    const double off = fabs(measured - predicted);
    attn_claim claim = plain(
        ATTN_CLAIM_APPROX, predicted, measured, n < 2 ? (double)NAN : se,
        off / allowed, n,
        approx_verdict(se > 0 && off + half <= allowed, off - half > allowed),
        why);

    claim.caught = half / fabs(scale);
    return add(claims, id, &claim);
}

const attn_claim *attn_claims_above(attn_claims *claims, const char *id,
                                    double floor, double measured, double se,
                                    size_t n, const char *why)
{
    const double half = half_interval(se, n);
    const attn_claim claim =
        plain(ATTN_CLAIM_APPROX, floor, measured, n < 2 ? (double)NAN : se,
              half > 0 ? (measured - floor) / half : (double)NAN, n,
              approx_verdict(se > 0 && measured - half >= floor,
                             measured + half < floor),
              why);

    return add(claims, id, &claim);
}

const attn_claim *attn_claims_info(attn_claims *claims, const char *id,
                                   double predicted, double measured, size_t n,
                                   const char *why)
{
    const attn_claim claim =
        plain(ATTN_CLAIM_INFO, predicted, measured, (double)NAN, (double)NAN, n,
              ATTN_CLAIM_NONE, why);

    return add(claims, id, &claim);
}

int attn_claims_has_lost(const attn_claims *claims)
{
    return claims->has_lost;
}

size_t attn_claims_count(const attn_claims *claims)
{
    return claims->count;
}

const attn_claim *attn_claims_get(const attn_claims *claims, size_t k)
{
    return k < claims->count ? &claims->at[k] : NULL;
}

uint64_t attn_claims_seed(const attn_claims *claims)
{
    return claims->seed;
}

int attn_claims_exit_status(const attn_claims *claims)
{
    int status = 0;

    for (size_t k = 0; k < claims->count; k++)
        switch (claims->at[k].verdict) {
        case ATTN_CLAIM_CONTRADICTED:
        case ATTN_CLAIM_INCONSISTENT:
            return 1;
        case ATTN_CLAIM_INCONCLUSIVE:
            status = 3;
            break;
        default:
            break;
        }
    return status;
}

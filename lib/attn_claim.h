/*
 * Verdicts on the lecture's claims: one line each, one exit status for all.
 *
 * kind    null hypothesis                                verdict
 * exact   an error is within a stated tolerance          HOLDS, CONTRADICTED
 * bound   an inequality holds in every trial             HOLDS, CONTRADICTED
 * stat    z against an exact finite-sample prediction    CONSISTENT, WEAK,
 *                                                        INCONSISTENT,
 *                                                        INCONCLUSIVE
 * approx  the whole confidence interval lies inside a    CONSISTENT,
 *         margin stated beforehand                       INCONSISTENT,
 *                                                        INCONCLUSIVE
 * info    none: a picture, a timing                      none, never counts
 *
 * The suite makes at most ATTN_CLAIM_CHECKS checks and raises a false alarm
 * with probability at most ATTN_CLAIM_ALARM in all, so one check rejects at
 * p < ALARM/CHECKS (|z| > 4.21). WEAK is p < 0.005 within that limit. A pass
 * counts only when the sample could have caught, with power 0.9, an error of
 * the claim's margin; otherwise it is INCONCLUSIVE.
 */
#ifndef ATTN_CLAIM_H
#define ATTN_CLAIM_H

#include "attn_screen.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ATTN_CLAIM_ALARM 1e-3   /* false alarms of the whole suite */
#define ATTN_CLAIM_CHECKS 40    /* checks that share them */
#define ATTN_CLAIM_WEAK_P 0.005 /* p below which a pass is called WEAK */
#define ATTN_CLAIM_POWER 0.9    /* probability of catching the smallest error */

typedef enum {
    ATTN_CLAIM_EXACT,
    ATTN_CLAIM_BOUND,
    ATTN_CLAIM_STAT,
    ATTN_CLAIM_APPROX,
    ATTN_CLAIM_INFO
} attn_claim_kind;

typedef enum {
    ATTN_CLAIM_HOLDS,
    ATTN_CLAIM_CONSISTENT,
    ATTN_CLAIM_WEAK,
    ATTN_CLAIM_INCONCLUSIVE,
    ATTN_CLAIM_CONTRADICTED,
    ATTN_CLAIM_INCONSISTENT,
    ATTN_CLAIM_NONE
} attn_claim_verdict;

typedef struct {
    char id[64]; /* the ledger's id, "/part" behind it where it has several */
    attn_claim_kind kind;
    double predicted;
    double measured;
    double uncertainty; /* standard error; tolerance or bound; NaN: none */
    double ratio;       /* z; error over tolerance; NaN: none */
    double p;           /* two-sided; NaN where there is none */
    double caught;      /* smallest relative error caught; NaN: none */
    size_t n;           /* independent trials, or cases checked */
    attn_claim_verdict verdict;
    const char *why; /* where tolerance, bound or margin comes from */
} attn_claim;

typedef struct attn_claims attn_claims;

/* An empty list for a run at seed; NULL and GSL_ENOMEM when there is none. */
attn_claims *attn_claims_alloc(uint64_t seed);
void attn_claims_free(attn_claims *claims);

/*
 * What follows adds one claim each and returns it, or NULL (GSL_ENOMEM); the
 * pointer holds until the next is added. An id is copied, and cut where it is
 * longer than its room; why is kept by reference: a string literal. Over n = 0
 * cases, or with a NaN in it, exact and bound are CONTRADICTED; the others have
 * measured nothing then and are INCONCLUSIVE.
 */

/* exact: |measured - predicted| <= tolerance. */
const attn_claim *attn_claims_exact(attn_claims *claims, const char *id,
                                    double predicted, double measured,
                                    double tolerance, size_t n,
                                    const char *why);

/* exact: a defect that must exceed a floor, measured >= floor. */
const attn_claim *attn_claims_floor(attn_claims *claims, const char *id,
                                    double floor, double measured, size_t n,
                                    const char *why);

/* bound: the largest ratio left side / right side over n trials is at most 1,
 * up to a relative rounding error. */
const attn_claim *attn_claims_bound(attn_claims *claims, const char *id,
                                    double largest_ratio, double rounding,
                                    size_t n, const char *why);

/*
 * stat: z = (measured - predicted)/se, p = 2 Phi(-|z|). The smallest relative
 * error caught is (4.21 + 1.28) se/scale, where scale is the prediction, or
 * the natural scale of one that is 0; it must not exceed margin.
 * n < 2 has no standard error: INCONCLUSIVE.
 */
const attn_claim *attn_claims_stat(attn_claims *claims, const char *id,
                                   double predicted, double measured, double se,
                                   double scale, double margin, size_t n,
                                   const char *why);

/*
 * stat, a sweep: one check of count independent points. chi^2 = sum z_i^2 on
 * count degrees of freedom, z = Phi^-1(1 - p). The smallest error caught is
 * that relative error delta, common to all points, for which the noncentral
 * chi^2 with sum (delta/relative_se_i)^2 exceeds the limit with probability
 * 0.9. Predicted is count, measured chi^2, uncertainty sqrt(2 count).
 */
const attn_claim *attn_claims_sweep(attn_claims *claims, const char *id,
                                    size_t count, const double *z,
                                    const double *relative_se, double margin,
                                    size_t n, const char *why);

/*
 * approx: the confidence interval measured -+ t se lies inside predicted -+
 * margin*|scale|: CONSISTENT; wholly outside: INCONSISTENT; astride, or n < 2,
 * or inside only because all trials agree (se = 0): INCONCLUSIVE. se is
 * estimated from the n trials themselves, so t is Student's of n - 1 degrees
 * (4.21 for many). An error of the law itself is allowed for by the margin,
 * which is stated beforehand.
 */
const attn_claim *attn_claims_approx(attn_claims *claims, const char *id,
                                     double predicted, double measured,
                                     double se, double scale, double margin,
                                     size_t n, const char *why);

/* approx, one-sided: the same interval lies above floor. Predicted is floor. */
const attn_claim *attn_claims_above(attn_claims *claims, const char *id,
                                    double floor, double measured, double se,
                                    size_t n, const char *why);

/* info: two numbers side by side; predicted may be NaN: none. */
const attn_claim *attn_claims_info(attn_claims *claims, const char *id,
                                   double predicted, double measured, size_t n,
                                   const char *why);

/* How many there are, and the k-th of them. */
size_t attn_claims_count(const attn_claims *claims);
const attn_claim *attn_claims_get(const attn_claims *claims, size_t k);

/* Has there been no memory for one? Then the list says less than the run. */
int attn_claims_has_lost(const attn_claims *claims);

/* The seed of the run. */
uint64_t attn_claims_seed(const attn_claims *claims);

/* 1 when any is contradicted, else 3 when any is inconclusive, else 0. */
int attn_claims_exit_status(const attn_claims *claims);

/*
 * One line a claim in aligned columns, for people. On a screen too narrow for
 * all of them, columns go in this order: caught, p, N, kind, z,ratio, +-;
 * the claim, what is predicted and measured, and the verdict stay.
 */
void attn_claims_print(const attn_claims *claims, const attn_screen *screen,
                       FILE *out);

/* The same as tab-separated values with a row of names, for programs.
 * GSL_SUCCESS, or GSL_EFAILED when out did not take all of it: a stream in
 * memory says so to the caller alone. */
int attn_claims_tsv(const attn_claims *claims, FILE *out);

#endif

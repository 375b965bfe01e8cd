/* attn_claim: every kind reaches every verdict, and power is what it says. */
#include "attn_claim.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "near.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

static attn_claims *claims;

static void set_up(void)
{
    claims = attn_claims_alloc(7);
}

static void tear_down(void)
{
    attn_claims_free(claims);
}

TestSuite(claim, .init = set_up, .fini = tear_down);

Test(claim, exact_holds_within_its_tolerance_only)
{
    cr_assert_eq(attn_claims_exact(claims, "a", 1, 1.1, 0.11, 1, "")->verdict,
                 ATTN_CLAIM_HOLDS);
    cr_assert_eq(attn_claims_exact(claims, "a", 1, 1.1, 0.09, 1, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_exact(claims, "a", 1, 1, 0, 1, "")->verdict,
                 ATTN_CLAIM_HOLDS);
    cr_assert_eq(attn_claims_exact(claims, "a", 1, NAN, 9, 1, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_exact(claims, "a", 1, 1, 0, 0, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED, "no case was checked");
}

Test(claim, floor_holds_above_it_only)
{
    cr_assert_eq(attn_claims_floor(claims, "a", 0.1, 0.2, 1, "")->verdict,
                 ATTN_CLAIM_HOLDS);
    cr_assert_eq(attn_claims_floor(claims, "a", 0.1, 0.05, 1, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_floor(claims, "a", 0.1, NAN, 1, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_floor(claims, "a", 0.1, INFINITY, 1, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_floor(claims, "a", 0.1, 1, 0, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
}

Test(claim, bound_holds_up_to_rounding_only)
{
    cr_assert_eq(
        attn_claims_bound(claims, "a", 1 + 1e-15, 2e-15, 5, "")->verdict,
        ATTN_CLAIM_HOLDS);
    cr_assert_eq(attn_claims_bound(claims, "a", 1.001, 2e-15, 5, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_bound(claims, "a", NAN, 2e-15, 5, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
    cr_assert_eq(attn_claims_bound(claims, "a", 0.5, 2e-15, 0, "")->verdict,
                 ATTN_CLAIM_CONTRADICTED);
}

/* A stat claim of predicted 10, se 0.1, at z. */
static attn_claim_verdict at_z(double z, double margin, size_t n)
{
    return attn_claims_stat(claims, "a", 10, 10 + 0.1 * z, 0.1, 10, margin, n,
                            "")
        ->verdict;
}

Test(claim, stat_turns_at_the_suites_limit)
{
    cr_assert_eq(at_z(0, 0.06, 100), ATTN_CLAIM_CONSISTENT);
    cr_assert_eq(at_z(-2.7, 0.06, 100), ATTN_CLAIM_CONSISTENT);
    cr_assert_eq(at_z(2.9, 0.06, 100), ATTN_CLAIM_WEAK);
    cr_assert_eq(at_z(-4.2, 0.06, 100), ATTN_CLAIM_WEAK);
    cr_assert_eq(at_z(4.22, 0.06, 100), ATTN_CLAIM_INCONSISTENT);
    cr_assert_eq(at_z(-4.22, 0.06, 100), ATTN_CLAIM_INCONSISTENT);
    cr_assert_eq(at_z(50, 0.06, 100), ATTN_CLAIM_INCONSISTENT);
    cr_assert_eq(at_z(NAN, 0.06, 100), ATTN_CLAIM_INCONCLUSIVE);
}

Test(claim, a_small_sample_is_no_pass_but_may_contradict)
{
    cr_assert_eq(at_z(0, 0.05, 100), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(at_z(3, 0.05, 100), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(at_z(5, 0.05, 100), ATTN_CLAIM_INCONSISTENT);
    cr_assert_eq(at_z(0, 1, 1), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(at_z(9, 1, 1), ATTN_CLAIM_INCONCLUSIVE);
}

Test(claim, the_limit_is_4_21_and_the_power_adds_1_28)
{
    const attn_claim *c =
        attn_claims_stat(claims, "a", 10, 10, 0.1, 10, 1, 100, "");

    cr_near(c->caught, (4.2148 + 1.28155) * 0.01, 0, 1e-6);
    cr_near(c->p, 1, 0, 0);
}

Test(claim, the_smallest_errors_caught_by_the_published_runs)
{
    double z[11] = {0}, se[11];

    for (size_t i = 0; i < 11; i++)
        se[i] = 1 / sqrt(5000);
    cr_near(attn_claims_sweep(claims, "a", 11, z, se, 1, 5000, "")->caught,
            0.030, 0, 5e-4);
    for (size_t i = 0; i < 11; i++) { /* normal entries */
        const double d = (double)(1 << i), mu4 = 9 * d + 3 * d * (d - 1);
        se[i] = sqrt((mu4 - d * d * 4997 / 4999) / 5000) / d;
    }
    cr_near(attn_claims_sweep(claims, "a", 11, z, se, 1, 5000, "")->caught,
            0.047, 0, 5e-4);
    for (size_t i = 0; i < 11; i++) { /* Laplace entries */
        const double d = (double)(1 << i), mu4 = 36 * d + 3 * d * (d - 1);
        se[i] = sqrt((mu4 - d * d * 4997 / 4999) / 5000) / d;
    }
    cr_near(attn_claims_sweep(claims, "a", 11, z, se, 1, 5000, "")->caught,
            0.055, 0, 5e-4);
    const double p = 0.313576;
    cr_near(attn_claims_stat(claims, "a", p, p, sqrt(p * (1 - p) / 5000), p, 1,
                             5000, "")
                ->caught,
            0.115, 0, 5e-4);
}

Test(claim, a_sweep_of_one_point_is_that_point)
{
    double z = 3, se = 0.01;
    const attn_claim *sweep =
        attn_claims_sweep(claims, "a", 1, &z, &se, 1, 100, "");

    cr_near(sweep->p, 2 * gsl_cdf_ugaussian_Q(3), 1e-10, 0);
    cr_near(sweep->ratio, gsl_cdf_ugaussian_Qinv(sweep->p), 1e-10, 0);
    cr_near(sweep->caught, (4.2148 + 1.28155) * 0.01, 1e-4, 0);
    cr_assert_eq(sweep->verdict, ATTN_CLAIM_WEAK);
}

Test(claim, a_sweep_rejects_with_the_power_that_it_states)
{
    enum { POINTS = 5, RUNS = 4000 };
    double z[POINTS], se[POINTS];
    size_t caught = 0;
    attn_rng g;

    for (size_t i = 0; i < POINTS; i++) {
        z[i] = 0;
        se[i] = 0.01 * (double)(i + 1);
    }
    const double delta =
        attn_claims_sweep(claims, "a", POINTS, z, se, 1, 100, "")->caught;
    attn_rng_set(&g, 1, attn_rng_experiment("test.claim", 0), 0);
    for (size_t run = 0; run < RUNS; run++) {
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, z, POINTS);
        for (size_t i = 0; i < POINTS; i++)
            z[i] += delta / se[i];
        caught += attn_claims_sweep(claims, "a", POINTS, z, se, 1, 100, "")
                      ->verdict == ATTN_CLAIM_INCONSISTENT;
    }
    cr_near((double)caught / RUNS, 0.9, 0, 4.5 * sqrt(0.09 / RUNS));
}

Test(claim, a_sweep_of_nothing_or_of_nan_is_inconclusive)
{
    double z[2] = {0, NAN}, se[2] = {1e-3, 1e-3};

    cr_assert_eq(attn_claims_sweep(claims, "a", 0, z, se, 1, 100, "")->verdict,
                 ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(attn_claims_sweep(claims, "a", 2, z, se, 1, 100, "")->verdict,
                 ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(attn_claims_sweep(claims, "a", 1, z, se, 1, 1, "")->verdict,
                 ATTN_CLAIM_INCONCLUSIVE);
}

Test(claim, a_sweep_far_too_good_or_bad_has_a_finite_z)
{
    double z[3] = {0, 0, 0}, se[3] = {0.01, 0.01, 0.01};
    const double good =
        attn_claims_sweep(claims, "a", 3, z, se, 1, 100, "")->ratio;
    z[0] = 100;
    const double bad =
        attn_claims_sweep(claims, "a", 3, z, se, 1, 100, "")->ratio;

    cr_assert(isfinite(good) && good < -5);
    cr_assert(isfinite(bad) && bad > 30);
}

Test(claim, approx_needs_the_whole_interval)
{
    /* margin 5 % of 10, half an interval 4.21 se for many trials */
#define VERDICT(measured, se, n)                                               \
    attn_claims_approx(claims, "a", 10, measured, se, 10, 0.05, n, "")->verdict
    cr_assert_eq(VERDICT(10.1, 0.05, 10000), ATTN_CLAIM_CONSISTENT);
    cr_assert_eq(VERDICT(10.4, 0.05, 10000), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(9.4, 0.05, 10000), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(9.2, 0.05, 10000), ATTN_CLAIM_INCONSISTENT);
    cr_assert_eq(VERDICT(10.0, 0.20, 10000), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(NAN, 0.05, 10000), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(10.0, 0.05, 1), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(10.0, 0.00, 9), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(20.0, 0.00, 9), ATTN_CLAIM_INCONSISTENT);
    /* ten trials: t of 9 degrees is 7.8 */
    cr_assert_eq(VERDICT(10.1, 0.05, 10), ATTN_CLAIM_CONSISTENT);
    cr_assert_eq(VERDICT(10.2, 0.05, 10), ATTN_CLAIM_INCONCLUSIVE);
#undef VERDICT
}

Test(claim, above_needs_the_whole_interval_above)
{
#define VERDICT(measured, n)                                                   \
    attn_claims_above(claims, "a", 0.3, measured, 0.01, n, "")->verdict
    cr_assert_eq(VERDICT(0.40, 10), ATTN_CLAIM_CONSISTENT);
    cr_assert_eq(VERDICT(0.37, 10), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(0.37, 1000), ATTN_CLAIM_CONSISTENT);
    cr_assert_eq(VERDICT(0.23, 10), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(0.20, 10), ATTN_CLAIM_INCONSISTENT);
    cr_assert_eq(VERDICT(NAN, 10), ATTN_CLAIM_INCONCLUSIVE);
    cr_assert_eq(VERDICT(0.9, 1), ATTN_CLAIM_INCONCLUSIVE);
#undef VERDICT
}

Test(claim, exit_status_puts_contradiction_before_doubt)
{
    cr_assert_eq(attn_claims_exit_status(claims), 0);
    attn_claims_info(claims, "a", NAN, 3, 1, "");
    at_z(0, 0.06, 100);
    at_z(2.9, 0.06, 100);
    cr_assert_eq(attn_claims_exit_status(claims), 0, "WEAK holds");
    at_z(0, 0.05, 100);
    cr_assert_eq(attn_claims_exit_status(claims), 3);
    at_z(9, 0.06, 100);
    cr_assert_eq(attn_claims_exit_status(claims), 1);
}

Test(claim, a_contradicted_exact_claim_is_status_1)
{
    attn_claims_exact(claims, "a", 1, 2, 0.1, 1, "");
    cr_assert_eq(attn_claims_exit_status(claims), 1);
}

Test(claim, many_claims_keep_their_order)
{
    char id[16];

    for (size_t k = 0; k < 100; k++) {
        snprintf(id, sizeof id, "claim.%zu", k);
        attn_claims_info(claims, id, NAN, (double)k, 1, "");
    }
    cr_assert_eq(attn_claims_count(claims), 100);
    cr_assert_str_eq(attn_claims_get(claims, 63)->id, "claim.63");
    cr_assert_null(attn_claims_get(claims, 100));
    cr_assert_eq(attn_claims_seed(claims), 7);
}

Test(claim, the_table_has_a_row_a_claim_and_no_nan)
{
    char *text = NULL;
    size_t size, lines = 0, tabs = 0;
    FILE *out = open_memstream(&text, &size);

    at_z(0.5, 0.06, 100);
    attn_claims_info(claims, "b", NAN, 3, 1, "a picture");
    cr_assert_eq(attn_claims_tsv(claims, out), GSL_SUCCESS);
    fclose(out);
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
        tabs += *c == '\t';
    }
    cr_assert_eq(lines, 3);
    cr_assert_eq(tabs, 3 * 11);
    cr_assert_null(strstr(text, "nan"));
    cr_assert_not_null(
        strstr(text, "b\tinfo\t-\t3\t-\t-\t-\t-\t1\t7\t-\ta picture\n"));
    free(text);
}

Test(claim, a_table_that_lost_something_has_a_status)
{
    char room[100];
    FILE *out = fmemopen(room, sizeof room, "w");

    setvbuf(out, NULL, _IONBF, 0); /* tell at once that there is no more room */
    at_z(0.5, 0.06, 100);
    cr_assert_eq(attn_claims_tsv(claims, out), GSL_EFAILED);
    fclose(out);
}

Test(claim, freeing_nothing_is_safe)
{
    attn_claims_free(NULL);
}

/* What is printed for a screen, to be freed. */
static char *printed(const attn_screen *screen)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    attn_claims_print(claims, screen, out);
    fclose(out);
    return text;
}

static void add_one_of_each(void)
{
    attn_claims_exact(claims, "claim.of_a_long_name/part", 1, 1.1, 0.11, 7, "");
    attn_claims_exact(claims, "claim.b", 1, 1.5, 0.11, 7, "");
}

Test(claim, a_narrow_screen_keeps_the_verdict_and_loses_columns)
{
    size_t ran = 0;

    add_one_of_each();
    for (int columns = 70; columns <= 120; columns++, ran++) {
        const attn_screen screen = {.columns = columns};
        char *text = printed(&screen);

        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            cr_expect_leq(strlen(line), (size_t)columns, "%s", line);
        free(text);
        text = printed(&screen);
        cr_expect_not_null(strstr(text, "predicted    measured"));
        cr_expect_not_null(strstr(text, "HOLDS\n"));
        cr_expect_eq(strstr(text, "caught") != NULL, columns >= 116, "%d",
                     columns);
        free(text);
    }
    cr_assert_eq(ran, 51);
}

Test(claim, no_screen_is_as_wide_as_it_needs)
{
    const attn_screen file = {0}, wide = {.columns = 500};

    add_one_of_each();
    char *on_file = printed(&file), *on_wide = printed(&wide);
    cr_assert_str_eq(on_file, on_wide);
    cr_assert_not_null(strstr(on_file, "caught"));
    free(on_file);
    free(on_wide);
}

Test(claim, every_verdict_has_its_colour_and_none_has_none)
{
    const attn_screen coloured = {.columns = 100, .in_colour = 1};

    attn_claims_stat(claims, "claim.weak", 0, 3, 1, 1000, 1, 100, "");
    attn_claims_stat(claims, "claim.small", 0, 0, 1, 1, 1, 100, "");
    attn_claims_stat(claims, "claim.far", 0, 9, 1, 1000, 1, 100, "");
    attn_claims_info(claims, "claim.info", 1, 1, 100, "");
    char *text = printed(&coloured);
    cr_expect_not_null(strstr(text, "  \033[33mWEAK\033[0m\n"), "%s", text);
    cr_expect_not_null(strstr(text, "  \033[33mINCONCLUSIVE\033[0m\n"), "%s",
                       text);
    cr_expect_not_null(strstr(text, "  \033[1;31mINCONSISTENT\033[0m\n"), "%s",
                       text);
    cr_expect_not_null(strstr(text, "  -\n"), "%s", text);
    free(text);
}

Test(claim, colour_stands_around_the_verdict_alone)
{
    const attn_screen plain = {.columns = 100},
                      coloured = {.columns = 100, .in_colour = 1};

    add_one_of_each();
    char *with = printed(&coloured), *without = printed(&plain);
    cr_assert_null(strchr(without, '\033'));
    cr_assert_not_null(strstr(with, "  \033[32mHOLDS\033[0m\n"));
    cr_assert_not_null(strstr(with, "  \033[1;31mCONTRADICTED\033[0m\n"));
    cr_assert_eq(strlen(with), strlen(without) + strlen("\033[32m\033[0m") +
                                   strlen("\033[1;31m\033[0m"));
    free(with);
    free(without);
}

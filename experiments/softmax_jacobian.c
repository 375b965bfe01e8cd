/*
 * "Saturation Kills the Gradient", the class demo: the Jacobian of a fresh
 * head's softmax, with and without the division by sqrt(d_k).
 */
#include "attn_fresh.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_program.h"
#include "attn_quantile.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_theory.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* The published parameters. */
static size_t trials = 50000;
static size_t keys = 16;
static size_t head_size = 256;

static attn_cli_option options[] = {
    {"trials", ATTN_CLI_SIZE, &trials, "independent heads in each regime", 1,
     1e9, NULL, 0},
    {"keys", ATTN_CLI_SIZE, &keys, "keys n that a query is compared with", 2,
     4096, NULL, 0},
    {"head-size", ATTN_CLI_SIZE, &head_size, "head size d_k", 1, 65536, NULL,
     0},
    {0}};

enum {
    PER_BLOCK = 32,
    NORM_TRIALS = 2000, /* heads a point of the norms against n, at most */
    QUANTILES = 200,
    FORMULA_KEYS = 7,
    FORMULA_CASES = 200
};
static const size_t norm_keys[] = {2, 4, 8, 16, 32, 64, 128};
static const size_t curve_keys[] = {2,  3,  4,  6,  8,  11, 16,  23,  32,
                                    40, 48, 56, 64, 80, 96, 128, 181, 256};
enum {
    NORM_SIZES = sizeof norm_keys / sizeof *norm_keys,
    CURVE_SIZES = sizeof curve_keys / sizeof *curve_keys
};

/* The law's scale, for predictions; heads take attn_layer_scale's. */
static double law_scale(size_t scaled)
{
    return scaled ? 1 / sqrt((double)head_size) : 1;
}

static int measure(const attn_run *run, const char *part, size_t setting,
                   size_t N, attn_fresh head, attn_fresh_sample *out)
{
    return attn_fresh_measure(attn_run_job(run, part, setting, N, PER_BLOCK),
                              &head, out);
}

/* Standard error of the mean of N values of known second moment. */
static double se(double second_moment, double mean, size_t N)
{
    return sqrt((second_moment - mean * mean) / (double)N);
}

static double trace_se(const attn_theory_jacobian *J, size_t N)
{
    return se(J->trace2.value, J->trace.value, N);
}

static double frobenius2_se(const attn_theory_jacobian *J, size_t N)
{
    return se(J->frobenius4.value, J->frobenius2.value, N);
}

/* jacobian.formula at one score vector: the worst of each property so far. */
typedef struct {
    double differences, symmetric, rows, positive;
} formula;

static int check_formula(gsl_vector *s, const gsl_vector *x, formula *worst)
{
    const double h = 6e-6; /* about eps^(1/3) */
    double weights[FORMULA_KEYS], at_above[FORMULA_KEYS],
        at_under[FORMULA_KEYS], jacobian[FORMULA_KEYS * FORMULA_KEYS];
    gsl_vector_view a = gsl_vector_view_array(weights, FORMULA_KEYS);
    gsl_vector_view up = gsl_vector_view_array(at_above, FORMULA_KEYS);
    gsl_vector_view down = gsl_vector_view_array(at_under, FORMULA_KEYS);
    gsl_matrix_view view =
        gsl_matrix_view_array(jacobian, FORMULA_KEYS, FORMULA_KEYS);
    gsl_matrix *J = &view.matrix;
    double form = 0;
    int status = attn_softmax(s, &a.vector);

    if (!status)
        status = attn_softmax_jacobian(&a.vector, J);
    for (size_t l = 0; !status && l < FORMULA_KEYS; l++) {
        const double sl = gsl_vector_get(s, l), above = sl + h, under = sl - h;
        gsl_vector_set(s, l, above);
        status = attn_softmax(s, &up.vector);
        gsl_vector_set(s, l, under);
        status = status ? status : attn_softmax(s, &down.vector);
        gsl_vector_set(s, l, sl);
        double row = 0;
        for (size_t j = 0; j < FORMULA_KEYS; j++) {
            const double slope = (gsl_vector_get(&up.vector, j) -
                                  gsl_vector_get(&down.vector, j)) /
                                 (above - under);
            const double Jjl = gsl_matrix_get(J, j, l);
            const double Jlj = gsl_matrix_get(J, l, j);
            worst->differences =
                attn_max(worst->differences, fabs(Jjl - slope));
            worst->symmetric = attn_max(worst->symmetric, fabs(Jjl - Jlj));
            row += Jlj;
            form += gsl_vector_get(x, l) * Jlj * gsl_vector_get(x, j);
        }
        worst->rows = attn_max(worst->rows, fabs(row));
    }
    worst->positive = attn_max(worst->positive, -form);
    return status;
}

/* jacobian.formula: J against signed central differences, J = J^T, J 1 = 0,
 * x^T J x >= 0, for scores of sd 0.1 to 10. */
static int formula_claims(attn_run *run)
{
    double data[2 * FORMULA_KEYS];
    gsl_vector_view s = gsl_vector_view_array(data, FORMULA_KEYS);
    gsl_vector_view x =
        gsl_vector_view_array(data + FORMULA_KEYS, FORMULA_KEYS);
    const double eps = 0x1p-52, n = FORMULA_KEYS;
    formula worst = {0};
    attn_rng g;
    int status = GSL_SUCCESS;

    attn_rng_set(&g, run->seed,
                 attn_rng_experiment("softmax_jacobian.formula", 0), 0);
    for (size_t i = 0; !status && i < FORMULA_CASES; i++) {
        attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, data, 2 * FORMULA_KEYS);
        gsl_vector_scale(
            &s.vector,
            attn_exp(M_LN10 * (2.0 * (double)i / FORMULA_CASES - 1)));
        status = check_formula(&s.vector, &x.vector, &worst);
    }
    attn_claims_exact(run->claims, "jacobian.formula", 0, worst.differences,
                      10 * attn_exp(attn_log(eps) * 2 / 3), FORMULA_CASES,
                      "against signed central differences; 10 eps^(2/3)");
    attn_claims_exact(run->claims, "jacobian.formula/symmetric", 0,
                      worst.symmetric, 0, FORMULA_CASES, "J = J^T, equality");
    attn_claims_exact(run->claims, "jacobian.formula/rows", 0, worst.rows,
                      2 * n * eps, FORMULA_CASES, "J 1 = 0; rounding, 2 n eps");
    attn_claims_exact(run->claims, "jacobian.formula/positive", 0,
                      worst.positive, 2 * n * n * eps, FORMULA_CASES,
                      "-x^T J x <= 0; rounding, 2 n^2 eps");
    return status;
}

/* gap.e8: what the lecture rounds to 3,000, to half the last quoted digit. */
static int gap_claims(attn_run *run)
{
    double scores[2] = {8, 0}, weights[2];
    const gsl_vector_view s = gsl_vector_view_array(scores, 2);
    gsl_vector_view a = gsl_vector_view_array(weights, 2);
    int status = attn_softmax(&s.vector, &a.vector);

    attn_claims_exact(run->claims, "gap.e8", 2980.96, attn_exp(8), 0.005, 1,
                      "e^8; half the last quoted digit");
    attn_claims_exact(run->claims, "gap.e8/eight", 0.99966, weights[0], 5e-6, 1,
                      "larger weight, scores 8 apart; half the last digit");
    scores[0] = 16;
    status = status ? status : attn_softmax(&s.vector, &a.vector);
    attn_claims_exact(
        run->claims, "gap.e8/sixteen", 1.1e-7, attn_softmax_rest(&a.vector),
        0.05e-7, 1, "1 - larger weight, scores 16 apart; half the last digit");
    return status;
}

static const attn_dat_column quantile_columns[] = {
    {"share", "share of heads whose norm is below"},
    {"frobenius", "Frobenius norm of the Jacobian"}};
static const attn_dat_column regime_columns[] = {
    {"scaled", "1: scores divided by sqrt(d_k); 0: as they are"},
    {"d_k", "head size"},
    {"n", "keys"},
    {"N", "independent heads"},
    {"trace_predicted", "predicted E tr J"},
    {"trace", "measured mean of tr J"},
    {"trace_se", "its standard error, exact"},
    {"frobenius2_predicted", "predicted E |J|_F^2"},
    {"frobenius2", "measured mean of |J|_F^2"},
    {"frobenius2_se", "its standard error, exact"},
    {"tenth", "a tenth of heads have |J|_F below"},
    {"median", "half of heads have |J|_F below"},
    {"root_mean_square", "root of the mean of |J|_F^2"}};

/* The names of one regime's claims. */
typedef struct {
    const char *block, *trace, *frobenius, *median, *tenth, *stein;
} names;
static const names regime_names[2] = {
    {"unscaled", "demo.trace/unscaled", "demo.frobenius/unscaled",
     "demo.typical/unscaled", "demo.typical/unscaled_tenth",
     "stein.identity/unscaled"},
    {"scaled", "demo.trace/scaled", "demo.frobenius/scaled",
     "demo.typical/scaled", "demo.typical/scaled_tenth",
     "stein.identity/scaled"}};

static void demo_claims(attn_run *run, const names *id,
                        const attn_fresh_sample *m,
                        const attn_theory_jacobian *J, const double *sorted)
{
    const double stein_se = sqrt(J->stein2.value / (double)trials);

    attn_claims_stat(run->claims, id->trace, J->trace.value, m->trace.mean,
                     trace_se(J, trials), J->trace.value, 0.05, trials,
                     "E tr J = 1 - E sum a^2; margin 5 %");
    attn_claims_stat(run->claims, id->frobenius, J->frobenius2.value,
                     m->frobenius2.mean, frobenius2_se(J, trials),
                     J->frobenius2.value, 0.05, trials,
                     "E |J|_F^2; margin 5 %");
    /* E 1/|q|^2 does not exist for one or two dimensions: no standard error */
    if (head_size > 2)
        attn_claims_stat(run->claims, id->stein, 0, m->stein.mean, stein_se,
                         J->trace.value, 0.05, trials,
                         "tr J - sum a s/sigma^2; margin 5 % of E tr J");
    attn_claims_info(run->claims, id->median, (double)NAN,
                     attn_quantile(sorted, trials, 0.5), trials,
                     "median of |J|_F: what one draw shows");
    attn_claims_info(run->claims, id->tenth, (double)NAN,
                     attn_quantile(sorted, trials, 0.1), trials,
                     "a tenth of heads have |J|_F below this");
}

static void write_quantiles(attn_dat *dat, const char *block,
                            const double *sorted)
{
    attn_dat_block(dat, block, quantile_columns, 2);
    for (size_t i = 0; i < QUANTILES; i++) {
        const double share = ((double)i + 0.5) / QUANTILES;
        ATTN_DAT_ROW(dat, share, attn_quantile(sorted, trials, share));
    }
}

/* demo.*, stein.identity, jacobian.limit: both regimes at the chosen n, d_k. */
static int demo(attn_run *run, attn_fresh_sample m[2],
                attn_theory_jacobian J[2])
{
    double *norms = malloc(trials * sizeof *norms);
    double tenth[2], median[2];
    int status = norms ? GSL_SUCCESS : GSL_ENOMEM;

    for (size_t scaled = 0; !status && scaled < 2; scaled++) {
        const double scale = scaled ? attn_layer_scale(head_size) : 1;
        const attn_fresh h = {keys, head_size, scale, norms};
        status = attn_theory_fresh_head(&keys, 1, head_size, law_scale(scaled),
                                        &J[scaled]);
        if (!status)
            status = measure(run, "softmax_jacobian.demo", scaled, trials, h,
                             &m[scaled]);
        if (status)
            break;
        gsl_sort(norms, 1, trials);
        tenth[scaled] = attn_quantile(norms, trials, 0.1);
        median[scaled] = attn_quantile(norms, trials, 0.5);
        demo_claims(run, &regime_names[scaled], &m[scaled], &J[scaled], norms);
        write_quantiles(run->dat, regime_names[scaled].block, norms);
    }
    if (!status)
        attn_dat_block(run->dat, "regimes", regime_columns,
                       sizeof regime_columns / sizeof *regime_columns);
    for (size_t i = 0; !status && i < 2; i++)
        ATTN_DAT_ROW(run->dat, (double)i, (double)head_size, (double)keys,
                     (double)trials, J[i].trace.value, m[i].trace.mean,
                     trace_se(&J[i], trials), J[i].frobenius2.value,
                     m[i].frobenius2.mean, frobenius2_se(&J[i], trials),
                     tenth[i], median[i], sqrt(m[i].frobenius2.mean));
    free(norms);
    return status;
}

static const attn_dat_column norm_columns[] = {
    {"n", "keys"},
    {"scaled", "1: scores divided by sqrt(d_k); 0: as they are"},
    {"N", "independent heads"},
    {"trace_predicted", "predicted E tr J (nuclear norm)"},
    {"trace", "measured mean of tr J"},
    {"trace_se", "its standard error, exact"},
    {"frobenius_predicted", "predicted root mean square of |J|_F"},
    {"frobenius", "measured root mean square of |J|_F"},
    {"frobenius_se", "its standard error, exact, first order"},
    {"spectral", "measured root mean square of the largest eigenvalue"},
    {"spectral_se", "its standard error, first order"}};
static const attn_dat_column curve_columns[] = {
    {"n", "keys"},
    {"trace_scaled", "predicted E tr J with 1/sqrt(d_k)"},
    {"trace_unscaled", "predicted E tr J without"},
    {"frobenius_scaled",
     "predicted root mean square of |J|_F with 1/sqrt(d_k)"},
    {"frobenius_unscaled", "the same without"}};

/* The exact curves, and where the two of the Frobenius norm cross. */
static int curves(attn_run *run, double *crossing)
{
    attn_theory_jacobian J[2][CURVE_SIZES];
    int status = attn_theory_fresh_head(curve_keys, CURVE_SIZES, head_size,
                                        law_scale(0), J[0]);

    if (!status)
        status = attn_theory_fresh_head(curve_keys, CURVE_SIZES, head_size,
                                        law_scale(1), J[1]);
    if (status)
        return status;
    attn_dat_block(run->dat, "curves", curve_columns,
                   sizeof curve_columns / sizeof *curve_columns);
    *crossing = (double)NAN;
    double before = -1;
    for (size_t i = 0; i < CURVE_SIZES; i++) {
        const double unscaled = sqrt(J[0][i].frobenius2.value);
        const double scaled = sqrt(J[1][i].frobenius2.value);
        const double ahead = unscaled - scaled;
        if (i > 0 && before < 0 && ahead >= 0) /* linear in n between two */
            *crossing = (double)curve_keys[i] -
                        ahead / (ahead - before) *
                            (double)(curve_keys[i] - curve_keys[i - 1]);
        before = ahead;
        ATTN_DAT_ROW(run->dat, (double)curve_keys[i], J[1][i].trace.value,
                     J[0][i].trace.value, scaled, unscaled);
    }
    return GSL_SUCCESS;
}

/* demo.norm: the three norms against n. */
static int norms(attn_run *run)
{
    double z_trace[2 * NORM_SIZES], z_frobenius[2 * NORM_SIZES];
    double se_trace[2 * NORM_SIZES], se_frobenius[2 * NORM_SIZES];
    const size_t N = trials < NORM_TRIALS ? trials : NORM_TRIALS;
    double crossing = 0;
    int status = GSL_SUCCESS;

    attn_dat_block(run->dat, "norms", norm_columns,
                   sizeof norm_columns / sizeof *norm_columns);
    for (size_t scaled = 0; scaled < 2; scaled++) {
        const double scale = scaled ? attn_layer_scale(head_size) : 1;
        attn_theory_jacobian J[NORM_SIZES];
        status = attn_theory_fresh_head(norm_keys, NORM_SIZES, head_size,
                                        law_scale(scaled), J);
        for (size_t i = 0; !status && i < NORM_SIZES; i++) {
            const attn_fresh h = {norm_keys[i], head_size, scale, NULL};
            const size_t at = scaled * NORM_SIZES + i;
            const double t_se = trace_se(&J[i], N);
            const double f_se = frobenius2_se(&J[i], N);
            attn_fresh_sample m;
            status = measure(run, "softmax_jacobian.norms", at, N, h, &m);
            z_trace[at] = (m.trace.mean - J[i].trace.value) / t_se;
            se_trace[at] = t_se / J[i].trace.value;
            z_frobenius[at] =
                (m.frobenius2.mean - J[i].frobenius2.value) / f_se;
            se_frobenius[at] = f_se / J[i].frobenius2.value;
            const double rms = sqrt(J[i].frobenius2.value);
            const double largest = sqrt(m.spectral2.mean);
            if (N > 1)
                ATTN_DAT_ROW(run->dat, (double)norm_keys[i], (double)scaled,
                             (double)N, J[i].trace.value, m.trace.mean, t_se,
                             rms, sqrt(m.frobenius2.mean), f_se / (2 * rms),
                             largest,
                             attn_moments_se(&m.spectral2) / (2 * largest));
        }
        if (status)
            return status;
    }
    status = curves(run, &crossing);
    attn_claims_sweep(run->claims, "demo.norm", 2 * NORM_SIZES, z_frobenius,
                      se_frobenius, 0.05, N,
                      "E |J|_F^2 for n = 2 to 128, both regimes; margin 5 %");
    attn_claims_sweep(run->claims, "demo.norm/trace", 2 * NORM_SIZES, z_trace,
                      se_trace, 0.05, N,
                      "E tr J for n = 2 to 128, both regimes; margin 5 %");
    attn_claims_info(run->claims, "demo.norm/crossing", crossing, (double)NAN,
                     CURVE_SIZES,
                     "keys from which the Frobenius norm is larger "
                     "without 1/sqrt(d_k)");
    return status;
}

/* What the largest value of each norm is, and where it is reached. */
static int norm_extremes(attn_run *run, double largest_norm)
{
    gsl_vector *a = gsl_vector_alloc(keys);
    if (!a)
        return GSL_ENOMEM;

    gsl_vector_set_all(a, 1 / (double)keys);
    attn_claims_exact(run->claims, "demo.norm/uniform", 1 - 1 / (double)keys,
                      attn_softmax_trace(a), 2 * (double)keys * 0x1p-52, 1,
                      "tr J of uniform weights is 1 - 1/n; 2 n eps");
    gsl_vector_set_zero(a);
    gsl_vector_set(a, 0, 0.5);
    gsl_vector_set(a, keys - 1, 0.5);
    attn_claims_exact(
        run->claims, "demo.norm/tie", 0.5,
        attn_max(attn_softmax_frobenius(a), attn_softmax_spectral(a)),
        4 * 0x1p-52, 1, "both norms of a tie of two; 4 eps");
    attn_claims_bound(run->claims, "demo.norm/largest", largest_norm,
                      8 * 0x1p-52, 2 * trials,
                      "tr J <= 1 - 1/n, |J|_F <= 1/2, |J|_2 <= 1/2; 8 eps");
    gsl_vector_free(a);
    return GSL_SUCCESS;
}

static int experiment(attn_run *run)
{
    attn_fresh_sample m[2];
    attn_theory_jacobian J[2];
    int status = formula_claims(run);

    if (!status)
        status = gap_claims(run);
    if (!status)
        status = demo(run, m, J);
    if (status)
        return status;
    attn_claims_bound(run->claims, "jacobian.limit",
                      attn_max(m[0].largest_entry, m[1].largest_entry),
                      8 * 0x1p-52, 2 * trials, "|J_jl| <= 1 - a_max; 8 eps");
    status = norms(run);
    return status ? status
                  : norm_extremes(
                        run, attn_max(m[0].largest_norm, m[1].largest_norm));
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "softmax_jacobian",
        .section = "Saturation Kills the Gradient",
        .summary = "Draws fresh heads and measures the Jacobian of their "
                   "softmax, with the division of scores by sqrt(d_k) and "
                   "without.",
        .claims = "jacobian.formula jacobian.limit gap.e8 demo.trace "
                  "demo.frobenius demo.typical demo.norm stein.identity",
        .options = options,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

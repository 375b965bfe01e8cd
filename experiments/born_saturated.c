/*
 * "Saturation Kills the Gradient": how a wide head is born saturated, and what
 * one score vector does as it is scaled up.
 */
#include "attn_fresh.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_moments.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_theory.h"
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <math.h>

/* The published parameters. */
static size_t trials = 80000;
static size_t keys = 16;
static size_t head_size = 256;

static attn_cli_option options[] = {
    {"trials", ATTN_CLI_SIZE, &trials,
     "independent heads of the largest sample", 1, 1e9, NULL, 0},
    {"keys", ATTN_CLI_SIZE, &keys, "keys n of the unscaled head", 2, 4096, NULL,
     0},
    {"head-size", ATTN_CLI_SIZE, &head_size, "its head size d_k", 1, 65536,
     NULL, 0},
    {0}};

/* A tenth of the trials for each point of a sweep. */
static size_t sweep_trials(void)
{
    return trials > 10 ? trials / 10 : trials;
}

/* ---- born.law: unscaled, E tr J goes like E[M_n]/sqrt(d_k) ---- */

static const size_t head_sizes[] = {1, 4, 16, 64, 256, 1024};
enum { SIZES = sizeof head_sizes / sizeof *head_sizes };

static const attn_dat_column law_columns[] = {
    {"d_k", "head size"},
    {"N", "independent heads"},
    {"scaled_up_predicted", "predicted sqrt(d_k) E tr J, without 1/sqrt(d_k)"},
    {"scaled_up", "measured"},
    {"scaled_up_se", "its standard error, exact"},
    {"limit", "E[M_n], the mean of the largest of n standard normals"}};

static double trace_se(const attn_theory_jacobian *J, size_t N)
{
    const double t = J->trace.value;

    return sqrt((J->trace2.value - t * t) / (double)N);
}

static int law_sweep(attn_run *run, double limit)
{
    const size_t N = sweep_trials();
    double z[SIZES], se[SIZES];

    attn_dat_block(run->dat, "law", law_columns, 6);
    for (size_t i = 0; i < SIZES; i++) {
        const attn_fresh head = {keys, head_sizes[i], 1, NULL};
        const double root = sqrt((double)head_sizes[i]);
        attn_theory_jacobian J;
        attn_fresh_sample m;
        int status = attn_theory_fresh_head(&keys, 1, head.d_k, 1, &J);
        if (!status)
            status = attn_fresh_measure(
                attn_run_job(run, "born_saturated.law", i, N, 32), &head, &m);
        if (status)
            return status;
        z[i] = (m.trace.mean - J.trace.value) / trace_se(&J, N);
        se[i] = trace_se(&J, N) / J.trace.value;
        ATTN_DAT_ROW(run->dat, (double)head.d_k, (double)N,
                     root * J.trace.value, root * m.trace.mean,
                     root * trace_se(&J, N), limit);
    }
    attn_claims_sweep(run->claims, "born.law/sweep", SIZES, z, se, 0.05, N,
                      "E tr J for d_k = 1 to 1024, unscaled, exact at finite "
                      "d_k; margin 5 %");
    return GSL_SUCCESS;
}

/* E tr J <= min(1 - 1/n, E[M_n]/sigma) at fixed sigma, by the quadratures. */
static int law_bound(attn_run *run)
{
    double largest = 0;
    size_t cases = 0;

    for (size_t n = 2; n <= 1024; n *= 2) {
        attn_theory_value M;
        int status = attn_theory_max_normal(n, &M);
        for (double sigma = 0.125; !status && sigma <= 64;
             sigma *= 2, cases++) {
            attn_theory_jacobian J;
            status = attn_theory_jacobian_at(n, sigma, &J);
            largest =
                attn_max(largest, J.trace.value / attn_min(1 - 1 / (double)n,
                                                           M.value / sigma));
        }
        if (status)
            return status;
    }
    attn_claims_bound(run->claims, "born.law/bound", largest, 1e-9, cases,
                      "E tr J <= min(1 - 1/n, E[M_n]/sigma); quadrature, 1e-9");
    return GSL_SUCCESS;
}

static int born_law(attn_run *run)
{
    const attn_fresh head = {keys, head_size, 1, NULL};
    const double root = sqrt((double)head_size);
    attn_theory_value M;
    attn_fresh_sample m;
    int status = attn_theory_max_normal(keys, &M);

    if (!status)
        status = attn_fresh_measure(
            attn_run_job(run, "born_saturated.head", 0, trials, 32), &head, &m);
    if (status)
        return status;
    /* The law is one of large d_k: where sqrt(d_k) E tr J still has half the
     * margin to go, there is nothing to judge. */
    attn_theory_jacobian here, far;
    status = attn_theory_fresh_head(&keys, 1, head_size, 1, &here);
    if (!status)
        status = attn_theory_fresh_head(&keys, 1, 4 * head_size, 1, &far);
    if (status)
        return status;
    if (here.trace.value < 0.975 * 2 * far.trace.value)
        attn_claims_info(run->claims, "born.law", M.value, root * m.trace.mean,
                         trials,
                         "sqrt(d_k) E tr J against E[M_n]: this d_k is too "
                         "small for the law");
    else
        attn_claims_approx(
            run->claims, "born.law", M.value, root * m.trace.mean,
            root * attn_moments_se(&m.trace), M.value, 0.05, trials,
            "sqrt(d_k) E tr J, unscaled, against E[M_n]; margin 5 %");
    status = law_sweep(run, M.value);
    return status ? status : law_bound(run);
}

/* ---- born.freezing: softmax over n normal scores, sigma_c = sqrt(2 ln n) ----
 */

typedef struct {
    size_t n;
    double sigma;
} frozen;

/* sum a^2 of softmax over fresh N(0, sigma^2) scores, one number a trial. */
static int squares_block(size_t first, size_t count, attn_rng *g, void *partial,
                         void *scratch, const void *setup)
{
    const frozen *f = setup;
    gsl_vector_view a = gsl_vector_view_array(scratch, f->n);
    int status = GSL_SUCCESS;

    (void)first;
    for (size_t i = 0; !status && i < count; i++) {
        attn_sample_fill(ATTN_SAMPLE_NORMAL, g, a.vector.data, f->n);
        gsl_vector_scale(&a.vector, f->sigma);
        status = attn_softmax(&a.vector, &a.vector);
        attn_moments_add(partial,
                         attn_product_dot(a.vector.data, a.vector.data, f->n));
    }
    return status;
}

static void merge(void *total, const void *partial)
{
    attn_moments_merge(total, partial);
}

static int measure_squares(const attn_run *run, size_t setting, size_t N,
                           frozen f, attn_moments *m)
{
    attn_blocks job =
        attn_run_job(run, "born_saturated.freezing", setting, N, 32);

    job.partial_size = sizeof *m;
    job.scratch_size = f.n * sizeof(double);
    *m = (attn_moments){0};
    return attn_blocks_run(&job, squares_block, merge, m, &f);
}

static double sigma_c(size_t n)
{
    return sqrt(2 * attn_log((double)n));
}

static const size_t map_keys[] = {16, 64, 1024};
static const double map_sigmas[] = {0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16};
enum { MAP_KEYS = 3, MAP_SIGMAS = sizeof map_sigmas / sizeof *map_sigmas };

static const attn_dat_column map_columns[] = {
    {"n", "keys"},
    {"sigma", "standard deviation of a score"},
    {"N", "independent score vectors"},
    {"squares_predicted", "predicted E sum a^2, exact at finite n"},
    {"squares", "measured mean of sum a^2"},
    {"squares_se", "its standard error, exact"},
    {"sigma_c", "where it freezes for large n, sqrt(2 ln n)"}};

/* Points on the exact curves, and the curves between them. */
static int freezing_map(attn_run *run)
{
    const size_t N = sweep_trials();
    double z[MAP_KEYS * MAP_SIGMAS], se[MAP_KEYS * MAP_SIGMAS];

    attn_dat_block(run->dat, "map", map_columns, 7);
    for (size_t i = 0; i < MAP_KEYS * MAP_SIGMAS; i++) {
        const frozen f = {map_keys[i / MAP_SIGMAS], map_sigmas[i % MAP_SIGMAS]};
        attn_theory_jacobian J;
        attn_moments m;
        int status = attn_theory_jacobian_at(f.n, f.sigma, &J);
        if (!status)
            status = measure_squares(run, i, N, f, &m);
        if (status)
            return status;
        z[i] = (m.mean - J.squares.value) / trace_se(&J, N);
        se[i] = trace_se(&J, N) / J.squares.value;
        ATTN_DAT_ROW(run->dat, (double)f.n, f.sigma, (double)N, J.squares.value,
                     m.mean, trace_se(&J, N), sigma_c(f.n));
    }
    attn_claims_sweep(
        run->claims, "born.freezing/map", MAP_KEYS * MAP_SIGMAS, z, se, 0.05, N,
        "E sum a^2 over (n, sigma), exact at finite n; margin 5 %");
    return GSL_SUCCESS;
}

static const attn_dat_column curve_columns[] = {
    {"sigma", "standard deviation of a score"},
    {"n16", "predicted E sum a^2 for 16 keys"},
    {"n64", "for 64 keys"},
    {"n1024", "for 1024 keys"}};

static int freezing_curves(attn_run *run)
{
    double ratio = 0; /* of 1 - sigma_c/sigma to E sum a^2 */
    size_t cases = 0;

    attn_dat_block(run->dat, "curves", curve_columns, 4);
    for (size_t i = 0; i <= 60; i++) {
        const double sigma = 0.25 * attn_exp(M_LN2 * (double)i / 10);
        double squares[MAP_KEYS];
        for (size_t k = 0; k < MAP_KEYS; k++) {
            attn_theory_jacobian J;
            const int status = attn_theory_jacobian_at(map_keys[k], sigma, &J);
            if (status)
                return status;
            squares[k] = J.squares.value;
            ratio = attn_max(ratio,
                             (1 - sigma_c(map_keys[k]) / sigma) / squares[k]);
            cases++;
        }
        ATTN_DAT_ROW(run->dat, sigma, squares[0], squares[1], squares[2]);
    }
    attn_claims_bound(run->claims, "born.freezing/bound", ratio, 1e-9, cases,
                      "1 - sigma_c/sigma <= E sum a^2 at every n; quadrature, "
                      "1e-9");
    return GSL_SUCCESS;
}

static int born_freezing(attn_run *run)
{
    enum { MANY = 4096 };
    const size_t N = sweep_trials();
    attn_moments below, above;
    int status = measure_squares(run, 1000, N,
                                 (frozen){MANY, sigma_c(MANY) / 2}, &below);

    if (!status)
        status = measure_squares(run, 1001, N,
                                 (frozen){MANY, 2 * sigma_c(MANY)}, &above);
    if (status)
        return status;
    attn_claims_approx(run->claims, "born.freezing", 0.5, above.mean,
                       attn_moments_se(&above), 1, 0.1, N,
                       "E sum a^2 at sigma = 2 sigma_c, n = 4096, against 1 - "
                       "sigma_c/sigma; margin 0.1");
    attn_claims_approx(run->claims, "born.freezing/fluid", 0, below.mean,
                       attn_moments_se(&below), 1, 0.05, N,
                       "the same at sigma = sigma_c/2, against 0; margin 0.05");
    status = freezing_map(run);
    return status ? status : freezing_curves(run);
}

/* ---- born.half_nat: a scaled head, sigma = 1 ---- */

static int born_half_nat(attn_run *run)
{
    enum { KEYS = 64 };
    const size_t N = sweep_trials();
    const attn_fresh head = {KEYS, head_size, attn_layer_scale(head_size),
                             NULL};
    const double entropy = attn_log(KEYS) - 0.5, heard = KEYS / attn_exp(1);
    attn_fresh_sample m;
    const int status = attn_fresh_measure(
        attn_run_job(run, "born_saturated.half_nat", 0, N, 32), &head, &m);

    if (status)
        return status;
    const double squares = m.squares.mean;
    attn_claims_approx(run->claims, "born.half_nat", entropy, m.entropy.mean,
                       attn_moments_se(&m.entropy), entropy, 0.05, N,
                       "entropy of 64 weights, scaled, against ln n - 1/2; "
                       "margin 5 %");
    attn_claims_approx(run->claims, "born.half_nat/keys", heard, 1 / squares,
                       attn_moments_se(&m.squares) / (squares * squares), heard,
                       0.15, N,
                       "1/E sum a^2 of 64 weights, scaled, against n/e; margin "
                       "15 %");
    return GSL_SUCCESS;
}

/* ---- temperature.sweep: one score vector times beta ---- */

static const attn_dat_column temperature_columns[] = {
    {"beta", "what the scores are multiplied by"},
    {"entropy", "entropy of the weights, nats"},
    {"largest", "largest weight"},
    {"trace", "trace of the Jacobian, with respect to the scaled scores"}};

/* The distance of the two largest. */
static double gap_of(const gsl_vector *s)
{
    const size_t p = gsl_vector_max_index(s);
    double gap = INFINITY;

    for (size_t j = 0; j < s->size; j++)
        if (j != p)
            gap = attn_min(gap, gsl_vector_get(s, p) - gsl_vector_get(s, j));
    return gap;
}

static int temperature(attn_run *run)
{
    enum { KEYS = 16, POINTS = 101 };
    double s[KEYS], scaled[KEYS], last[3] = {INFINITY, -INFINITY, INFINITY};
    double hot = 0, bound = 0;
    size_t violations = 0;
    gsl_vector_view a = gsl_vector_view_array(scaled, KEYS);
    attn_rng g;
    int status = GSL_SUCCESS;

    attn_rng_set(&g, run->seed, attn_rng_experiment("born_saturated.beta", 0),
                 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, s, KEYS);
    const gsl_vector_view S = gsl_vector_view_array(s, KEYS);
    const double range = gsl_vector_max(&S.vector) - gsl_vector_min(&S.vector);

    attn_dat_block(run->dat, "temperature", temperature_columns, 4);
    for (size_t i = 0; !status && i < POINTS; i++) {
        const double beta = attn_exp(M_LN10 * (0.05 * (double)i - 2));
        for (size_t j = 0; j < KEYS; j++)
            scaled[j] = beta * s[j];
        /* 1 - a_max is at most the n - 1 others' e^{-beta gap} */
        const double most = (KEYS - 1) * attn_exp(-gap_of(&a.vector));
        status = attn_softmax(&a.vector, &a.vector);
        const double now[3] = {attn_softmax_entropy(&a.vector),
                               gsl_vector_max(&a.vector),
                               attn_softmax_trace(&a.vector)};
        if (!(now[0] <= last[0] && now[1] >= last[1] && now[2] <= last[2]))
            violations++;
        if (i == 0)
            hot = (attn_log(KEYS) - now[0]) / (beta * beta * range * range / 8);
        /* A subnormal weight is off by up to 2.5 DBL_TRUE_MIN. */
        bound = attn_max(bound, attn_softmax_rest(&a.vector) /
                                    (most + 3 * KEYS * DBL_TRUE_MIN));
        last[0] = now[0], last[1] = now[1], last[2] = now[2];
        ATTN_DAT_ROW(run->dat, beta, now[0], now[1], now[2]);
    }
    attn_claims_exact(run->claims, "temperature.sweep", 0, (double)violations,
                      0, POINTS,
                      "steps up of entropy or tr J, steps down of the largest "
                      "weight, as beta grows; equality");
    attn_claims_exact(run->claims, "temperature.sweep/uniform", 0.5, hot, 0.5,
                      1,
                      "ln n - entropy at beta = 0.01, over beta^2 range^2/8: "
                      "between 0 and 1");
    attn_claims_bound(run->claims, "temperature.sweep/decision", bound,
                      KEYS * 0x1p-52, POINTS,
                      "1 - largest weight <= (n-1) e^(-beta gap); n eps");
    return status;
}

static int experiment(attn_run *run)
{
    int status = born_law(run);

    if (!status)
        status = born_freezing(run);
    if (!status)
        status = born_half_nat(run);
    return status ? status : temperature(run);
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "born_saturated",
        .section = "Saturation Kills the Gradient",
        .summary = "Measures how saturated a head is born, and what one score "
                   "vector does as it is scaled up.",
        .claims = "born.law born.freezing born.half_nat temperature.sweep",
        .options = options,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

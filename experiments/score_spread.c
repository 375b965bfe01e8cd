/*
 * "Why Divide by sqrt(d_k)?": entries that are independent, of mean 0 and
 * variance 1, make scores <q, k> of mean 0 and variance d_k; divided by
 * sqrt(d_k), of variance 1 at every head size.
 */
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_pairs.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_theory.h"
#include <gsl/gsl_errno.h>
#include <math.h>

enum {
    PER_BLOCK = 64, /* pairs a block */
    WIDTH = 64,     /* the lecture's typical head size */
    TOKENS = 64,    /* of the layer whose scores share rows */
    ENOUGH = 1000,  /* pairs that tell 1.5 and 0.3 from the lecture's law */
    LAYERS = 400    /* independent layers, at most */
};

/* The published parameters. */
static size_t pairs = 5000;
static attn_cli_sizes head_sizes = {
    11, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}};
static int entries = ATTN_SAMPLE_NORMAL;
static double variance = 1;
static double correlation = 0;

static attn_cli_option options[] = {
    {"pairs", ATTN_CLI_SIZE, &pairs, "independent pairs (q, k) a head size", 1,
     1e12, NULL, 0},
    {"head-sizes", ATTN_CLI_SIZES, &head_sizes, "head sizes d_k", 1, 65536,
     NULL, 0},
    {"entries", ATTN_CLI_CHOICE, &entries, "law of the entries of q and k", 0,
     0, attn_sample_names, 0},
    {"variance", ATTN_CLI_REAL, &variance,
     "variance of an entry; not 1 breaks the hypothesis", 1e-6, 1e6, NULL, 0},
    {"correlation", ATTN_CLI_REAL, &correlation,
     "correlation of q_j and k_j; not 0 breaks the hypothesis", -1, 1, NULL, 0},
    {0}};

static int conflict(attn_cli_error *error)
{
    if (correlation == 0 || entries == ATTN_SAMPLE_NORMAL)
        return 0;
    snprintf(error->text, sizeof error->text,
             "--correlation: %g given with --entries %s, allowed with normal "
             "entries only",
             correlation, attn_sample_names[entries]);
    return 1;
}

/* Draw `pairs` scores; part and setting name the stream. */
static int measure(const attn_run *run, const char *part, size_t setting,
                   attn_pairs s, attn_pairs_sample *out)
{
    return attn_pairs_measure(
        attn_run_job(run, part, setting, pairs, PER_BLOCK), &s, out);
}

/* A measured mean or variance in units of its own standard error. */
static double z_mean(const attn_pairs_sample *m, attn_theory_score law)
{
    return (m->scores.mean - law.mean) / sqrt(law.variance / (double)pairs);
}

static double variance_se(attn_theory_score law)
{
    return sqrt(attn_theory_variance_of_variance(law.variance, law.mu4, pairs));
}

static double z_variance(const attn_pairs_sample *m, attn_theory_score law)
{
    return (attn_moments_variance(&m->scores) - law.variance) /
           variance_se(law);
}

static void write_sample(attn_dat *dat, double label, attn_pairs s,
                         const attn_pairs_sample *m)
{
    const attn_theory_score law =
        attn_theory_score_of(s.law, s.d_k, s.v, s.rho);
    const double sd = sqrt(law.variance), root = sqrt((double)s.d_k);
    const double measured = sqrt(attn_moments_variance(&m->scores));
    const double sd_se = variance_se(law) / (2 * sd);

    if (pairs < 2)
        return; /* no spread of one score */
    ATTN_DAT_ROW(dat, label, (double)s.d_k, (double)pairs, law.mean,
                 m->scores.mean, sqrt(law.variance / (double)pairs),
                 law.variance, attn_moments_variance(&m->scores),
                 variance_se(law), sd, measured, sd_se, sd / root,
                 measured / root, sd_se / root);
}

static const attn_dat_column columns[] = {
    {"label", "law of the entries (0 normal, 1 uniform, 2 Rademacher, 3 "
              "Laplace, 4 Student t of 8 degrees)"},
    {"d_k", "head size"},
    {"N", "independent pairs"},
    {"mean_predicted", "predicted mean of the score"},
    {"mean", "measured mean of the score"},
    {"mean_se", "its standard error, exact"},
    {"variance_predicted", "predicted variance of the score"},
    {"variance", "measured unbiased variance of the score"},
    {"variance_se", "its standard error, exact"},
    {"sd_predicted", "predicted standard deviation of the score"},
    {"sd", "measured standard deviation of the score"},
    {"sd_se", "its standard error, variance_se/(2 sd_predicted)"},
    {"scaled_predicted", "predicted standard deviation of score/sqrt(d_k)"},
    {"scaled", "measured standard deviation of score/sqrt(d_k)"},
    {"scaled_se", "its standard error"}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* spread.mean, spread.variance, spread.scaled: every head size, against the
 * lecture's law whatever the entries are. */
static int sweep(attn_run *run)
{
    const double N = (double)pairs;
    double z1[ATTN_CLI_LIST_MAX], z2[ATTN_CLI_LIST_MAX];
    double se1[ATTN_CLI_LIST_MAX], se2[ATTN_CLI_LIST_MAX];
    size_t points = 0;

    attn_dat_block(run->dat, "sweep", columns, COLUMNS);
    for (size_t i = 0; i < head_sizes.count; i++) {
        const attn_pairs s = {(attn_sample_law)entries, head_sizes.at[i],
                              variance, correlation};
        const attn_theory_score lecture =
            attn_theory_score_of(s.law, s.d_k, 1, 0);
        attn_pairs_sample m;
        const int status = measure(run, "score_spread.sweep", s.d_k, s, &m);
        if (status)
            return status;
        write_sample(run->dat, entries, s, &m);
        z1[i] = z_mean(&m, lecture);
        se1[i] = 1 / sqrt(N);
        if (s.law == ATTN_SAMPLE_RADEMACHER && s.d_k == 1 && pairs > 1) {
            /* Products are -1 or 1, so s^2 has no noise of its own. */
            attn_claims_exact(run->claims, "spread.variance/signs",
                              N / (N - 1) * (1 - m.scores.mean * m.scores.mean),
                              attn_moments_variance(&m.scores),
                              4 * N * 0x1p-52 * variance * variance, pairs,
                              "N/(N-1) (1 - mean^2) for products -1 and 1; "
                              "rounding, 4 N eps");
            continue;
        }
        z2[points] = z_variance(&m, lecture);
        se2[points++] = variance_se(lecture) / lecture.variance;
    }
    attn_claims_sweep(run->claims, "spread.mean", head_sizes.count, z1, se1,
                      0.05, pairs, "margin 5 % of sqrt(d_k), all head sizes");
    if (points == 0)
        return GSL_SUCCESS;
    attn_claims_sweep(run->claims, "spread.variance", points, z2, se2, 0.10,
                      pairs, "margin 10 % of d_k, all head sizes");
    attn_claims_sweep(run->claims, "spread.scaled", points, z2, se2, 0.10,
                      pairs,
                      "spread.variance after division by d_k: the same "
                      "number, counted once");
    return GSL_SUCCESS;
}

/* spread.routine: P(|score| > 8) at d_k = 64. */
static int routine(attn_run *run)
{
    const attn_pairs s = {(attn_sample_law)entries, WIDTH, variance,
                          correlation};
    attn_theory_value p;
    attn_pairs_sample m = {0};
    int status = attn_theory_tail(s.law, WIDTH, 8, &p);

    if (status == GSL_EUNIMPL)
        return GSL_SUCCESS; /* no prediction for this law: not run */
    if (!status)
        status = measure(run, "score_spread.routine", WIDTH, s, &m);
    if (!status)
        attn_claims_stat(run->claims, "spread.routine", p.value,
                         (double)m.routine / (double)pairs,
                         sqrt(p.value * (1 - p.value) / (double)pairs), p.value,
                         0.15, pairs, "P(|score| > 8), d_k = 64; margin 15 %");
    return status;
}

/* spread.universal: five laws, one spread. */
static int universal(attn_run *run)
{
    double z[ATTN_SAMPLE_LAWS], se[ATTN_SAMPLE_LAWS];

    attn_dat_block(run->dat, "universal", columns, COLUMNS);
    for (int law = 0; law < ATTN_SAMPLE_LAWS; law++) {
        const attn_pairs s = {(attn_sample_law)law, WIDTH, variance,
                              law == ATTN_SAMPLE_NORMAL ? correlation : 0};
        const attn_theory_score lecture =
            attn_theory_score_of(s.law, WIDTH, 1, 0);
        attn_pairs_sample m;
        const int status =
            measure(run, "score_spread.universal", (size_t)law, s, &m);
        if (status)
            return status;
        write_sample(run->dat, law, s, &m);
        z[law] = z_variance(&m, lecture);
        se[law] = variance_se(lecture) / lecture.variance;
    }
    attn_claims_sweep(run->claims, "spread.universal", ATTN_SAMPLE_LAWS, z, se,
                      0.10, pairs,
                      "variance at d_k = 64 for five laws; margin 10 %");
    return GSL_SUCCESS;
}

/* spread.hypotheses: break one, and the law moves as derived. The run's own
 * --variance and --correlation where they break something, else 1.5 and 0.3. */
static int hypotheses(attn_run *run)
{
    const int own = variance != 1 || correlation != 0;
    const attn_pairs s = {own ? (attn_sample_law)entries : ATTN_SAMPLE_NORMAL,
                          WIDTH, own ? variance : 1.5, own ? correlation : 0.3};
    const attn_theory_score law =
        attn_theory_score_of(s.law, WIDTH, s.v, s.rho);
    const attn_theory_score lecture = attn_theory_score_of(s.law, WIDTH, 1, 0);
    attn_pairs_sample
        m[2]; /* one sample each: mean and variance of one are dependent */

    attn_dat_block(run->dat, "hypotheses", columns, COLUMNS);
    for (size_t i = 0; i < 2; i++) {
        const int status = measure(run, "score_spread.hypotheses", i, s, &m[i]);
        if (status)
            return status;
        write_sample(run->dat, s.law, s, &m[i]);
    }
    const double z[2] = {z_mean(&m[0], law), z_variance(&m[1], law)};
    const double scale = s.rho != 0 ? fabs(law.mean) : sqrt(law.variance);
    const double se[2] = {sqrt(law.variance / (double)pairs) / scale,
                          variance_se(law) / law.variance};
    attn_claims_sweep(run->claims, "spread.hypotheses", 2, z, se, 0.10, pairs,
                      "mean v rho d_k, variance v^2 d_k (1 + rho^2); margin 10 "
                      "%");
    if (!own && pairs >= ENOUGH)
        attn_claims_floor(run->claims, "spread.hypotheses/rejects", 4.21,
                          attn_min(fabs(z_mean(&m[0], lecture)),
                                   fabs(z_variance(&m[1], lecture))),
                          2 * pairs,
                          "|z| of the lecture's own law on the broken sample "
                          "passes the limit");
    return GSL_SUCCESS;
}

/* A layer of TOKENS rows whose n^2 scores are dependent. */
typedef struct {
    size_t d_k;
    int from_embeddings; /* Q = X W_Q, K = X W_K of one X, not free rows */
} layer;

static gsl_matrix_view fill(double **scratch, attn_rng *g, size_t rows,
                            size_t columns_, double sd)
{
    gsl_matrix_view M = gsl_matrix_view_array(*scratch, rows, columns_);

    attn_sample_matrix(g, sd, &M.matrix);
    *scratch += rows * columns_;
    return M;
}

/* One number a trial: the mean square of all scores of one Q K^T. */
static int layer_block(size_t first, size_t count, attn_rng *g, void *partial,
                       void *scratch, const void *setup)
{
    const layer *l = setup;
    const double sd = sqrt(variance);
    int status = GSL_SUCCESS;

    (void)first;
    for (size_t i = 0; !status && i < count; i++) {
        double *room = scratch;
        gsl_matrix_view Q = fill(&room, g, TOKENS, l->d_k, sd);
        gsl_matrix_view K = fill(&room, g, TOKENS, l->d_k, sd);
        if (l->from_embeddings) {
            const double unit = 1 / sqrt((double)WIDTH);
            const gsl_matrix_view X = fill(&room, g, TOKENS, WIDTH, sd);
            const gsl_matrix_view W_Q = fill(&room, g, WIDTH, l->d_k, unit);
            const gsl_matrix_view W_K = fill(&room, g, WIDTH, l->d_k, unit);
            attn_product_ab(&X.matrix, &W_Q.matrix, &Q.matrix);
            attn_product_ab(&X.matrix, &W_K.matrix, &K.matrix);
        }
        gsl_matrix_view S = gsl_matrix_view_array(room, TOKENS, TOKENS);
        status = attn_layer_scores(&Q.matrix, &K.matrix, 1, &S.matrix);
        attn_moments_add(partial,
                         attn_product_dot(room, room, TOKENS * TOKENS) /
                             (TOKENS * TOKENS));
    }
    return status;
}

static void merge_moments(void *total, const void *partial)
{
    attn_moments_merge(total, partial);
}

static const attn_dat_column layer_columns[] = {
    {"d_k", "head size"},
    {"embeddings", "0: rows of Q and K are free; 1: both come from one X"},
    {"n", "tokens"},
    {"layers", "independent layers"},
    {"mean_square_predicted", "predicted mean square of a layer's scores"},
    {"mean_square", "measured mean square of a layer's scores"},
    {"mean_square_se", "its standard error, exact for free rows"},
    {"pooled_se", "standard error if all scores were independent"},
    {"factor_predicted", "true over pooled standard error; 0: not derived"},
    {"factor", "the same, measured from the spread between layers"}};

static int one_layer(attn_run *run, size_t setting, layer l)
{
    const size_t layers_drawn = pairs < LAYERS ? pairs : LAYERS;
    const double d = (double)l.d_k, T = (double)layers_drawn, n = TOKENS;
    const size_t room = 2 * TOKENS * l.d_k + TOKENS * WIDTH +
                        2 * WIDTH * l.d_k + TOKENS * TOKENS;
    attn_blocks job =
        attn_run_job(run, "score_spread.layer", setting, layers_drawn, 8);
    attn_moments m = {0};
    job.partial_size = sizeof m;
    job.scratch_size = room * sizeof(double);
    const int status =
        attn_blocks_run(&job, layer_block, merge_moments, &m, &l);
    const double pooled = sqrt((2 * d * d + 6 * d) / T) / n;
    const double se = sqrt(attn_theory_layer_variance(TOKENS, l.d_k) / T);
    const double factor = attn_theory_pooling_factor(TOKENS, l.d_k);
    /* x^T W_Q W_K^T x of a token with itself: |x|^4/d^2, 1 + 2/d on average */
    const double mean = l.from_embeddings ? d * (1 + 2 / (n * WIDTH)) : d;
    const double measured = attn_moments_se(&m);

    if (status)
        return status;
    if (layers_drawn > 1)
        ATTN_DAT_ROW(run->dat, d, l.from_embeddings, n, T, mean, m.mean,
                     l.from_embeddings ? measured : se, pooled,
                     l.from_embeddings ? 0 : factor, measured / pooled);
    if (l.from_embeddings)
        attn_claims_info(run->claims, "spread.layer/embeddings", (double)NAN,
                         measured / pooled, layers_drawn,
                         "pooled standard error too small by; one X, d_k = 64");
    else if (l.d_k == WIDTH)
        attn_claims_stat(run->claims, "spread.layer", d, m.mean, se, d, 0.05,
                         layers_drawn,
                         "mean square of 64 x 64 dependent scores, "
                         "d_k = 64; margin 5 %");
    if (!l.from_embeddings)
        attn_claims_info(run->claims,
                         l.d_k == WIDTH ? "spread.layer/pooled"
                                        : "spread.layer/pooled_4",
                         factor, measured / pooled, layers_drawn,
                         "pooled standard error too small by; free rows");
    return GSL_SUCCESS;
}

/* spread.layer: a real layer reuses its rows. */
static int layers(attn_run *run)
{
    static const layer kinds[] = {{WIDTH, 0}, {4, 0}, {WIDTH, 1}};
    int status = GSL_SUCCESS;

    attn_dat_block(run->dat, "layer", layer_columns,
                   sizeof layer_columns / sizeof *layer_columns);
    for (size_t i = 0; !status && i < sizeof kinds / sizeof *kinds; i++)
        status = one_layer(run, i, kinds[i]);
    return status;
}

static int experiment(attn_run *run)
{
    int status = sweep(run);

    if (!status)
        status = routine(run);
    if (!status)
        status = universal(run);
    if (!status)
        status = hypotheses(run);
    if (!status)
        status = layers(run);
    return status;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "score_spread",
        .section = "Why Divide by sqrt(d_k)?",
        .summary = "Draws independent pairs (q, k) and measures how far their "
                   "dot products spread: sqrt(d_k) as they are, 1 after "
                   "division by sqrt(d_k).",
        .claims = "spread.mean spread.variance spread.scaled spread.routine "
                  "spread.universal spread.hypotheses spread.layer",
        .options = options,
        .conflict = conflict,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

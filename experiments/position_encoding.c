/*
 * "Attention Doesn't Know Where Anything Is", the fix: rotary positions make a
 * score depend on i - j alone, so that the score matrix of one content is
 * Toeplitz.
 */
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_position.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <math.h>

/* The published parameters. */
static size_t tokens = 48;
static size_t head_size = 64;
static size_t trials = 20;

static attn_cli_option options[] = {
    {"tokens", ATTN_CLI_SIZE, &tokens, "tokens n", 8, 2048, NULL, 0},
    {"head-size", ATTN_CLI_SIZE, &head_size, "head size d_k, even", 2, 4096,
     NULL, 0},
    {"trials", ATTN_CLI_SIZE, &trials, "independent queries and keys", 1, 1e6,
     NULL, 0},
    {0}};

static int conflict(attn_cli_error *error)
{
    if (head_size % 2 == 0)
        return 0;
    snprintf(error->text, sizeof error->text,
             "--head-size: %zu given, rotary embedding turns pairs: an even "
             "number is allowed",
             head_size);
    return 1;
}

/* max |S_ij - S_{i+1,j+1}| is 0 when S is Toeplitz; the largest spread within
 * a diagonal. */
static double diagonal_spread(const gsl_matrix *S)
{
    const long n = (long)S->size1;
    double worst = 0;

    for (long offset = 1 - n; offset < n; offset++) {
        double low = INFINITY, high = -INFINITY;
        for (long i = 0; i < n; i++)
            if (i - offset >= 0 && i - offset < n) {
                const double s =
                    gsl_matrix_get(S, (size_t)i, (size_t)(i - offset));
                low = attn_min(low, s);
                high = attn_max(high, s);
            }
        worst = attn_max(worst, high - low);
    }
    return worst;
}

static double norm(const gsl_matrix *X)
{
    const double *row = gsl_matrix_const_ptr(X, 0, 0);

    return sqrt(attn_product_dot(row, row, X->size2));
}

/* One and the same random row at every position. */
static void fill_same(attn_rng *g, gsl_matrix *X)
{
    attn_sample_fill(ATTN_SAMPLE_NORMAL, g, X->data, X->size2);
    const gsl_vector_view row = gsl_matrix_row(X, 0);
    for (size_t i = 1; i < X->size1; i++)
        gsl_matrix_set_row(X, i, &row.vector);
}

static void fill_fresh(attn_rng *g, gsl_matrix *X)
{
    attn_sample_matrix(g, 1, X);
}

typedef struct {
    gsl_matrix *Q, *K, *S;
} room;

/* Scores with rotary positions, of content that fill draws. */
static int rotary_spread(room *m, attn_rng *g,
                         void (*fill)(attn_rng *, gsl_matrix *), double *spread)
{
    fill(g, m->Q);
    fill(g, m->K);
    int status = attn_position_rotary(m->Q);
    if (!status)
        status = attn_position_rotary(m->K);
    if (!status)
        status = attn_layer_scores(m->Q, m->K, 1, m->S);
    *spread = diagonal_spread(m->S);
    return status;
}

/* In sd of a score: fresh rows spread less along the main diagonal, in any
 * trial, with probability 1e-3/40 at most. */
static double fresh_floor(void)
{
    const double alarm = ATTN_CLAIM_ALARM / ATTN_CLAIM_CHECKS;
    const size_t pairs = tokens / 2;

    return M_SQRT2 * attn_exp(attn_log(alarm / (double)trials) / (double)pairs);
}

static const attn_dat_column columns[] = {
    {"i", "position of the query"},
    {"j", "position of the key"},
    {"rotary", "score/sqrt(d_k) with rotary positions, one q and one k"},
    {"sinusoidal", "<p_i, p_j> of sinusoidal positions, over d_k/2"},
    {"fresh", "score/sqrt(d_k) with rotary positions, fresh rows"}};

/* Three score matrices of one trial, for the heat maps. */
static int write_maps(attn_run *run, room *m, attn_rng *g)
{
    const size_t n = tokens;
    const double scale = attn_layer_scale(head_size);
    gsl_matrix *maps[3] = {gsl_matrix_alloc(n, n), gsl_matrix_alloc(n, n),
                           gsl_matrix_alloc(n, n)};
    double spread;
    int status = maps[0] && maps[1] && maps[2] ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status)
        status = rotary_spread(m, g, fill_same, &spread);
    if (!status)
        gsl_matrix_memcpy(maps[0], m->S);
    if (!status) {
        attn_position_sinusoidal(m->Q);
        status = attn_layer_scores(m->Q, m->Q, 2 / (double)head_size, maps[1]);
    }
    if (!status)
        status = rotary_spread(m, g, fill_fresh, &spread);
    if (!status)
        gsl_matrix_memcpy(maps[2], m->S);
    attn_dat_block(run->dat, "maps", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; !status && i < n; i++)
        for (size_t j = 0; j < n; j++)
            ATTN_DAT_ROW(run->dat, (double)i, (double)j,
                         scale * gsl_matrix_get(maps[0], i, j),
                         gsl_matrix_get(maps[1], i, j),
                         scale * gsl_matrix_get(maps[2], i, j));
    for (size_t k = 0; k < 3; k++)
        gsl_matrix_free(maps[k]);
    return status;
}

static int measure(attn_run *run, room *m)
{
    const double eps = 0x1p-52, n = (double)tokens;
    double same = 0, fresh = INFINITY, turned = 0, x;
    int status = GSL_SUCCESS;
    attn_rng g;

    attn_rng_set(&g, run->seed, attn_rng_experiment("position_encoding", 0), 0);
    for (size_t t = 0; !status && t < trials; t++) {
        status = rotary_spread(m, &g, fill_same, &x);
        same = attn_max(same, x / (norm(m->Q) * norm(m->K)));
        if (!status)
            status = rotary_spread(m, &g, fill_fresh, &x);
        fresh = attn_min(fresh, x / sqrt((double)head_size));
        attn_run_progress(run, (double)(t + 1) / (double)trials);
    }
    /* A turn keeps lengths: |R_i q| = |q|. */
    fill_same(&g, m->Q);
    const double before = norm(m->Q);
    status = status ? status : attn_position_rotary(m->Q);
    for (size_t i = 0; i < tokens; i++) {
        const double *row = gsl_matrix_const_ptr(m->Q, i, 0);
        const double after = sqrt(attn_product_dot(row, row, head_size));
        turned = attn_max(turned, fabs(after / before - 1));
    }
    attn_claims_exact(run->claims, "rotary.toeplitz", 0, same, 2 * n * eps,
                      trials,
                      "largest difference along a diagonal/|q||k|, one q and "
                      "one k; angles i w, 2 n eps");
    attn_claims_floor(run->claims, "rotary.toeplitz/fresh", fresh_floor(),
                      fresh, trials,
                      "the smallest with fresh rows, in sd of a score: "
                      "content, not position; sqrt 2 (alarm/N)^(1/[n/2])");
    attn_claims_exact(run->claims, "rotary.toeplitz/lengths", 0, turned,
                      8 * eps, tokens, "|R_i q|/|q| - 1; 8 eps");
    attn_position_sinusoidal(m->Q);
    status = status
                 ? status
                 : attn_layer_scores(m->Q, m->Q, 2 / (double)head_size, m->S);
    attn_claims_exact(run->claims, "rotary.toeplitz/sinusoidal", 0,
                      diagonal_spread(m->S), 2 * n * eps, 1,
                      "<p_i, p_j> = sum cos((i - j) w) of sinusoidal positions "
                      "is Toeplitz too; 2 n eps");
    return status ? status : write_maps(run, m, &g);
}

static int experiment(attn_run *run)
{
    room m = {gsl_matrix_alloc(tokens, head_size),
              gsl_matrix_alloc(tokens, head_size),
              gsl_matrix_alloc(tokens, tokens)};
    const int status = m.Q && m.K && m.S ? measure(run, &m) : GSL_ENOMEM;

    gsl_matrix_free(m.Q);
    gsl_matrix_free(m.K);
    gsl_matrix_free(m.S);
    return status;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "position_encoding",
        .section = "Attention Doesn't Know Where Anything Is",
        .summary = "Gives every position one and the same query and key, turns "
                   "them by rotary positions, and measures whether the score "
                   "matrix is Toeplitz.",
        .claims = "rotary.toeplitz",
        .options = options,
        .conflict = conflict,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

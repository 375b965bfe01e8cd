/*
 * "Saturation Kills the Gradient": what is left of a gradient that passes the
 * softmax's Jacobian, and which gradients do not care.
 */
#include "attn_layer.h"
#include "attn_layer_backward.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <math.h>

/* The published parameters. */
static size_t trials = 4000;
static size_t head_size = 256;

static attn_cli_option options[] = {
    {"trials", ATTN_CLI_SIZE, &trials,
     "random score vectors, with 1/sqrt(d_k) and without in turn", 2, 1e9, NULL,
     0},
    {"head-size", ATTN_CLI_SIZE, &head_size, "head size d_k of the unscaled", 1,
     65536, NULL, 0},
    {0}};

static const double eps = 0x1p-52;

/* ---- gradient.chain: through the whole head, by signed differences ---- */

enum { N = 5, WIDTH = 6, D_K = 3, D_V = 4, HEADS = 2 };

typedef struct {
    attn_layer *layer;
    attn_layer_workspace *work;
    attn_layer_gradient *gradient;
    gsl_matrix *X, *O, *target;
} chain;

/* L = |O - target|^2/2, and dO = O - target left in O. */
static int chain_loss(chain *c, double *loss)
{
    const int status = attn_layer_forward(c->layer, c->X, c->O, c->work);

    gsl_matrix_sub(c->O, c->target);
    *loss = 0.5 *
            attn_product_dot(c->O->data, c->O->data, c->O->size1 * c->O->size2);
    return status;
}

/* max |dL/dW - difference| over all entries of W, relative to max |dL/dW|. */
static int chain_error(chain *c, gsl_matrix *W, const gsl_matrix *dW,
                       double *error, size_t *entries)
{
    const double h = 6e-6, scale = attn_matrix_largest(dW);
    int status = GSL_SUCCESS;

    for (size_t i = 0; i < W->size1; i++)
        for (size_t j = 0; !status && j < W->size2; j++, ++*entries) {
            double *w = gsl_matrix_ptr(W, i, j);
            const double keep = *w, above = keep + h, under = keep - h;
            double up = 0, down = 0;
            *w = above;
            status = chain_loss(c, &up);
            *w = under;
            status = status ? status : chain_loss(c, &down);
            *w = keep;
            const double slope = (up - down) / (above - under);
            *error = attn_max(*error,
                              fabs(slope - gsl_matrix_get(dW, i, j)) / scale);
        }
    return status;
}

static int chain_claim(attn_run *run, chain *c, attn_rng *g)
{
    const double sd = 1 / sqrt(WIDTH);
    double loss, error = 0;
    size_t entries = 0;

    attn_sample_matrix(g, sd, c->layer->W_Q);
    attn_sample_matrix(g, sd, c->layer->W_K);
    attn_sample_matrix(g, sd, c->layer->W_V);
    attn_sample_matrix(g, 1, c->X);
    attn_sample_matrix(g, 1, c->target);
    int status = chain_loss(c, &loss);
    if (!status)
        status =
            attn_layer_backward(c->layer, c->X, c->work, c->O, c->gradient);
    if (!status)
        status =
            chain_error(c, c->layer->W_Q, c->gradient->dW_Q, &error, &entries);
    if (!status)
        status =
            chain_error(c, c->layer->W_K, c->gradient->dW_K, &error, &entries);
    if (!status)
        status =
            chain_error(c, c->layer->W_V, c->gradient->dW_V, &error, &entries);
    attn_claims_exact(run->claims, "gradient.chain", 0, error,
                      100 * attn_exp(attn_log(eps) * 2 / 3), entries,
                      "dL/dW of W_Q, W_K, W_V against signed central "
                      "differences, relative; 100 eps^(2/3)");
    return status;
}

static int gradient_chain(attn_run *run, attn_rng *g)
{
    chain c = {.layer = attn_layer_alloc(WIDTH, D_K, D_V, HEADS),
               .X = gsl_matrix_alloc(N, WIDTH),
               .O = gsl_matrix_alloc(N, HEADS * D_V),
               .target = gsl_matrix_alloc(N, HEADS * D_V)};
    c.work = c.layer ? attn_layer_workspace_alloc(c.layer, N) : NULL;
    c.gradient = c.layer ? attn_layer_gradient_alloc(c.layer, N) : NULL;
    const int status = c.work && c.gradient && c.X && c.O && c.target
                           ? chain_claim(run, &c, g)
                           : GSL_ENOMEM;

    gsl_matrix_free(c.target);
    gsl_matrix_free(c.O);
    gsl_matrix_free(c.X);
    attn_layer_gradient_free(c.gradient);
    attn_layer_workspace_free(c.work);
    attn_layer_free(c.layer);
    return status;
}

/* ---- gradient.bound: |dL/ds_l| <= (1 - a_max)(max g - min g) ---- */

static double largest(const gsl_vector *x)
{
    return attn_max(gsl_vector_max(x), -gsl_vector_min(x));
}

/* Random scores of both regimes and a random fixed downstream gradient. */
static int gradient_bound(attn_run *run, attn_rng *g)
{
    enum { KEYS = 16 };
    double s[KEYS], down[KEYS], ds[KEYS], ratio = 0;
    gsl_vector_view a = gsl_vector_view_array(s, KEYS);
    gsl_vector_view G = gsl_vector_view_array(down, KEYS);
    gsl_vector_view dS = gsl_vector_view_array(ds, KEYS);
    int status = GSL_SUCCESS;

    for (size_t i = 0; !status && i < trials; i++) {
        attn_sample_fill(ATTN_SAMPLE_NORMAL, g, s, KEYS);
        attn_sample_fill(ATTN_SAMPLE_NORMAL, g, down, KEYS);
        gsl_vector_scale(&a.vector, i % 2 ? 1 : sqrt((double)head_size));
        status = attn_softmax(&a.vector, &a.vector);
        if (!status)
            status = attn_softmax_jvp(&a.vector, &G.vector, &dS.vector);
        const double range =
            gsl_vector_max(&G.vector) - gsl_vector_min(&G.vector);
        const double bound = attn_softmax_rest(&a.vector) * range;
        /* Subnormal products are off by half of DBL_TRUE_MIN each. */
        ratio = attn_max(ratio,
                         largest(&dS.vector) / (bound + KEYS * DBL_TRUE_MIN));
        attn_run_progress(run, (double)(i + 1) / (double)trials);
    }
    attn_claims_bound(run->claims, "gradient.bound", ratio, 16 * eps, trials,
                      "|dL/ds_l| <= (1 - a_max)(max g - min g), fixed g; 16 "
                      "eps");

    /* L = -ln a_target on a saturated wrong head: g = -1/a_target is not fixed,
     * and dL/ds = a - y. */
    for (size_t j = 0; j < KEYS; j++)
        s[j] = j == 1 ? 40 : 0;
    status = status ? status : attn_softmax(&a.vector, &a.vector);
    gsl_vector_set_zero(&G.vector);
    gsl_vector_set(&G.vector, 0, -1 / s[0]);
    status =
        status ? status : attn_softmax_jvp(&a.vector, &G.vector, &dS.vector);
    attn_claims_exact(run->claims, "gradient.bound/escape", M_SQRT2,
                      gsl_blas_dnrm2(&dS.vector), 1e-12, 1,
                      "|dL/ds| for L = -ln a_target, saturated on a wrong key: "
                      "e^-40 from sqrt 2; 1e-12");
    /* The winner's own factor a_j is 1; its other one, 1 - a_j, vanishes. */
    attn_claims_exact(run->claims, "gradient.chain/winner", 1,
                      gsl_vector_max(&a.vector), 1e-12, 1,
                      "the winner's factor a_j does not vanish; 1e-12");
    attn_claims_exact(run->claims, "gradient.chain/winner_other", 0,
                      attn_softmax_rest(&a.vector), 1e-12, 1,
                      "its factor 1[j=l] - a_l does; 15 e^-40 < 1e-12");
    return status;
}

/* ---- gradient.cross_entropy: four cells ---- */

static const attn_dat_column cell_columns[] = {
    {"confident", "1: scores 30 apart; 0: half apart"},
    {"right", "1: the target leads; 0: another does"},
    {"cross_entropy", "|p - y|, the gradient of cross-entropy"},
    {"through_jacobian", "|J^T g| for a fixed g of unit entries' variance"}};

static int cross_entropy(attn_run *run, attn_rng *g)
{
    enum { KEYS = 5 };
    double down[KEYS], s[KEYS], ds[KEYS], error[4], passed[4];
    gsl_vector_view a = gsl_vector_view_array(s, KEYS);
    gsl_vector_view G = gsl_vector_view_array(down, KEYS);
    gsl_vector_view dS = gsl_vector_view_array(ds, KEYS);
    int status = GSL_SUCCESS;

    attn_sample_fill(ATTN_SAMPLE_NORMAL, g, down, KEYS);
    attn_dat_block(run->dat, "cells", cell_columns, 4);
    for (size_t cell = 0; !status && cell < 4; cell++) {
        const int confident = cell < 2, right = cell % 2 == 0; /* key 0 is y */
        gsl_vector_set_zero(&a.vector);
        s[right ? 0 : 1] = confident ? 30 : 0.5;
        status = attn_softmax(&a.vector, &a.vector);
        if (!status)
            status = attn_softmax_jvp(&a.vector, &G.vector, &dS.vector);
        passed[cell] = gsl_blas_dnrm2(&dS.vector);
        /* p - y, its first entry summed from the others */
        double others = 0, squares = 0;
        for (size_t j = 1; j < KEYS; j++) {
            others += s[j];
            squares += s[j] * s[j];
        }
        error[cell] = sqrt(others * others + squares);
        ATTN_DAT_ROW(run->dat, confident, right, error[cell], passed[cell]);
    }
    attn_claims_exact(run->claims, "gradient.cross_entropy", 0, error[0], 1e-12,
                      1, "|p - y| when confident and right; 5 e^-30 < 1e-12");
    attn_claims_floor(run->claims, "gradient.cross_entropy/others", 0.1,
                      attn_min(error[1], attn_min(error[2], error[3])), 3,
                      "|p - y| in the three other cells");
    attn_claims_exact(run->claims, "gradient.cross_entropy/frozen", 0,
                      attn_max(passed[0], passed[1]), 1e-11, 2,
                      "|J^T g| when confident, right or wrong; 5 |g| e^-30 < "
                      "1e-11");
    attn_claims_floor(run->claims, "gradient.cross_entropy/alive", 0.01,
                      attn_min(passed[2], passed[3]), 2,
                      "|J^T g| when not confident");
    return status;
}

static const attn_dat_column decay_columns[] = {
    {"gap", "distance of a wrong winner's score from the others"},
    {"rest", "1 - a_max"},
    {"bound", "(1 - a_max)(max g - min g) for a fixed g"},
    {"fixed", "max |dL/ds_l| for that g"},
    {"escape", "|dL/ds| for L = -ln a_target, whose g grows like 1/a_target"}};

/* The figure: one score vector whose wrong winner moves away. */
static int decay(attn_run *run, attn_rng *g)
{
    enum { KEYS = 16 };
    double down[KEYS], ds[KEYS], s[KEYS];
    gsl_vector_view a = gsl_vector_view_array(s, KEYS);
    gsl_vector_view G = gsl_vector_view_array(down, KEYS);
    gsl_vector_view dS = gsl_vector_view_array(ds, KEYS);
    int status = GSL_SUCCESS;

    attn_sample_fill(ATTN_SAMPLE_NORMAL, g, down, KEYS);
    const double range = gsl_vector_max(&G.vector) - gsl_vector_min(&G.vector);
    attn_dat_block(run->dat, "decay", decay_columns, 5);
    for (double gap = 0; !status && gap <= 40; gap++) {
        double target[KEYS] = {0};
        gsl_vector_view T = gsl_vector_view_array(target, KEYS);
        gsl_vector_set_zero(&a.vector);
        s[1] = gap;
        status = attn_softmax(&a.vector, &a.vector);
        target[0] = -1 / s[0];
        if (!status)
            status = attn_softmax_jvp(&a.vector, &G.vector, &dS.vector);
        const double fixed = largest(&dS.vector);
        if (!status)
            status = attn_softmax_jvp(&a.vector, &T.vector, &dS.vector);
        const double rest = attn_softmax_rest(&a.vector);
        ATTN_DAT_ROW(run->dat, gap, rest, rest * range, fixed,
                     gsl_blas_dnrm2(&dS.vector));
    }
    return status;
}

static int experiment(attn_run *run)
{
    attn_rng g;

    attn_rng_set(&g, run->seed, attn_rng_experiment("saturated_gradient", 0),
                 0);
    int status = gradient_chain(run, &g);
    if (!status)
        status = gradient_bound(run, &g);
    if (!status)
        status = cross_entropy(run, &g);
    return status ? status : decay(run, &g);
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "saturated_gradient",
        .section = "Saturation Kills the Gradient",
        .summary = "Follows gradients back through a head, and measures what a "
                   "saturated softmax leaves of them.",
        .claims = "gradient.chain gradient.bound gradient.cross_entropy",
        .options = options,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

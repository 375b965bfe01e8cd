/*
 * The introduction: a stack of convolutions sees a neighbourhood that grows a
 * little with each layer; one attention layer sees everything.
 */
#include "attn_convolution.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_moments.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_stream.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

/* The published parameters. */
static size_t taps = 3;
static size_t layers = 64;
static size_t tokens = 10000;
static size_t trials = 400;

static attn_cli_option options[] = {
    {"taps", ATTN_CLI_SIZE, &taps, "taps k of a convolution", 2, 15, NULL, 0},
    {"layers", ATTN_CLI_SIZE, &layers, "layers L of the deepest stack", 12, 512,
     NULL, 0},
    {"tokens", ATTN_CLI_SIZE, &tokens, "tokens n of the attention layer", 2,
     100000, NULL, 0},
    {"trials", ATTN_CLI_SIZE, &trials, "independent stacks of random taps", 1,
     1e6, NULL, 0},
    {0}};

enum { LECTURE_TAPS = 3, MOST_TAPS = 15, D = 8, D_K = 4, D_V = 2 };

static const char sentence[] = "The cat, which had been hiding under the porch "
                               "all morning, was hungry.";

/* ---- reach.sentence ---- */

/* The position of a word among the sentence's words; -1 when it is not there.
 */
static long position_of(const char *word, long *count)
{
    char text[sizeof sentence];
    long at = -1;

    memcpy(text, sentence, sizeof text);
    *count = 0;
    for (char *w = strtok(text, " ,."); w; w = strtok(NULL, " ,."), ++*count)
        if (strcmp(w, word) == 0)
            at = *count;
    return at;
}

/* ---- stacks of convolutions ---- */

/* x/(1 + |x|) after every layer, so that the stack is not one convolution. */
static void soften(gsl_matrix *X)
{
    for (size_t i = 0; i < X->size1; i++) {
        const double x = gsl_matrix_get(X, i, 0);
        gsl_matrix_set(X, i, 0, x / (1 + fabs(x)));
    }
}

/* The stack of `depth` layers of k fixed random taps on x; y is its output. */
static int stack(size_t k, size_t depth, uint64_t seed, gsl_matrix *x,
                 gsl_matrix *y)
{
    double w[MOST_TAPS];
    gsl_vector_view W = gsl_vector_view_array(w, k);
    attn_rng g;
    int status = GSL_SUCCESS;

    attn_rng_set(&g, seed, attn_rng_experiment("receptive_field.stack", k), 0);
    for (size_t layer = 0; !status && layer < depth; layer++) {
        for (size_t t = 0; t < k; t++)
            w[t] = 1 + attn_rng_uniform(&g);
        status = attn_convolution_padded(&W.vector, x, y);
        soften(y);
        gsl_matrix_memcpy(x, y);
    }
    return status;
}

/* moved[i] = does output i of n change when input `at` does? */
static int dependence(size_t k, size_t depth, size_t n, size_t at,
                      uint64_t seed, unsigned char *moved)
{
    gsl_matrix *x = gsl_matrix_calloc(n, 1), *y = gsl_matrix_calloc(n, 1);
    gsl_matrix *before = gsl_matrix_calloc(n, 1);
    int status = x && y && before ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status)
        status = stack(k, depth, seed, x, y);
    if (!status) {
        gsl_matrix_memcpy(before, y);
        gsl_matrix_set_zero(x);
        gsl_matrix_set(x, at, 0, 1);
        status = stack(k, depth, seed, x, y);
    }
    for (size_t i = 0; !status && i < n; i++)
        moved[i] = gsl_matrix_get(y, i, 0) != gsl_matrix_get(before, i, 0);
    gsl_matrix_free(before);
    gsl_matrix_free(y);
    gsl_matrix_free(x);
    return status;
}

static size_t count(const unsigned char *moved, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += moved[i];
    return sum;
}

/* How many inputs one output sees: as many outputs as one input moves. */
static int measured_reach(size_t k, size_t depth, uint64_t seed, size_t *reach)
{
    enum { N = 512 };
    unsigned char moved[N] = {0};
    const int status = dependence(k, depth, N, N / 2, seed, moved);

    *reach = count(moved, N);
    return status;
}

/* reach.conv: 1 + L (k - 1) for many k and L, and the lecture's two depths. */
static int convolution_claims(attn_run *run, size_t cat, size_t hungry,
                              size_t words)
{
    size_t cases = 0, wrong = 0, both = 0, at_hungry = 0;
    int status = GSL_SUCCESS;

    for (size_t k = 2; k <= 7; k++)
        for (size_t depth = 1; !status && depth <= 16; depth++, cases++) {
            size_t reach = 0;
            status = measured_reach(k, depth, run->seed, &reach);
            wrong += reach != 1 + depth * (k - 1);
        }
    for (size_t depth = 1; !status && depth <= words && !(both && at_hungry);
         depth++) {
        unsigned char sees_cat[64] = {0}, sees_hungry[64] = {0};
        status =
            dependence(LECTURE_TAPS, depth, words, cat, run->seed, sees_cat);
        if (!status)
            status = dependence(LECTURE_TAPS, depth, words, hungry, run->seed,
                                sees_hungry);
        for (size_t i = 0; i < words && !both; i++)
            both = sees_cat[i] && sees_hungry[i] ? depth : 0;
        if (!at_hungry && sees_cat[hungry])
            at_hungry = depth;
    }
    attn_claims_exact(run->claims, "reach.conv", 0, (double)wrong, 0, cases,
                      "stacks that do not see 1 + L (k-1) inputs; equality");
    attn_claims_exact(run->claims, "reach.conv/both", 6, (double)both, 0, words,
                      "3-tap layers until one output sees both words");
    attn_claims_exact(run->claims, "reach.conv/at_hungry", 11,
                      (double)at_hungry, 0, words,
                      "3-tap layers until hungry's output sees cat");
    return status;
}

/* ---- reach.effective ---- */

/* A stack of layers. */
typedef struct {
    size_t k, depth;
    int equal; /* taps 1/k, or random ones of sum 1 */
} convolutions;

/* The influence of inputs -L(k-1)/2 .. on the middle output, with sum 1: the
 * layers' kernels convolved, left at the start of scratch, which has
 * 2 (1 + depth (k - 1)) numbers. Its second moment about the middle. */
static double influence(const convolutions *s, attn_rng *g, double *scratch)
{
    const size_t width = 1 + s->depth * (s->k - 1);
    double *g0 = scratch, *g1 = scratch + width, moment = 0;
    size_t reach = 1;

    g0[0] = 1;
    for (size_t layer = 0; layer < s->depth; layer++, reach += s->k - 1) {
        double w[MOST_TAPS], sum = 0;
        for (size_t t = 0; t < s->k; t++)
            sum += w[t] = s->equal ? 1 : attn_rng_uniform(g);
        for (size_t t = 0; t < s->k; t++)
            w[t] /= sum;
        const gsl_vector_view W = gsl_vector_view_array(w, s->k);
        const gsl_vector_view from = gsl_vector_view_array(g0, reach);
        gsl_vector_view to = gsl_vector_view_array(g1, reach + s->k - 1);
        attn_convolution_full(&W.vector, &from.vector, &to.vector);
        double *const swap = g0;
        g0 = g1;
        g1 = swap;
    }
    for (size_t i = 0; i < width; i++) {
        const double x = (double)i - 0.5 * (double)(width - 1);
        moment += g0[i] * x * x;
    }
    memmove(scratch, g0, width * sizeof *g0);
    return moment;
}

static int influence_block(size_t first, size_t number, attn_rng *g,
                           void *partial, void *scratch, const void *setup)
{
    (void)first;
    for (size_t i = 0; i < number; i++)
        attn_moments_add(partial, influence(setup, g, scratch));
    return GSL_SUCCESS;
}

static void merge(void *total, const void *partial)
{
    attn_moments_merge(total, partial);
}

/* Second moments of `trials` random stacks. */
static int random_stacks(const attn_run *run, convolutions s, attn_moments *m)
{
    attn_blocks job = attn_run_job(run, "receptive_field.effective",
                                   1000 * s.k + s.depth, trials, 8);
    job.partial_size = sizeof *m;
    job.scratch_size = 2 * (1 + s.depth * (s.k - 1)) * sizeof(double);
    *m = (attn_moments){0};
    return attn_blocks_run(&job, influence_block, merge, m, &s);
}

static double effective_variance(size_t k, size_t depth)
{
    return (double)depth * (double)(k * k - 1) / 12;
}

static const attn_dat_column depth_columns[] = {
    {"L", "layers"},
    {"nominal_predicted", "1 + L (k-1)"},
    {"nominal", "inputs that one output sees, counted"},
    {"effective_predicted", "sqrt(L (k^2-1)/12)"},
    {"effective", "root mean square distance of influence, random taps"},
    {"effective_se", "its standard error, first order"}};
static const attn_dat_column profile_columns[] = {
    {"distance", "input's distance from the output"},
    {"influence", "influence of that input, L layers of equal taps"},
    {"gaussian", "Gaussian density of sd sqrt(L (k^2-1)/12)"}};

/* The profile of the deepest stack of equal taps, and the sd of all. */
static int profile(attn_run *run, double *room)
{
    const size_t width = 1 + layers * (taps - 1);
    const double want = effective_variance(taps, layers);
    double error = 0;

    for (size_t depth = 1; depth <= layers; depth++) {
        const convolutions s = {taps, depth, 1};
        const double sd = sqrt(effective_variance(taps, depth));
        error = attn_max(error, fabs(sqrt(influence(&s, NULL, room)) / sd - 1));
    }
    attn_dat_block(run->dat, "profile", profile_columns, 3);
    for (size_t i = 0; i < width; i++) {
        const double x = (double)i - 0.5 * (double)(width - 1);
        ATTN_DAT_ROW(run->dat, x, room[i],
                     attn_exp(-x * x / (2 * want)) / sqrt(2 * M_PI * want));
    }
    attn_claims_exact(run->claims, "reach.effective/equal", 0, error,
                      8 * (double)layers * 0x1p-52, layers,
                      "sd of the influence of equal taps over sqrt(L (k^2-1)"
                      "/12), - 1, every depth up to L; 8 L eps");
    return GSL_SUCCESS;
}

static int effective_claims(attn_run *run)
{
    double *room = calloc(2 * (1 + layers * (taps - 1)), sizeof *room);
    attn_moments m = {0};
    int status = room ? profile(run, room) : GSL_ENOMEM;

    attn_dat_block(run->dat, "depth", depth_columns, 6);
    for (size_t depth = 1; !status && depth <= layers; depth *= 2) {
        const double want = effective_variance(taps, depth);
        size_t reach = 0;
        status = random_stacks(run, (convolutions){taps, depth, 0}, &m);
        if (!status && 1 + depth * (taps - 1) < 512)
            status = measured_reach(taps, depth, run->seed, &reach);
        if (!status && trials > 1 && reach > 0)
            ATTN_DAT_ROW(run->dat, (double)depth,
                         (double)(1 + depth * (taps - 1)), (double)reach,
                         sqrt(want), sqrt(m.mean),
                         attn_moments_se(&m) / (2 * sqrt(m.mean)));
    }
    if (!status)
        status = random_stacks(run, (convolutions){taps, layers, 0}, &m);
    const double sd = sqrt(effective_variance(taps, layers));
    attn_claims_approx(run->claims, "reach.effective", sd, sqrt(m.mean),
                       attn_moments_se(&m) / (2 * sqrt(m.mean)), sd, 0.05,
                       trials, "sd of the influence, random taps; margin 5 %");
    free(room);
    return status;
}

/* ---- reach.attention ---- */

/* Everybody's query, key and value, and token 1's scores. */
typedef struct {
    size_t n;
    gsl_matrix *Q;           /* n x D_K */
    gsl_matrix *K[2], *V[2]; /* n x D_K, n x D_V: as they are, and moved */
    gsl_matrix *S;           /* 1 x n: scores of token 1 */
    double output[D_V];
    double scale;
} field;

static void field_free(field *f)
{
    gsl_matrix_free(f->Q);
    for (size_t i = 0; i < 2; i++) {
        gsl_matrix_free(f->K[i]);
        gsl_matrix_free(f->V[i]);
    }
    gsl_matrix_free(f->S);
}

/* M = X W and, unless it is NULL, M_moved = moved W, for fresh W of entries
 * N(0, 1/D). */
static int project(attn_rng *g, const gsl_matrix *X, gsl_matrix *M,
                   const gsl_matrix *moved, gsl_matrix *M_moved)
{
    gsl_matrix *W = gsl_matrix_alloc(D, M->size2);
    int status = W ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status) {
        attn_sample_matrix(g, 1 / sqrt(D), W);
        status = attn_product_ab(X, W, M);
    }
    if (!status && M_moved)
        status = attn_product_ab(moved, W, M_moved);
    gsl_matrix_free(W);
    return status;
}

/* Random tokens X, and the same tokens each moved a little. */
static int field_make(field *f, attn_rng *g, size_t n)
{
    gsl_matrix *X = gsl_matrix_alloc(n, D), *moved = gsl_matrix_alloc(n, D);
    *f = (field){.n = n,
                 .Q = gsl_matrix_alloc(n, D_K),
                 .K = {gsl_matrix_alloc(n, D_K), gsl_matrix_alloc(n, D_K)},
                 .V = {gsl_matrix_alloc(n, D_V), gsl_matrix_alloc(n, D_V)},
                 .S = gsl_matrix_alloc(1, n),
                 .scale = attn_layer_scale(D_K)};
    int status =
        X && moved && f->Q && f->K[0] && f->K[1] && f->V[0] && f->V[1] && f->S
            ? GSL_SUCCESS
            : GSL_ENOMEM;

    if (!status) {
        attn_sample_matrix(g, 1, X);
        attn_sample_matrix(g, 1e-3, moved);
        gsl_matrix_add(moved, X);
        status = project(g, X, f->Q, NULL, NULL);
    }
    if (!status)
        status = project(g, X, f->K[0], moved, f->K[1]);
    if (!status)
        status = project(g, X, f->V[0], moved, f->V[1]);
    if (!status) {
        const gsl_matrix_view q = gsl_matrix_submatrix(f->Q, 0, 0, 1, D_K);
        status = attn_layer_scores(&q.matrix, f->K[0], f->scale, f->S);
    }
    gsl_matrix_free(moved);
    gsl_matrix_free(X);
    return status;
}

/* Token 1's output when the score of key j is s and its value is row v; the
 * row's other scores and values stay. a is scratch, 1 x n. */
static int output_with(const field *f, size_t j, double s, const double *v,
                       gsl_matrix *a, double *o)
{
    gsl_matrix_view O = gsl_matrix_view_array(o, 1, D_V);

    gsl_matrix_memcpy(a, f->S);
    gsl_matrix_set(a, 0, j, s);
    int status = attn_layer_weights(a, a);
    if (!status)
        status = attn_layer_output(a, f->V[0], &O.matrix);
    for (size_t c = 0; c < D_V; c++)
        o[c] +=
            gsl_matrix_get(a, 0, j) * (v[c] - gsl_matrix_get(f->V[0], j, c));
    return status;
}

/* Count the tokens whose moving moves token 1's output. */
static int attention_block(size_t first, size_t number, attn_rng *g,
                           void *partial, void *scratch, const void *setup)
{
    const field *f = setup;
    const double *q = gsl_matrix_const_ptr(f->Q, 0, 0);
    gsl_matrix_view a = gsl_matrix_view_array(scratch, 1, f->n);
    size_t *moved = partial;
    int status = GSL_SUCCESS;

    (void)g;
    for (size_t i = first; !status && i < first + number; i++) {
        const size_t j = i + 1; /* not token 1 itself */
        const double *k = gsl_matrix_const_ptr(f->K[1], j, 0);
        const double *v = gsl_matrix_const_ptr(f->V[1], j, 0);
        double o[D_V];
        status = output_with(f, j, f->scale * attn_product_dot(q, k, D_K), v,
                             &a.matrix, o);
        *moved += o[0] != f->output[0] || o[1] != f->output[1];
    }
    return status;
}

static void add_count(void *total, const void *partial)
{
    *(size_t *)total += *(const size_t *)partial;
}

/* The last token moves: how many of the n outputs do? The whole layer,
 * streamed: its n x n weights are never held. */
static int whole_layer(const field *f, size_t threads, size_t *moved)
{
    const attn_stream how = attn_stream_default(threads);
    const size_t last = f->n - 1;
    const gsl_vector_view key = gsl_matrix_row(f->K[1], last);
    const gsl_vector_view value = gsl_matrix_row(f->V[1], last);
    gsl_matrix *before = gsl_matrix_alloc(f->n, D_V);
    gsl_matrix *after = gsl_matrix_alloc(f->n, D_V);
    int status = before && after ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status)
        status = attn_stream_attend(f->Q, f->K[0], f->V[0], f->scale,
                                    &attn_mask_none, &how, before, NULL);
    gsl_matrix_set_row(f->K[0], last, &key.vector);
    gsl_matrix_set_row(f->V[0], last, &value.vector);
    if (!status)
        status = attn_stream_attend(f->Q, f->K[0], f->V[0], f->scale,
                                    &attn_mask_none, &how, after, NULL);
    *moved = 0;
    for (size_t i = 0; !status && i < f->n; i++)
        *moved += gsl_matrix_get(before, i, 0) != gsl_matrix_get(after, i, 0) ||
                  gsl_matrix_get(before, i, 1) != gsl_matrix_get(after, i, 1);
    gsl_matrix_free(after);
    gsl_matrix_free(before);
    return status;
}

/* The output of token 1 depends on each of the n - 1 other tokens. */
static int attention_claim(attn_run *run)
{
    attn_blocks job =
        attn_run_job(run, "receptive_field.attention", tokens, tokens - 1, 50);
    size_t moved = 0, outputs = 0;
    attn_rng g;
    field f;

    attn_rng_set(&g, run->seed, job.experiment, UINT64_MAX);
    int status = field_make(&f, &g, tokens);
    job.partial_size = sizeof moved;
    job.scratch_size = tokens * sizeof(double);
    gsl_matrix *a = status ? NULL : gsl_matrix_alloc(1, tokens);
    if (a) /* unmoved: the same score and value as before */
        status = output_with(&f, 0, gsl_matrix_get(f.S, 0, 0),
                             gsl_matrix_const_ptr(f.V[0], 0, 0), a, f.output);
    if (a && !status)
        status = attn_blocks_run(&job, attention_block, add_count, &moved, &f);
    if (a && !status)
        status = whole_layer(&f, run->threads, &outputs);
    gsl_matrix_free(a);
    field_free(&f);
    if (status || !a)
        return status ? status : GSL_ENOMEM;
    attn_claims_exact(run->claims, "reach.attention", (double)(tokens - 1),
                      (double)moved, 0, tokens - 1,
                      "tokens that move token 1's output when moved; equality");
    attn_claims_exact(
        run->claims, "reach.attention/all", (double)tokens, (double)outputs, 0,
        tokens,
        "outputs of the streamed layer that the last token moves; "
        "equality");
    return GSL_SUCCESS;
}

static int experiment(attn_run *run)
{
    long words, hungry = position_of("hungry", &words);
    const long cat = position_of("cat", &words);

    attn_claims_exact(run->claims, "reach.sentence", 11, (double)(hungry - cat),
                      0, (size_t)words, "words from cat to hungry; equality");
    if (cat < 0 || hungry < cat)
        return GSL_SUCCESS; /* contradicted: there is no more to ask */
    int status =
        convolution_claims(run, (size_t)cat, (size_t)hungry, (size_t)words);
    if (!status)
        status = attention_claim(run);
    return status ? status : effective_claims(run);
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "receptive_field",
        .section = "Introduction",
        .summary = "Counts how many inputs an output of a stack of "
                   "convolutions depends on, how many it really listens to, "
                   "and that one attention layer depends on all.",
        .claims = "reach.sentence reach.conv reach.attention reach.effective",
        .options = options,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

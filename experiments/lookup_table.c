/*
 * "Looking Forward", Problem 20: an attention layer over one-hot embeddings is
 * a lookup table, exact where it saturates, and there no gradient passes. Or
 * the reader's own layer: is it one?
 */
#include "attn_dictionary.h"
#include "attn_lookup.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_text.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

/* The published parameters. */
static attn_cli_sizes keys = {3, {3, 10, 50}};
static size_t trials = 10;
static const char *weights;

enum { KEYS_MAX = 256 };

static attn_cli_option options[] = {
    {"keys", ATTN_CLI_SIZES, &keys, "numbers n of keys of a dictionary", 2,
     KEYS_MAX, NULL, 0},
    {"trials", ATTN_CLI_SIZE, &trials, "random dictionaries a number of keys",
     1, 1e5, NULL, 0},
    {"weights", ATTN_CLI_FILE, &weights,
     "a text file with W_Q, W_K, W_V and a dictionary of your own to judge "
     "instead",
     0, 0, NULL, 0},
    {0}};

static const char epilogue[] =
    "The file of --weights is plain text; '#' begins a comment. Token t is the "
    "t-th\nkey, its embedding is one-hot, so row t of each matrix is its "
    "query, "
    "key, value:\n"
    "\n"
    "  key a = 3                  # what the dictionary says: d_v numbers\n"
    "  key b = 4                  # up to 64 keys\n"
    "  W_Q =                      # a row a token, d_k numbers each\n"
    "    80 0\n"
    "    0 80\n"
    "  W_K =                      # a row a token, d_k numbers each\n"
    "    1 0\n"
    "    0 1\n"
    "  W_V =                      # a row a token, d_v numbers each\n"
    "    3\n"
    "    4\n"
    "  scale = 0.5                # may be left out: 1/sqrt(d_k)\n"
    "\n"
    "Further rows belong to tokens without an entry. docs/examples/ has such "
    "files.\n";

static attn_text *text;      /* of --weights */
static attn_dictionary *own; /* what it says */

static int conflict(attn_cli_error *error)
{
    attn_text_error wrong;

    if (!weights)
        return 0;
    if (options[0].given || options[1].given) {
        snprintf(error->text, sizeof error->text,
                 "--%s: given with --weights, which brings its own dictionary",
                 options[options[0].given ? 0 : 1].name);
        return 1;
    }
    if (attn_text_read(weights, &text, &wrong) ||
        attn_dictionary_read(text, &own, &wrong)) {
        snprintf(error->text, sizeof error->text, "--weights: %.240s",
                 wrong.text);
        return 1;
    }
    return 0;
}

/* ---- gaps ---- */

/* 0, 1, ... 50, then in steps of 10 to 740, then around the last double. */
enum { STEPS = 50, FAR = 69, LAST = 5, GAPS = STEPS + 1 + FAR + LAST };

static double gap_at(size_t i)
{
    static const double last[LAST] = {744, 745, 746, 750, 760};

    if (i <= STEPS)
        return (double)i;
    if (i <= STEPS + FAR)
        return 50 + 10 * (double)(i - STEPS);
    return last[i - STEPS - FAR - 1];
}

/* From here on e^-b is subnormal or 0. */
static const double smallest_normal_gap = 708;

/* ---- errors ---- */

static const double eps = 0x1p-52;

enum { WEIGHT, REST, OUTPUT, GRADIENT, TABLE, MISSING, TWICE, CHECKS };

/* What is drawn of a gap: the largest over all tokens and trials. */
enum { P_REST, P_STAIR, P_OFF, P_TRACE, P_FROBENIUS, POINTS };

typedef struct {
    double worst[CHECKS];
    size_t cases[CHECKS];
    double point[GAPS][POINTS];
} errors;

static void note(errors *e, int check, double error)
{
    e->worst[check] = attn_max(e->worst[check], error);
    e->cases[check]++;
}

static void draw_point(errors *e, size_t gap, int which, double value)
{
    e->point[gap][which] = attn_max(e->point[gap][which], value);
}

static void merge_errors(void *total, const void *partial)
{
    errors *t = total;
    const errors *p = partial;

    for (int i = 0; i < CHECKS; i++) {
        t->worst[i] = attn_max(t->worst[i], p->worst[i]);
        t->cases[i] += p->cases[i];
    }
    for (size_t g = 0; g < GAPS; g++)
        for (int i = 0; i < POINTS; i++)
            draw_point(t, g, i, p->point[g][i]);
}

/* |got/want - 1|, where 0 over 0 is right. */
static double relative(double got, double want)
{
    return got == want ? 0 : fabs(got - want) / fabs(want);
}

/* ---- a dictionary in a layer ---- */

enum { D_V = 3 };

typedef struct {
    size_t n;
    size_t target[KEYS_MAX]; /* whose key each token asks for */
    attn_layer *layer;
    attn_layer_workspace *work;
    gsl_matrix *X, *O;    /* n x n one-hot, n x D_V */
    double total[D_V];    /* sum of all values */
    double largest_value; /* max |V| */
} workspace;

/* The smallest power of 4 that is at least n: its root is a power of 2, so
 * scores are exactly b and 0. */
static size_t head_size(size_t n)
{
    size_t d_k = 1;

    while (d_k < n)
        d_k *= 4;
    return d_k;
}

static void workspace_free(workspace *w)
{
    gsl_matrix_free(w->X);
    gsl_matrix_free(w->O);
    attn_layer_workspace_free(w->work);
    attn_layer_free(w->layer);
}

static int workspace_make(workspace *w, size_t n)
{
    *w = (workspace){.n = n,
                     .layer = attn_layer_alloc(n, head_size(n), D_V, 1),
                     .X = gsl_matrix_alloc(n, n),
                     .O = gsl_matrix_alloc(n, D_V)};
    w->work = w->layer ? attn_layer_workspace_alloc(w->layer, n) : NULL;
    if (!w->work || !w->X || !w->O) {
        workspace_free(w);
        return GSL_ENOMEM;
    }
    gsl_matrix_set_identity(w->X);
    return GSL_SUCCESS;
}

/* Random values, one of them 0, and who looks up whom. */
static void draw_dictionary(workspace *w, attn_rng *g)
{
    gsl_rng r = attn_rng_gsl(g);
    gsl_matrix *V = w->layer->W_V;

    attn_sample_matrix(g, 1, V);
    gsl_matrix_set(V, 0, 0, 0);
    w->largest_value = attn_matrix_largest(V);
    for (size_t c = 0; c < D_V; c++) {
        w->total[c] = 0;
        for (size_t j = 0; j < w->n; j++)
            w->total[c] += gsl_matrix_get(V, j, c);
    }
    for (size_t i = 0; i < w->n; i++)
        w->target[i] = i;
    gsl_ran_shuffle(&r, w->target, w->n, sizeof *w->target);
}

/* Token i's answer against what its gap predicts. */
static void take_token(const workspace *w, size_t i, size_t gap, errors *e)
{
    const double g = gap_at(gap), n = (double)w->n;
    const double p = attn_lookup_weight(w->n, g);
    const double rest = attn_lookup_rest(w->n, g);
    const size_t t = w->target[i];
    const gsl_vector_const_view a = gsl_matrix_const_row(w->work->A, i);
    const double measured = attn_softmax_rest(&a.vector);
    const double weight = gsl_vector_get(&a.vector, t);
    const double trace = attn_softmax_trace(&a.vector);
    const double norm = attn_softmax_frobenius(&a.vector);

    note(e, WEIGHT, fabs(weight - p) / (n * p));
    note(e, REST, relative(measured, rest) / n);
    if (g < smallest_normal_gap) {
        note(e, GRADIENT, relative(trace, attn_lookup_trace(w->n, g)) / n);
        note(e, GRADIENT, relative(norm, attn_lookup_frobenius(w->n, g)) / n);
    }
    for (size_t c = 0; c < D_V; c++) {
        const double v = gsl_matrix_get(w->layer->W_V, t, c);
        const double o = gsl_matrix_get(w->O, i, c);
        const double want = p * v + rest / (n - 1) * (w->total[c] - v);
        note(e, OUTPUT, fabs(o - want) / (n * w->largest_value));
        draw_point(e, gap, P_OFF, fabs(o - v) / w->largest_value);
        if (g > attn_lookup_zero())
            note(e, TABLE, fabs(o - v));
    }
    draw_point(e, gap, P_REST, measured);
    draw_point(e, gap, P_STAIR, 1 - weight);
    draw_point(e, gap, P_TRACE, trace);
    draw_point(e, gap, P_FROBENIUS, norm);
}

/* A key that is not there: token 0's query matches none. */
static int miss(workspace *w, errors *e)
{
    for (size_t c = 0; c < w->layer->d_k; c++)
        gsl_matrix_set(w->layer->W_Q, 0, c, 0);
    const int status = attn_layer_forward(w->layer, w->X, w->O, w->work);
    for (size_t c = 0; c < D_V; c++)
        note(e, MISSING,
             fabs(gsl_matrix_get(w->O, 0, c) - w->total[c] / (double)w->n) /
                 ((double)w->n * w->largest_value));
    return status;
}

/* A key that is there twice: that of token 1's target, and the next one. */
static int repeat(workspace *w, errors *e)
{
    const size_t t = w->target[1], u = (t + 1) % w->n;
    const gsl_matrix *V = w->layer->W_V;
    const gsl_vector_view key = gsl_matrix_row(w->layer->W_K, t);

    gsl_matrix_set_row(w->layer->W_K, u, &key.vector);
    const int status = attn_layer_forward(w->layer, w->X, w->O, w->work);
    for (size_t c = 0; c < D_V; c++) {
        const double mean =
            (gsl_matrix_get(V, t, c) + gsl_matrix_get(V, u, c)) / 2;
        note(e, TWICE,
             fabs(gsl_matrix_get(w->O, 1, c) - mean) / w->largest_value);
    }
    return status;
}

static int one_dictionary(workspace *w, attn_rng *g, errors *e)
{
    int status = GSL_SUCCESS;

    draw_dictionary(w, g);
    for (size_t gap = 0; gap < GAPS && !status; gap++) {
        status = attn_lookup_program(w->layer, w->target, gap_at(gap));
        if (!status)
            status = attn_layer_forward(w->layer, w->X, w->O, w->work);
        for (size_t i = 0; i < w->n && !status; i++)
            take_token(w, i, gap, e);
    }
    status = status ? status : miss(w, e);
    return status ? status : repeat(w, e);
}

static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    workspace w;
    int status = workspace_make(&w, *(const size_t *)setup);

    (void)first;
    (void)scratch;
    if (status)
        return status;
    for (size_t i = 0; i < count && !status; i++)
        status = one_dictionary(&w, g, partial);
    workspace_free(&w);
    return status;
}

/* ---- thresholds ---- */

/* Scores of one query: b for the key asked for, 0 for n - 1 others. */
static gsl_vector *scores_at(double *room, gsl_vector_view *view, size_t n,
                             double b)
{
    for (size_t j = 0; j < n; j++)
        room[j] = 0;
    room[n / 2] = b;
    *view = gsl_vector_view_array(room, n);
    return &view->vector;
}

static int is_one(size_t n, double b)
{
    double room[KEYS_MAX];
    gsl_vector_view view;
    gsl_vector *s = scores_at(room, &view, n, b);

    attn_softmax(s, s);
    return room[n / 2] == 1;
}

static int is_one_top_first(size_t n, double b)
{
    double room[KEYS_MAX];
    gsl_vector_view view;

    return attn_lookup_top_first(scores_at(room, &view, n, b)) == 1;
}

static int is_zero_elsewhere(size_t n, double b)
{
    double room[KEYS_MAX], others = 0;
    gsl_vector_view view;
    gsl_vector *s = scores_at(room, &view, n, b);

    attn_softmax(s, s);
    for (size_t j = 0; j < n; j++)
        others += j == n / 2 ? 0 : room[j];
    return others == 0;
}

/* The first double from which on it is so, by halving from [0, 1000]. */
static double first_gap(int (*is_so)(size_t, double), size_t n)
{
    double low = 0, high = 1000;

    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(low < middle && middle < high))
            return high;
        *(is_so(n, middle) ? &high : &low) = middle;
    }
}

static const attn_dat_column threshold_columns[] = {
    {"n", "keys"},
    {"one_predicted", "gap from which on the weight is exactly 1, the others "
                      "summed first: 53 ln 2 + ln(n-1)"},
    {"one", "measured"},
    {"top_predicted", "the same, the largest summed first: 53 ln 2"},
    {"top", "measured"},
    {"zero_predicted", "gap from which on every other weight is exactly 0: "
                       "1075 ln 2"},
    {"zero", "measured"},
    {"own", "how many keys of a layer of the reader's own stand below"}};

/* Of several numbers of keys the one that fits worst. */
typedef struct {
    double predicted, measured, tolerance;
} fit;

static void keep_worst(fit *worst, double predicted, double measured,
                       double tolerance)
{
    if (worst->tolerance == 0 ||
        fabs(measured - predicted) / tolerance >
            fabs(worst->measured - worst->predicted) / worst->tolerance)
        *worst = (fit){predicted, measured, tolerance};
}

static void judge_fit(attn_run *run, const char *id, fit f, const char *why)
{
    attn_claims_exact(run->claims, id, f.predicted, f.measured, f.tolerance,
                      keys.count, why);
}

static void thresholds(attn_run *run)
{
    fit one = {0}, top = {0}, zero = {0};

    attn_dat_block(run->dat, "thresholds", threshold_columns,
                   sizeof threshold_columns / sizeof *threshold_columns);
    for (size_t i = 0; i < keys.count; i++) {
        const size_t n = keys.at[i];
        const double at[3] = {first_gap(is_one, n),
                              first_gap(is_one_top_first, n),
                              first_gap(is_zero_elsewhere, n)};
        keep_worst(&one, attn_lookup_one(n), at[0], ((double)n + 128) * eps);
        keep_worst(&top, attn_lookup_one_top(), at[1], 128 * eps);
        keep_worst(&zero, attn_lookup_zero(), at[2], 4096 * eps);
        ATTN_DAT_ROW(run->dat, (double)n, attn_lookup_one(n), at[0],
                     attn_lookup_one_top(), at[1], attn_lookup_zero(), at[2],
                     own ? (double)own->n : 0);
    }
    if (own)
        return;
    judge_fit(run, "lookup.exact/one", one,
              "first gap of weight 1, others summed first: 53 ln 2 + ln(n-1); "
              "(n + 128) eps");
    judge_fit(run, "lookup.exact/one_top_first", top,
              "the same, largest summed first: 53 ln 2 for every n; 128 eps");
    judge_fit(run, "lookup.exact/zero", zero,
              "first gap with all other weights 0: 1075 ln 2; 4096 eps");
}

/* ---- the sweep over gaps ---- */

static const attn_dat_column sweep_columns[] = {
    {"n", "keys"},
    {"gap", "score gap b"},
    {"rest_predicted", "predicted error of the weight, (n-1) e^-b/(1 + (n-1) "
                       "e^-b)"},
    {"rest", "measured, summed from the other weights"},
    {"one_minus", "1 - weight as a double gives it"},
    {"output", "largest |output - dictionary|/max |V|"},
    {"trace_predicted", "predicted trace of the softmax Jacobian"},
    {"trace", "measured"},
    {"norm_predicted", "predicted Frobenius norm of it"},
    {"norm", "measured"}};

static void write_sweep(attn_dat *dat, size_t n, const errors *e)
{
    for (size_t g = 0; g < GAPS; g++) {
        const double b = gap_at(g), *point = e->point[g];
        ATTN_DAT_ROW(dat, (double)n, b, attn_lookup_rest(n, b), point[P_REST],
                     point[P_STAIR], point[P_OFF], attn_lookup_trace(n, b),
                     point[P_TRACE], attn_lookup_frobenius(n, b),
                     point[P_FROBENIUS]);
    }
}

/* Every gap for every number of keys; *all the errors over all of them. */
static int sweep(attn_run *run, errors *all)
{
    attn_dat_block(run->dat, "sweep", sweep_columns,
                   sizeof sweep_columns / sizeof *sweep_columns);
    for (size_t i = 0; i < keys.count; i++) {
        attn_blocks job = attn_run_job(run, "lookup_table.dictionaries",
                                       keys.at[i], trials, 1);
        errors *e = calloc(1, sizeof *e);
        if (!e)
            return GSL_ENOMEM;
        job.partial_size = sizeof *e;
        const int status =
            attn_blocks_run(&job, work, merge_errors, e, &keys.at[i]);
        write_sweep(run->dat, keys.at[i], e);
        merge_errors(all, e);
        free(e);
        if (status)
            return status;
    }
    return GSL_SUCCESS;
}

static void judge(attn_run *run, const errors *e)
{
    static const struct {
        int check;
        const char *id;
        double tolerance;
        const char *why;
    } lines[] = {
        {WEIGHT, "lookup.exact", 2 * 0x1p-52,
         "relative error of the weight e^b/(e^b + n-1)/n; 2 eps"},
        {REST, "lookup.exact/error", 2 * 0x1p-52,
         "relative error of 1 - weight, about (n-1) e^-b, over n; 2 eps"},
        {OUTPUT, "lookup.exact/output", 2 * 0x1p-52,
         "|output - its prediction|/(n max |V|); 2 eps"},
        {TABLE, "lookup.exact/table", 0,
         "output - dictionary beyond b = 1075 ln 2; equality"},
        {GRADIENT, "lookup.exact/gradient", 8 * 0x1p-52,
         "relative error of tr J and |J|_F over n, b < 708; 8 eps"},
        {MISSING, "lookup.exact/missing", 2 * 0x1p-52,
         "|output - mean of all values|/(n max |V|); 2 eps"},
        {TWICE, "lookup.exact/twice", 2 * 0x1p-52,
         "|output - mean of the two values|/max |V|; 2 eps"},
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        attn_claims_exact(run->claims, lines[i].id, 0, e->worst[lines[i].check],
                          lines[i].tolerance, e->cases[lines[i].check],
                          lines[i].why);
}

/* ---- in words ---- */

static void narrate(FILE *out, size_t n)
{
    static const double shown[] = {0,  1,  2,  5,   10,  20,
                                   36, 37, 45, 700, 745, 746};
    double room[KEYS_MAX];
    gsl_vector_view view;

    fprintf(out,
            "A dictionary of %zu keys in a layer; the right key's score leads "
            "by b:\n%8s %12s %12s %16s %12s\n",
            n, "b", "weight", "1 - weight", "another's weight", "tr J");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        gsl_vector *a = scores_at(room, &view, n, shown[i]);
        attn_softmax(a, a);
        fprintf(out, "%8g %12.9g %12.4g %16.4g %12.4g\n", shown[i], room[n / 2],
                attn_softmax_rest(a), room[0], attn_softmax_trace(a));
    }
    fprintf(out,
            "\nThe error falls like %zu e^-b, and tr J with it: between once "
            "and twice the error.\n"
            "The weight is exactly 1 in a double from b = %.6g on, as the %zu "
            "small terms are\n"
            "summed first; if the largest came first, from b = %.6g for any "
            "number of keys.\n"
            "All other weights are exactly 0 from b = %.6g on: then every "
            "value comes out\nbit by bit, 0 too.\n",
            n - 1, first_gap(is_one, n), n - 1, first_gap(is_one_top_first, n),
            first_gap(is_zero_elsewhere, n));
    fprintf(out,
            "A key that is missing gives the mean of all %zu values; one that "
            "comes twice, the\nmean of its two. The layer says nothing about "
            "either.\n\n",
            n);
}

/* ---- the reader's own ---- */

static const attn_dat_column own_columns[] = {
    {"token", "its row, from 1 on"},
    {"gap", "score gap between the two best keys"},
    {"rest", "1 - largest weight"},
    {"trace", "trace of the softmax Jacobian"},
    {"off", "largest |output - dictionary|"},
    {"right", "1: what the dictionary says, 0: not"},
    {"key", "its key"}};

static void write_own(attn_dat *dat)
{
    attn_dat_block(dat, "own", own_columns,
                   sizeof own_columns / sizeof *own_columns);
    for (size_t t = 0; t < own->n; t++) {
        const gsl_vector_const_view a = gsl_matrix_const_row(own->A, t);
        const double row[] = {(double)(t + 1),
                              attn_dictionary_gap(own, t),
                              attn_softmax_rest(&a.vector),
                              attn_softmax_trace(&a.vector),
                              attn_dictionary_off(own, t),
                              attn_dictionary_is_right(own, t)};
        attn_dat_row_word(dat, sizeof row / sizeof *row, row, own->keys[t]);
    }
}

static int judge_own(attn_run *run)
{
    size_t right = 0;
    const int status = attn_dictionary_ask(own);

    if (status)
        return status;
    for (size_t t = 0; t < own->n; t++)
        right += attn_dictionary_is_right(own, t) != 0;
    attn_claims_exact(run->claims, "lookup.exact/keys", (double)own->n,
                      (double)right, 0, own->n,
                      "keys for which the layer returns what the dictionary "
                      "says, up to 2 n eps max |value|");
    attn_dictionary_print(own, run->narrative);
    write_own(run->dat);
    return GSL_SUCCESS;
}

static int experiment(attn_run *run)
{
    if (own) { /* its points on the curve of as many keys */
        keys = (attn_cli_sizes){1, {own->n < 2 ? 2 : own->n}};
        trials = 1;
    }
    errors *e = calloc(1, sizeof *e);
    if (!e)
        return GSL_ENOMEM;
    int status = sweep(run, e);
    if (!status && !own)
        judge(run, e);
    if (!status)
        thresholds(run);
    if (!status && own)
        status = judge_own(run);
    if (!status && !own)
        narrate(run->narrative, keys.at[keys.count - 1]);
    free(e);
    return status;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "lookup_table",
        .section = "Looking Forward",
        .summary = "Programs an attention layer over one-hot embeddings as a "
                   "lookup table and measures how exact it is against the gap "
                   "between the scores, and what that costs in gradient; or "
                   "judges a layer of your own, key by key.",
        .claims = "lookup.exact",
        .options = options,
        .conflict = conflict,
        .run = experiment,
        .epilogue = epilogue};
    const int status = attn_program_main(&program, argc, argv);

    attn_dictionary_free(own);
    attn_text_free(text);
    return status;
}

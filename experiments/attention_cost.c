/*
 * "Looking Forward": scores and weighted sum cost O(n^2 d) multiply-adds, the
 * projections O(n d^2), and the n x n weights need O(n^2) numbers, unless they
 * are never held: streamed, the same output needs O(n).
 *
 * Multiply-adds and bytes are counted in the loops themselves (attn_counted).
 */
#include "attn_counted.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_stream.h"
#include "attn_theory.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* The published parameters. */
static size_t tokens = 2048;
static size_t head_size = 64;
static size_t long_tokens = 10000;

static attn_cli_option options[] = {
    {"tokens", ATTN_CLI_SIZE, &tokens,
     "tokens n of the longest sequence whose n x n weights are held", 16, 16384,
     NULL, 0},
    {"head-size", ATTN_CLI_SIZE, &head_size, "d = d_k = d_v", 1, 1024, NULL, 0},
    {"long", ATTN_CLI_SIZE, &long_tokens,
     "tokens of a sequence that is streamed only", 16, 1e6, NULL, 0},
    {0}};

enum {
    SHORTEST = 16,
    LANES = 32,     /* queries that the stream works on at once */
    TOGETHER = 4,   /* groups of them that meet a tile in turn */
    TILE = 128,     /* keys of it */
    CHECKED = 100,  /* rows of the long sequence that are computed directly */
    REPEATS = 2,    /* of a timing; the shortest counts */
    SMALLEST_D = 4, /* head size of the sweep over n >> d */
    WIDTHS = 4      /* head sizes 1, 2, 4, 8 of the sweep over d << n */
};

static const double eps = 0x1p-52;

/* ---- a layer and its tokens ---- */

typedef struct {
    size_t n, d, d_k, d_v, heads;
} shape;

typedef struct {
    shape s;
    attn_layer *layer;
    attn_layer_workspace *work;
    gsl_matrix *X, *O, *streamed;
} workspace;

static void workspace_free(workspace *w)
{
    attn_layer_workspace_free(w->work);
    attn_layer_free(w->layer);
    gsl_matrix_free(w->X);
    gsl_matrix_free(w->O);
    gsl_matrix_free(w->streamed);
}

/* Random tokens and a layer that gives q, k, v entries of unit variance; the
 * workspace holds what a forward pass leaves. */
static int workspace_make(workspace *w, const attn_run *run, const char *part,
                          shape s)
{
    const double sd = 1 / sqrt((double)s.d);
    attn_rng g;

    *w = (workspace){.s = s,
                     .layer = attn_layer_alloc(s.d, s.d_k, s.d_v, s.heads),
                     .X = gsl_matrix_alloc(s.n, s.d),
                     .O = gsl_matrix_alloc(s.n, s.heads * s.d_v),
                     .streamed = gsl_matrix_alloc(s.n, s.heads * s.d_v)};
    w->work = w->layer ? attn_layer_workspace_alloc(w->layer, s.n) : NULL;
    if (!w->work || !w->X || !w->O || !w->streamed) {
        workspace_free(w);
        return GSL_ENOMEM;
    }
    attn_rng_set(&g, run->seed, attn_rng_experiment(part, s.n), 0);
    attn_sample_matrix(&g, sd, w->layer->W_Q);
    attn_sample_matrix(&g, sd, w->layer->W_K);
    attn_sample_matrix(&g, sd, w->layer->W_V);
    attn_sample_matrix(&g, 1, w->X);
    return attn_layer_forward(w->layer, w->X, w->O, w->work);
}

static shape one_head(size_t n, size_t d)
{
    return (shape){n, d, d, d, 1};
}

static attn_theory_cost theory_of(shape s)
{
    return attn_theory_cost_of(s.n, s.d, s.d_k, s.d_v, s.heads);
}

static double total_of(attn_theory_cost c)
{
    return c.projections + c.scores + c.sum;
}

/* ---- counting ---- */

/* What the layer and the stream were seen to do for one head. */
typedef struct {
    double projections, attention; /* multiply-adds of the layer */
    double streamed;               /* multiply-adds of the stream, from Q on */
    double layer_bytes, stream_bytes;
} counts;

static int count(workspace *w, counts *c)
{
    const attn_layer_workspace *pass = w->work;
    attn_counted whole, attend, stream;
    int status = attn_counted_forward(w->layer, w->X, w->O, &whole);

    if (!status)
        status = attn_counted_attend(pass->Q, pass->K, pass->V, w->layer->scale,
                                     pass->A, w->O, &attend);
    if (!status)
        status = attn_counted_stream(pass->Q, pass->K, pass->V, w->layer->scale,
                                     w->streamed, &stream);
    if (status)
        return status;
    *c = (counts){.projections =
                      (double)(whole.multiply_adds - attend.multiply_adds),
                  .attention = (double)attend.multiply_adds,
                  .streamed = (double)stream.multiply_adds,
                  .layer_bytes = (double)whole.bytes,
                  .stream_bytes = (double)stream.bytes};
    return GSL_SUCCESS;
}

/* Multiply-adds of the stream: lanes without a query work too. */
static double stream_theory(shape s)
{
    const size_t lanes = (s.n + LANES - 1) / LANES * LANES;

    return (double)lanes * (double)s.n * (double)(s.d_k + s.d_v);
}

/* Q, K, V and A of the layer; the latter is the n^2. */
static double layer_bytes_theory(shape s)
{
    const double n = (double)s.n;

    return 8 * (double)s.heads * (n * n + n * (double)(2 * s.d_k + s.d_v));
}

/* A constant for a thread and its tile, and one byte a token. */
static double stream_bytes_limit(shape s)
{
    return 8.0 * LANES * (double)(TILE + TOGETHER * (s.d_k + s.d_v + 2)) + 512 +
           (double)s.n;
}

/* Largest |O - streamed| over n eps max |V|. */
static double difference(const workspace *w)
{
    return attn_matrix_difference(w->O, w->streamed) /
           ((double)w->s.n * eps * attn_matrix_largest(w->work->V));
}

/* ---- the sweep over n ---- */

static const attn_dat_column columns[] = {
    {"n", "tokens"},
    {"d", "head size, d = d_k = d_v, one head"},
    {"projections_predicted", "3 n d^2"},
    {"projections", "multiply-adds counted in the projections"},
    {"attention_predicted", "2 n^2 d"},
    {"attention", "multiply-adds counted in scores and weighted sum"},
    {"streamed", "multiply-adds counted in the stream"},
    {"inout_bytes", "bytes of Q, K, V and O, 8 n 4 d"},
    {"layer_bytes_predicted", "8 (n^2 + 3 n d), weights and Q, K, V"},
    {"layer_bytes", "bytes asked for by the layer: weights and Q, K, V"},
    {"stream_bytes_limit", "a constant for a tile, and n"},
    {"stream_bytes", "bytes asked for by the stream: scratch of one thread"},
    {"difference", "largest |layer - stream| over n eps max |V|"}};

static const attn_dat_column timings[] = {
    {"n", "tokens"},
    {"threads", "threads of the stream; the layer has one"},
    {"layer_s", "seconds of softmax(scale Q K^T) V, weights held; 0: not"},
    {"stream_s", "seconds of the same, streamed"},
    {"stream_gflops", "1e9 operations a second: 4 n^2 d in stream_s"}};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The shortest of a few times of both ways from Q, K, V to O. */
static int measure_time(attn_run *run, workspace *w)
{
    const attn_stream how = attn_stream_default(run->threads);
    const attn_layer_workspace *pass = w->work;
    const double n = (double)w->s.n, d = (double)w->s.d;
    double layer = INFINITY, stream = INFINITY;
    int status = GSL_SUCCESS;

    for (int i = 0; !status && i < REPEATS; i++) {
        const double start = now();
        status = attn_layer_attend(pass->Q, pass->K, pass->V, w->layer->scale,
                                   pass->A, w->O);
        const double middle = now();
        if (!status)
            status =
                attn_stream_attend(pass->Q, pass->K, pass->V, w->layer->scale,
                                   &attn_mask_none, &how, w->streamed, NULL);
        layer = attn_min(layer, middle - start);
        stream = attn_min(stream, now() - middle);
    }
    ATTN_DAT_ROW(run->timing, n, (double)run->threads, layer, stream,
                 4 * n * n * d / stream * 1e-9);
    return status;
}

static size_t next_size(size_t n)
{
    return n < tokens && 2 * n > tokens ? tokens : 2 * n;
}

/* What the sweep has found so far. */
typedef struct {
    size_t sizes;        /* how many n */
    double stream_equal; /* of these, how often the stream did as predicted */
    double time_equal;   /* and the layer did */
    double bytes_equal;  /* and its bytes were as predicted */
    double bytes_ratio;  /* largest stream_bytes/stream_bytes_limit */
    double reported;     /* how often attn_stream_scratch told the bytes */
    double difference;   /* largest */
    counts last;
} findings;

static void find(findings *f, const workspace *w, const counts *c)
{
    const attn_stream how = attn_stream_default(1);
    const shape s = w->s;

    f->sizes++;
    f->stream_equal += c->streamed == stream_theory(s);
    f->time_equal += c->projections + c->attention == total_of(theory_of(s));
    f->bytes_equal += c->layer_bytes == layer_bytes_theory(s);
    f->bytes_ratio =
        attn_max(f->bytes_ratio, c->stream_bytes / stream_bytes_limit(s));
    f->reported += c->stream_bytes ==
                   (double)attn_stream_scratch(s.n, s.n, s.d_k, s.d_v, &how);
    f->difference = attn_max(f->difference, difference(w));
    f->last = *c;
}

static int sweep(attn_run *run, findings *f)
{
    double done = 0, all = 0; /* n^2 of the sizes */
    int status = GSL_SUCCESS;

    for (size_t n = SHORTEST; n <= tokens; n = next_size(n))
        all += (double)n * (double)n;
    attn_dat_block(run->dat, "sweep", columns,
                   sizeof columns / sizeof *columns);
    attn_dat_block(run->timing, "timings", timings,
                   sizeof timings / sizeof *timings);
    for (size_t n = SHORTEST; !status && n <= tokens; n = next_size(n)) {
        const shape s = one_head(n, head_size);
        const attn_theory_cost theory = theory_of(s);
        counts c;
        workspace w;
        status = workspace_make(&w, run, "attention_cost.sweep", s);
        if (status)
            return status;
        status = count(&w, &c);
        if (!status) {
            find(f, &w, &c);
            ATTN_DAT_ROW(run->dat, (double)n, (double)s.d, theory.projections,
                         c.projections, theory.scores + theory.sum, c.attention,
                         c.streamed, 32 * (double)n * (double)s.d,
                         layer_bytes_theory(s), c.layer_bytes,
                         stream_bytes_limit(s), c.stream_bytes, difference(&w));
            status = measure_time(run, &w);
        }
        workspace_free(&w);
        done += (double)n * (double)n;
        attn_run_progress(run, done / all);
    }
    return status;
}

/* ---- cost.time ---- */

/* All multiply-adds of one shape, as the layer counts them. */
static int count_total(attn_run *run, shape s, double *total)
{
    attn_counted c = {0};
    workspace w;
    int status = workspace_make(&w, run, "attention_cost.shapes", s);

    if (status)
        return status;
    status = attn_counted_forward(w.layer, w.X, w.O, &c);
    *total = (double)c.multiply_adds;
    workspace_free(&w);
    return status;
}

/* Sizes that differ, so that a swapped one would show. */
static int other_shapes(attn_run *run)
{
    static const shape shapes[] = {{1, 1, 1, 1, 1},   {7, 5, 3, 4, 2},
                                   {33, 24, 5, 7, 3}, {64, 16, 8, 2, 4},
                                   {20, 3, 11, 2, 1}, {13, 40, 9, 17, 5}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    double equal = 0;

    for (size_t i = 0; i < SHAPES; i++) {
        double total;
        const int status = count_total(run, shapes[i], &total);
        if (status)
            return status;
        equal += total == total_of(theory_of(shapes[i]));
    }
    attn_claims_exact(run->claims, "cost.time/shapes", SHAPES, equal, 0, SHAPES,
                      "shapes with the count heads (n^2 (d_k + d_v) + n d (2 "
                      "d_k + d_v)), equality");
    return GSL_SUCCESS;
}

/* The slope of log count against log size, by least squares; at most WIDTHS
 * points. */
static double exponent(const double *size, const double *total, size_t points)
{
    double x[WIDTHS], y[WIDTHS], cut, slope, covariance[3], squares;

    attn_log_all(size, points, x);
    attn_log_all(total, points, y);
    gsl_fit_linear(x, 1, y, 1, points, &cut, &slope, &covariance[0],
                   &covariance[1], &covariance[2], &squares);
    return slope;
}

/* The projections' share of all multiply-adds. */
static double share(shape s)
{
    const attn_theory_cost c = theory_of(s);

    return c.projections / total_of(c);
}

static const attn_dat_column exponent_columns[] = {
    {"n", "tokens"},
    {"d", "head size, d = d_k = d_v, one head"},
    {"predicted", "2 n^2 d + 3 n d^2"},
    {"total", "multiply-adds counted"}};

/* n >> d: the exponents of n and d, off by the projections' share at most. */
static int exponents(attn_run *run)
{
    const shape tall[2] = {one_head(tokens / 2, SMALLEST_D),
                           one_head(tokens, SMALLEST_D)};
    double n[2], d[WIDTHS], total[WIDTHS];

    attn_dat_block(run->dat, "exponents", exponent_columns, 4);
    for (size_t i = 0; i < 2; i++) {
        const int status = count_total(run, tall[i], &total[i]);
        if (status)
            return status;
        n[i] = (double)tall[i].n;
        ATTN_DAT_ROW(run->dat, n[i], SMALLEST_D, total_of(theory_of(tall[i])),
                     total[i]);
    }
    attn_claims_exact(run->claims, "cost.time/tokens", 2, exponent(n, total, 2),
                      share(tall[0]), 2,
                      "exponent of n at n >> d; the projections' share");
    shape s = tall[1];
    for (size_t i = 0; i < WIDTHS; i++) {
        s = one_head(tokens, (size_t)1 << i);
        const int status = count_total(run, s, &total[i]);
        if (status)
            return status;
        d[i] = (double)s.d;
        ATTN_DAT_ROW(run->dat, (double)tokens, d[i], total_of(theory_of(s)),
                     total[i]);
        attn_run_progress(run, (double)(i + 1) / WIDTHS);
    }
    attn_claims_exact(run->claims, "cost.time/width", 1,
                      exponent(d, total, WIDTHS), share(s), WIDTHS,
                      "exponent of d at n >> d; the projections' share");
    return GSL_SUCCESS;
}

/* Are the projections the smaller part at n, as counted? */
static int attention_leads(attn_run *run, size_t n, int *leads)
{
    counts c;
    workspace w;
    int status = workspace_make(&w, run, "attention_cost.crossing",
                                one_head(n, head_size));

    if (status)
        return status;
    status = count(&w, &c);
    workspace_free(&w);
    *leads = !status && c.attention > c.projections;
    return status;
}

/* The first n at which the projections are the smaller part, by halving. */
static int crossing(attn_run *run)
{
    const double predicted =
        attn_theory_cost_crossing(head_size, head_size, head_size);
    size_t below = 0, n = 2 * head_size + 1, cases = 0;

    for (; n - below > 1; cases++) {
        const size_t middle = below + (n - below) / 2;
        int leads;
        const int status = attention_leads(run, middle, &leads);
        if (status)
            return status;
        *(leads ? &n : &below) = middle;
    }
    attn_claims_exact(run->claims, "cost.time/crossing", floor(predicted) + 1,
                      (double)n, 0, cases,
                      "first n at which 2 n^2 d exceeds 3 n d^2: beyond 1.5 d");
    return GSL_SUCCESS;
}

/* ---- cost.memory ---- */

/* Q, K, V of a sequence whose n x n weights nobody holds. */
typedef struct {
    gsl_matrix *Q, *K, *V, *O, *A; /* A 1 x n */
} sequence;

static void sequence_free(sequence *s)
{
    gsl_matrix_free(s->Q);
    gsl_matrix_free(s->K);
    gsl_matrix_free(s->V);
    gsl_matrix_free(s->O);
    gsl_matrix_free(s->A);
}

static int sequence_make(sequence *s, const attn_run *run, size_t n, size_t d)
{
    attn_rng g;

    *s = (sequence){.Q = gsl_matrix_alloc(n, d),
                    .K = gsl_matrix_alloc(n, d),
                    .V = gsl_matrix_alloc(n, d),
                    .O = gsl_matrix_alloc(n, d),
                    .A = gsl_matrix_alloc(1, n)};
    if (!s->Q || !s->K || !s->V || !s->O || !s->A) {
        sequence_free(s);
        return GSL_ENOMEM;
    }
    attn_rng_set(&g, run->seed, attn_rng_experiment("attention_cost.long", n),
                 0);
    attn_sample_matrix(&g, 1, s->Q);
    attn_sample_matrix(&g, 1, s->K);
    attn_sample_matrix(&g, 1, s->V);
    return GSL_SUCCESS;
}

/* Some rows of O against the layer with a single query; first and last too. */
static int check_rows(const sequence *s, double scale, double *worst,
                      size_t *rows)
{
    const size_t n = s->O->size1, d = s->O->size2;
    const size_t most = n < CHECKED ? n : CHECKED;
    gsl_matrix *o = gsl_matrix_alloc(1, d);
    int status = o ? GSL_SUCCESS : GSL_ENOMEM;

    *worst = 0;
    for (*rows = 0; !status && *rows < most; ++*rows) {
        const size_t i = *rows * (n - 1) / (most - 1);
        const gsl_matrix_view q = gsl_matrix_submatrix(s->Q, i, 0, 1, d);
        status = attn_layer_attend(&q.matrix, s->K, s->V, scale, s->A, o);
        for (size_t c = 0; !status && c < d; c++)
            *worst = attn_max(*worst, fabs(gsl_matrix_get(o, 0, c) -
                                           gsl_matrix_get(s->O, i, c)));
    }
    *worst /= (double)n * eps * attn_matrix_largest(s->V);
    gsl_matrix_free(o);
    return status;
}

static const attn_dat_column long_columns[] = {
    {"n", "tokens of a sequence that is streamed only"},
    {"d", "head size"},
    {"streamed_predicted", "2 n^2 d, n rounded up to lanes for the queries"},
    {"streamed", "multiply-adds counted in the stream"},
    {"inout_bytes", "bytes of Q, K, V and O, 8 n 4 d"},
    {"weights_bytes", "8 n^2, which nobody holds"},
    {"stream_bytes", "bytes asked for by the stream: scratch of one thread"},
    {"rows", "rows that were computed directly"},
    {"difference", "largest difference there over n eps max |V|"}};

/* The long sequence: counted, timed, compared row by row. */
static int long_sequence(attn_run *run, findings *f)
{
    const shape all = one_head(long_tokens, head_size);
    const double n = (double)long_tokens, d = (double)head_size;
    const double scale = attn_layer_scale(head_size);
    const attn_stream how = attn_stream_default(run->threads);
    attn_counted c = {0};
    sequence s;
    double worst = 0, seconds = 0;
    size_t rows = 0;
    int status = sequence_make(&s, run, long_tokens, head_size);

    if (status)
        return status;
    status = attn_counted_stream(s.Q, s.K, s.V, scale, s.O, &c);
    attn_run_progress(run, 0.5);
    seconds = now();
    if (!status)
        status = attn_stream_attend(s.Q, s.K, s.V, scale, &attn_mask_none, &how,
                                    s.O, NULL);
    seconds = now() - seconds;
    if (!status)
        status = check_rows(&s, scale, &worst, &rows);
    sequence_free(&s);
    if (status)
        return status;

    attn_dat_block(run->dat, "long", long_columns,
                   sizeof long_columns / sizeof *long_columns);
    ATTN_DAT_ROW(run->dat, n, d, stream_theory(all), (double)c.multiply_adds,
                 32 * n * d, 8 * n * n, (double)c.bytes, (double)rows, worst);
    ATTN_DAT_ROW(run->timing, n, (double)run->threads, 0, seconds,
                 4 * n * n * d / seconds * 1e-9);
    f->sizes++;
    f->stream_equal += (double)c.multiply_adds == stream_theory(all);
    f->bytes_ratio =
        attn_max(f->bytes_ratio, (double)c.bytes / stream_bytes_limit(all));
    const attn_stream single = attn_stream_default(1);
    f->reported += (double)c.bytes ==
                   (double)attn_stream_scratch(long_tokens, long_tokens,
                                               head_size, head_size, &single);
    attn_claims_exact(run->claims, "cost.memory/rows", 0, worst, 4, rows,
                      "|stream - one query alone| / (n eps max |V|), the long "
                      "sequence; 4");
    return GSL_SUCCESS;
}

static int experiment(attn_run *run)
{
    const shape longest = one_head(tokens, head_size);
    findings f = {0};
    int status = sweep(run, &f);

    if (status)
        return status;
    const double held = (double)f.sizes; /* n at which weights were held */
    attn_claims_exact(
        run->claims, "cost.time", total_of(theory_of(longest)),
        f.time_equal == held ? f.last.projections + f.last.attention
                             : (double)NAN,
        0, f.sizes, "multiply-adds at the largest n; equality at every n");
    status = other_shapes(run);
    if (!status)
        status = exponents(run);
    if (!status)
        status = crossing(run);
    attn_claims_exact(
        run->claims, "cost.memory", layer_bytes_theory(longest),
        f.bytes_equal == held ? f.last.layer_bytes : (double)NAN, 0, f.sizes,
        "bytes of the layer at the largest n, 8 (n^2 + 3 n d); equality at "
        "every n");
    attn_claims_exact(run->claims, "cost.memory/same", 0, f.difference, 4,
                      f.sizes,
                      "|stream - layer| / (n eps max |V|), every row; 4");
    if (!status)
        status = long_sequence(run, &f);
    if (status)
        return status;
    attn_claims_exact(run->claims, "cost.time/streamed", (double)f.sizes,
                      f.stream_equal, 0, f.sizes,
                      "sizes at which the stream counts 2 n^2 d, equality");
    attn_claims_bound(run->claims, "cost.memory/streamed", f.bytes_ratio, 0,
                      f.sizes, "bytes of the stream/(a tile's + n)");
    attn_claims_exact(run->claims, "cost.memory/reported", (double)f.sizes,
                      f.reported, 0, f.sizes,
                      "sizes at which attn_stream_scratch tells the bytes");
    return GSL_SUCCESS;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "attention_cost",
        .section = "Looking Forward",
        .summary =
            "Counts the multiply-adds and the bytes of an attention layer, "
            "with its n x n weights held and streamed in tiles, and compares "
            "the two outputs. Seconds go to attention_cost.timing.dat.",
        .claims = "cost.time cost.memory",
        .options = options,
        .has_timings = 1,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

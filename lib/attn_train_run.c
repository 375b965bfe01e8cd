/* A world, a head, and its steps, judged now and then. */
#include "attn_train_run.h"
#include "attn_partner.h"
#include "attn_sample.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a run works with. */
typedef struct {
    gsl_matrix *E, *W_Q, *W_K, *W_V;
    gsl_permutation *partner;
    attn_train_head *head;
    size_t *judges, *batch, *spare; /* tokens, and scratch for drawing them */
    size_t *winner; /* per judge, at birth if it was sure and wrong, else n */
    int *left;      /* per judge */
    attn_rng batches;
} bench;

static void bench_free(bench *b)
{
    gsl_matrix_free(b->E);
    gsl_matrix_free(b->W_Q);
    gsl_matrix_free(b->W_K);
    gsl_matrix_free(b->W_V);
    gsl_permutation_free(b->partner);
    attn_train_free(b->head);
    free(b->judges);
    free(b->batch);
    free(b->spare);
    free(b->winner);
    free(b->left);
}

static int bench_alloc(bench *b, const attn_train_run *r)
{
    *b = (bench){
        .E = gsl_matrix_alloc(r->m, r->d),
        .W_Q = gsl_matrix_alloc(r->d, r->d),
        .W_K = gsl_matrix_alloc(r->d, r->d),
        .W_V = gsl_matrix_alloc(r->d, r->d),
        .partner = gsl_permutation_alloc(r->m),
        .head = attn_train_alloc(r->m, r->n, r->d, r->d, r->d),
        .judges = calloc(r->judges, r->n * sizeof *b->judges),
        .batch = calloc(r->batch, r->n * sizeof *b->batch),
        .spare = calloc(r->m, sizeof *b->spare),
        .winner = calloc(r->judges, sizeof *b->winner),
        .left = calloc(r->judges, sizeof *b->left),
    };
    return b->E && b->W_Q && b->W_K && b->W_V && b->partner && b->head &&
                   b->judges && b->batch && b->spare && b->winner && b->left
               ? GSL_SUCCESS
               : GSL_ENOMEM;
}

static int begin(bench *b, const attn_train_run *r, uint64_t seed)
{
    const double sd = sqrt(1 / (double)r->d);
    attn_rng g;

    attn_rng_set(&g, seed, attn_rng_experiment(r->name, 0), r->replicate);
    attn_rng_set(&b->batches, seed, attn_rng_experiment(r->name, 1),
                 r->replicate);
    attn_sample_matrix(&g, 1, b->E);
    attn_sample_matrix(&g, sd, b->W_Q);
    attn_sample_matrix(&g, sd, b->W_K);
    attn_sample_matrix(&g, sd, b->W_V);
    int status = attn_partner_draw(&g, b->partner);
    if (!status)
        status = attn_partner_sequences(&g, b->partner, r->n, r->judges,
                                        b->judges, b->spare);
    return status ? status
                  : attn_train_begin(b->head, b->E, b->W_Q, b->W_K, b->W_V,
                                     b->partner, r->scale);
}

/* One judge at birth (is_first) or later. */
static void take(bench *b, size_t i, int is_first, const attn_train_row *row,
                 attn_train_point *p, size_t *born)
{
    const int is_sure = row->rest < 1 - ATTN_TRAIN_SURE;

    p->loss += row->loss;
    p->accuracy += row->hit;
    p->wrong += is_sure && row->winner != 1;
    if (is_first)
        b->winner[i] = is_sure && row->winner != 1 ? row->winner : b->head->n;
    if (b->winner[i] == b->head->n)
        return;
    *born += 1;
    b->left[i] |= !is_sure || row->winner != b->winner[i];
    p->left += b->left[i];
    p->kept += row->winner == b->winner[i];
    p->found += row->hit;
}

/* All judges at the k-th point. */
static int judge(bench *b, attn_train_run *r, size_t k)
{
    attn_train_point p = {0};
    size_t born = 0;

    for (size_t i = 0; i < r->judges; i++) {
        attn_train_row row;
        const int status = attn_train_look(b->head, b->judges + i * r->n,
                                           k == 0 && r->rows, &row);
        if (status)
            return status;
        take(b, i, k == 0, &row, &p, &born);
        if (k == 0 && r->rows)
            r->rows[i] = row;
    }
    p.loss /= (double)r->judges;
    p.accuracy /= (double)r->judges;
    p.wrong /= (double)r->judges;
    p.left /= born ? (double)born : 1;
    p.kept /= born ? (double)born : 1;
    p.found /= born ? (double)born : 1;
    r->points[k] = p;
    return GSL_SUCCESS;
}

/* From one point to the next. */
static int advance(bench *b, attn_train_run *r, size_t from, size_t to)
{
    for (size_t step = from; step < to; step++) {
        double loss;
        int status = attn_partner_sequences(&b->batches, b->partner, r->n,
                                            r->batch, b->batch, b->spare);
        if (!status)
            status = attn_train_gradient(b->head, b->batch, r->batch,
                                         r->with_values, &loss);
        if (status)
            return status;
        if (step == 0)
            r->norm = attn_train_norm(b->head);
        attn_train_step(b->head, r->rate, r->with_values);
    }
    return GSL_SUCCESS;
}

static int train(bench *b, attn_train_run *r, uint64_t seed)
{
    int status = begin(b, r, seed);

    if (!status)
        status = judge(b, r, 0);
    for (size_t k = 1; !status && k < r->count; k++) {
        status = r->ended ? GSL_SUCCESS : advance(b, r, r->at[k - 1], r->at[k]);
        if (!status && !r->ended)
            status = judge(b, r, k);
        if (status == GSL_EDOM) { /* scores ran away */
            r->ended = 1;
            status = GSL_SUCCESS;
        }
        if (r->ended) {
            r->points[k] = r->points[k - 1];
            r->points[k].accuracy = 0;
        }
    }
    return status;
}

typedef struct {
    uint64_t seed;
    const attn_train_run *runs;
    size_t points; /* the most of any run */
} setting;

/* What a run fills: points[setting.points], and its rows behind them. */
typedef struct {
    double norm;
    int ended;
    attn_train_point points[];
} record;

static attn_train_row *rows_of(const record *r, size_t points)
{
    return (attn_train_row *)(r->points + points);
}

static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    const setting *s = setup;
    record *out = partial;
    attn_train_run r = s->runs[first];
    bench b;
    int status = bench_alloc(&b, &r);

    (void)count; /* 1 */
    (void)g;     /* each run has streams of its own */
    (void)scratch;
    r.points = out->points;
    if (r.rows)
        r.rows = rows_of(out, s->points);
    if (!status)
        status = train(&b, &r, s->seed);
    bench_free(&b);
    out->norm = r.norm;
    out->ended = r.ended;
    return status;
}

/* Runs come in their order: the next one takes what it has filled. */
typedef struct {
    attn_train_run *next;
    size_t points; /* setting.points */
} filling;

static void merge(void *total, const void *partial)
{
    filling *const f = total;
    const record *out = partial;
    attn_train_run *r = f->next++;

    r->norm = out->norm;
    r->ended = out->ended;
    memcpy(r->points, out->points, r->count * sizeof *r->points);
    if (r->rows)
        memcpy(r->rows, rows_of(out, f->points), r->judges * sizeof *r->rows);
}

int attn_train_runs(attn_blocks job, attn_train_run *runs)
{
    size_t points = 0, rows = 0;

    for (size_t i = 0; i < job.trials; i++) {
        if (runs[i].count > points)
            points = runs[i].count;
        if (runs[i].rows && runs[i].judges > rows)
            rows = runs[i].judges;
    }
    const setting s = {job.seed, runs, points};
    filling f = {runs, points};

    job.per_block = 1;
    job.partial_size = sizeof(record) + points * sizeof(attn_train_point) +
                       rows * sizeof(attn_train_row);
    job.scratch_size = 0;
    return attn_blocks_run(&job, work, merge, &f, &s);
}

size_t attn_train_steps(size_t last, size_t *at, size_t room)
{
    static const size_t tenths[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
    size_t count = 0;

    at[count++] = 0;
    for (size_t power = 1; power < last && count < room; power *= 10)
        for (size_t i = 0; i < 10; i++)
            if (power * tenths[i] % 10 == 0 && power * tenths[i] / 10 < last &&
                count + 1 < room)
                at[count++] = power * tenths[i] / 10;
    at[count++] = last;
    return count;
}

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
} workspace;

static void workspace_free(workspace *w)
{
    gsl_matrix_free(w->E);
    gsl_matrix_free(w->W_Q);
    gsl_matrix_free(w->W_K);
    gsl_matrix_free(w->W_V);
    gsl_permutation_free(w->partner);
    attn_train_free(w->head);
    free(w->judges);
    free(w->batch);
    free(w->spare);
    free(w->winner);
    free(w->left);
}

static int workspace_alloc(workspace *w, const attn_train_run *r)
{
    *w = (workspace){
        .E = gsl_matrix_alloc(r->m, r->d),
        .W_Q = gsl_matrix_alloc(r->d, r->d),
        .W_K = gsl_matrix_alloc(r->d, r->d),
        .W_V = gsl_matrix_alloc(r->d, r->d),
        .partner = gsl_permutation_alloc(r->m),
        .head = attn_train_alloc(r->m, r->n, r->d, r->d, r->d),
        .judges = calloc(r->judges, r->n * sizeof *w->judges),
        .batch = calloc(r->batch, r->n * sizeof *w->batch),
        .spare = calloc(r->m, sizeof *w->spare),
        .winner = calloc(r->judges, sizeof *w->winner),
        .left = calloc(r->judges, sizeof *w->left),
    };
    return w->E && w->W_Q && w->W_K && w->W_V && w->partner && w->head &&
                   w->judges && w->batch && w->spare && w->winner && w->left
               ? GSL_SUCCESS
               : GSL_ENOMEM;
}

static int begin(workspace *w, const attn_train_run *r, uint64_t seed)
{
    const double sd = sqrt(1 / (double)r->d);
    attn_rng g;

    attn_rng_set(&g, seed, attn_rng_experiment(r->name, 0), r->replicate);
    attn_rng_set(&w->batches, seed, attn_rng_experiment(r->name, 1),
                 r->replicate);
    attn_sample_matrix(&g, 1, w->E);
    attn_sample_matrix(&g, sd, w->W_Q);
    attn_sample_matrix(&g, sd, w->W_K);
    attn_sample_matrix(&g, sd, w->W_V);
    int status = attn_partner_draw(&g, w->partner);
    if (!status)
        status = attn_partner_sequences(&g, w->partner, r->n, r->judges,
                                        w->judges, w->spare);
    return status ? status
                  : attn_train_begin(w->head, w->E, w->W_Q, w->W_K, w->W_V,
                                     w->partner, r->scale);
}

/* One judge at birth (is_first) or later. */
static void take(workspace *w, size_t i, int is_first,
                 const attn_train_row *row, attn_train_point *p, size_t *born)
{
    const int is_sure = row->rest < 1 - ATTN_TRAIN_SURE;

    p->loss += row->loss;
    p->accuracy += row->hit;
    p->wrong += is_sure && row->winner != 1;
    if (is_first)
        w->winner[i] = is_sure && row->winner != 1 ? row->winner : w->head->n;
    if (w->winner[i] == w->head->n)
        return;
    *born += 1;
    w->left[i] |= !is_sure || row->winner != w->winner[i];
    p->left += w->left[i];
    p->kept += row->winner == w->winner[i];
    p->found += row->hit;
}

/* All judges at the k-th point. */
static int judge(workspace *w, attn_train_run *r, size_t k)
{
    attn_train_point p = {0};
    size_t born = 0;

    for (size_t i = 0; i < r->judges; i++) {
        attn_train_row row;
        const int status = attn_train_look(w->head, w->judges + i * r->n,
                                           k == 0 && r->rows, &row);
        if (status)
            return status;
        take(w, i, k == 0, &row, &p, &born);
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
static int advance(workspace *w, attn_train_run *r, size_t from, size_t to)
{
    for (size_t step = from; step < to; step++) {
        double loss;
        int status = attn_partner_sequences(&w->batches, w->partner, r->n,
                                            r->batch, w->batch, w->spare);
        if (!status)
            status = attn_train_gradient(w->head, w->batch, r->batch,
                                         r->with_values, &loss);
        if (status)
            return status;
        if (step == 0)
            r->norm = attn_train_norm(w->head);
        attn_train_step(w->head, r->rate, r->with_values);
    }
    return GSL_SUCCESS;
}

static int train(workspace *w, attn_train_run *r, uint64_t seed)
{
    int status = begin(w, r, seed);

    if (!status)
        status = judge(w, r, 0);
    for (size_t k = 1; !status && k < r->count; k++) {
        status = r->ended ? GSL_SUCCESS : advance(w, r, r->at[k - 1], r->at[k]);
        if (!status && !r->ended)
            status = judge(w, r, k);
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
    workspace w;
    int status = workspace_alloc(&w, &r);

    (void)count; /* 1 */
    (void)g;     /* each run has streams of its own */
    (void)scratch;
    r.points = out->points;
    if (r.rows)
        r.rows = rows_of(out, s->points);
    if (!status)
        status = train(&w, &r, s->seed);
    workspace_free(&w);
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

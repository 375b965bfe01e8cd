/*
 * Frozen head: the program, and its heads trained step by step.
 *
 * The program says which heads there are, on which streams and at which rates,
 * and makes its curves and claims of them; in between, where it would train
 * them to the end, they take the same steps here one by one.
 */
#include "lab.h"
#include "record.h"

/* ---- lib/attn_train_run.c again, for its worlds, judges and steps ---- */

#define attn_train_runs runs_whole
#define attn_train_steps steps_to_judge
#define train train_whole
#include "../../lib/attn_train_run.c"
#undef attn_train_runs
#undef train

/* ---- experiments/head_training.c, on heads that are trained here ---- */

static int runs_here(attn_blocks job, attn_train_run *runs);
#define attn_train_runs runs_here
#define main head_training_main
#include "../../experiments/head_training.c"

enum {
    HEADS = 4,        /* of a regime, at most */
    RUNS = 2 * RATES, /* at most at once: the tuning */
    SHOWN = 16,       /* judges whose weights are seen */
    WIDEST = 16       /* tokens of a sequence */
};

/* A run that stands at some step. */
typedef struct {
    attn_train_run r; /* points, rows and steps are those below */
    workspace w;
    int is_begun;
    size_t step, k; /* k is the last point that is judged */
    size_t at[2 * POINTS];
    attn_train_point points[2 * POINTS];
    attn_train_row born[JUDGES];
} live;

static live runs[RUNS];
static size_t count; /* of them */
/* What becomes of runs that the program asks for: they are trained to their
 * end, noted down, or filled with what has been trained here. */
static enum { TRAINED, NOTED, FILLED } mode;
static double best[2]; /* rates */

static void forget(void)
{
    for (size_t i = 0; i < RUNS; i++) {
        workspace_free(&runs[i].w);
        runs[i].w = (workspace){0};
        runs[i].is_begun = 0;
    }
}

/* In the place of attn_train_runs. */
static int runs_here(attn_blocks job, attn_train_run *of)
{
    if (mode == TRAINED)
        return runs_whole(job, of);
    if (mode == NOTED) {
        forget();
        count = job.trials;
        for (size_t i = 0; i < count; i++) {
            live *h = &runs[i];
            h->r = of[i];
            memcpy(h->at, of[i].at, of[i].count * sizeof *h->at);
            h->r.at = h->at;
            h->r.points = h->points;
            h->r.rows = of[i].rows ? h->born : NULL;
        }
        return GSL_CONTINUE;
    }
    for (size_t i = 0; i < job.trials; i++) {
        const live *h = &runs[i];
        memcpy(of[i].points, h->points, of[i].count * sizeof *h->points);
        if (of[i].rows)
            memcpy(of[i].rows, h->born, sizeof h->born);
        of[i].norm = h->r.norm;
        of[i].ended = h->r.ended;
    }
    return GSL_SUCCESS;
}

static uint64_t seed;

static int start(live *h)
{
    h->step = h->k = 0;
    h->r.ended = 0;
    h->is_begun = 1;
    int status = workspace_alloc(&h->w, &h->r);
    if (!status)
        status = begin(&h->w, &h->r, seed);
    return status ? status : judge(&h->w, &h->r, 0);
}

/* One step of train_whole. */
static int advance_one(live *h)
{
    attn_train_run *r = &h->r;
    int status =
        r->ended ? GSL_SUCCESS : advance(&h->w, r, h->step, h->step + 1);

    h->step++;
    const int is_point = h->k + 1 < r->count && h->step == r->at[h->k + 1];
    h->k += (size_t)is_point;
    if (!status && is_point && !r->ended)
        status = judge(&h->w, r, h->k);
    if (status == GSL_EDOM) {
        r->ended = 1;
        status = GSL_SUCCESS;
    }
    if (is_point && r->ended) {
        r->points[h->k] = r->points[h->k - 1];
        r->points[h->k].accuracy = 0;
    }
    return status;
}

/* ---- now: what the judges show at any step ---- */

static attn_train_row now[2 * HEADS * JUDGES];
static double weights[2][SHOWN * WIDEST];

typedef struct {
    double accuracy, loss, sure, wrong;
    double ds_mean, ds_median, dW_Q_mean, dW_Q_median;
} regime;

static regime both[2];

/* All judges of head i; of the first of a regime, their weights too. */
static int look_at(size_t i)
{
    live *h = &runs[i];

    for (size_t j = 0; !h->r.ended && j < JUDGES; j++) {
        const int status = attn_train_look(h->w.head, h->w.judges + j * tokens,
                                           1, &now[i * JUDGES + j]);
        if (status)
            return status == GSL_EDOM ? GSL_SUCCESS : status;
        if (i % trials == 0 && j < SHOWN)
            memcpy(weights[i / trials] + j * tokens, h->w.head->a,
                   tokens * sizeof(double));
    }
    return GSL_SUCCESS;
}

static int summarise_now(size_t scaled, regime *out)
{
    const double share = 1 / (double)(trials * JUDGES);
    attn_train_run of[HEADS];
    births b;

    *out = (regime){0};
    for (size_t i = 0; i < trials; i++) {
        const live *h = &runs[scaled * trials + i];
        of[i] = h->r;
        of[i].rows = now + (scaled * trials + i) * JUDGES;
        for (size_t j = 0; j < JUDGES; j++) {
            const attn_train_row *row = &of[i].rows[j];
            out->accuracy += h->r.ended ? 0 : share * row->hit;
            out->loss += share * row->loss;
            out->wrong +=
                share * (row->rest < 1 - ATTN_TRAIN_SURE && row->winner != 1);
        }
    }
    if (births_take(&b, of))
        return GSL_ENOMEM;
    out->sure = b.sure;
    out->ds_mean = b.mean[DS];
    out->ds_median = quantile(&b, DS, 0.5);
    out->dW_Q_mean = b.mean[DW_Q];
    out->dW_Q_median = quantile(&b, DW_Q, 0.5);
    free(b.x[0]);
    return GSL_SUCCESS;
}

/* ---- what JavaScript calls ---- */

static lab_record grid, compared;

/* Note the runs of a part. */
static int note(int (*part)(attn_run *))
{
    attn_run run = {.seed = seed};

    mode = NOTED;
    const int status = part(&run);
    mode = TRAINED;
    return status == GSL_CONTINUE ? GSL_SUCCESS : status;
}

/* Let a part go on from runs as they are. */
static int fill(lab_record *into, int (*part)(attn_run *))
{
    mode = FILLED;
    const int status = lab_record_take(into, seed, part);
    mode = TRAINED;
    return status;
}

static int tune_here(attn_run *run)
{
    return tune(run, best);
}

static int compare_here(attn_run *run)
{
    return compare(run, best);
}

/* The options of the program; its tuning comes first: heads_count() runs, each
 * to be brought to step `last`. GSL_EINVAL: more heads than HEADS. */
LAB_EXPORT int heads_begin(uint64_t of, int d, int heads, int last)
{
    gsl_set_error_handler_off();
    if (heads < 1 || heads > HEADS)
        return GSL_EINVAL;
    seed = of;
    head_size = (size_t)d;
    trials = (size_t)heads;
    steps = (size_t)last;
    tuning = followed = 1;
    set_steps();
    free(column);
    column = calloc(trials, sizeof *column);
    return column ? note(tune_here) : GSL_ENOMEM;
}

LAB_EXPORT int heads_count(void)
{
    return (int)count;
}

/* Run i is born, or takes a step. A GSL status. */
LAB_EXPORT int heads_step(int i)
{
    live *h = &runs[i];

    return h->is_begun ? advance_one(h) : start(h);
}

/* A run that is tuned needs its head no more. */
LAB_EXPORT void heads_drop(int i)
{
    workspace_free(&runs[i].w);
    runs[i].w = (workspace){0};
}

/* Each regime's rate, once all are tuned. heads_rates(), heads_grid(). */
LAB_EXPORT int heads_choose(void)
{
    return fill(&grid, tune_here);
}

LAB_EXPORT const double *heads_rates(void)
{
    return best;
}

/* The block "grid" of the .dat file. */
LAB_EXPORT const char *heads_grid(void)
{
    return grid.rows;
}

/* The heads themselves, unborn: those without 1/sqrt(d_k), then those with. */
LAB_EXPORT int heads_reset(void)
{
    return note(compare_here);
}

LAB_EXPORT int heads_look(int i)
{
    return look_at((size_t)i);
}

/* Of both regimes, once all heads have been looked at: accuracy, loss, share
 * sure, share sure and wrong, mean and median |dL/ds|, mean and median
 * |dL/dW_Q|. NULL: no memory. */
LAB_EXPORT const double *heads_now(void)
{
    return summarise_now(0, &both[0]) || summarise_now(1, &both[1])
               ? NULL
               : &both[0].accuracy;
}

/* Weights of the first sequences of a regime's first head, 16 x 16. */
LAB_EXPORT const double *heads_weights(int scaled)
{
    return weights[scaled];
}

/* Is the step that the first head has reached one at which the program judges
 * heads? */
LAB_EXPORT int heads_is_judged(void)
{
    return runs[0].step == runs[0].at[runs[0].k];
}

/* What the program records of heads that it trains as far as they are now: all
 * have reached the same step, at which heads are judged. */
LAB_EXPORT int heads_record(void)
{
    const size_t all = end, more = longer;

    longer = end = runs[0].k + 1;
    const int status = fill(&compared, compare_here);
    end = all;
    longer = more;
    return status;
}

LAB_EXPORT const char *heads_rows(void)
{
    return compared.rows;
}

LAB_EXPORT const char *heads_lines(void)
{
    return compared.lines;
}

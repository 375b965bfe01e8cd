/*
 * "Saturation Kills the Gradient": the same head, task and seeds trained with
 * and without the division by sqrt(d_k), each at its own best learning rate,
 * and the gradients that it is born with.
 */
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_moments.h"
#include "attn_program.h"
#include "attn_quantile.h"
#include "attn_train_run.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The published parameters. */
static size_t trials = 48;
static size_t followed = 8;
static size_t tuning = 6;
static size_t head_size = 256;
static size_t vocabulary = 64;
static size_t tokens = 16;
static size_t batch = 64;
static size_t steps = 300;

static attn_cli_option options[] = {
    {"trials", ATTN_CLI_SIZE, &trials, "heads trained in each regime", 1, 1e5,
     NULL, 0},
    {"followed", ATTN_CLI_SIZE, &followed,
     "of them, trained ten times as long without 1/sqrt(d_k), and once more "
     "with W_V",
     1, 1e5, NULL, 0},
    {"tuning", ATTN_CLI_SIZE, &tuning,
     "other heads, to choose each regime's learning rate", 1, 1e5, NULL, 0},
    {"head-size", ATTN_CLI_SIZE, &head_size, "d = d_k = d_v", 1, 4096, NULL, 0},
    {"vocabulary", ATTN_CLI_SIZE, &vocabulary, "token types", 2, 1024, NULL, 0},
    {"tokens", ATTN_CLI_SIZE, &tokens,
     "tokens of a sequence: the query, its partner, others", 2, 1024, NULL, 0},
    {"batch", ATTN_CLI_SIZE, &batch, "sequences in a step", 1, 65536, NULL, 0},
    {"steps", ATTN_CLI_SIZE, &steps, "steps of gradient descent", 1, 1e6, NULL,
     0},
    {0}};

/* The declared grid, the same for both regimes. */
static const double rates[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
enum {
    RATES = sizeof rates / sizeof *rates,
    JUDGES = 512, /* sequences that judge a head */
    LONGER = 10,  /* times as many steps for those that are followed */
    POINTS = 120, /* room for the steps at which heads are judged */
    QUANTILES = 200
};
static const double learned = 0.99; /* the accuracy that counts as learned */
static const char *const regimes[] = {"unscaled", "scaled"};

/* Steps at which heads are judged: at[end - 1] is the last of all heads. */
static size_t at[2 * POINTS], end, longer;

static void set_steps(void)
{
    size_t more[POINTS];
    const size_t count = attn_train_steps(LONGER * steps, more, POINTS);

    longer = end = attn_train_steps(steps, at, POINTS);
    for (size_t i = 0; i < count; i++)
        if (more[i] > steps)
            at[longer++] = more[i];
}

/* Runs with their records; points of run i from i * longer on. */
typedef struct {
    size_t count;
    attn_train_run *runs;
    attn_train_point *points;
    attn_train_row *rows;
} sample;

static void sample_free(sample *s)
{
    free(s->runs);
    free(s->points);
    free(s->rows);
}

/* Runs with what all have in common; the caller sets the rest. */
static int sample_alloc(sample *s, size_t count, const char *name,
                        int with_rows)
{
    *s = (sample){.count = count,
                  .runs = calloc(count, sizeof *s->runs),
                  .points = calloc(count, longer * sizeof *s->points),
                  .rows = with_rows ? calloc(count, JUDGES * sizeof *s->rows)
                                    : NULL};
    if (!s->runs || !s->points || (with_rows && !s->rows)) {
        sample_free(s);
        return GSL_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        s->runs[i] =
            (attn_train_run){.name = name,
                             .m = vocabulary,
                             .n = tokens,
                             .d = head_size,
                             .batch = batch,
                             .judges = JUDGES,
                             .at = at,
                             .count = end,
                             .points = s->points + i * longer,
                             .rows = with_rows ? s->rows + i * JUDGES : NULL};
    return GSL_SUCCESS;
}

static int train(const attn_run *run, sample *s)
{
    return attn_train_runs(attn_run_job(run, "head_training", 0, s->count, 1),
                           s->runs);
}

static double scale_of(size_t scaled)
{
    return scaled ? attn_layer_scale(head_size) : 1;
}

/* One number of a point, over count runs at their k-th step. */
typedef struct {
    attn_moments all;
    double tenth, median, ninetieth;
} summary;
/* Its room: one number of each of them. */
static double *column;
#define SUMMARY(field, runs, count, k)                                         \
    summarise(offsetof(attn_train_point, field), (runs), (count), (k))

static summary summarise(size_t offset, const attn_train_run *runs,
                         size_t count, size_t k)
{
    summary s = {{0}, 0, 0, 0};
    double *const x = column;

    for (size_t i = 0; i < count; i++) {
        /* cppcheck-suppress invalidPointerCast; offset is a double's */
        x[i] = *(const double *)((const char *)&runs[i].points[k] + offset);
        attn_moments_add(&s.all, x[i]);
    }
    gsl_sort(x, 1, count);
    s.tenth = attn_quantile(x, count, 0.1);
    s.median = attn_quantile(x, count, 0.5);
    s.ninetieth = attn_quantile(x, count, 0.9);
    return s;
}

/* ---- each regime's best learning rate, on seeds of their own ---- */

static const attn_dat_column grid_columns[] = {
    {"scaled", "1: scores divided by sqrt(d_k); 0: as they are"},
    {"rate", "learning rate"},
    {"N", "heads, other ones than those reported"},
    {"accuracy", "mean share of partners found after the last step"},
    {"lowest", "the smallest of them"},
    {"highest", "the largest of them"},
    {"loss", "mean loss after the last step"},
    {"ended", "heads whose scores ran away"},
    {"chosen", "1: the best of its regime, used from here on"}};

/* Best: the highest accuracy, and of equals the smallest rate. */
static void choose(const sample *s, double best[2])
{
    for (size_t scaled = 0; scaled < 2; scaled++) {
        double highest = -1;
        for (size_t r = 0; r < RATES; r++) {
            const attn_train_run *runs =
                s->runs + (scaled * RATES + r) * tuning;
            const double a = SUMMARY(accuracy, runs, tuning, 1).all.mean;
            if (a > highest) {
                best[scaled] = rates[r];
                highest = a;
            }
        }
    }
}

static int tune(attn_run *run, double best[2])
{
    const size_t ends[] = {0, steps};
    sample s;
    int status =
        sample_alloc(&s, 2 * RATES * tuning, "head_training.tuning", 0);

    if (status)
        return status;
    for (size_t i = 0; i < s.count; i++) {
        s.runs[i].at = ends;
        s.runs[i].count = 2;
        s.runs[i].replicate = i % tuning;
        s.runs[i].rate = rates[i / tuning % RATES];
        s.runs[i].scale = scale_of(i / tuning / RATES);
    }
    status = train(run, &s);
    if (!status) {
        choose(&s, best);
        attn_dat_block(run->dat, "grid", grid_columns,
                       sizeof grid_columns / sizeof *grid_columns);
    }
    for (size_t i = 0; !status && i < s.count; i += tuning) {
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): tuning > 0 */
        const size_t scaled = i / tuning / RATES;
        const summary a = SUMMARY(accuracy, s.runs + i, tuning, 1);
        double low = 1, high = 0, ended = 0;
        for (size_t k = i; k < i + tuning; k++) {
            low = attn_min(low, s.runs[k].points[1].accuracy);
            high = attn_max(high, s.runs[k].points[1].accuracy);
            ended += s.runs[k].ended;
        }
        ATTN_DAT_ROW(run->dat, (double)scaled, s.runs[i].rate, (double)tuning,
                     a.all.mean, low, high,
                     SUMMARY(loss, s.runs + i, tuning, 1).all.mean, ended,
                     s.runs[i].rate == best[scaled]);
    }
    sample_free(&s);
    return status;
}

/* ---- curves ---- */

static const attn_dat_column curve_columns[] = {
    {"step", "steps of gradient descent"},
    {"N", "heads"},
    {"accuracy", "mean share of partners found"},
    {"accuracy_se", "its standard error"},
    {"accuracy_tenth", "a tenth of heads have less"},
    {"accuracy_ninetieth", "a tenth of heads have more"},
    {"loss", "mean loss"},
    {"loss_se", "its standard error"},
    {"loss_tenth", "a tenth of heads have less"},
    {"loss_ninetieth", "a tenth of heads have more"},
    {"wrong", "share of rows that are sure (a > 0.999) of a wrong key"},
    {"left", "of the rows born so: share no longer sure of it at some step"},
    {"kept", "share with the largest weight on it still"},
    {"found", "share with the largest weight on the partner"}};

static void write_curve(attn_dat *dat, const char *block,
                        const attn_train_run *runs, size_t count, size_t from,
                        size_t to)
{
    attn_dat_block(dat, block, curve_columns,
                   sizeof curve_columns / sizeof *curve_columns);
    for (size_t k = from; count > 1 && k < to; k++) {
        const summary a = SUMMARY(accuracy, runs, count, k);
        const summary l = SUMMARY(loss, runs, count, k);
        ATTN_DAT_ROW(dat, (double)at[k], (double)count, a.all.mean,
                     attn_moments_se(&a.all), a.tenth, a.ninetieth, l.all.mean,
                     attn_moments_se(&l.all), l.tenth, l.ninetieth,
                     SUMMARY(wrong, runs, count, k).all.mean,
                     SUMMARY(left, runs, count, k).all.mean,
                     SUMMARY(kept, runs, count, k).all.mean,
                     SUMMARY(found, runs, count, k).all.mean);
    }
}

/* The first step judged at which the mean accuracy is `learned`; NaN: none. */
static double steps_to_learn(const attn_train_run *runs, size_t count,
                             size_t to)
{
    for (size_t k = 0; k < to; k++)
        if (SUMMARY(accuracy, runs, count, k).all.mean >= learned)
            return (double)at[k];
    return (double)NAN;
}

/* ---- train.frozen ---- */

/* Scaled minus unscaled accuracy, head by head. */
static attn_moments gap(const attn_train_run *scaled,
                        const attn_train_run *unscaled, size_t count,
                        size_t scaled_k, size_t unscaled_k)
{
    attn_moments m = {0};

    for (size_t i = 0; i < count; i++)
        attn_moments_add(&m, scaled[i].points[scaled_k].accuracy -
                                 unscaled[i].points[unscaled_k].accuracy);
    return m;
}

static void frozen_claims(attn_run *run, const attn_train_run *scaled,
                          const attn_train_run *unscaled, size_t N)
{
    const attn_moments m = gap(scaled, unscaled, trials, end - 1, end - 1);
    const attn_moments later = gap(scaled, unscaled, N, end - 1, longer - 1);
    const double none = (double)NAN;
    attn_claims *claims = run->claims;

    attn_claims_above(claims, "train.frozen", 0.3, m.mean, attn_moments_se(&m),
                      trials,
                      "accuracy with 1/sqrt(d_k) minus without, each at its "
                      "own best rate");
    attn_claims_info(claims, "train.frozen/scaled", none,
                     SUMMARY(accuracy, scaled, trials, end - 1).all.mean,
                     trials, "accuracy with 1/sqrt(d_k)");
    attn_claims_info(claims, "train.frozen/unscaled", none,
                     SUMMARY(accuracy, unscaled, trials, end - 1).all.mean,
                     trials, "accuracy without");
    attn_claims_info(claims, "train.frozen/learned", none,
                     steps_to_learn(scaled, trials, end), trials,
                     "steps to an accuracy of 0.99 with 1/sqrt(d_k)");
    attn_claims_info(claims, "train.frozen/longer", none, later.mean, N,
                     "the difference after ten times as many steps without "
                     "1/sqrt(d_k)");
    attn_claims_info(claims, "train.frozen/born_wrong", none,
                     SUMMARY(wrong, unscaled, trials, 0).all.mean, trials,
                     "share of rows born sure (a > 0.999) of a wrong key");
    attn_claims_info(claims, "train.frozen/left", none,
                     SUMMARY(left, unscaled, trials, end - 1).all.mean, trials,
                     "of those, no longer sure of that key at some step");
    attn_claims_info(claims, "train.frozen/kept", none,
                     SUMMARY(kept, unscaled, trials, end - 1).all.mean, trials,
                     "of those, with the largest weight on that key still");
    attn_claims_info(claims, "train.frozen/found", none,
                     SUMMARY(found, unscaled, trials, end - 1).all.mean, trials,
                     "of those, with the partner found");
}

/* ---- train.gradient: the rows at birth ---- */

static const attn_dat_column birth_columns[] = {
    {"share", "share of rows (sequences of all heads) that are below"},
    {"ds", "|dL/ds|"},
    {"dW_Q", "|dL/dW_Q|, Frobenius norm"},
    {"dW_K", "|dL/dW_K|, Frobenius norm"},
    {"dW_V", "|dL/dW_V|, Frobenius norm"}};
static const attn_dat_column regime_columns[] = {
    {"scaled", "1: scores divided by sqrt(d_k); 0: as they are"},
    {"N", "heads"},
    {"rate", "learning rate, the best of the grid"},
    {"steps", "steps of gradient descent"},
    {"d_k", "head size"},
    {"n", "tokens in a sequence"},
    {"accuracy", "mean share of partners found after the last step"},
    {"accuracy_se", "its standard error"},
    {"ds_mean", "mean |dL/ds| of a row at birth"},
    {"ds_median", "its median"},
    {"ds_tenth", "a tenth of rows have less"},
    {"dW_Q_mean", "mean |dL/dW_Q| of a row at birth"},
    {"dW_Q_median", "its median"},
    {"dW_Q_tenth", "a tenth of rows have less"},
    {"dW_Q_top", "share of the sum that the largest tenth of rows has"},
    {"dW_V_median", "median |dL/dW_V| of a row at birth"},
    {"batch", "mean |dL/dW_Q| of the first batch"},
    {"sure", "share of rows born sure (a > 0.999) of one key"},
    {"wrong", "share of rows born sure of a wrong key"}};

/* The four norms of all rows of a regime, each sorted. */
enum { DS, DW_Q, DW_K, DW_V, NORMS };
typedef struct {
    size_t count;
    double *x[NORMS]; /* one allocation, in x[0] */
    double mean[NORMS];
    double sure, batch;
    double wrong; /* median |dL/ds| of those sure of a wrong key; NaN: none */
} births;

/* Median |dL/ds| of the rows that are sure of a wrong key; x is scratch. */
static double median_wrong(const attn_train_row *rows, size_t count, double *x)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (rows[i].rest < 1 - ATTN_TRAIN_SURE && rows[i].winner != 1)
            x[found++] = rows[i].ds;
    gsl_sort(x, 1, found);
    return attn_quantile(x, found, 0.5);
}

static int births_take(births *b, const attn_train_run *runs)
{
    const size_t count = trials * JUDGES;

    *b = (births){.count = count};
    b->x[0] = malloc(NORMS * count * sizeof *b->x[0]);
    if (!b->x[0])
        return GSL_ENOMEM;
    for (size_t k = 0; k < NORMS; k++)
        b->x[k] = b->x[0] + k * count;
    b->wrong = median_wrong(runs[0].rows, count, b->x[0]);
    for (size_t i = 0; i < count; i++) {
        const attn_train_row *row = &runs[0].rows[i]; /* of all runs */
        const double x[NORMS] = {row->ds, row->dW_Q, row->dW_K, row->dW_V};
        for (size_t k = 0; k < NORMS; k++) {
            b->x[k][i] = x[k];
            b->mean[k] += x[k] / (double)count;
        }
        b->sure += (row->rest < 1 - ATTN_TRAIN_SURE) / (double)count;
    }
    for (size_t i = 0; i < trials; i++)
        b->batch += runs[i].norm / (double)trials;
    for (size_t k = 0; k < NORMS; k++)
        gsl_sort(b->x[k], 1, count);
    return GSL_SUCCESS;
}

static double quantile(const births *b, size_t norm, double share)
{
    return attn_quantile(b->x[norm], b->count, share);
}

/* Which share of the sum of a norm its largest tenth has. */
static double top_share(const births *b, size_t norm)
{
    double sum = 0;

    for (size_t i = b->count - b->count / 10; i < b->count; i++)
        sum += b->x[norm][i];
    return sum / (b->mean[norm] * (double)b->count);
}

static void write_births(attn_dat *dat, const char *block, const births *b)
{
    attn_dat_block(dat, block, birth_columns,
                   sizeof birth_columns / sizeof *birth_columns);
    for (size_t i = 0; i < QUANTILES; i++) {
        const double share = ((double)i + 0.5) / QUANTILES;
        ATTN_DAT_ROW(dat, share, quantile(b, DS, share),
                     quantile(b, DW_Q, share), quantile(b, DW_K, share),
                     quantile(b, DW_V, share));
    }
}

static void gradient_claims(attn_run *run, const births b[2])
{
    const size_t N = b[0].count;
    const double none = (double)NAN;
    attn_claims *claims = run->claims;

    attn_claims_info(claims, "train.gradient/scaled", none,
                     quantile(&b[1], DS, 0.5), N,
                     "median |dL/ds| of a row at birth, with 1/sqrt(d_k)");
    attn_claims_info(claims, "train.gradient/unscaled", none,
                     quantile(&b[0], DS, 0.5), N, "the same without");
    attn_claims_info(claims, "train.gradient/unscaled_tenth", none,
                     quantile(&b[0], DS, 0.1), N,
                     "a tenth of rows have less, without");
    attn_claims_info(claims, "train.gradient/unscaled_wrong", none, b[0].wrong,
                     N, "median of the rows sure of a wrong key, without");
    attn_claims_info(claims, "train.gradient/mean_ratio", none,
                     b[0].mean[DW_Q] / b[1].mean[DW_Q], N,
                     "mean |dL/dW_Q| of a row, without over with");
    attn_claims_info(claims, "train.gradient/median_ratio", none,
                     quantile(&b[0], DW_Q, 0.5) / quantile(&b[1], DW_Q, 0.5), N,
                     "the same of medians");
    attn_claims_info(claims, "train.gradient/batch_ratio", none,
                     b[0].batch / b[1].batch, trials,
                     "|dL/dW_Q| of the first batch, without over with");
    attn_claims_info(claims, "train.gradient/values_ratio", none,
                     quantile(&b[0], DW_V, 0.5) / quantile(&b[1], DW_V, 0.5), N,
                     "median |dL/dW_V| of a row, without over with");
}

static int report_births(attn_run *run, const attn_train_run *runs[2],
                         const double best[2])
{
    static const char *const blocks[] = {"born-unscaled", "born-scaled"};
    births b[2] = {{0}, {0}};
    int status = births_take(&b[0], runs[0]);

    if (!status)
        status = births_take(&b[1], runs[1]);
    if (!status) {
        gradient_claims(run, b);
        write_births(run->dat, blocks[0], &b[0]);
        write_births(run->dat, blocks[1], &b[1]);
        attn_dat_block(run->dat, "regimes", regime_columns,
                       sizeof regime_columns / sizeof *regime_columns);
    }
    for (size_t i = 0; !status && trials > 1 && i < 2; i++) {
        const summary a = SUMMARY(accuracy, runs[i], trials, end - 1);
        ATTN_DAT_ROW(run->dat, (double)i, (double)trials, best[i],
                     (double)steps, (double)head_size, (double)tokens,
                     a.all.mean, attn_moments_se(&a.all), b[i].mean[DS],
                     quantile(&b[i], DS, 0.5), quantile(&b[i], DS, 0.1),
                     b[i].mean[DW_Q], quantile(&b[i], DW_Q, 0.5),
                     quantile(&b[i], DW_Q, 0.1), top_share(&b[i], DW_Q),
                     quantile(&b[i], DW_V, 0.5), b[i].batch, b[i].sure,
                     SUMMARY(wrong, runs[i], trials, 0).all.mean);
    }
    free(b[0].x[0]);
    free(b[1].x[0]);
    return status;
}

/* ---- the reported heads ---- */

static int compare(attn_run *run, const double best[2])
{
    const size_t N = followed < trials ? followed : trials;
    sample s;
    int status = sample_alloc(&s, 2 * trials, "head_training.reported", 1);

    if (status)
        return status;
    for (size_t i = 0; i < s.count; i++) { /* the long ones first */
        const size_t scaled = i / trials;
        s.runs[i].replicate = i % trials;
        s.runs[i].rate = best[scaled];
        s.runs[i].scale = scale_of(scaled);
        s.runs[i].count = i < N ? longer : end;
    }
    const attn_train_run *runs[2] = {s.runs, s.runs + trials};
    status = train(run, &s);
    if (!status) {
        frozen_claims(run, runs[1], runs[0], N);
        write_curve(run->dat, regimes[1], runs[1], trials, 0, end);
        write_curve(run->dat, regimes[0], runs[0], trials, 0, end);
        write_curve(run->dat, "unscaled-longer", runs[0], N, end - 1, longer);
        status = report_births(run, runs, best);
    }
    sample_free(&s);
    return status;
}

/* The same with W_V trained too: its gradient does not pass the softmax. */
static int train_values(attn_run *run, const double best[2])
{
    const size_t N = followed < trials ? followed : trials;
    sample s;
    int status = sample_alloc(&s, 2 * N, "head_training.reported", 0);

    if (status)
        return status;
    for (size_t i = 0; i < s.count; i++) {
        s.runs[i].replicate = i % N;
        s.runs[i].rate = best[i / N];
        s.runs[i].scale = scale_of(i / N);
        s.runs[i].with_values = 1;
    }
    status = train(run, &s);
    if (!status) {
        write_curve(run->dat, "scaled-values", s.runs + N, N, 0, end);
        write_curve(run->dat, "unscaled-values", s.runs, N, 0, end);
        attn_claims_info(run->claims, "train.frozen/values", (double)NAN,
                         SUMMARY(accuracy, s.runs, N, end - 1).all.mean, N,
                         "accuracy without 1/sqrt(d_k), W_V trained too");
        attn_claims_info(run->claims, "train.frozen/values_loss", (double)NAN,
                         SUMMARY(loss, s.runs, N, end - 1).all.mean, N,
                         "loss without 1/sqrt(d_k), W_V trained too");
    }
    sample_free(&s);
    return status;
}

static int experiment(attn_run *run)
{
    double best[2];
    set_steps();
    column = calloc(trials > tuning ? trials : tuning, sizeof *column);
    int status = column ? tune(run, best) : GSL_ENOMEM;

    if (!status)
        status = compare(run, best);
    if (!status)
        status = train_values(run, best);
    free(column);
    return status;
}

static int conflict(attn_cli_error *error)
{
    if (tokens <= vocabulary)
        return 0;
    snprintf(error->text, sizeof error->text,
             "--tokens: %zu, at most the vocabulary's %zu, for no type comes "
             "twice in a sequence",
             tokens, vocabulary);
    return 1;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "head_training",
        .section = "Saturation Kills the Gradient",
        .summary =
            "Trains one head to find each query's partner, with the division "
            "of scores by sqrt(d_k) and without, each at its own best "
            "learning rate, and looks at the gradients it is born with.",
        .claims = "train.frozen train.gradient",
        .options = options,
        .conflict = conflict,
        .run = experiment};

    return attn_program_main(&program, argc, argv);
}

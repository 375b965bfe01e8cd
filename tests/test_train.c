/* attn_partner, attn_train, attn_train_run: against the plain layer. */
#include "attn_layer.h"
#include "attn_partner.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_train_run.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the task ---- */

Test(partner, nobody_is_its_own_partner_and_all_are_in_one_cycle)
{
    size_t ran = 0;

    for (size_t m = 2; m < 40; m++, ran++) {
        gsl_permutation *p = gsl_permutation_alloc(m);
        attn_rng g;
        size_t at = 0, length = 0;
        attn_rng_set(&g, m, attn_rng_experiment("test.partner", 0), 0);
        cr_assert_eq(attn_partner_draw(&g, p), 0);
        do
            at = gsl_permutation_get(p, at), length++;
        while (at != 0 && length <= m);
        cr_assert_eq(length, m);
        gsl_permutation_free(p);
    }
    cr_assert_eq(ran, 38);
}

Test(partner, a_sequence_holds_query_partner_and_nothing_twice)
{
    enum { M = 9, N = 6, COUNT = 2000 };
    static size_t tokens[COUNT * N];
    size_t spare[M], seen[M] = {0}, others[M] = {0};
    gsl_permutation *p = gsl_permutation_alloc(M);
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.partner", 1), 0);
    attn_partner_draw(&g, p);
    cr_assert_eq(attn_partner_sequences(&g, p, N, COUNT, tokens, spare), 0);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t *t = tokens + i * N;
        cr_assert_eq(t[1], gsl_permutation_get(p, t[0]));
        seen[t[0]]++;
        for (size_t j = 0; j < N; j++)
            for (size_t l = 0; l < j; l++)
                cr_assert_neq(t[j], t[l]);
        for (size_t j = 2; j < N; j++)
            others[t[j]]++;
    }
    /* every type as often as any other, to 5 standard deviations */
    const double rate[2] = {1.0 / M, (N - 2.0) / M};
    for (size_t t = 0; t < M; t++) {
        cr_near((double)seen[t], COUNT * rate[0], 0,
                5 * sqrt(COUNT * rate[0] * (1 - rate[0])));
        cr_near((double)others[t], COUNT * rate[1], 0,
                5 * sqrt(COUNT * rate[1] * (1 - rate[1])));
    }
    gsl_permutation_free(p);
}

Test(partner, what_does_not_fit_is_refused)
{
    gsl_permutation *one = gsl_permutation_calloc(1);
    gsl_permutation *five = gsl_permutation_calloc(5);
    size_t tokens[6], spare[5];
    attn_rng g;

    attn_rng_set(&g, 1, 1, 1);
    gsl_set_error_handler_off();
    cr_assert_eq(attn_partner_draw(&g, one), GSL_EINVAL);
    cr_assert_eq(attn_partner_sequences(&g, five, 6, 1, tokens, spare),
                 GSL_EINVAL);
    cr_assert_eq(attn_partner_sequences(&g, five, 1, 1, tokens, spare),
                 GSL_EINVAL);
    gsl_permutation_free(one);
    gsl_permutation_free(five);
}

/* ---- the plain layer, with real W_Q, W_K, W_V ---- */

enum { M = 11, N = 6, D = 13, D_V = 3, COUNT = 10 };

/* A layer, the targets it is trained to, and room for its gradient. */
typedef struct {
    attn_layer *layer, *gradient;
    attn_layer_workspace *work;
    gsl_matrix *E, *X, *O, *target; /* target: the values at birth */
    gsl_permutation *partner;
    size_t tokens[COUNT * N];
    attn_train_head *head;
} plain;

static plain plain_alloc(size_t d_k, double scale)
{
    plain p = {.layer = attn_layer_alloc(D, d_k, D_V, 1),
               .gradient = attn_layer_alloc(D, d_k, D_V, 1),
               .E = gsl_matrix_alloc(M, D),
               .X = gsl_matrix_alloc(N, D),
               .O = gsl_matrix_alloc(N, D_V),
               .target = gsl_matrix_calloc(M, D_V),
               .partner = gsl_permutation_alloc(M),
               .head = attn_train_alloc(M, N, D, d_k, D_V)};
    size_t spare[M];
    attn_rng g;

    p.work = attn_layer_workspace_alloc(p.layer, N);
    p.layer->scale = scale;
    attn_rng_set(&g, 5, attn_rng_experiment("test.train", d_k), 0);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, p.E->data, M * D);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, p.layer->W_Q->data, D * d_k);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, p.layer->W_K->data, D * d_k);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, p.layer->W_V->data, D * D_V);
    attn_partner_draw(&g, p.partner);
    attn_partner_sequences(&g, p.partner, N, COUNT, p.tokens, spare);
    for (size_t t = 0; t < M; t++)
        for (size_t c = 0; c < D_V; c++)
            for (size_t i = 0; i < D; i++)
                *gsl_matrix_ptr(p.target, t, c) +=
                    gsl_matrix_get(p.E, t, i) *
                    gsl_matrix_get(p.layer->W_V, i, c);
    cr_assert_eq(attn_train_begin(p.head, p.E, p.layer->W_Q, p.layer->W_K,
                                  p.layer->W_V, p.partner, scale),
                 0);
    return p;
}

static void plain_free(plain *p)
{
    attn_layer_free(p->layer);
    attn_layer_free(p->gradient);
    attn_layer_workspace_free(p->work);
    gsl_matrix_free(p->E);
    gsl_matrix_free(p->X);
    gsl_matrix_free(p->O);
    gsl_matrix_free(p->target);
    gsl_permutation_free(p->partner);
    attn_train_free(p->head);
}

/* o - y of one sequence, and its loss. */
static double forward(plain *p, const size_t *tokens, double *error)
{
    double loss = 0;

    for (size_t j = 0; j < N; j++)
        memcpy(gsl_matrix_ptr(p->X, j, 0), gsl_matrix_ptr(p->E, tokens[j], 0),
               D * sizeof(double));
    cr_assert_eq(attn_layer_forward(p->layer, p->X, p->O, p->work), 0);
    for (size_t c = 0; c < D_V; c++) {
        error[c] =
            gsl_matrix_get(p->O, 0, c) -
            gsl_matrix_get(p->target,
                           gsl_permutation_get(p->partner, tokens[0]), c);
        loss += error[c] * error[c] / D_V;
    }
    return loss;
}

static double mean_loss(plain *p)
{
    double error[D_V], loss = 0;

    for (size_t i = 0; i < COUNT; i++)
        loss += forward(p, p->tokens + i * N, error) / COUNT;
    return loss;
}

/* W += w x y^T */
static void add_outer(gsl_matrix *W, double w, const double *x, const double *y)
{
    for (size_t i = 0; i < W->size1; i++)
        for (size_t c = 0; c < W->size2; c++)
            *gsl_matrix_ptr(W, i, c) += w * x[i] * y[c];
}

/* The gradient of count sequences' mean loss, term by term as the lecture's
 * chain rule has it, in p->gradient. */
static void plain_gradient(plain *p, const size_t *tokens, size_t count)
{
    double jacobian[N * N], error[D_V];
    gsl_matrix_view J = gsl_matrix_view_array(jacobian, N, N);

    gsl_matrix_set_zero(p->gradient->W_Q);
    gsl_matrix_set_zero(p->gradient->W_K);
    gsl_matrix_set_zero(p->gradient->W_V);
    for (size_t i = 0; i < count; i++) {
        forward(p, tokens + i * N, error);
        const gsl_vector_view a = gsl_matrix_row(p->work->A, 0);
        attn_softmax_jacobian(&a.vector, &J.matrix);
        for (size_t l = 0; l < N; l++) {
            double ds = 0; /* sum_j dL/da_j J_jl */
            for (size_t j = 0; j < N; j++)
                for (size_t c = 0; c < D_V; c++)
                    ds += 2 * error[c] / D_V *
                          gsl_matrix_get(p->work->V, j, c) *
                          gsl_matrix_get(&J.matrix, j, l);
            const double w = p->layer->scale * ds / (double)count;
            add_outer(p->gradient->W_Q, w, gsl_matrix_ptr(p->X, 0, 0),
                      gsl_matrix_ptr(p->work->K, l, 0));
            add_outer(p->gradient->W_K, w, gsl_matrix_ptr(p->X, l, 0),
                      gsl_matrix_ptr(p->work->Q, 0, 0));
            add_outer(p->gradient->W_V,
                      2 * gsl_vector_get(&a.vector, l) / D_V / (double)count,
                      gsl_matrix_ptr(p->X, l, 0), error);
        }
    }
}

static void plain_step(plain *p, double rate, int with_values)
{
    gsl_matrix *W[] = {p->layer->W_Q, p->layer->W_K, p->layer->W_V};
    gsl_matrix *dW[] = {p->gradient->W_Q, p->gradient->W_K, p->gradient->W_V};

    plain_gradient(p, p->tokens, COUNT);
    for (size_t k = 0; k < (with_values ? 3 : 2); k++)
        for (size_t i = 0; i < W[k]->size1 * W[k]->size2; i++)
            W[k]->data[i] -= rate * dW[k]->data[i];
}

static double norm(const gsl_matrix *A)
{
    double sum = 0;

    for (size_t i = 0; i < A->size1 * A->size2; i++)
        sum += A->data[i] * A->data[i];
    return sqrt(sum);
}

/* ---- the head against it ---- */

/* Head sizes below and above 2 m: without and with the change of basis. */
static const size_t sizes[] = {5, 40};

Test(train, gradient_is_the_slope_of_the_loss)
{
    const double h = 6e-6;
    plain p = plain_alloc(5, 0.05);
    const gsl_matrix *dM[] = {&p.head->dQ, &p.head->dK};
    gsl_matrix *W[] = {p.layer->W_Q, p.layer->W_K};
    double loss;
    size_t ran = 0;

    cr_assert_eq(attn_train_gradient(p.head, p.tokens, COUNT, 0, &loss), 0);
    cr_near(loss, mean_loss(&p), 1e-14, 0);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < D; i++)
            for (size_t c = 0; c < 5; c++, ran++) {
                double slope = 0, *w = gsl_matrix_ptr(W[k], i, c), was = *w;
                for (size_t t = 0; t < M; t++) /* E^T dQ */
                    slope +=
                        gsl_matrix_get(p.E, t, i) * gsl_matrix_get(dM[k], t, c);
                *w = was + h;
                const double above = mean_loss(&p);
                *w = was - h;
                const double below = mean_loss(&p);
                *w = was;
                cr_near(slope, (above - below) / (2 * h), 0,
                        10 * pow(0x1p-52, 2.0 / 3) * loss);
            }
    cr_assert_eq(ran, 2 * D * 5);
    plain_free(&p);
}

Test(train, steps_are_those_of_real_matrices_through_the_layer)
{
    size_t ran = 0;

    for (size_t s = 0; s < 2; s++)
        for (int with_values = 0; with_values < 2; with_values++, ran++) {
            plain p = plain_alloc(sizes[s], 0.3);
            const double first = mean_loss(&p);
            double loss, row_loss = 0;
            for (size_t step = 0; step < 20; step++) {
                plain_gradient(&p, p.tokens, COUNT);
                attn_train_gradient(p.head, p.tokens, COUNT, with_values,
                                    &loss);
                cr_near(loss, mean_loss(&p), 1e-11, 0);
                cr_near(attn_train_norm(p.head), norm(p.gradient->W_Q), 1e-10,
                        1e-12);
                attn_train_step(p.head, 0.05, with_values);
                plain_step(&p, 0.05, with_values);
            }
            for (size_t i = 0; i < COUNT; i++) {
                attn_train_row row;
                cr_assert_eq(attn_train_look(p.head, p.tokens + i * N, 0, &row),
                             0);
                row_loss += row.loss / COUNT;
                double error[D_V];
                cr_near(row.loss, forward(&p, p.tokens + i * N, error), 1e-10,
                        1e-12);
                for (size_t j = 0; j < N; j++)
                    cr_near(p.head->a[j], gsl_matrix_get(p.work->A, 0, j),
                            1e-10, 0);
            }
            cr_near(row_loss, mean_loss(&p), 1e-10, 0);
            cr_assert_lt(row_loss, 0.9 * first); /* it went somewhere */
            plain_free(&p);
        }
    cr_assert_eq(ran, 4);
}

Test(train, a_row_shows_its_own_gradient)
{
    size_t ran = 0;

    for (size_t s = 0; s < 2; s++) {
        plain p = plain_alloc(sizes[s], 0.2);
        for (size_t i = 0; i < COUNT; i++, ran++) {
            attn_train_row row;
            cr_assert_eq(attn_train_look(p.head, p.tokens + i * N, 1, &row), 0);
            plain_gradient(&p, p.tokens + i * N, 1);
            cr_near(row.dW_Q, norm(p.gradient->W_Q), 1e-10, 0);
            cr_near(row.dW_K, norm(p.gradient->W_K), 1e-10, 0);
            cr_near(row.dW_V, norm(p.gradient->W_V), 1e-10, 0);
            double sum = 0, squares = 0, largest = 0;
            for (size_t j = 0; j < N; j++) {
                sum += p.head->ds[j];
                squares += p.head->ds[j] * p.head->ds[j];
                largest = fmax(largest, p.head->a[j]);
            }
            cr_near(sum, 0, 0, 1e-14); /* the Jacobian's columns sum to 0 */
            cr_near(row.ds, sqrt(squares), 1e-14, 0);
            cr_near(p.head->a[row.winner], largest, 0, 0);
            cr_near(row.rest, 1 - largest, 0, 1e-15);
            cr_assert_eq(row.hit, row.winner == 1);
        }
        plain_free(&p);
    }
    cr_assert_eq(ran, 2 * COUNT);
}

/* It falls like e^-gap, and keeps its digits: the same sum written without the
 * difference that would cancel. */
Test(train, the_gradient_of_a_saturated_row_is_small_and_right)
{
    plain p = plain_alloc(5, 1);
    attn_train_row row;
    size_t ran = 0;

    for (double scale = 0.02; scale < 1.3; scale *= 2, ran++) {
        cr_assert_eq(attn_train_begin(p.head, p.E, p.layer->W_Q, p.layer->W_K,
                                      p.layer->W_V, p.partner, scale),
                     0);
        cr_assert_eq(attn_train_look(p.head, p.tokens, 0, &row), 0);
        double want = 0, most = p.head->g[0], least = most;
        for (size_t j = 0; j < N; j++) { /* a_j sum_l a_l (g_j - g_l) */
            most = fmax(most, p.head->g[j]);
            least = fmin(least, p.head->g[j]);
            double ds = 0;
            for (size_t l = 0; l < N; l++)
                ds +=
                    p.head->a[j] * p.head->a[l] * (p.head->g[j] - p.head->g[l]);
            want += ds * ds;
        }
        cr_near(row.ds, sqrt(want), 1e-12, 0);
        cr_assert_gt(row.ds, 0);
        /* the lecture's bound: each entry of the Jacobian is at most 1 - a* */
        cr_assert_leq(row.ds, 2 * row.rest * (most - least));
    }
    cr_assert_eq(ran, 7);
    plain_free(&p);
}

Test(train, what_does_not_fit_is_refused)
{
    plain p = plain_alloc(40, 1);
    gsl_matrix *other = gsl_matrix_calloc(D, 41);
    attn_train_row row;
    double loss;

    gsl_set_error_handler_off();
    cr_assert_null(attn_train_alloc(5, 6, D, 5, D_V));
    cr_assert_null(attn_train_alloc(5, 1, D, 5, D_V));
    cr_assert_null(attn_train_alloc(5, 5, 0, 5, D_V));
    cr_assert_null(attn_train_alloc(5, 5, SIZE_MAX / 32, 5, D_V));
    cr_assert_null(attn_train_alloc(64, 16, 8, (size_t)1 << 58, D_V));
    cr_assert_null(attn_train_alloc(ATTN_TRAIN_TYPES + 1, 2, D, 5, D_V));
    attn_train_free(NULL);
    attn_train_head *narrow = attn_train_alloc(M, N, M - 1, 40, D_V);
    cr_assert_eq(narrow->Q.size2, 40); /* no basis: 2 M rows are dependent */
    cr_assert_eq(p.head->Q.size2, 2 * M);
    attn_train_free(narrow);
    cr_assert_eq(attn_train_begin(p.head, p.E, other, p.layer->W_K,
                                  p.layer->W_V, p.partner, 1),
                 GSL_EBADLEN);
    /* keys that are queries: their rows span half of what they should */
    cr_assert_eq(attn_train_begin(p.head, p.E, p.layer->W_Q, p.layer->W_Q,
                                  p.layer->W_V, p.partner, 1),
                 GSL_ESING);
    cr_assert_eq(attn_train_begin(p.head, p.E, p.layer->W_Q, p.layer->W_K,
                                  p.layer->W_V, p.partner, 1e308),
                 0);
    cr_assert_eq(attn_train_look(p.head, p.tokens, 0, &row), GSL_EDOM);
    cr_assert_eq(attn_train_gradient(p.head, p.tokens, COUNT, 0, &loss),
                 GSL_EDOM);
    gsl_matrix_free(other);
    plain_free(&p);
}

/* ---- whole runs ---- */

Test(train_run, is_judged_at_round_steps)
{
    static const size_t want[] = {0,  1,  2,  3,  4,  5,  6,  8,
                                  10, 12, 15, 20, 25, 30, 40, 47};
    size_t at[40];
    const size_t count = attn_train_steps(47, at, 40);

    cr_assert_eq(count, sizeof want / sizeof *want);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(at[i], want[i]);
    cr_assert_eq(attn_train_steps(1, at, 40), 2);
    cr_assert_eq(at[1], 1);
    cr_assert_eq(attn_train_steps(1000000, at, 5), 5); /* no room for more */
    cr_assert_eq(at[4], 1000000);
}

enum { RUNS = 5, POINTS = 3, JUDGES = 50 };
static const size_t judged_at[POINTS] = {0, 4, 30};

/* Two replicates with a small rate, one of them unscaled too, one that cannot
 * move, one that runs away. */
static void make_runs(attn_train_run *runs, attn_train_point *points,
                      attn_train_row *rows)
{
    static const size_t replicate[RUNS] = {0, 1, 1, 0, 0};
    static const double scale[RUNS] = {0.25, 0.25, 1, 0.25, 0.25};
    static const double rate[RUNS] = {0.2, 0.2, 0.2, 1e-300, 1e300};

    for (size_t i = 0; i < RUNS; i++)
        runs[i] = (attn_train_run){.name = "test.train_run",
                                   .replicate = replicate[i],
                                   .m = 12,
                                   .n = 5,
                                   .d = 16,
                                   .batch = 32,
                                   .judges = JUDGES,
                                   .scale = scale[i],
                                   .rate = rate[i],
                                   .at = judged_at,
                                   .count = POINTS,
                                   .points = points + i * POINTS,
                                   .rows = rows + i * JUDGES};
}

Test(train_run, one_replicate_is_one_world_at_any_number_of_threads)
{
    attn_train_run runs[2][RUNS];
    static attn_train_point points[2][RUNS * POINTS];
    static attn_train_row rows[2][RUNS * JUDGES];
    size_t ran = 0;

    for (size_t threads = 1; threads <= 2; threads++, ran++) {
        const attn_blocks job = {.trials = RUNS, .seed = 3, .threads = threads};
        make_runs(runs[threads - 1], points[threads - 1], rows[threads - 1]);
        cr_assert_eq(attn_train_runs(job, runs[threads - 1]), 0);
    }
    cr_assert_eq(ran, 2);
    cr_assert_eq(memcmp(points[0], points[1], sizeof points[0]), 0);

    const attn_train_run *r = runs[0];
    /* the largest score is the same at any scale, another world's is not */
    cr_near(r[1].points[0].accuracy, r[2].points[0].accuracy, 0, 0);
    cr_near(r[0].points[0].loss, r[3].points[0].loss, 0, 0);
    cr_near(r[0].norm, r[3].norm, 0, 0);
    cr_assert_neq(r[0].points[0].loss, r[1].points[0].loss);
    /* it learns, and at a rate of nothing it stays as it was */
    cr_assert_lt(r[0].points[2].loss, 0.5 * r[0].points[0].loss);
    cr_assert_gt(r[0].points[2].accuracy, 0.8);
    cr_near(r[3].points[2].loss, r[3].points[0].loss, 0, 0);
    cr_near(r[3].points[2].kept, r[3].points[0].kept, 0, 0);
    cr_near(r[3].points[2].left, 0, 0, 0);
    /* one that ran away finds nothing */
    cr_assert_eq(r[4].ended, 1);
    cr_assert_eq(r[0].ended, 0);
    cr_near(r[4].points[2].accuracy, 0, 0, 0);
    cr_near(r[4].points[2].loss, r[4].points[0].loss, 0, 0);
}

Test(train_run, scores_that_are_no_numbers_at_birth_are_refused)
{
    attn_train_run runs[RUNS];
    static attn_train_point points[RUNS * POINTS];
    static attn_train_row rows[RUNS * JUDGES];
    const attn_blocks job = {.trials = 1, .seed = 3, .threads = 1};

    gsl_set_error_handler_off();
    make_runs(runs, points, rows);
    runs[0].scale = 1e308;
    cr_assert_eq(attn_train_runs(job, runs), GSL_EDOM);
}

/* What the points say of the rows born sure of a wrong key, from the rows. */
Test(train_run, counts_those_born_sure_of_a_wrong_key)
{
    attn_train_run runs[RUNS];
    static attn_train_point points[RUNS * POINTS];
    static attn_train_row rows[RUNS * JUDGES];
    const attn_blocks job = {.trials = RUNS, .seed = 3, .threads = 1};
    size_t wrong = 0;

    make_runs(runs, points, rows);
    cr_assert_eq(attn_train_runs(job, runs), 0);
    for (size_t i = 0; i < JUDGES; i++)
        wrong += runs[2].rows[i].rest < 1 - ATTN_TRAIN_SURE &&
                 runs[2].rows[i].winner != 1;
    cr_assert_gt(wrong, 0);
    const attn_train_point *p = runs[2].points;
    cr_near(p[0].wrong, (double)wrong / JUDGES, 1e-15, 0);
    cr_near(p[0].left, 0, 0, 0);
    cr_near(p[0].kept, 1, 0, 0);
    cr_near(p[0].found, 0, 0, 0);
    cr_assert_gt(p[2].left, 0);
    cr_assert_geq(p[2].left, p[1].left); /* once left is left */
    cr_assert_geq(p[2].left, 1 - p[2].kept);
    cr_assert_leq(p[2].found + p[2].kept, 1);
}

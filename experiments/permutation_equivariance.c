/*
 * "Attention Doesn't Know Where Anything Is": scramble the tokens, and the
 * outputs are the same vectors, scrambled the same way. Convolution minds, and
 * so does attention once positions are added to the embeddings. Or the reader's
 * own shift matrix (Problem 19): is it one?
 */
#include "attn_convolution.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_moments.h"
#include "attn_permutation.h"
#include "attn_position.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_shift.h"
#include "attn_text.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_permutation.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* The published parameters. */
static size_t tokens = 128;
static size_t trials = 200;
static const char *input;

static attn_cli_option options[] = {
    {"tokens", ATTN_CLI_SIZE, &tokens, "tokens n of the longest sequence", 5,
     2048, NULL, 0},
    {"trials", ATTN_CLI_SIZE, &trials, "random permutations a length", 1, 1e6,
     NULL, 0},
    {"input", ATTN_CLI_FILE, &input,
     "a text file with a shift matrix S of your own to judge instead, and with "
     "C and w if you like",
     0, 0, NULL, 0},
    {0}};

static const char epilogue[] =
    "The file of --input is plain text; '#' begins a comment:\n"
    "\n"
    "  S =                        # the shift matrix, up to 64 rows\n"
    "    0 1 0\n"
    "    0 0 1\n"
    "    1 0 0\n"
    "  C =                        # may be left out: a circulant matrix\n"
    "    5 2 0\n"
    "    0 5 2\n"
    "    2 0 5\n"
    "  w = 5 2                    # may be left out: C = w_0 I + w_1 S + ...\n"
    "\n"
    "Row i of S X may be row i + 1 of X or row i - 1. docs/examples/ has such "
    "files.\n";

static attn_text *text; /* of --input */
static attn_shift *own; /* what it says */

static int conflict(attn_cli_error *error)
{
    attn_text_error wrong;

    if (!input)
        return 0;
    if (options[0].given || options[1].given) {
        snprintf(error->text, sizeof error->text,
                 "--%s: given with --input, which brings its own matrices",
                 options[options[0].given ? 0 : 1].name);
        return 1;
    }
    if (attn_text_read(input, &text, &wrong) ||
        attn_shift_read(text, &own, &wrong)) {
        snprintf(error->text, sizeof error->text, "--input: %.240s",
                 wrong.text);
        return 1;
    }
    return 0;
}

/* Sizes that differ, so that a swapped axis would show. */
enum { D = 24, D_K = 5, D_V = 7, HEADS = 3, OUT = HEADS * D_V, PER_BLOCK = 8 };

static const double eps = 0x1p-52;
static const double floor_defect = 0.1; /* "of order 1", relative to the rms */

/* A kernel with no symmetry. */
static const double taps[] = {0.62, -0.45, 0.31};

/* ---- matrices ---- */

static double root_mean_square(const gsl_matrix *A)
{
    double sum = 0;

    for (size_t i = 0; i < A->size1; i++)
        for (size_t j = 0; j < A->size2; j++)
            sum += gsl_matrix_get(A, i, j) * gsl_matrix_get(A, i, j);
    return sqrt(sum / (double)(A->size1 * A->size2));
}

static int is_identity(const gsl_permutation *p)
{
    return gsl_permutation_get(p, 0) == 0 && attn_permutation_is_shift(p);
}

/* ---- what is applied to X ---- */

typedef struct {
    size_t n;
    attn_layer *layer;
    attn_layer_workspace *work;
    gsl_matrix *X, *PX, *moved; /* n x D: tokens, permuted, with positions */
    gsl_matrix *positions;      /* n x D */
    gsl_matrix *O, *PO, *OP;    /* n x OUT: f(X), P f(X), f(P X) */
    gsl_matrix *C, *PC, *CP;    /* n x D: the same for the convolution */
    gsl_permutation *p;
    double largest_value; /* max |V| of the last attention */
} workspace;

static void workspace_free(workspace *w)
{
    gsl_matrix *const all[] = {w->X,  w->PX, w->moved, w->positions, w->O,
                               w->PO, w->OP, w->C,     w->PC,        w->CP};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gsl_matrix_free(all[i]);
    gsl_permutation_free(w->p);
    attn_layer_workspace_free(w->work);
    attn_layer_free(w->layer);
}

/* A layer whose queries and keys have entries of unit variance, and room. */
static int workspace_make(workspace *w, size_t n, attn_rng *g)
{
    *w = (workspace){.n = n,
                     .layer = attn_layer_alloc(D, D_K, D_V, HEADS),
                     .X = gsl_matrix_alloc(n, D),
                     .PX = gsl_matrix_alloc(n, D),
                     .moved = gsl_matrix_alloc(n, D),
                     .positions = gsl_matrix_alloc(n, D),
                     .O = gsl_matrix_alloc(n, OUT),
                     .PO = gsl_matrix_alloc(n, OUT),
                     .OP = gsl_matrix_alloc(n, OUT),
                     .C = gsl_matrix_alloc(n, D),
                     .PC = gsl_matrix_alloc(n, D),
                     .CP = gsl_matrix_alloc(n, D),
                     .p = gsl_permutation_calloc(n)};
    w->work = w->layer ? attn_layer_workspace_alloc(w->layer, n) : NULL;
    if (!w->work || !w->X || !w->PX || !w->moved || !w->positions || !w->O ||
        !w->PO || !w->OP || !w->C || !w->PC || !w->CP || !w->p) {
        workspace_free(w);
        return GSL_ENOMEM;
    }
    attn_sample_matrix(g, 1 / sqrt(D), w->layer->W_Q);
    attn_sample_matrix(g, 1 / sqrt(D), w->layer->W_K);
    attn_sample_matrix(g, 1 / sqrt(D), w->layer->W_V);
    attn_position_sinusoidal(w->positions);
    return GSL_SUCCESS;
}

static int attention(workspace *w, const gsl_matrix *X, gsl_matrix *O)
{
    const int status = attn_layer_forward(w->layer, X, O, w->work);

    w->largest_value = attn_matrix_largest(w->work->V);
    return status;
}

/* Positions belong to places, not to tokens: they are added after P. */
static int attention_with_positions(workspace *w, const gsl_matrix *X,
                                    gsl_matrix *O)
{
    gsl_matrix_memcpy(w->moved, X);
    gsl_matrix_add(w->moved, w->positions);
    return attention(w, w->moved, O);
}

static int convolution(workspace *w, const gsl_matrix *X, gsl_matrix *O)
{
    const gsl_vector_const_view kernel =
        gsl_vector_const_view_array(taps, sizeof taps / sizeof *taps);

    (void)w;
    return attn_convolution_circular(&kernel.vector, X, O);
}

/* max |f(P X) - P f(X)| for the workspace's X and p. */
static int defect(workspace *w,
                  int (*f)(workspace *, const gsl_matrix *, gsl_matrix *),
                  gsl_matrix *O, gsl_matrix *PO, gsl_matrix *OP, double *out)
{
    int status = f(w, w->X, O);

    if (!status)
        status = attn_permutation_rows(w->p, w->X, w->PX);
    if (!status)
        status = attn_permutation_rows(w->p, O, PO);
    if (!status)
        status = f(w, w->PX, OP);
    *out = attn_matrix_difference(OP, PO);
    return status;
}

/* ---- random permutations ---- */

typedef struct {
    attn_moments attention;    /* defect/max |V| */
    attn_moments positions;    /* defect/rms */
    attn_moments shifts;       /* of the convolution, defect/rms */
    attn_moments permutations; /* of the convolution, no shifts */
    double attention_max, shifts_max, positions_min, permutations_min;
    size_t commuting; /* permutations with which the convolution commutes */
    size_t unlike;    /* shifts with which it does not, others with which it
                         does */
} defects;

static const defects no_defects = {.positions_min = INFINITY,
                                   .permutations_min = INFINITY};

static void merge_defects(void *total, const void *partial)
{
    defects *t = total;
    const defects *p = partial;

    attn_moments_merge(&t->attention, &p->attention);
    attn_moments_merge(&t->positions, &p->positions);
    attn_moments_merge(&t->shifts, &p->shifts);
    attn_moments_merge(&t->permutations, &p->permutations);
    t->attention_max = attn_max(t->attention_max, p->attention_max);
    t->shifts_max = attn_max(t->shifts_max, p->shifts_max);
    t->positions_min = attn_min(t->positions_min, p->positions_min);
    t->permutations_min = attn_min(t->permutations_min, p->permutations_min);
    t->commuting += p->commuting;
    t->unlike += p->unlike;
}

/* All four defects for the workspace's X and p. */
static int take_defects(workspace *w, defects *out)
{
    double x;
    int status = defect(w, attention, w->O, w->PO, w->OP, &x);

    x /= w->largest_value;
    attn_moments_add(&out->attention, x);
    out->attention_max = attn_max(out->attention_max, x);
    if (!status && !is_identity(w->p)) {
        status = defect(w, attention_with_positions, w->O, w->PO, w->OP, &x);
        x /= root_mean_square(w->O);
        attn_moments_add(&out->positions, x);
        out->positions_min = attn_min(out->positions_min, x);
    }
    if (!status)
        status = defect(w, convolution, w->C, w->PC, w->CP, &x);
    x /= root_mean_square(w->C);
    const int is_shift = attn_permutation_is_shift(w->p);
    const int commutes = x <= 4 * eps; /* NaN with nothing */
    out->commuting += (size_t)commutes;
    out->unlike += commutes != is_shift;
    if (is_shift) {
        attn_moments_add(&out->shifts, x);
        out->shifts_max = attn_max(out->shifts_max, x);
    } else {
        attn_moments_add(&out->permutations, x);
        out->permutations_min = attn_min(out->permutations_min, x);
    }
    return status;
}

/* Fresh layer a block; fresh tokens, permutation and shift a trial. */
static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    const size_t n = *(const size_t *)setup;
    gsl_rng r = attn_rng_gsl(g);
    defects *out = partial;
    workspace w;
    int status = workspace_make(&w, n, g);

    (void)first;
    (void)scratch;
    if (status)
        return status;
    *out = no_defects;
    for (size_t i = 0; !status && i < count; i++) {
        attn_sample_matrix(g, 1, w.X);
        gsl_ran_shuffle(&r, w.p->data, n, sizeof *w.p->data);
        status = take_defects(&w, out);
        attn_permutation_shift(w.p, gsl_rng_uniform_int(&r, n));
        if (!status)
            status = take_defects(&w, out);
    }
    workspace_free(&w);
    return status;
}

static const attn_dat_column columns[] = {
    {"n", "tokens"},
    {"N", "permutations, half of them cyclic shifts"},
    {"attention", "mean defect of attention, relative to max |V|"},
    {"attention_max", "largest one"},
    {"tolerance", "2 n eps, what rounding may do to it"},
    {"positions", "mean defect of attention with positions, relative to rms"},
    {"positions_min", "smallest one"},
    {"shifts", "mean defect of the convolution under shifts, relative to rms"},
    {"shifts_max", "largest one"},
    {"permutations", "mean defect of the convolution under other permutations"},
    {"permutations_min", "smallest one"}};

/* Sizes 5, 8, 16, ... and the longest itself. */
static size_t next_size(size_t n)
{
    const size_t next = n < 8 ? 8 : 2 * n;

    return n < tokens && next > tokens ? tokens : next;
}

static int random_permutations(attn_run *run)
{
    defects all = no_defects;
    double worst = 0;

    attn_dat_block(run->dat, "defects", columns,
                   sizeof columns / sizeof *columns);
    for (size_t n = 5; n <= tokens; n = next_size(n)) {
        attn_blocks job = attn_run_job(run, "permutation_equivariance.random",
                                       n, trials, PER_BLOCK);
        defects m = no_defects;
        job.partial_size = sizeof m;
        const int status = attn_blocks_run(&job, work, merge_defects, &m, &n);
        if (status)
            return status;
        worst = attn_max(worst, m.attention_max / (double)n);
        merge_defects(&all, &m);
        ATTN_DAT_ROW(run->dat, (double)n, (double)m.attention.n,
                     m.attention.mean, m.attention_max, 2 * (double)n * eps,
                     m.positions.mean, m.positions_min, m.shifts.mean,
                     m.shifts_max, m.permutations.mean, m.permutations_min);
    }
    if (own)
        return GSL_SUCCESS;
    attn_claims_exact(run->claims, "equivariance.permutation", 0, worst,
                      2 * eps, all.attention.n,
                      "defect/(n max |V|), random permutations; 2 eps");
    attn_claims_exact(run->claims, "equivariance.convolution", 0,
                      all.shifts_max, 4 * eps, all.shifts.n,
                      "relative defect under cyclic shifts; 4 eps");
    attn_claims_floor(run->claims, "equivariance.convolution/others",
                      floor_defect, all.permutations_min, all.permutations.n,
                      "relative defect under permutations that are no shift");
    attn_claims_floor(run->claims, "position.breaks", floor_defect,
                      all.positions_min, all.positions.n,
                      "relative defect with sinusoidal positions");
    return GSL_SUCCESS;
}

/* ---- all 120 permutations of five tokens ---- */

static int all_permutations(attn_run *run, workspace *w)
{
    defects m = no_defects;
    int status;

    gsl_permutation_init(w->p);
    do
        status = take_defects(w, &m);
    while (!status && gsl_permutation_next(w->p) == GSL_SUCCESS);
    attn_claims_exact(run->claims, "equivariance.permutation/all", 0,
                      m.attention_max / 5, 2 * eps, m.attention.n,
                      "the same for all 120 permutations of five tokens");
    /* One that is out of place weighs more than all that commute: five are
     * found only where they are the shifts. */
    const size_t all = m.shifts.n + m.permutations.n;
    attn_claims_exact(run->claims, "equivariance.convolution/all", 5,
                      (double)(m.commuting + all * m.unlike), 0, all,
                      "of all 120 permutations, the five shifts commute");
    return status;
}

/* ---- the proof, line by line, with P as a matrix ---- */

/* A P^T, through the transpose of P: (A P^T)_ij = sum_k A_ik P_jk. */
static int times_transpose(const gsl_matrix *A, const gsl_matrix *P,
                           gsl_matrix *APt)
{
    return attn_product_abt(1, A, P, APt);
}

/* One head of five tokens: errors of the lines (P Q)(P K)^T = P Q K^T P^T,
 * softmax(P S P^T) = P softmax(S) P^T, and P^T P = I. */
static int proof(attn_run *run, workspace *w)
{
    enum { N = 5 };
    double room[8 * N * N + 2 * N * D_K];
    gsl_matrix_view view[10];
    for (size_t i = 0; i < 8; i++)
        view[i] = gsl_matrix_view_array(room + i * N * N, N, N);
    for (size_t i = 8; i < 10; i++)
        view[i] =
            gsl_matrix_view_array(room + 8 * N * N + (i - 8) * N * D_K, N, D_K);
    gsl_matrix *P = &view[0].matrix, *S = &view[1].matrix;
    gsl_matrix *SP = &view[2].matrix, *PS = &view[3].matrix;
    gsl_matrix *PSPt = &view[4].matrix, *A = &view[5].matrix;
    gsl_matrix *PA = &view[6].matrix, *PAPt = &view[7].matrix;
    gsl_matrix *PQ = &view[8].matrix, *PK = &view[9].matrix;
    const gsl_matrix_view Q = gsl_matrix_submatrix(w->work->Q, 0, 0, N, D_K);
    const gsl_matrix_view K = gsl_matrix_submatrix(w->work->K, 0, 0, N, D_K);
    const double scale = w->layer->scale;
    int status = attention(w, w->X, w->O);

    attn_permutation_shift(w->p, 2);
    gsl_permutation_swap(w->p, 0, 1); /* no shift, P not symmetric, no fixed
                                       * token */
    status |= attn_permutation_matrix(w->p, P);
    status |= attn_product_ab(P, &Q.matrix, PQ);
    status |= attn_product_ab(P, &K.matrix, PK);
    status |= attn_layer_scores(&Q.matrix, &K.matrix, scale, S);
    status |= attn_layer_scores(PQ, PK, scale, SP);
    status |= attn_product_ab(P, S, PS);
    status |= times_transpose(PS, P, PSPt);
    attn_claims_exact(run->claims, "equivariance.permutation/scores", 0,
                      attn_matrix_difference(SP, PSPt), 0, 1,
                      "(P Q)(P K)^T = P Q K^T P^T, equality");

    status |= attn_layer_weights(S, A);
    status |= attn_product_ab(P, A, PA);
    status |= times_transpose(PA, P, PAPt);
    status |= attn_layer_weights(PSPt, PSPt);
    attn_claims_exact(run->claims, "equivariance.permutation/weights", 0,
                      attn_matrix_difference(PSPt, PAPt), 2 * N * eps, 1,
                      "softmax(P S P^T) = P softmax(S) P^T; 2 n eps");

    gsl_matrix_transpose_memcpy(PS, P);
    status |= attn_product_ab(PS, P, SP);
    gsl_matrix_set_identity(S);
    attn_claims_exact(run->claims, "equivariance.permutation/orthogonal", 0,
                      attn_matrix_difference(SP, S), 0, 1,
                      "P^T P = I, equality");
    return status ? GSL_EFAILED : GSL_SUCCESS;
}

/* ---- the convolution is a circulant matrix that commutes with the shift ----
 */

static int circulant(attn_run *run)
{
    enum { N = 7 };
    double room[5 * N * N];
    gsl_matrix_view view[5];
    for (size_t i = 0; i < 5; i++)
        view[i] = gsl_matrix_view_array(room + i * N * N, N, N);
    gsl_matrix *I = &view[0].matrix, *C = &view[1].matrix, *S = &view[2].matrix;
    gsl_matrix *CS = &view[3].matrix, *SC = &view[4].matrix;
    double worst = 0;

    gsl_matrix_set_identity(I);
    int status = convolution(NULL, I, C);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            worst =
                attn_max(worst, fabs(gsl_matrix_get(C, i, j) -
                                     gsl_matrix_get(C, 0, (j + N - i) % N)));
            gsl_matrix_set(S, i, j, j == (i + 1) % N);
        }
    status = status ? status : attn_product_ab(C, S, CS);
    status = status ? status : attn_product_ab(S, C, SC);
    attn_claims_exact(run->claims, "equivariance.convolution/circulant", 0,
                      attn_max(worst, attn_matrix_difference(CS, SC)), 0, N * N,
                      "C_ij depends on j - i mod n alone, and C S = S C");
    return status;
}

/* ---- three words ---- */

/* The distance from a row to the nearest row of M, largest entry. */
static double to_nearest(const gsl_matrix *O, size_t i, const gsl_matrix *M,
                         size_t skip)
{
    double nearest = INFINITY;

    for (size_t k = 0; k < M->size1; k++) {
        double far = 0;
        for (size_t j = 0; j < M->size2; j++)
            far = attn_max(
                far, fabs(gsl_matrix_get(O, i, j) - gsl_matrix_get(M, k, j)));
        if (k != skip)
            nearest = attn_min(nearest, far);
    }
    return nearest;
}

/* equivariance.sets: "dog bites man", "man bites dog". */
static int sets(attn_run *run, workspace *w)
{
    double far = 0, apart = INFINITY, x;

    gsl_permutation_init(w->p);
    gsl_permutation_swap(w->p, 0, 2); /* dog and man */
    const int status = defect(w, attention, w->O, w->PO, w->OP, &x);
    for (size_t i = 0; i < w->n; i++) {
        far = attn_max(far, attn_max(to_nearest(w->O, i, w->OP, w->n),
                                     to_nearest(w->OP, i, w->O, w->n)));
        apart = attn_min(apart, to_nearest(w->O, i, w->O, i));
    }
    attn_claims_exact(run->claims, "equivariance.sets", 0,
                      far / w->largest_value, 2 * 3 * eps, 2 * w->n,
                      "distance of the two sets of outputs/max |V|; 2 n eps");
    attn_claims_floor(run->claims, "equivariance.sets/distinct", floor_defect,
                      apart / root_mean_square(w->O), w->n,
                      "and the three outputs are not one and the same");
    return status;
}

/* position.breaks: the same token at two places. */
static int twins(attn_run *run, workspace *w)
{
    const gsl_vector_view first = gsl_matrix_row(w->X, 0);
    double apart[2] = {0};

    gsl_matrix_set_row(w->X, 3, &first.vector);
    int status = attention(w, w->X, w->O);
    for (size_t j = 0; j < OUT; j++)
        apart[0] = attn_max(apart[0], fabs(gsl_matrix_get(w->O, 0, j) -
                                           gsl_matrix_get(w->O, 3, j)));
    status = status ? status : attention_with_positions(w, w->X, w->O);
    for (size_t j = 0; j < OUT; j++)
        apart[1] = attn_max(apart[1], fabs(gsl_matrix_get(w->O, 0, j) -
                                           gsl_matrix_get(w->O, 3, j)));
    attn_claims_exact(run->claims, "position.breaks/twins_without", 0, apart[0],
                      0, OUT, "equal tokens, equal outputs without positions");
    attn_claims_floor(run->claims, "position.breaks/twins", floor_defect,
                      apart[1] / root_mean_square(w->O), OUT,
                      "equal tokens, unequal outputs with positions");
    return status;
}

/* One workspace of n tokens for one of the checks on a single sequence. */
static int with_workspace(attn_run *run, size_t n, const char *part,
                          int (*check)(attn_run *, workspace *))
{
    attn_rng g;
    workspace w;

    attn_rng_set(&g, run->seed, attn_rng_experiment(part, n), 0);
    int status = workspace_make(&w, n, &g);
    if (status)
        return status;
    attn_sample_matrix(&g, 1, w.X);
    status = check(run, &w);
    workspace_free(&w);
    return status;
}

/* ---- the reader's own ---- */

static const attn_dat_column own_columns[] = {
    {"n", "rows of the reader's own matrix C, or S where there is no C"},
    {"shift", "largest |C T - T C| for the shift T, relative to max |C|"},
    {"swap", "the same for the exchange of the first two rows"}};

/* max |M P - P M|/max |M| for a permutation p. */
static int own_defect(const gsl_matrix *M, const gsl_permutation *p,
                      double *defect)
{
    gsl_matrix *const P = own->A, *const MP = own->B, *const PM = own->D;
    const double scale = attn_matrix_largest(M);
    int status = attn_permutation_matrix(p, P);

    if (!status)
        status = attn_product_ab(M, P, MP);
    if (!status)
        status = attn_product_ab(P, M, PM);
    *defect = attn_matrix_difference(MP, PM) / (scale > 0 ? scale : 1);
    return status;
}

static int judge_own(attn_run *run)
{
    const gsl_matrix *M = own->C ? own->C : own->S;
    gsl_permutation *p = gsl_permutation_calloc(own->n);
    double shift = 0, swap = 0;

    if (!p)
        return GSL_ENOMEM;
    int status = attn_shift_judge(own, run->narrative);
    attn_permutation_shift(p, 1);
    if (!status)
        status = own_defect(M, p, &shift);
    gsl_permutation_init(p);
    if (own->n > 1)
        gsl_permutation_swap(p, 0, 1);
    if (!status)
        status = own_defect(M, p, &swap);
    gsl_permutation_free(p);
    if (status)
        return status;
    attn_claims_exact(run->claims, "equivariance.convolution/own",
                      (double)own->statements, (double)own->right, 0,
                      own->statements,
                      "statements about the reader's matrices, equality");
    attn_dat_block(run->dat, "own", own_columns, 3);
    ATTN_DAT_ROW(run->dat, (double)own->n, shift, swap);
    return GSL_SUCCESS;
}

static int experiment(attn_run *run)
{
    if (own) /* beside it, a few of the usual permutations */
        trials = 8;
    int status = random_permutations(run);

    if (own)
        return status ? status : judge_own(run);
    if (!status)
        status = with_workspace(run, 5, "permutation_equivariance.all",
                                all_permutations);
    if (!status)
        status =
            with_workspace(run, 5, "permutation_equivariance.proof", proof);
    if (!status)
        status = circulant(run);
    if (!status)
        status = with_workspace(run, 3, "permutation_equivariance.sets", sets);
    if (!status)
        status =
            with_workspace(run, 5, "permutation_equivariance.twins", twins);
    return status;
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "permutation_equivariance",
        .section = "Attention Doesn't Know Where Anything Is",
        .summary = "Scrambles the tokens of a sequence and measures whether "
                   "the outputs are the same vectors, scrambled the same way: "
                   "for attention, for a convolution, and for attention with "
                   "positions; or judges a shift matrix of your own.",
        .claims = "equivariance.permutation equivariance.sets "
                  "equivariance.convolution position.breaks",
        .options = options,
        .conflict = conflict,
        .run = experiment,
        .epilogue = epilogue};
    const int status = attn_program_main(&program, argc, argv);

    attn_shift_free(own);
    attn_text_free(text);
    return status;
}

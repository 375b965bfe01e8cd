/*
 * "From Text to Vectors" to "Scores, Softmax, and the Weighted Sum": the
 * lecture's sentence by hand, move by move, and what holds for every layer on
 * the way: lookups are products, projections are shared by all places, weights
 * are a distribution, outputs lie among the values, scores know no positions.
 */
#include "attn_blocks.h"
#include "attn_layer.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_moves.h"
#include "attn_product.h"
#include "attn_program.h"
#include "attn_sample.h"
#include "attn_text.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

/* The published parameters. */
static size_t trials = 1000;
static const char *input;

static attn_cli_option options[] = {
    {"trials", ATTN_CLI_SIZE, &trials, "random layers a claim", 1, 1e6, NULL,
     0},
    {"input", ATTN_CLI_FILE, &input,
     "a text file with a query, keys and values of your own to explain "
     "instead of the lecture's",
     0, 0, NULL, 0},
    {0}};

enum { PER_BLOCK = 16 }; /* trials a block */

static const double eps = 0x1p-52;

/* ---- the reader's own numbers ---- */

static const char epilogue[] =
    "The file of --input is plain text with a line for the query and for each "
    "key and\nvalue; '#' begins a comment:\n"
    "\n"
    "  query hungry = 2 0 0 0     # d_k numbers; the name may be left out\n"
    "  key the   = -1 0 0 0       # up to 64 keys of d_k numbers\n"
    "  value the = 0 0            # as many values, in the keys' order\n"
    "  key cat   = 2 0 0 0\n"
    "  value cat = 1 0\n"
    "  scale = 0.5                # may be left out: 1/sqrt(d_k)\n"
    "\n"
    "docs/examples/ has such files.\n";

static attn_text *text;         /* of --input */
static attn_moves *own_numbers; /* what it says */

static int conflict(attn_cli_error *error)
{
    attn_text_error wrong;

    if (!input)
        return 0;
    if (options[0].given) {
        snprintf(error->text, sizeof error->text,
                 "--trials: given with --input, which makes no random layers");
        return 1;
    }
    if (attn_text_read(input, &text, &wrong) ||
        attn_moves_read(text, &own_numbers, &wrong)) {
        snprintf(error->text, sizeof error->text, "--input: %.240s",
                 wrong.text);
        return 1;
    }
    return 0;
}

/* ---- the moves in the file ---- */

static const attn_dat_column move_columns[] = {
    {"place", "place of the word in the sentence, from 1 on"},
    {"product", "<q, k>"},
    {"score", "scale <q, k>"},
    {"exponential", "e^(score - shift)"},
    {"weight", "measured weight"},
    {"predicted", "the digits on the board; for other numbers "
                  "exponential/sum"},
    {"tolerance", "half a unit of the last of them; 0 for other numbers"},
    {"word", "the word"}};
static const attn_dat_column query_columns[] = {
    {"n", "keys"},
    {"d_k", "head size"},
    {"d_v", "numbers of a value"},
    {"scale", "what products are multiplied by"},
    {"shift", "what is subtracted from every score before e^"},
    {"sum", "of the exponentials"},
    {"query", "the word that asks"}};
static const attn_dat_column output_columns[] = {
    {"coordinate", "of the output, from 1 on"},
    {"output", "measured"},
    {"smallest", "smallest value at this coordinate"},
    {"largest", "largest value at this coordinate"}};

static void column_range(const gsl_matrix *V, size_t c, double *low,
                         double *high)
{
    const gsl_vector_const_view v = gsl_matrix_const_column(V, c);

    gsl_vector_minmax(&v.vector, low, high);
}

/* quoted: the board's weights, or NULL. */
static void write_moves(attn_dat *dat, const attn_moves *m,
                        const double *quoted)
{
    attn_dat_block(dat, "moves", move_columns,
                   sizeof move_columns / sizeof *move_columns);
    for (size_t j = 0; j < m->n; j++) {
        const double e = gsl_matrix_get(m->exponentials, 0, j);
        const double row[] = {(double)(j + 1),
                              gsl_matrix_get(m->products, 0, j),
                              gsl_matrix_get(m->scores, 0, j),
                              e,
                              gsl_matrix_get(m->weights, 0, j),
                              quoted ? quoted[j] : e / m->sum,
                              quoted ? 0.00005 : 0};
        attn_dat_row_word(dat, sizeof row / sizeof *row, row, m->words[j]);
    }
    attn_dat_block(dat, "asked", query_columns,
                   sizeof query_columns / sizeof *query_columns);
    const double asked[] = {(double)m->n, (double)m->d_k, (double)m->d_v,
                            m->scale,     m->shift,       m->sum};
    attn_dat_row_word(dat, sizeof asked / sizeof *asked, asked, m->query);
    attn_dat_block(dat, "output", output_columns,
                   sizeof output_columns / sizeof *output_columns);
    for (size_t c = 0; c < m->d_v; c++) {
        double low, high;
        column_range(m->V, c, &low, &high);
        ATTN_DAT_ROW(dat, (double)(c + 1), gsl_matrix_get(m->output, 0, c), low,
                     high);
    }
}

/* ---- errors ---- */

/* The checks of which each trial makes several cases. */
enum {
    LOOKUP,
    SHARED,
    PLACES,
    SUMS,
    NEGATIVE,
    HULL,
    EXCHANGE,
    DISTANCE,
    CHECKS
};

typedef struct {
    double worst[CHECKS]; /* error in units of its claim */
    size_t cases[CHECKS];
} errors;

static void note(errors *e, int check, double error, size_t cases)
{
    e->worst[check] = attn_max(e->worst[check], error);
    e->cases[check] += cases;
}

static void merge_errors(void *total, const void *partial)
{
    const errors *p = partial;

    for (int i = 0; i < CHECKS; i++)
        note(total, i, p->worst[i], p->cases[i]);
}

/* |sum a - 1|/n and -min a of every row of weights. */
static void note_distribution(errors *e, const gsl_matrix *A)
{
    for (size_t i = 0; i < A->size1; i++) {
        double sum = 0, negative = 0;
        for (size_t j = 0; j < A->size2; j++) {
            const double a = gsl_matrix_get(A, i, j);
            sum += a;
            negative = attn_max(negative, -a);
        }
        note(e, SUMS, fabs(sum - 1) / (double)A->size2, 1);
        note(e, NEGATIVE, negative, 1);
    }
}

/* How far O reaches beyond the values, over n max |V|. */
static void note_hull(errors *e, const gsl_matrix *V, const gsl_matrix *O)
{
    const double n = (double)V->size1;

    for (size_t c = 0; c < O->size2; c++) {
        double low, high, beyond = 0;
        column_range(V, c, &low, &high);
        for (size_t i = 0; i < O->size1; i++) {
            const double o = gsl_matrix_get(O, i, c);
            beyond = attn_max(beyond, attn_max(o - high, low - o));
        }
        const double scale = n * attn_max(fabs(low), fabs(high));
        note(e, HULL, beyond == 0 ? 0 : beyond / scale, O->size1);
    }
}

static void judge_weights(attn_run *run, const errors *e)
{
    attn_claims_exact(run->claims, "weights.distribution", 0, e->worst[SUMS],
                      eps, e->cases[SUMS], "|sum of a row - 1|/n; eps");
    attn_claims_exact(run->claims, "weights.distribution/nonnegative", 0,
                      e->worst[NEGATIVE], 0, e->cases[NEGATIVE],
                      "how far below 0 a weight is; equality");
    attn_claims_exact(run->claims, "output.hull", 0, e->worst[HULL], 2 * eps,
                      e->cases[HULL],
                      "how far an output is beyond the values/(n max |V|); "
                      "2 eps");
}

/* ---- the board ---- */

static const double board_q[] = {2, 0, 0, 0};
static const double board_K[] = {-1, 0, 0, 0, 2, 0, 0, 0,
                                 0,  1, 0, 0, 0, 0, 1, 0};
static const double board_V[] = {0, 0, 1, 0, 0, 1, 0, 1};
static const double board_products[] = {-2, 4, 0, 0};
static const double board_scores[] = {-1, 2, 0, 0};
static const double board_weights[] = {0.0377, 0.7573, 0.1025, 0.1025};
static const double board_output[] = {0.757, 0.205};

static int board(attn_run *run)
{
    static const char *const ids[] = {
        "example.weights/the", "example.weights/cat", "example.weights/was",
        "example.weights/hungry"};
    static const char *const words[] = {"the", "cat", "was", "hungry"};
    attn_moves *m = attn_moves_alloc(4, 4, 2);
    double off = 0;

    if (!m)
        return GSL_ENOMEM;
    m->query = words[3];
    for (size_t j = 0; j < 4; j++)
        m->words[j] = words[j];
    memcpy(m->q->data, board_q, sizeof board_q);
    memcpy(m->K->data, board_K, sizeof board_K);
    memcpy(m->V->data, board_V, sizeof board_V);
    const int status = attn_moves_make(m);
    for (size_t j = 0; j < 4; j++) {
        const double p = gsl_matrix_get(m->products, 0, j);
        const double score = gsl_matrix_get(m->scores, 0, j);
        off = attn_max(off, fabs(p - board_products[j]));
        off = attn_max(off, fabs(score - board_scores[j]));
    }
    attn_claims_exact(run->claims, "example.scores", 0, off, 0, 8,
                      "products -2, 4, 0, 0 and scores -1, 2, 0, 0; equality");
    for (size_t j = 0; j < 4; j++)
        attn_claims_exact(run->claims, ids[j], board_weights[j],
                          gsl_matrix_get(m->weights, 0, j), 0.00005, 1,
                          "half the last quoted digit");
    for (size_t c = 0; c < 2; c++)
        attn_claims_exact(run->claims,
                          c == 0 ? "example.output/animal"
                                 : "example.output/verb",
                          board_output[c], gsl_matrix_get(m->output, 0, c),
                          0.0005, 1, "half the last quoted digit");
    attn_moves_print(m, run->narrative);
    write_moves(run->dat, m, board_weights);
    attn_moves_free(m);
    return status;
}

/* The reader's numbers: their moves, and what holds for any numbers. */
static int explain(attn_run *run)
{
    errors e = {{0}, {0}};
    const int status = attn_moves_make(own_numbers);

    if (status)
        return status;
    note_distribution(&e, own_numbers->weights);
    note_hull(&e, own_numbers->V, own_numbers->output);
    judge_weights(run, &e);
    attn_moves_print(own_numbers, run->narrative);
    write_moves(run->dat, own_numbers, NULL);
    return GSL_SUCCESS;
}

/* ---- random layers ---- */

/* Sizes that differ, so that a swapped axis would show. */
enum {
    TYPES = 11,
    D = 7,
    D_K = 3,
    D_V = 5,
    HEADS = 2,
    TOKENS = 9,
    WORDS = 13,  /* of the lecture's whole sentence */
    CAT = 1,     /* where "cat" stands in it */
    LONGEST = 33 /* row of weights */
};

/* "The cat, which had been hiding under the porch all morning, was hungry":
 * types in order of appearance. */
static const size_t whole_sentence[WORDS] = {0, 1, 2, 3, 4,  5, 6,
                                             0, 7, 8, 9, 10, 11};

typedef struct {
    attn_layer *layer;
    attn_layer_workspace *work, *work_sentence;
    gsl_matrix *E, *H, *X; /* TYPES x D, TOKENS x TYPES, TOKENS x D */
    gsl_matrix *O, *Y;     /* TOKENS x HEADS D_V, X with two rows exchanged */
    gsl_matrix *Q, *K, *S, *SY; /* of one head of width HEADS D_K */
    gsl_matrix *words;          /* WORDS x D */
    gsl_matrix *O_words;        /* WORDS x HEADS D_V */
    gsl_matrix *types;          /* TYPES + 1 x D: embeddings of the sentence */
} workspace;

static void workspace_free(workspace *w)
{
    gsl_matrix *const all[] = {w->E,  w->H,     w->X,       w->O,
                               w->Y,  w->Q,     w->K,       w->S,
                               w->SY, w->words, w->O_words, w->types};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gsl_matrix_free(all[i]);
    attn_layer_workspace_free(w->work);
    attn_layer_workspace_free(w->work_sentence);
    attn_layer_free(w->layer);
}

static int workspace_make(workspace *w)
{
    *w = (workspace){.layer = attn_layer_alloc(D, D_K, D_V, HEADS),
                     .E = gsl_matrix_alloc(TYPES, D),
                     .H = gsl_matrix_alloc(TOKENS, TYPES),
                     .X = gsl_matrix_alloc(TOKENS, D),
                     .O = gsl_matrix_alloc(TOKENS, HEADS * D_V),
                     .Y = gsl_matrix_alloc(TOKENS, D),
                     .Q = gsl_matrix_alloc(TOKENS, HEADS * D_K),
                     .K = gsl_matrix_alloc(TOKENS, HEADS * D_K),
                     .S = gsl_matrix_alloc(TOKENS, TOKENS),
                     .SY = gsl_matrix_alloc(TOKENS, TOKENS),
                     .words = gsl_matrix_alloc(WORDS, D),
                     .O_words = gsl_matrix_alloc(WORDS, HEADS * D_V),
                     .types = gsl_matrix_alloc(TYPES + 1, D)};
    if (w->layer) {
        w->work = attn_layer_workspace_alloc(w->layer, TOKENS);
        w->work_sentence = attn_layer_workspace_alloc(w->layer, WORDS);
    }
    if (!w->work || !w->work_sentence || !w->E || !w->H || !w->X || !w->O ||
        !w->Y || !w->Q || !w->K || !w->S || !w->SY || !w->words ||
        !w->O_words || !w->types) {
        workspace_free(w);
        return GSL_ENOMEM;
    }
    return GSL_SUCCESS;
}

static void fill_layer(attn_rng *g, attn_layer *layer)
{
    const double sd = 1 / sqrt((double)layer->d);

    attn_sample_matrix(g, sd, layer->W_Q);
    attn_sample_matrix(g, sd, layer->W_K);
    attn_sample_matrix(g, sd, layer->W_V);
}

/* embed.lookup: X = H E for one-hot rows H, against the rows themselves. */
static int lookups(workspace *w, attn_rng *g, errors *e)
{
    gsl_rng r = attn_rng_gsl(g);
    int status;

    attn_sample_matrix(g, 1, w->E);
    gsl_matrix_set_zero(w->H);
    for (size_t i = 0; i < TOKENS; i++) {
        const size_t t = gsl_rng_uniform_int(&r, TYPES);
        const gsl_vector_view row = gsl_matrix_row(w->E, t);
        gsl_matrix_set(w->H, i, t, 1);
        gsl_matrix_set_row(w->Y, i, &row.vector);
    }
    status = attn_product_ab(w->H, w->E, w->X);
    note(e, LOOKUP, attn_matrix_difference(w->X, w->Y), TOKENS * D);
    return status;
}

/* |M - X W| over sum |x w|, each entry summed here from its definition. */
static void note_projection(errors *e, const gsl_matrix *X, const gsl_matrix *W,
                            const gsl_matrix *M)
{
    for (size_t i = 0; i < M->size1; i++)
        for (size_t j = 0; j < M->size2; j++) {
            double sum = 0, size = 0;
            for (size_t k = X->size2; k-- > 0;) {
                const double term =
                    gsl_matrix_get(X, i, k) * gsl_matrix_get(W, k, j);
                sum += term;
                size += fabs(term);
            }
            note(e, SHARED, fabs(gsl_matrix_get(M, i, j) - sum) / size, 1);
        }
}

static void note_places(errors *e, const gsl_matrix *M, size_t i, size_t j)
{
    for (size_t c = 0; c < M->size2; c++)
        note(e, PLACES, fabs(gsl_matrix_get(M, i, c) - gsl_matrix_get(M, j, c)),
             1);
}

/* qkv.shared and output.hull: a layer on tokens of which two are equal. */
static int projections(workspace *w, attn_rng *g, double sd, errors *e)
{
    const attn_layer_workspace *pass = w->work;
    const gsl_vector_view first = gsl_matrix_row(w->X, 0);

    fill_layer(g, w->layer);
    attn_sample_matrix(g, sd, w->X);
    gsl_matrix_set_row(w->X, TOKENS - 3, &first.vector);
    const int status = attn_layer_forward(w->layer, w->X, w->O, w->work);
    note_projection(e, w->X, w->layer->W_Q, pass->Q);
    note_projection(e, w->X, w->layer->W_K, pass->K);
    note_projection(e, w->X, w->layer->W_V, pass->V);
    note_places(e, pass->Q, 0, TOKENS - 3);
    note_places(e, pass->K, 0, TOKENS - 3);
    note_places(e, pass->V, 0, TOKENS - 3);
    note_hull(e, pass->V, w->O);
    return status;
}

/* weights.distribution: scores of every size, moved far away too. */
static int distributions(attn_rng *g, errors *e)
{
    static const double sizes[] = {0.1, 1, 10, 1000};
    static const double shifts[] = {0, 1e5, -1e5, 1e300, -1e300};
    static const size_t lengths[] = {1, 2, 3, 7, LONGEST};
    double room[2 * LONGEST];
    int status = GSL_SUCCESS;

    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++)
            for (size_t k = 0; k < 5 && !status; k++) {
                gsl_matrix_view S = gsl_matrix_view_array(room, 2, lengths[k]);
                attn_sample_matrix(g, sizes[i], &S.matrix);
                gsl_matrix_add_constant(&S.matrix, shifts[j]);
                status = attn_layer_weights(&S.matrix, &S.matrix);
                note_distribution(e, &S.matrix);
            }
    return status;
}

static int scores_of(const workspace *w, const gsl_matrix *X, gsl_matrix *S)
{
    int status = attn_product_ab(X, w->layer->W_Q, w->Q);

    status = status ? status : attn_product_ab(X, w->layer->W_K, w->K);
    return status ? status : attn_layer_scores(w->Q, w->K, w->layer->scale, S);
}

/* score.positionless: exchange every pair of tokens in turn. */
static int exchanges(workspace *w, errors *e)
{
    int status = scores_of(w, w->X, w->S);

    for (size_t i = 0; i < TOKENS; i++)
        for (size_t j = i + 1; j < TOKENS && !status; j++) {
            gsl_matrix_memcpy(w->Y, w->X);
            gsl_matrix_swap_rows(w->Y, i, j);
            status = scores_of(w, w->Y, w->SY);
            gsl_matrix_swap_rows(w->SY, i, j);
            gsl_matrix_swap_columns(w->SY, i, j);
            note(e, EXCHANGE, attn_matrix_difference(w->S, w->SY),
                 TOKENS * TOKENS);
        }
    return status;
}

/* The weight that "hungry" gives to the word at a place, in one head. */
static double cat_weight(const workspace *w, size_t head, size_t place)
{
    return gsl_matrix_get(w->work_sentence->A, head * WORDS + WORDS - 1, place);
}

/* The same for the whole sentence: "cat" at every distance from "hungry",
 * eleven, where it stands, and three among them. */
static int distances(workspace *w, attn_rng *g, errors *e)
{
    double at_eleven[HEADS];
    int status = GSL_SUCCESS;

    attn_sample_matrix(g, 1, w->types);
    for (size_t step = 0; step < WORDS - 1 && !status; step++) {
        const size_t place = (CAT + step) % (WORDS - 1);
        for (size_t i = 0; i < WORDS; i++) {
            const gsl_vector_view word =
                gsl_matrix_row(w->types, whole_sentence[i]);
            gsl_matrix_set_row(w->words, i, &word.vector);
        }
        gsl_matrix_swap_rows(w->words, CAT, place);
        status = attn_layer_forward(w->layer, w->words, w->O_words,
                                    w->work_sentence);
        for (size_t h = 0; h < HEADS; h++) {
            const double a = cat_weight(w, h, place);
            if (step == 0)
                at_eleven[h] = a;
            else
                note(e, DISTANCE, fabs(a - at_eleven[h]) / (WORDS * a), 1);
        }
    }
    return status;
}

static int work(size_t first, size_t count, attn_rng *g, void *partial,
                void *scratch, const void *setup)
{
    static const double sds[] = {0.3, 1, 10}; /* spread, usual, saturated */
    workspace w;
    int status = workspace_make(&w);

    (void)scratch;
    (void)setup;
    if (status)
        return status;
    for (size_t i = first; !status && i < first + count; i++) {
        status = lookups(&w, g, partial);
        if (!status)
            status = projections(&w, g, sds[i % 3], partial);
        if (!status)
            status = distributions(g, partial);
        if (!status)
            status = exchanges(&w, partial);
        if (!status)
            status = distances(&w, g, partial);
    }
    workspace_free(&w);
    return status;
}

/* ---- qkv.shared: how many numbers the layer is made of ---- */

/* Adds to *live the entries of W whose change moves some output. */
static int count_live(const attn_layer *layer, gsl_matrix *W,
                      const gsl_matrix *X, const gsl_matrix *O,
                      gsl_matrix *moved, attn_layer_workspace *w, size_t *live)
{
    int status = GSL_SUCCESS;

    for (size_t i = 0; i < W->size1; i++)
        for (size_t j = 0; j < W->size2 && !status; j++) {
            const double old = gsl_matrix_get(W, i, j);
            gsl_matrix_set(W, i, j, old + 0.5);
            status = attn_layer_forward(layer, X, moved, w);
            gsl_matrix_set(W, i, j, old);
            *live += attn_matrix_difference(moved, O) > 0;
        }
    return status;
}

/* *live of a fresh layer on n tokens. */
static int live_parameters(const attn_run *run, size_t n, size_t *live)
{
    attn_rng g;
    attn_layer *layer = attn_layer_alloc(D, D_K, D_V, HEADS);
    attn_layer_workspace *w =
        layer ? attn_layer_workspace_alloc(layer, n) : NULL;
    gsl_matrix *X = gsl_matrix_alloc(n, D);
    gsl_matrix *O = gsl_matrix_alloc(n, HEADS * D_V);
    gsl_matrix *moved = gsl_matrix_alloc(n, HEADS * D_V);
    int status = w && X && O && moved ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status) {
        attn_rng_set(&g, run->seed,
                     attn_rng_experiment("worked_example.parameters", n), 0);
        fill_layer(&g, layer);
        attn_sample_matrix(&g, 1, X);
        gsl_matrix *const all[] = {layer->W_Q, layer->W_K, layer->W_V};
        status = attn_layer_forward(layer, X, O, w);
        *live = 0;
        for (size_t i = 0; i < 3 && !status; i++)
            status = count_live(layer, all[i], X, O, moved, w, live);
    }
    gsl_matrix_free(X);
    gsl_matrix_free(O);
    gsl_matrix_free(moved);
    attn_layer_workspace_free(w);
    attn_layer_free(layer);
    return status;
}

static int parameters(attn_run *run)
{
    static const size_t lengths[] = {2, 5, 17};
    const double predicted = HEADS * D * (2 * D_K + D_V);
    double measured = predicted;

    for (size_t i = 0; i < 3; i++) {
        size_t live = 0;
        const int status = live_parameters(run, lengths[i], &live);
        if (status)
            return status;
        if (fabs((double)live - predicted) > fabs(measured - predicted))
            measured = (double)live;
    }
    attn_claims_exact(run->claims, "qkv.shared/parameters", predicted, measured,
                      0, 3,
                      "numbers that move an output, of 2, 5 and 17 tokens: "
                      "heads d (2 d_k + d_v)");
    return GSL_SUCCESS;
}

/* ---- verdicts ---- */

static int random_layers(attn_run *run)
{
    attn_blocks job =
        attn_run_job(run, "worked_example.layers", 0, trials, PER_BLOCK);
    errors e = {{0}, {0}};
    job.partial_size = sizeof e;
    int status = attn_blocks_run(&job, work, merge_errors, &e, NULL);

    if (status)
        return status;
    attn_claims_exact(run->claims, "embed.lookup", 0, e.worst[LOOKUP], 0,
                      e.cases[LOOKUP],
                      "row t of E - one-hot row times E; "
                      "equality");
    attn_claims_exact(run->claims, "qkv.shared", 0, e.worst[SHARED], D * eps,
                      e.cases[SHARED],
                      "|Q - X W_Q|/sum |x w|, K and V too; d eps");
    attn_claims_exact(run->claims, "qkv.shared/places", 0, e.worst[PLACES], 0,
                      e.cases[PLACES],
                      "q, k, v of one token at two places; equality");
    status = parameters(run);
    judge_weights(run, &e);
    attn_claims_exact(run->claims, "score.positionless", 0, e.worst[EXCHANGE],
                      0, e.cases[EXCHANGE],
                      "scores of two tokens exchanged, and all others; "
                      "equality");
    attn_claims_exact(run->claims, "score.positionless/distance", 0,
                      e.worst[DISTANCE], eps, e.cases[DISTANCE],
                      "weight of cat 1 to 12 places from hungry against 11 "
                      "away, relative, over n; eps");
    return status;
}

static int experiment(attn_run *run)
{
    if (input)
        return explain(run);
    const int status = random_layers(run);
    return status ? status : board(run);
}

int main(int argc, char *argv[])
{
    static const attn_program program = {
        .stem = "worked_example",
        .section = "Scores, Softmax, and the Weighted Sum",
        .summary = "Works the lecture's example, \"the cat was hungry\", move "
                   "by move as on the board, or a query, keys and values of "
                   "your own, and checks on random layers what holds for all "
                   "of them.",
        .claims = "embed.lookup qkv.shared weights.distribution output.hull "
                  "score.positionless example.scores example.weights "
                  "example.output",
        .options = options,
        .conflict = conflict,
        .run = experiment,
        .epilogue = epilogue};
    const int status = attn_program_main(&program, argc, argv);

    attn_moves_free(own_numbers);
    attn_text_free(text);
    return status;
}

/*
 * Each function of the library that asks for memory, again and again, its k-th
 * allocation failing, k = 1, 2, 3, ... until a call has fewer than k:
 *
 *   library FOLDER_OF_EXAMPLES, in a folder of its own with a gnuplot on PATH
 *
 * Each time the call either does all that it does with memory enough, or has
 * its status for "no memory" and hands nothing out; no block of memory is lost;
 * and in the end the call succeeds once more. In the address sanitizer's build
 * no freed or foreign byte is touched either. Says "N passed, M failed".
 */
#include "allocate.h"
#include "attn_claim.h"
#include "attn_cli.h"
#include "attn_counted.h"
#include "attn_dat.h"
#include "attn_dictionary.h"
#include "attn_fresh.h"
#include "attn_layer_backward.h"
#include "attn_matrix.h"
#include "attn_moves.h"
#include "attn_pairs.h"
#include "attn_partner.h"
#include "attn_plot.h"
#include "attn_rng.h"
#include "attn_shift.h"
#include "attn_stream_backward.h"
#include "attn_theory.h"
#include "attn_train_run.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_Q = 5, N_K = 300, D_K = 3, D_V = 2, HEADS = 2, TYPES = 4 };

/* What all calls work on, made while memory is enough. */
static struct {
    gsl_matrix *Q, *K, *V, *O, *dO, *dQ, *dK, *dV, *X, *XO;
    gsl_matrix_float *Qf, *Kf, *Vf, *Of;
    gsl_vector *lse;
    attn_layer *layer;
    attn_text *sentence, *lookup, *shift;
    gsl_matrix *E, *W;
    gsl_permutation *partner;
    attn_train_head *head;
    FILE *nowhere;
    char path[4096];
} given;

/* One number that says what a call has put out, and what it broke. */
static double output;
static const char *broken;

static void demand(int is_so, const char *what)
{
    if (!is_so)
        broken = what;
}

static double sum_of(const gsl_matrix *M)
{
    double sum = 0;

    for (size_t i = 0; i < M->size1; i++)
        for (size_t j = 0; j < M->size2; j++)
            sum += (double)(1 + i + 7 * j) * gsl_matrix_get(M, i, j);
    return sum;
}

static gsl_matrix *filled(size_t rows, size_t columns, double seed)
{
    gsl_matrix *M = attn_matrix_calloc(rows, columns);

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(M, i, j, sin(seed + 3.7 * (double)i + (double)j));
    return M;
}

static gsl_matrix_float *narrow(const gsl_matrix *M)
{
    gsl_matrix_float *F = gsl_matrix_float_alloc(M->size1, M->size2);

    for (size_t i = 0; i < M->size1; i++)
        for (size_t j = 0; j < M->size2; j++)
            gsl_matrix_float_set(F, i, j, (float)gsl_matrix_get(M, i, j));
    return F;
}

/* ---- matrices, layers, streams ---- */

static int matrix(void)
{
    gsl_matrix *M = attn_matrix_calloc(N_Q, D_K);

    gsl_matrix_free(M);
    return M ? GSL_SUCCESS : GSL_ENOMEM;
}

static int layer_alloc(void)
{
    attn_layer *layer = attn_layer_alloc(N_Q, D_K, D_V, HEADS);

    attn_layer_free(layer);
    return layer ? GSL_SUCCESS : GSL_ENOMEM;
}

static int layer_workspace(void)
{
    attn_layer_workspace *w = attn_layer_workspace_alloc(given.layer, N_Q);

    attn_layer_workspace_free(w);
    return w ? GSL_SUCCESS : GSL_ENOMEM;
}

static int layer_gradient(void)
{
    attn_layer_gradient *g = attn_layer_gradient_alloc(given.layer, N_Q);

    attn_layer_gradient_free(g);
    return g ? GSL_SUCCESS : GSL_ENOMEM;
}

static int counted_forward(void)
{
    attn_counted count = {0, 0};
    const int status =
        attn_counted_forward(given.layer, given.X, given.XO, &count);

    output = sum_of(given.XO) + (double)(count.multiply_adds + count.bytes);
    return status;
}

static int counted_stream(void)
{
    attn_counted count = {0, 0};
    const int status =
        attn_counted_stream(given.Q, given.K, given.V, 1, given.O, &count);

    output = sum_of(given.O) + (double)(count.multiply_adds + count.bytes);
    return status;
}

static int stream(void)
{
    const attn_stream how = attn_stream_default(2);
    const int status = attn_stream_attend(given.Q, given.K, given.V, 1,
                                          &attn_mask_none, &how, given.O, NULL);

    output = sum_of(given.O);
    return status;
}

static int stream_float(void)
{
    const attn_stream how = attn_stream_default(2);
    const int status =
        attn_stream_attend_float(given.Qf, given.Kf, given.Vf, 1,
                                 &attn_mask_causal, &how, given.Of, NULL);

    output = (double)gsl_matrix_float_get(given.Of, N_Q - 1, 1);
    return status;
}

static int stream_backward(void)
{
    const attn_stream how = attn_stream_default(2);
    const int status = attn_stream_backward(
        given.Q, given.K, given.V, 1, &attn_mask_none, &how, given.O, given.lse,
        given.dO, given.dQ, given.dK, given.dV);

    output = sum_of(given.dQ) + sum_of(given.dK) + sum_of(given.dV);
    return status;
}

/* ---- trials ---- */

static int count_block(size_t first, size_t count, attn_rng *g, void *partial,
                       void *scratch, const void *setup)
{
    (void)first, (void)scratch, (void)setup;
    for (size_t i = 0; i < count; i++)
        *(double *)partial += attn_rng_uniform(g);
    return GSL_SUCCESS;
}

static void count_merge(void *total, const void *partial)
{
    *(double *)total += *(const double *)partial;
}

static const attn_blocks job = {.trials = 40,
                                .per_block = 7,
                                .seed = 3,
                                .experiment = 1,
                                .threads = 2,
                                .partial_size = sizeof(double),
                                .scratch_size = 64};

static int blocks(void)
{
    output = 0;
    return attn_blocks_run(&job, count_block, count_merge, &output, NULL);
}

static int fresh(void)
{
    const attn_fresh head = {.n = 3, .d_k = 4, .scale = 0.5};
    attn_fresh_sample sample;
    const int status = attn_fresh_measure(job, &head, &sample);

    output = status ? 0 : sample.largest_entry;
    return status;
}

static int pairs(void)
{
    const attn_pairs pair = {ATTN_SAMPLE_NORMAL, 4, 1, 0};
    attn_pairs_sample sample;
    const int status = attn_pairs_measure(job, &pair, &sample);

    output = status ? 0 : sample.scores.mean;
    return status;
}

static int train_alloc(void)
{
    attn_train_head *head = attn_train_alloc(TYPES, 3, 5, 6, 7);

    attn_train_free(head);
    return head ? GSL_SUCCESS : GSL_ENOMEM;
}

static int train_begin(void)
{
    const int status = attn_train_begin(given.head, given.E, given.W, given.W,
                                        given.W, given.partner, 1);

    output = sum_of(&given.head->Y);
    return status;
}

static int train_runs(void)
{
    static const size_t at[] = {0, 2};
    attn_train_point points[2] = {{0}};
    attn_train_row rows[3] = {{0}};
    attn_train_run run = {.name = "test.faults",
                          .m = TYPES,
                          .n = 3,
                          .d = 5,
                          .batch = 2,
                          .judges = 3,
                          .scale = 0.5,
                          .rate = 0.1,
                          .with_values = 1,
                          .at = at,
                          .count = 2,
                          .points = points,
                          .rows = rows};
    attn_blocks runs = job;

    runs.trials = 1;
    const int status = attn_train_runs(runs, &run);
    output = points[1].loss + rows[2].loss;
    return status;
}

/* ---- theory ---- */

static int theory_tail(void)
{
    attn_theory_value p = {0, 0};
    const int status = attn_theory_tail(ATTN_SAMPLE_NORMAL, 7, 8, &p);

    output = p.value;
    return status;
}

static int theory_max_normal(void)
{
    attn_theory_value mean = {0, 0};
    const int status = attn_theory_max_normal(5, &mean);

    output = mean.value;
    return status;
}

static int theory_power_sums(void)
{
    const unsigned powers[] = {2, 3};
    attn_theory_value value = {0, 0};
    const int status = attn_theory_power_sums(4, 1, powers, 2, &value);

    output = value.value;
    return status;
}

static int theory_jacobian(void)
{
    attn_theory_jacobian J = {.trace = {0, 0}};
    const int status = attn_theory_jacobian_at(4, 1, &J);

    output = J.trace.value;
    return status;
}

static int theory_fresh_head(void)
{
    const size_t n[] = {3, 4};
    attn_theory_jacobian J[2] = {{.trace = {0, 0}}, {.trace = {0, 0}}};
    const int status = attn_theory_fresh_head(n, 2, 4, 0.5, J);

    output = J[1].trace.value;
    return status;
}

/* ---- a reader's own files ---- */

static void demand_reason(int status, const void *made,
                          const attn_text_error *error)
{
    if (status)
        demand(!made && error->text[0] && !strchr(error->text, '\n'),
               "something is handed out, or no reason is given");
}

static int text_read(void)
{
    int before = 0;
    attn_text *text = (attn_text *)&before;
    attn_text_error error = {""};
    const int status = attn_text_read(given.path, &text, &error);

    demand_reason(status, text, &error);
    output = text ? (double)attn_text_count(text) : 0;
    attn_text_free(text);
    return status;
}

static int dictionary_read(void)
{
    attn_dictionary before, *x = &before;
    attn_text_error error = {""};
    const int status = attn_dictionary_read(given.lookup, &x, &error);

    demand_reason(status, x, &error);
    output = x ? sum_of(x->wanted) : 0;
    attn_dictionary_free(x);
    return status;
}

static int shift_read(void)
{
    attn_shift before, *x = &before;
    attn_text_error error = {""};
    const int status = attn_shift_read(given.shift, &x, &error);

    demand_reason(status, x, &error);
    output = x ? sum_of(x->T) : 0;
    attn_shift_free(x);
    return status;
}

static int moves_alloc(void)
{
    attn_moves *m = attn_moves_alloc(N_Q, D_K, D_V);

    attn_moves_free(m);
    return m ? GSL_SUCCESS : GSL_ENOMEM;
}

static int moves_read(void)
{
    attn_moves before, *m = &before;
    attn_text_error error = {""};
    const int status = attn_moves_read(given.sentence, &m, &error);

    demand_reason(status, m, &error);
    output = m ? sum_of(m->K) : 0;
    attn_moves_free(m);
    return status;
}

/* ---- results ---- */

/* One claim of each kind, twenty times: the list grows twice. */
static int claims(void)
{
    const double z[] = {0.5, -1, 2}, se[] = {0.01, 0.02, 0.03};
    attn_claims *list = attn_claims_alloc(1);
    int lacks = list == NULL;

    for (int i = 0; list && i < 20; i++) {
        lacks |= !attn_claims_exact(list, "a", 1, 1, 0, 1, "");
        lacks |= !attn_claims_floor(list, "b", 1, 2, 1, "");
        lacks |= !attn_claims_bound(list, "c", 0.5, 1e-9, 1, "");
        lacks |= !attn_claims_stat(list, "d", 1, 1, 0.1, 1, 1, 9, "");
        lacks |= !attn_claims_approx(list, "e", 1, 1, 0.01, 1, 1, 9, "");
        lacks |= !attn_claims_above(list, "f", 1, 2, 0.01, 9, "");
        lacks |= !attn_claims_info(list, "g", 1, 1, 1, "");
    }
    if (list) {
        lacks |= !attn_claims_sweep(list, "h", 3, z, se, 1, 9, "");
        demand(attn_claims_has_lost(list) == lacks,
               "a claim is lost and the list does not say so");
        output = (double)attn_claims_count(list);
    }
    attn_claims_free(list);
    return lacks ? GSL_ENOMEM : GSL_SUCCESS;
}

/* All 400 rows, or no file. */
static int dat(void)
{
    struct stat written = {.st_size = 0};
    static const attn_dat_column columns[] = {{"n", "keys"}, {"x", "a number"}};
    attn_dat *file = attn_dat_alloc();
    int status = GSL_EFAILED;

    unlink("written");
    if (file) {
        attn_dat_comment(file, "%s\n%d", "a comment of two lines", 2);
        attn_dat_block(file, "rows", columns, 2);
        for (int i = 0; i < 400; i++)
            ATTN_DAT_ROW(file, i, i / 7.0);
        status = attn_dat_write(file, "written");
    }
    attn_dat_free(file);
    demand((stat("written", &written) == 0) == (status == GSL_SUCCESS),
           "a file without success, or success without a file");
    output = (double)written.st_size;
    return status;
}

static int cli_help(void)
{
    size_t size = 3;
    attn_cli_option table[] = {{.name = "keys",
                                .type = ATTN_CLI_SIZE,
                                .value = &size,
                                .meaning = "how many keys",
                                .min = 1,
                                .max = 9},
                               {.name = NULL}};

    attn_cli_help(table, given.nowhere);
    return ferror(given.nowhere) ? GSL_EFAILED : GSL_SUCCESS;
}

/* Both figures of the stem, or a reason. */
static int plot(void)
{
    const attn_plot figures = {
        .program = "library", .stem = "figure", .folder = "drawn"};
    attn_plot_error error = {""};

    unlink("drawn/figure.svg");
    unlink("drawn/figure-more.svg");
    const int status = attn_plot_draw(&figures, &error);
    output = access("drawn/figure.svg", R_OK) == 0 &&
             access("drawn/figure-more.svg", R_OK) == 0;
    demand(status || output == 1, "a figure is missing");
    demand(!status || error.text[0], "no reason is given");
    return status;
}

static const struct {
    const char *name;
    int (*call)(void);
    int status; /* without memory; 0: it is done without */
} calls[] = {
    {"attn_matrix_calloc", matrix, GSL_ENOMEM},
    {"attn_layer_alloc", layer_alloc, GSL_ENOMEM},
    {"attn_layer_workspace_alloc", layer_workspace, GSL_ENOMEM},
    {"attn_layer_gradient_alloc", layer_gradient, GSL_ENOMEM},
    {"attn_counted_forward", counted_forward, GSL_ENOMEM},
    {"attn_counted_stream", counted_stream, GSL_ENOMEM},
    {"attn_stream_attend", stream, GSL_ENOMEM},
    {"attn_stream_attend_float", stream_float, GSL_ENOMEM},
    {"attn_stream_backward", stream_backward, GSL_ENOMEM},
    {"attn_blocks_run", blocks, GSL_ENOMEM},
    {"attn_fresh_measure", fresh, GSL_ENOMEM},
    {"attn_pairs_measure", pairs, GSL_ENOMEM},
    {"attn_train_alloc", train_alloc, GSL_ENOMEM},
    {"attn_train_begin", train_begin, GSL_ENOMEM},
    {"attn_train_runs", train_runs, GSL_ENOMEM},
    {"attn_theory_tail", theory_tail, GSL_ENOMEM},
    {"attn_theory_max_normal", theory_max_normal, GSL_ENOMEM},
    {"attn_theory_power_sums", theory_power_sums, GSL_ENOMEM},
    {"attn_theory_jacobian_at", theory_jacobian, GSL_ENOMEM},
    {"attn_theory_fresh_head", theory_fresh_head, GSL_ENOMEM},
    {"attn_text_read", text_read, GSL_ENOMEM},
    {"attn_dictionary_read", dictionary_read, GSL_ENOMEM},
    {"attn_shift_read", shift_read, GSL_ENOMEM},
    {"attn_moves_alloc", moves_alloc, GSL_ENOMEM},
    {"attn_moves_read", moves_read, GSL_ENOMEM},
    {"attn_claims_alloc", claims, GSL_ENOMEM},
    {"attn_dat_write", dat, GSL_EFAILED},
    {"attn_cli_help", cli_help, GSL_SUCCESS},
    {"attn_plot_draw", plot, GSL_EFAILED},
};

static attn_text *text_of(const char *folder, const char *name)
{
    attn_text *text;
    attn_text_error error;

    snprintf(given.path, sizeof given.path, "%s/%s", folder, name);
    if (attn_text_read(given.path, &text, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(2);
    }
    return text;
}

static void begin(const char *examples)
{
    const attn_stream how = attn_stream_default(1);
    attn_rng g;

    given.Q = filled(N_Q, D_K, 1);
    given.K = filled(N_K, D_K, 2);
    given.V = filled(N_K, D_V, 3);
    given.O = filled(N_Q, D_V, 4);
    given.dO = filled(N_Q, D_V, 5);
    given.dQ = filled(N_Q, D_K, 0);
    given.dK = filled(N_K, D_K, 0);
    given.dV = filled(N_K, D_V, 0);
    given.X = filled(N_Q, D_K, 6);
    given.XO = filled(N_Q, HEADS * D_V, 0);
    given.Qf = narrow(given.Q);
    given.Kf = narrow(given.K);
    given.Vf = narrow(given.V);
    given.Of = narrow(given.O);
    given.lse = gsl_vector_calloc(N_Q);
    attn_stream_attend(given.Q, given.K, given.V, 1, &attn_mask_none, &how,
                       given.O, given.lse);
    given.layer = attn_layer_alloc(D_K, D_K, D_V, HEADS);
    gsl_matrix_set_identity(given.layer->W_Q);
    gsl_matrix_set_identity(given.layer->W_K);
    gsl_matrix_set_identity(given.layer->W_V);
    given.E = filled(TYPES, 5, 7);
    given.W = filled(5, 5, 8);
    given.partner = gsl_permutation_alloc(TYPES);
    attn_rng_set(&g, 1, 1, 0);
    attn_partner_draw(&g, given.partner);
    given.head = attn_train_alloc(TYPES, 3, 5, 5, 5);
    given.sentence = text_of(examples, "sentence.txt");
    given.lookup = text_of(examples, "lookup.txt");
    given.shift = text_of(examples, "shift.txt");
    given.nowhere = fopen("/dev/null", "w");
    setvbuf(given.nowhere, NULL, _IONBF, 0);
}

/* One call, its k-th allocation failing; what is wrong with it, or NULL. Wanted
 * is the output with memory enough, NaN while it is not known. */
static const char *complaint(size_t c, size_t k, double wanted, size_t *count,
                             int *status)
{
    output = 0;
    broken = NULL;
    allocate_watch(k);
    *status = calls[c].call();
    *count = allocate_count();
    if (*status && (k == 0 || *status != calls[c].status))
        return "an unexpected status";
    if (!*status && !isnan(wanted) &&
        memcmp(&output, &wanted, sizeof output) != 0)
        return "another output";
    return broken ? broken : allocate_live() ? "memory is lost" : NULL;
}

int main(int argc, char *argv[])
{
    size_t passed = 0, failed = 0;

    if (argc != 2)
        return 2;
    gsl_set_error_handler_off();
    begin(argv[1]);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        size_t count, of_one, k = 0, refused = 0;
        int status;
        const char *what = complaint(c, 0, NAN, &count, &status);
        const double wanted = output;

        for (k = 1; !what && k <= count; k++) {
            what = complaint(c, k, wanted, &of_one, &status);
            refused += status != GSL_SUCCESS;
        }
        if (!what && (count == 0 || (refused == 0 && calls[c].status)))
            what = "no allocation failed";
        if (!what)
            what = complaint(c, 0, wanted, &of_one, &status);
        if (what)
            printf("not ok: %s: %s: status %d, k below %zu\n", calls[c].name,
                   what, status, k);
        else
            printf("%s: %zu allocations\n", calls[c].name, count);
        *(what ? &failed : &passed) += what || count == 0 ? 1 : count;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed != 0;
}

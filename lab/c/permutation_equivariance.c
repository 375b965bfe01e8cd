/*
 * Where is anything: the program, and its sentences with their words in any
 * order. Tokens, layer and defects are the program's own, from its streams.
 */
#include "lab.h"
#include "record.h"
#include <string.h>

#define main permutation_equivariance_main
#include "../../experiments/permutation_equivariance.c"

enum { WORDS = 5 };

/* The program's single sequences. */
static const struct {
    const char *part;
    size_t n;
    int (*check)(attn_run *, workspace *);
} sentences[] = {{"permutation_equivariance.sets", 3, sets},
                 {"permutation_equivariance.twins", 5, twins},
                 {"permutation_equivariance.all", 5, all_permutations}};
enum { TWINS = 1 };

static uint32_t order[WORDS]; /* the word at each place */

static struct {
    double defect; /* max |f(P X) - P f(X)| */
    double sets;   /* from an output of either sequence to the nearest of the
                      other, the largest */
    double apart;  /* between outputs of one sequence: of the two equal tokens,
                      else of the nearest two */
    double value;  /* max |V| */
    double rms;    /* of the outputs f(X) */
    double tokens[WORDS * D];    /* X */
    double positions[WORDS * D]; /* by place */
    double before[WORDS * OUT];  /* f(X), by word */
    double after[WORDS * OUT];   /* f(P X), by place */
} seen;

static void copy(const gsl_matrix *A, double *to)
{
    memcpy(to, A->data, A->size1 * A->size2 * sizeof *to);
}

/* Twins: the fourth token is the first once more. */
static void set_twins(workspace *w)
{
    const gsl_vector_view first = gsl_matrix_row(w->X, 0);

    gsl_matrix_set_row(w->X, 3, &first.vector);
}

static void compare_sets(const workspace *w, int are_twins)
{
    seen.sets = 0;
    seen.apart = INFINITY;
    for (size_t i = 0; i < w->n; i++) {
        seen.sets =
            attn_max(seen.sets, attn_max(to_nearest(w->O, i, w->OP, w->n),
                                         to_nearest(w->OP, i, w->O, w->n)));
        seen.apart = attn_min(seen.apart, to_nearest(w->O, i, w->O, i));
    }
    if (!are_twins)
        return;
    seen.apart = 0;
    for (size_t j = 0; j < OUT; j++)
        seen.apart = attn_max(seen.apart, fabs(gsl_matrix_get(w->O, 0, j) -
                                               gsl_matrix_get(w->O, 3, j)));
}

static struct {
    int sentence, with_positions;
} asked;

static int look(attn_run *run, workspace *w)
{
    (void)run;
    if (asked.sentence == TWINS)
        set_twins(w);
    for (size_t i = 0; i < w->n; i++)
        w->p->data[i] = order[i];
    if (gsl_permutation_valid(w->p))
        return GSL_EINVAL;
    const int status =
        defect(w, asked.with_positions ? attention_with_positions : attention,
               w->O, w->PO, w->OP, &seen.defect);
    compare_sets(w, asked.sentence == TWINS);
    seen.value = w->largest_value;
    seen.rms = root_mean_square(w->O);
    copy(w->X, seen.tokens);
    copy(w->positions, seen.positions);
    copy(w->O, seen.before);
    copy(w->OP, seen.after);
    return status;
}

static int take(attn_run *run, int (*check)(attn_run *, workspace *))
{
    return with_workspace(run, sentences[asked.sentence].n,
                          sentences[asked.sentence].part, check);
}

static int judge(attn_run *run)
{
    return take(run, sentences[asked.sentence].check);
}

/* ---- what JavaScript calls ---- */

/* Where the word at each place is written before sentence_measure. */
LAB_EXPORT uint32_t *sentence_order(void)
{
    return order;
}

/* A GSL status; GSL_EINVAL: the order is no permutation. */
LAB_EXPORT int sentence_measure(uint64_t seed, int sentence, int with_positions)
{
    attn_run run = {.seed = seed};

    gsl_set_error_handler_off();
    asked.sentence = sentence;
    asked.with_positions = with_positions;
    return take(&run, look);
}

/* Five numbers, and four matrices of five rows: see `seen`. */
LAB_EXPORT const double *sentence_seen(void)
{
    return &seen.defect;
}

/* What the program says of this sentence: its verdicts. */
LAB_EXPORT const char *sentence_lines(uint64_t seed, int sentence)
{
    static lab_record record;

    asked.sentence = sentence;
    return lab_record_take(&record, seed, judge) ? "" : record.lines;
}

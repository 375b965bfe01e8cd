/*
 * A verdict that cannot fail is a defect: for every claim that a program makes
 * there is a broken law here that turns it. One table drives it all, and a
 * claim without a row fails.
 */
#include "run.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *program;
    const char *sabotage; /* of tests/sabotage/sabotage.c; "" for none */
    const char *options;  /* that break a law by themselves, or save time */
    const char *claims;   /* all that must turn */
} mutation;

static const mutation mutations[] = {
    {"score_spread", "", "--variance 1.2",
     "spread.variance spread.scaled spread.routine spread.universal "
     "spread.layer"},
    {"score_spread", "", "--correlation 0.2", "spread.mean spread.variance"},
    {"score_spread", "", "--entries rademacher --variance 1.2",
     "spread.variance/signs"},
    {"score_spread", "signs_wrong", "", "spread.mean"},
    {"score_spread", "correlation_forgotten", "", "spread.hypotheses"},
    {"score_spread", "hypotheses_kept", "",
     "spread.hypotheses spread.hypotheses/rejects"},
    {"score_spread", "scores_doubled", "", "spread.layer"},
    {"softmax_jacobian", "jacobian_sign", "--trials 100",
     "jacobian.formula jacobian.formula/positive"},
    {"softmax_jacobian", "jacobian_diagonal", "--trials 100",
     "jacobian.formula jacobian.formula/rows jacobian.limit"},
    {"softmax_jacobian", "jacobian_asymmetric", "--trials 100",
     "jacobian.formula/symmetric"},
    {"softmax_jacobian", "one_hot_leaks",
     "--trials 100 --keys 2 --head-size 65536", "jacobian.limit"},
    {"softmax_jacobian", "exp_wrong", "--trials 100", "gap.e8"},
    {"softmax_jacobian", "softmax_soft", "--trials 100",
     "gap.e8/eight gap.e8/sixteen"},
    {"softmax_jacobian", "scale_wrong", "--trials 4000",
     "demo.trace/scaled demo.frobenius/scaled demo.norm demo.norm/trace"},
    {"softmax_jacobian", "trace_wrong", "--trials 4000",
     "demo.trace/scaled demo.trace/unscaled stein.identity/scaled "
     "stein.identity/unscaled demo.norm/trace demo.norm/uniform "
     "demo.norm/largest"},
    {"softmax_jacobian", "frobenius_wrong", "--trials 4000",
     "demo.frobenius/scaled demo.frobenius/unscaled demo.norm demo.norm/tie"},
    {"head_training", "heads_all_scaled",
     "--trials 6 --tuning 1 --followed 1 --steps 60", "train.frozen"},
    {"head_training", "steps_wrong",
     "--trials 6 --tuning 1 --followed 1 --steps 60", "train.frozen"},
    {"permutation_equivariance", "permutation_of_columns", "--trials 20",
     "equivariance.permutation equivariance.permutation/all"},
    {"permutation_equivariance", "outputs_know_places", "--trials 20",
     "equivariance.permutation equivariance.permutation/all equivariance.sets "
     "position.breaks/twins_without"},
    {"permutation_equivariance", "outputs_all_equal", "--trials 20",
     "equivariance.sets/distinct position.breaks position.breaks/twins"},
    {"permutation_equivariance", "scores_know_places", "--trials 20",
     "equivariance.permutation/scores"},
    {"permutation_equivariance", "weights_know_places", "--trials 20",
     "equivariance.permutation/weights"},
    {"permutation_equivariance", "product_wrong", "--trials 20",
     "equivariance.permutation/orthogonal equivariance.permutation/scores"},
    {"permutation_equivariance", "convolution_padded", "--trials 20",
     "equivariance.convolution equivariance.convolution/all "
     "equivariance.convolution/circulant"},
    {"permutation_equivariance", "convolution_pointwise", "--trials 20",
     "equivariance.convolution/others equivariance.convolution/all"},
    {"permutation_equivariance", "shift_overlooked", "--trials 20",
     "equivariance.convolution/others equivariance.convolution/all"},
    /* five permutations commute, but they are not the shifts */
    {"permutation_equivariance", "convolution_renamed", "--trials 20",
     "equivariance.convolution equivariance.convolution/all"},
    {"permutation_equivariance", "positions_forgotten", "--trials 20",
     "position.breaks position.breaks/twins"},
    {"permutation_equivariance", "", "--input docs/examples/shift_wrong.txt",
     "equivariance.convolution/own"},
    {"permutation_equivariance", "product_wrong",
     "--input docs/examples/shift.txt", "equivariance.convolution/own"},
    {"permutation_equivariance", "convolution_pointwise",
     "--input docs/examples/shift.txt", "equivariance.convolution/own"},
    {"born_saturated", "max_wrong", "--trials 8000", "born.law born.law/bound"},
    {"born_saturated", "softmax_tempered", "--trials 8000",
     "born.law born.law/sweep born.freezing born.freezing/map born.half_nat "
     "born.half_nat/keys temperature.sweep/decision"},
    {"born_saturated", "one_hot_gives_away", "--trials 1000 --seed 8",
     "temperature.sweep/decision"},
    {"born_saturated", "sharing_wrong", "--trials 1000",
     "born.freezing/bound born.freezing/map"},
    {"born_saturated", "softmax_first", "--trials 1000",
     "born.freezing/fluid temperature.sweep/uniform"},
    {"born_saturated", "entropy_sign", "--trials 1000", "temperature.sweep"},
    {"saturated_gradient", "jvp_sign", "", "gradient.chain"},
    {"saturated_gradient", "jvp_doubled", "",
     "gradient.chain gradient.bound gradient.bound/escape"},
    {"saturated_gradient", "one_hot_leaks", "--head-size 65536 --seed 5",
     "gradient.bound"},
    {"saturated_gradient", "softmax_soft", "",
     "gradient.chain/winner gradient.chain/winner_other "
     "gradient.cross_entropy gradient.cross_entropy/frozen"},
    {"saturated_gradient", "softmax_first", "",
     "gradient.cross_entropy/others gradient.cross_entropy/alive"},
    {"receptive_field", "words_lost", "--tokens 100", "reach.sentence"},
    {"receptive_field", "convolution_local", "--tokens 100",
     "reach.conv reach.conv/both reach.conv/at_hungry reach.effective "
     "reach.effective/equal"},
    {"receptive_field", "weights_local", "--tokens 100",
     "reach.attention reach.attention/all"},
    {"position_encoding", "positions_drift", "",
     "rotary.toeplitz rotary.toeplitz/lengths rotary.toeplitz/sinusoidal"},
    {"position_encoding", "scores_dead", "", "rotary.toeplitz/fresh"},
    {"position_encoding", "scores_dead",
     "--tokens 8 --head-size 2 --trials 100000", "rotary.toeplitz/fresh"},
    {"attention_cost", "product_twice",
     "--tokens 256 --head-size 16 --long 500",
     "cost.time cost.time/shapes cost.time/crossing"},
    {"attention_cost", "loop_over_tokens_more",
     "--tokens 256 --head-size 16 --long 500", "cost.time cost.time/tokens"},
    {"attention_cost", "loop_over_width_more",
     "--tokens 256 --head-size 16 --long 500", "cost.time/width"},
    {"attention_cost", "tile_twice", "--tokens 256 --head-size 16 --long 500",
     "cost.time/streamed"},
    {"attention_cost", "weights_copied",
     "--tokens 256 --head-size 16 --long 500", "cost.memory"},
    {"attention_cost", "stream_holds_weights",
     "--tokens 256 --head-size 16 --long 500",
     "cost.memory/streamed cost.memory/reported"},
    {"attention_cost", "stream_drifts",
     "--tokens 256 --head-size 16 --long 500",
     "cost.memory/same cost.memory/rows"},
    {"worked_example", "product_wrong", "--trials 20",
     "embed.lookup qkv.shared qkv.shared/places"},
    {"worked_example", "outputs_all_equal", "--trials 20",
     "qkv.shared/parameters"},
    {"worked_example", "softmax_soft", "--trials 20",
     "weights.distribution example.weights/cat"},
    {"worked_example", "weights_negative", "--trials 20",
     "weights.distribution/nonnegative"},
    {"worked_example", "outputs_doubled", "--trials 20",
     "output.hull example.output/animal example.output/verb"},
    {"worked_example", "scores_know_places", "--trials 20",
     "score.positionless example.scores"},
    {"worked_example", "scores_fall_with_distance", "--trials 20",
     "score.positionless score.positionless/distance"},
    {"worked_example", "scale_wrong", "--trials 20",
     "example.scores example.weights/the example.weights/cat "
     "example.weights/was example.weights/hungry example.output/animal "
     "example.output/verb"},
    {"worked_example", "softmax_soft", "--input docs/examples/sentence.txt",
     "weights.distribution"},
    {"worked_example", "weights_negative", "--input docs/examples/sentence.txt",
     "weights.distribution/nonnegative"},
    {"worked_example", "outputs_doubled", "--input docs/examples/sentence.txt",
     "output.hull"},
    {"lookup_table", "scores_halved", "--trials 2",
     "lookup.exact lookup.exact/error lookup.exact/output lookup.exact/table "
     "lookup.exact/gradient"},
    {"lookup_table", "trace_wrong", "--trials 2", "lookup.exact/gradient"},
    {"lookup_table", "frobenius_wrong", "--trials 2", "lookup.exact/gradient"},
    {"lookup_table", "softmax_soft", "--trials 2",
     "lookup.exact lookup.exact/one lookup.exact/zero"},
    {"lookup_table", "exp_slow", "--trials 2",
     "lookup.exact/one lookup.exact/one_top_first lookup.exact/zero"},
    {"lookup_table", "scores_fall_with_distance", "--trials 2",
     "lookup.exact/missing lookup.exact/twice"},
    {"lookup_table", "", "--weights docs/examples/lookup_wrong.txt",
     "lookup.exact/keys"},
    {"lookup_table", "outputs_doubled", "--weights docs/examples/lookup.txt",
     "lookup.exact/keys"},
    /* make new adds a row above */
};
enum { MUTATIONS = sizeof mutations / sizeof *mutations };

/* Runs that are shorter, and those for claims that only another run makes. A
 * program without a row runs as it is published. */
static const char *const runs[][2] = {
    {"score_spread", ""},
    {"score_spread", "--entries rademacher"},
    {"softmax_jacobian", "--trials 4000"},
    {"head_training", "--trials 16 --tuning 2 --followed 2 --steps 100"},
    {"permutation_equivariance", "--trials 20"},
    {"permutation_equivariance", "--input docs/examples/shift.txt"},
    {"born_saturated", "--trials 8000"},
    {"saturated_gradient", ""},
    {"saturated_gradient", "--head-size 65536 --seed 5"}, /* rest 0 */
    {"receptive_field", "--tokens 100"},
    {"position_encoding", ""},
    {"position_encoding", "--tokens 8 --head-size 2 --trials 100 --seed 4"},
    {"attention_cost", "--tokens 256 --head-size 16 --long 500"},
    {"worked_example", "--trials 20"},
    {"worked_example", "--input docs/examples/own_numbers.txt"},
    {"lookup_table", "--trials 2"},
    {"lookup_table", "--weights docs/examples/lookup.txt"},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* Field k of the line that starts with id, copied; 0 when there is none. */
static int field(const char *tsv, const char *id, int k, char *out, size_t size)
{
    const size_t length = strlen(id);

    for (const char *line = tsv; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, id, length) != 0 || line[length] != '\t')
            continue;
        for (; k > 0; k--)
            line = strchr(line, '\t') + 1;
        snprintf(out, size, "%.*s", (int)strcspn(line, "\t\n"), line);
        return 1;
    }
    return 0;
}

enum { KIND = 1, VERDICT = 10 };

static char *claims_of(const char *program, const char *sabotage,
                       const char *options, int *status)
{
    const char *folder = run_folder();
    char name[128];

    const run_result r =
        run("ATTN_SABOTAGE=%s %s/%s %s --quiet --out %s", sabotage,
            run_sabotaged(), program, options, folder);
    *status = r.status;
    snprintf(name, sizeof name, "%s.claims.tsv", program);
    char *tsv = run_read(folder, name);
    cr_assert_not_null(tsv, "%s %s %s: %s", program, sabotage, options, r.err);
    run("rm -r %s", folder);
    return tsv;
}

static int is_listed(const char *list, const char *id)
{
    const size_t length = strlen(id);

    for (const char *at = list; (at = strstr(at, id)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') &&
            (at[length] == '\0' || at[length] == ' '))
            return 1;
    return 0;
}

static int has_mutation(const char *program, const char *id)
{
    for (size_t m = 0; m < MUTATIONS; m++)
        if (strcmp(mutations[m].program, program) == 0 &&
            is_listed(mutations[m].claims, id))
            return 1;
    return 0;
}

Test(sabotage, every_broken_law_turns_its_verdicts, .timeout = 600)
{
    size_t ran = 0, asked = 0;

    for (size_t m = 0; m < MUTATIONS; m++) {
        const mutation *x = &mutations[m];
        char list[1024], verdict[32];
        int status;
        if (!run_is_asked(x->program))
            continue;
        asked++;
        char *tsv = claims_of(x->program, x->sabotage, x->options, &status);

        cr_expect_eq(status, 1, "%s %s %s: status %d", x->program, x->sabotage,
                     x->options, status);
        snprintf(list, sizeof list, "%s", x->claims);
        for (char *id = strtok(list, " "); id; id = strtok(NULL, " "), ran++) {
            cr_assert(field(tsv, id, VERDICT, verdict, sizeof verdict),
                      "%s makes no claim %s", x->program, id);
            cr_expect(strcmp(verdict, "CONTRADICTED") == 0 ||
                          strcmp(verdict, "INCONSISTENT") == 0,
                      "%s %s %s: %s is %s", x->program, x->sabotage, x->options,
                      id, verdict);
        }
        free(tsv);
    }
    cr_assert(asked > 0 && ran >= asked);
}

static int has_row(const char *program)
{
    for (size_t r = 0; r < RUNS; r++)
        if (strcmp(runs[r][0], program) == 0)
            return 1;
    return 0;
}

/* How many claims an unbroken run makes: all hold, each has a mutation. */
static size_t claims_hold(const char *program, const char *options)
{
    size_t ran = 0;
    int status;
    char *tsv = claims_of(program, "none", options, &status);

    cr_expect(status == 0 || status == 3, "%s %s: status %d", program, options,
              status);
    for (char *line = strchr(tsv, '\n') + 1; *line;
         line = strchr(line, '\n') + 1) {
        char id[64], kind[16], verdict[32];
        snprintf(id, sizeof id, "%.*s", (int)strcspn(line, "\t"), line);
        cr_assert(field(tsv, id, KIND, kind, sizeof kind));
        cr_assert(field(tsv, id, VERDICT, verdict, sizeof verdict));
        if (strcmp(kind, "info") == 0)
            continue;
        cr_expect(has_mutation(program, id), "%s: no mutation of %s", program,
                  id);
        cr_expect(strcmp(verdict, "CONTRADICTED") != 0 &&
                      strcmp(verdict, "INCONSISTENT") != 0,
                  "%s is %s", id, verdict);
        ran++;
    }
    free(tsv);
    return ran;
}

Test(sabotage, without_it_every_claim_holds_and_has_a_mutation, .timeout = 600)
{
    size_t ran = 0;

    for (size_t r = 0; r < RUNS; r++)
        if (run_is_asked(runs[r][0]))
            ran += claims_hold(runs[r][0], runs[r][1]);
    for (const char *const *p = run_programs(); *p; p++)
        if (!has_row(*p))
            ran += claims_hold(*p, "");
    cr_assert_geq(ran, run_program_count());
}

/* One trial is 13 layers; the 20th is one that counts parameters. */
Test(sabotage, a_layer_that_fails_ends_the_program)
{
    if (!run_is_asked("worked_example"))
        return;
    const char *folder = run_folder();
    const run_result r = run("ATTN_SABOTAGE=layer_fails_once %s/worked_example "
                             "--trials 1 --threads 1 --out %s",
                             run_sabotaged(), folder);

    cr_expect_eq(r.status, 2, "status %d", r.status);
    cr_expect_str_empty(r.out);
    cr_expect_not_null(strstr(r.err, "worked_example: "));
    run("rm -r %s", folder);
}

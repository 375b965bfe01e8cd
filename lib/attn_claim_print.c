/* Verdicts on paper: aligned for people, tab-separated for programs. */
#include "attn_claim.h"
#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(attn_claim_kind kind)
{
    static const char *const names[] = {"exact", "bound", "stat", "approx",
                                        "info"};

    return names[kind];
}

static const char *verdict_name(attn_claim_verdict verdict)
{
    static const char *const names[] = {
        "HOLDS",        "CONSISTENT",   "WEAK", "INCONCLUSIVE",
        "CONTRADICTED", "INCONSISTENT", "-"};

    return names[verdict];
}

/* A number, or "-" where there is none; what fprintf returns. */
static int cell(FILE *out, const char *before, int width, int digits, double x)
{
    return isnan(x) ? fprintf(out, "%s%*s", before, width, "-")
                    : fprintf(out, "%s%*.*g", before, width, digits, x);
}

/* The longest id, for a column that holds them all. */
static int id_width(const attn_claims *claims)
{
    size_t width = strlen("claim");

    for (size_t k = 0; k < attn_claims_count(claims); k++) {
        const size_t length = strlen(attn_claims_get(claims, k)->id);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* The columns between the claim and its verdict. */
enum { KIND, PREDICTED, MEASURED, UNCERTAINTY, RATIO, P, CAUGHT, N, COLUMNS };

static const struct {
    const char *name;
    int width, digits;
} columns[COLUMNS] = {
    {"kind", -6, 0},   {"predicted", 11, 6}, {"measured", 11, 6}, {"+-", 9, 3},
    {"z,ratio", 8, 3}, {"p", 8, 3},          {"caught", 8, 3},    {"N", 8, 0}};

/* Which columns there is room for beside a claim of so many characters. */
static void choose(const attn_screen *screen, int claim, int shown[COLUMNS])
{
    static const int dispensable[] = {CAUGHT, P, N, KIND, RATIO, UNCERTAINTY};
    int total = claim + 2 + (int)strlen("INCONCLUSIVE");

    for (size_t i = 0; i < COLUMNS; i++) {
        shown[i] = 1;
        total += 1 + abs(columns[i].width);
    }
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable &&
                       screen->columns > 0 && total > screen->columns;
         i++) {
        shown[dispensable[i]] = 0;
        total -= 1 + abs(columns[dispensable[i]].width);
    }
}

/* Green where it is good, red where it is not, yellow between. */
static const char *colour_of(attn_claim_verdict verdict)
{
    switch (verdict) {
    case ATTN_CLAIM_HOLDS:
    case ATTN_CLAIM_CONSISTENT:
        return "\033[32m";
    case ATTN_CLAIM_WEAK:
    case ATTN_CLAIM_INCONCLUSIVE:
        return "\033[33m";
    case ATTN_CLAIM_CONTRADICTED:
    case ATTN_CLAIM_INCONSISTENT:
        return "\033[1;31m";
    default:
        return "";
    }
}

static void print_claim(const attn_claim *c, const int shown[COLUMNS],
                        FILE *out)
{
    const double values[COLUMNS] = {[PREDICTED] = c->predicted,
                                    [MEASURED] = c->measured,
                                    [UNCERTAINTY] = c->uncertainty,
                                    [RATIO] = c->ratio,
                                    [P] = c->p,
                                    [CAUGHT] = c->caught};

    for (int i = 0; i < COLUMNS; i++) {
        if (!shown[i])
            continue;
        if (i == KIND)
            fprintf(out, " %*s", columns[i].width, kind_name(c->kind));
        else if (i == N)
            fprintf(out, " %*zu", columns[i].width, c->n);
        else
            cell(out, " ", columns[i].width, columns[i].digits, values[i]);
    }
}

void attn_claims_print(const attn_claims *claims, const attn_screen *screen,
                       FILE *out)
{
    const int width = id_width(claims);
    int shown[COLUMNS];

    choose(screen, width, shown);
    fprintf(out, "%-*s", width, "claim");
    for (int i = 0; i < COLUMNS; i++)
        if (shown[i])
            fprintf(out, " %*s", columns[i].width, columns[i].name);
    fputs("  verdict\n", out);
    for (size_t k = 0; k < attn_claims_count(claims); k++) {
        const attn_claim *c = attn_claims_get(claims, k);
        const char *colour = screen->in_colour ? colour_of(c->verdict) : "";

        fprintf(out, "%-*s", width, c->id);
        print_claim(c, shown, out);
        fprintf(out, "  %s%s%s\n", colour, verdict_name(c->verdict),
                *colour ? "\033[0m" : "");
    }
}

int attn_claims_tsv(const attn_claims *claims, FILE *out)
{
    int lost = fputs("id\tkind\tpredicted\tmeasured\tuncertainty\tratio\tp"
                     "\tcaught\tN\tseed\tverdict\twhy\n",
                     out) < 0;

    for (size_t k = 0; k < attn_claims_count(claims); k++) {
        const attn_claim *c = attn_claims_get(claims, k);

        lost |= fprintf(out, "%s\t%s", c->id, kind_name(c->kind)) < 0;
        lost |= cell(out, "\t", 0, 9, c->predicted) < 0;
        lost |= cell(out, "\t", 0, 9, c->measured) < 0;
        lost |= cell(out, "\t", 0, 9, c->uncertainty) < 0;
        lost |= cell(out, "\t", 0, 6, c->ratio) < 0;
        lost |= cell(out, "\t", 0, 6, c->p) < 0;
        lost |= cell(out, "\t", 0, 6, c->caught) < 0;
        lost |= fprintf(out, "\t%zu\t%" PRIu64 "\t%s\t%s\n", c->n,
                        attn_claims_seed(claims), verdict_name(c->verdict),
                        c->why) < 0;
    }
    return lost ? GSL_EFAILED : GSL_SUCCESS;
}

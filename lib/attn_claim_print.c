/* Verdicts on paper: aligned for people, tab-separated for programs. */
#include "attn_claim.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *attn_claim_kind_name(attn_claim_kind kind)
{
    static const char *const names[] = {"exact", "bound", "stat", "approx",
                                        "info"};

    return names[kind];
}

const char *attn_claim_verdict_name(attn_claim_verdict verdict)
{
    static const char *const names[] = {
        "HOLDS",        "CONSISTENT",   "WEAK", "INCONCLUSIVE",
        "CONTRADICTED", "INCONSISTENT", "-"};

    return names[verdict];
}

/* A number, or "-" where there is none. */
static void cell(FILE *out, const char *before, int width, int digits, double x)
{
    if (isnan(x))
        fprintf(out, "%s%*s", before, width, "-");
    else
        fprintf(out, "%s%*.*g", before, width, digits, x);
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

void attn_claims_print(const attn_claims *claims, FILE *out)
{
    const int width = id_width(claims);

    fprintf(out, "%-*s %-6s %11s %11s %9s %8s %8s %8s %8s  %s\n", width,
            "claim", "kind", "predicted", "measured", "+-", "z,ratio", "p",
            "caught", "N", "verdict");
    for (size_t k = 0; k < attn_claims_count(claims); k++) {
        const attn_claim *c = attn_claims_get(claims, k);

        fprintf(out, "%-*s %-6s", width, c->id, attn_claim_kind_name(c->kind));
        cell(out, " ", 11, 6, c->predicted);
        cell(out, " ", 11, 6, c->measured);
        cell(out, " ", 9, 3, c->uncertainty);
        cell(out, " ", 8, 3, c->ratio);
        cell(out, " ", 8, 3, c->p);
        cell(out, " ", 8, 3, c->detectable);
        fprintf(out, " %8zu  %s\n", c->n, attn_claim_verdict_name(c->verdict));
    }
}

void attn_claims_tsv(const attn_claims *claims, FILE *out)
{
    fputs("id\tkind\tpredicted\tmeasured\tuncertainty\tratio\tp\tcaught\tN"
          "\tseed\tverdict\twhy\n",
          out);
    for (size_t k = 0; k < attn_claims_count(claims); k++) {
        const attn_claim *c = attn_claims_get(claims, k);

        fprintf(out, "%s\t%s", c->id, attn_claim_kind_name(c->kind));
        cell(out, "\t", 0, 9, c->predicted);
        cell(out, "\t", 0, 9, c->measured);
        cell(out, "\t", 0, 9, c->uncertainty);
        cell(out, "\t", 0, 6, c->ratio);
        cell(out, "\t", 0, 6, c->p);
        cell(out, "\t", 0, 6, c->detectable);
        fprintf(out, "\t%zu\t%" PRIu64 "\t%s\t%s\n", c->n,
                attn_claims_seed(claims), attn_claim_verdict_name(c->verdict),
                c->why);
    }
}

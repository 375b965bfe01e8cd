/* The ledger is in the product: every claim has a program that makes it, a
 * derivation, and a row in the README. */
#include "run.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does text hold before, id, after in a row? */
static int holds(const char *text, const char *before, const char *id,
                 const char *after)
{
    char wanted[256];

    snprintf(wanted, sizeof wanted, "%s%s%s", before, id, after);
    return strstr(text, wanted) != NULL;
}

Test(ledger, every_claim_has_a_program_a_derivation_and_a_row)
{
    char *ledger = run_read("docs", "ledger.tsv");
    char *derivations = run_read("docs", "derivations.md");
    char *readme = run_read(".", "README.md");
    size_t ran = 0;

    cr_assert(ledger && derivations && readme);
    for (char *line = strchr(ledger, '\n') + 1; *line; ran++) {
        char *end = strchr(line, '\n'), *field[5] = {line}, name[128];
        *end = '\0';
        for (size_t k = 1; k < 5; k++) {
            field[k] = strchr(field[k - 1], '\t');
            cr_assert_not_null(field[k], "five fields: %s", line);
            *field[k]++ = '\0';
        }
        const char *id = field[0];
        snprintf(name, sizeof name, "%s.claims.tsv", field[2]);
        char *claims = run_read("results", name);
        cr_expect(claims && (holds(claims, "\n", id, "\t") ||
                             holds(claims, "\n", id, "/")),
                  "results/%s does not have %s", name, id);
        cr_expect(holds(derivations, "\n### ", id, "\n"),
                  "docs/derivations.md does not have %s", id);
        cr_expect(holds(readme, "`", id, "`"), "README.md does not have %s",
                  id);
        free(claims);
        line = end + 1;
    }
    cr_assert_geq(ran, 44, "%zu claims", ran);
    free(readme);
    free(derivations);
    free(ledger);
}

/* A run, and its texts. */
#include "record.h"
#include <gsl/gsl_errno.h>
#include <stdlib.h>

/* The place of a text that is made anew. */
static FILE *stream_to(char **text)
{
    static size_t size;

    free(*text);
    *text = NULL;
    return open_memstream(text, &size);
}

static int print(const attn_run *run, lab_record *record)
{
    const attn_screen screen = {0};
    FILE *out = stream_to(&record->rows);

    if (!out)
        return GSL_ENOMEM;
    attn_dat_print_rows(run->dat, out);
    fclose(out);
    out = stream_to(&record->lines);
    if (!out)
        return GSL_ENOMEM;
    attn_claims_print(run->claims, &screen, out);
    fclose(out);
    return GSL_SUCCESS;
}

int lab_record_take(lab_record *record, uint64_t seed,
                    int (*part)(attn_run *run))
{
    attn_run run = {.seed = seed,
                    .threads = 1,
                    .dat = attn_dat_alloc(),
                    .claims = attn_claims_alloc(seed),
                    .narrative = stream_to(&record->narrative)};
    int status =
        run.dat && run.claims && run.narrative ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status)
        status = part(&run);
    if (run.narrative)
        fclose(run.narrative);
    if (!status)
        status = print(&run, record);
    attn_claims_free(run.claims);
    attn_dat_free(run.dat);
    return status;
}

/* Scores by position: the whole program, its file and its verdicts. */
#include "lab.h"
#include "record.h"

#define main position_encoding_main
#include "../../experiments/position_encoding.c"

static lab_record record;

/* n tokens, head size d, even; a GSL status. */
LAB_EXPORT int positions_measure(uint64_t seed, int n, int d)
{
    attn_cli_error error;

    gsl_set_error_handler_off();
    tokens = (size_t)n;
    head_size = (size_t)d;
    return conflict(&error) ? GSL_EINVAL
                            : lab_record_take(&record, seed, experiment);
}

LAB_EXPORT const char *positions_rows(void)
{
    return record.rows;
}

LAB_EXPORT const char *positions_lines(void)
{
    return record.lines;
}

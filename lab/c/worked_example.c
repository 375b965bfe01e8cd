/* By hand: the program, and its moves on numbers that a page holds. */
#include "lab.h"
#include "record.h"

#define main worked_example_main
#include "../../experiments/worked_example.c"

static lab_record record;
static attn_text_error refusal;

/* The moves on the numbers of a file, as --input has them; a GSL status. */
LAB_EXPORT int moves_read(const char *path)
{
    gsl_set_error_handler_off();
    attn_moves_free(own_numbers);
    attn_text_free(text);
    own_numbers = NULL;
    text = NULL;
    refusal.text[0] = '\0';
    int status = attn_text_read(path, &text, &refusal);
    if (!status)
        status = attn_moves_read(text, &own_numbers, &refusal);
    return status ? status : lab_record_take(&record, 1, explain);
}

/* What was wrong with the file; "" when nothing was. */
LAB_EXPORT const char *moves_error(void)
{
    return refusal.text;
}

/* After moves_read: the moves as the program prints them, and its verdicts. */
LAB_EXPORT const char *moves_text(void)
{
    return record.narrative;
}

LAB_EXPORT const char *moves_lines(void)
{
    return record.lines;
}

/* n weights, d_v numbers of the output, to the last bit. */
LAB_EXPORT const double *moves_weights(void)
{
    return own_numbers->weights->data;
}

LAB_EXPORT const double *moves_output(void)
{
    return own_numbers->output->data;
}

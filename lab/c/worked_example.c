/* By hand: the program, and its moves on numbers that a page holds. */
#include "lab.h"
#include <stdlib.h>

#define main worked_example_main
#include "../../experiments/worked_example.c"

static struct {
    char *moves, *lines;
    attn_text_error error;
} told;

/* A stream whose text stands in *text, instead of what stood there before. */
static FILE *stream_to(char **text)
{
    static size_t size;

    free(*text);
    *text = NULL;
    return open_memstream(text, &size);
}

/* The program's explain(), what it prints kept in told. */
static int explain_own(void)
{
    const attn_screen screen = {0};
    attn_run run = {.threads = 1,
                    .dat = attn_dat_alloc(),
                    .claims = attn_claims_alloc(1),
                    .narrative = stream_to(&told.moves)};
    FILE *lines = stream_to(&told.lines);
    int status = run.dat && run.claims && run.narrative && lines ? GSL_SUCCESS
                                                                 : GSL_ENOMEM;

    if (!status)
        status = explain(&run);
    if (!status)
        attn_claims_print(run.claims, &screen, lines);
    if (run.narrative)
        fclose(run.narrative);
    if (lines)
        fclose(lines);
    attn_claims_free(run.claims);
    attn_dat_free(run.dat);
    return status;
}

/* The moves on the numbers of a file, as --input has them; a GSL status. */
LAB_EXPORT int moves_read(const char *path)
{
    gsl_set_error_handler_off();
    attn_moves_free(own_numbers);
    attn_text_free(text);
    own_numbers = NULL;
    text = NULL;
    told.error.text[0] = '\0';
    int status = attn_text_read(path, &text, &told.error);
    if (!status)
        status = attn_moves_read(text, &own_numbers, &told.error);
    return status ? status : explain_own();
}

/* What was wrong with the file; "" when nothing was. */
LAB_EXPORT const char *moves_error(void)
{
    return told.error.text;
}

/* After moves_read: the moves as the program prints them, and its verdicts. */
LAB_EXPORT const char *moves_text(void)
{
    return told.moves;
}

LAB_EXPORT const char *moves_lines(void)
{
    return told.lines;
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

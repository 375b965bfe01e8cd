/*
 * For tests of what is read from a file: words in a file of the test's own,
 * which goes with the test. Suites have .init = text_init, .fini = text_fini.
 */
#ifndef TEXT_OF_H
#define TEXT_OF_H

#include "attn_text.h"
#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <unistd.h>

static attn_text_error error;
static char path[64]; /* which begins what error says */

static inline void text_init(void)
{
    gsl_set_error_handler_off();
    snprintf(path, sizeof path, "/tmp/attn_text.%ld", (long)getpid());
}

static inline void text_fini(void)
{
    unlink(path);
}

/* The content as it is read, to be freed. */
static inline attn_text *text_of(const char *content)
{
    FILE *out = fopen(path, "w");
    attn_text *text;

    cr_assert(out && fputs(content, out) >= 0 && fclose(out) == 0);
    cr_assert_eq(attn_text_read(path, &text, &error), GSL_SUCCESS, "%s",
                 error.text);
    return text;
}

#endif

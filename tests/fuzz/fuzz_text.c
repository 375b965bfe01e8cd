/*
 * The reader of matrix files and the three formats that are read through it.
 * What is read keeps the header's limits, and what is said of it has no nan
 * and no inf; what is refused is said in one line.
 */
#include "attn_dictionary.h"
#include "attn_moves.h"
#include "attn_shift.h"
#include "attn_softmax.h"
#include "attn_text.h"
#include "fuzz.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* A path to a file that holds the bytes; there is one such file. */
static const char *path_of(const uint8_t *data, size_t size)
{
    static char path[64];
    static FILE *file;

    if (!file) {
        file = tmpfile();
        HOLDS(file);
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    }
    rewind(file);
    HOLDS(ftruncate(fileno(file), 0) == 0);
    HOLDS(fwrite(data, 1, size, file) == size && fflush(file) == 0);
    rewind(file);
    return path;
}

static void check_error(const attn_text_error *error)
{
    HOLDS(memchr(error->text, '\0', sizeof error->text));
    HOLDS(strncmp(error->text, "/dev/fd/", 8) == 0);
    for (const char *c = error->text; *c; c++)
        HOLDS((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_word(const char *word)
{
    HOLDS(strlen(word) <= ATTN_TEXT_WORD);
    HOLDS(!strpbrk(word, " \t\r\n\"'=#"));
}

static void check_entry(const attn_text_entry *e, size_t line_before)
{
    HOLDS(e->line >= line_before);
    HOLDS(*e->kind);
    check_word(e->kind);
    check_word(e->label);
    HOLDS(e->M->size1 >= 1 && e->M->size1 <= ATTN_TEXT_ROWS);
    HOLDS(e->M->size2 >= 1 && e->M->size2 <= ATTN_TEXT_COLUMNS);
    for (size_t i = 0; i < e->M->size1; i++)
        for (size_t j = 0; j < e->M->size2; j++)
            HOLDS(fabs(gsl_matrix_get(e->M, i, j)) <= ATTN_TEXT_LARGEST);
}

/* A word with the reader's own letters may well be "nan". */
static int is_named(const attn_text *text, const char *word)
{
    for (size_t k = 0; k < attn_text_count(text); k++)
        if (strstr(attn_text_get(text, k)->label, word))
            return 1;
    return 0;
}

/* What was said, which holds when its stream is closed. */
typedef struct {
    char *text;
    size_t size;
    FILE *out;
} page;

static void page_open(page *p)
{
    p->out = open_memstream(&p->text, &p->size);
    HOLDS(p->out);
}

static void page_close(page *p, const attn_text *text)
{
    HOLDS(fclose(p->out) == 0);
    HOLDS(!strstr(p->text, "nan") || is_named(text, "nan"));
    HOLDS(!strstr(p->text, "inf") || is_named(text, "inf"));
    free(p->text);
}

static void try_moves(const attn_text *text)
{
    attn_text_error error;
    attn_moves *moves;
    page p;

    if (attn_moves_read(text, &moves, &error)) {
        HOLDS(!moves);
        check_error(&error);
        return;
    }
    if (attn_moves_make(moves) == GSL_SUCCESS) {
        page_open(&p);
        attn_moves_print(moves, p.out);
        page_close(&p, text);
    }
    attn_moves_free(moves);
}

static void try_dictionary(const attn_text *text)
{
    attn_text_error error;
    attn_dictionary *dictionary;
    page p;

    if (attn_dictionary_read(text, &dictionary, &error)) {
        HOLDS(!dictionary);
        check_error(&error);
        return;
    }
    HOLDS(attn_dictionary_ask(dictionary) == GSL_SUCCESS);
    page_open(&p);
    attn_dictionary_print(dictionary, p.out);
    page_close(&p, text);
    attn_dictionary_free(dictionary);
}

static void try_shift(const attn_text *text)
{
    attn_text_error error;
    attn_shift *shift;
    page p;

    if (attn_shift_read(text, &shift, &error)) {
        HOLDS(!shift);
        check_error(&error);
        return;
    }
    page_open(&p);
    HOLDS(attn_shift_judge(shift, p.out) == GSL_SUCCESS);
    HOLDS(shift->right <= shift->statements);
    page_close(&p, text);
    attn_shift_free(shift);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = path_of(data, size);
    attn_text_error error;
    attn_text *text;
    size_t line = 1;

    gsl_set_error_handler_off();
    if (attn_text_read(path, &text, &error)) {
        HOLDS(!text);
        check_error(&error);
        return 0;
    }
    HOLDS(attn_text_count(text) >= 1);
    for (size_t k = 0; k < attn_text_count(text); k++) {
        check_entry(attn_text_get(text, k), line);
        line = attn_text_get(text, k)->line + 1;
    }
    try_moves(text);
    try_dictionary(text);
    try_shift(text);
    attn_text_free(text);
    return 0;
}

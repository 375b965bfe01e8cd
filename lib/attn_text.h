/*
 * Small text files of named rows of numbers: a reader's own queries, keys,
 * values and weight matrices.
 *
 *     # a comment, to the end of the line
 *     query hungry = 2 0 0 0
 *     W_Q =
 *       1 0 0
 *       0 1 0
 *
 * An entry begins with NAME = and holds one row of numbers on that line, or
 * rows of one length on the lines that follow, or both. A name is a kind, or a
 * kind and a label: one or two words of at most ATTN_TEXT_WORD bytes, without
 * quotes and backslashes, which gnuplot would not show. Blanks and tabs part
 * words. Blank lines count for nothing, and neither do the \r of
 * \r\n, a byte order mark in front, and whether the last line has an end.
 *
 * Numbers are read as on the command line (attn_cli.h): decimal, finite, no
 * leading zero, within +-ATTN_TEXT_LARGEST, so that no product of three of
 * them overflows. A name may come twice: what that means is the caller's to
 * say.
 */
#ifndef ATTN_TEXT_H
#define ATTN_TEXT_H

#include <gsl/gsl_matrix.h>
#include <stddef.h>

#define ATTN_TEXT_LARGEST 1e100

enum {
    ATTN_TEXT_BYTES = 1 << 20, /* of a file */
    ATTN_TEXT_ENTRIES = 1024,  /* of a file */
    ATTN_TEXT_ROWS = 1024,     /* of an entry */
    ATTN_TEXT_COLUMNS = 1024,  /* of a row */
    ATTN_TEXT_WORD = 40        /* bytes of a word of a name */
};

typedef struct {
    const char *kind;  /* "query" */
    const char *label; /* "hungry"; "" where there is none */
    size_t line;       /* where it begins, from 1 on */
    gsl_matrix *M;     /* its rows; at least 1 x 1 */
} attn_text_entry;

typedef struct attn_text attn_text;

/* What was wrong, one line: "FILE:12: what was found, what is expected". */
typedef struct {
    char text[256];
} attn_text_error;

/*
 * Read the file at path into *text, to be freed. GSL_SUCCESS, or with *text
 * NULL and error filled:
 * GSL_EFAILED  it cannot be opened or read (a folder, no such file)
 * GSL_EBADLEN  larger than the limits above
 * GSL_EINVAL   binary, empty, or not of the form above
 * GSL_ENOMEM   no memory
 */
int attn_text_read(const char *path, attn_text **text, attn_text_error *error);
void attn_text_free(attn_text *text);

/* How many entries there are; the k-th, or NULL. */
size_t attn_text_count(const attn_text *text);
const attn_text_entry *attn_text_get(const attn_text *text, size_t k);

/* The first entry of that kind from the k-th on, or NULL: its place in *at,
 * where at is not NULL. */
const attn_text_entry *attn_text_next(const attn_text *text, const char *kind,
                                      size_t k, size_t *at);

/* How many entries are of that kind. */
size_t attn_text_count_of(const attn_text *text, const char *kind);

/* The one entry of that kind; NULL with error filled where there is none or a
 * second one. */
const attn_text_entry *attn_text_only(const attn_text *text, const char *kind,
                                      attn_text_error *error);

/* The number of the one entry "scale"; *scale is left alone where there is
 * none. GSL_SUCCESS, or GSL_EINVAL with error filled. */
int attn_text_scale(const attn_text *text, double *scale,
                    attn_text_error *error);

/* Fill error with "FILE:line: " (line 0: "FILE: ") and what printf makes of
 * the rest; GSL_EINVAL. For callers that find fault with what was read. */
int attn_text_refuse(const attn_text *text, size_t line, attn_text_error *error,
                     const char *format, ...);

#endif

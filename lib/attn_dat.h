/*
 * Writing a result file whole or not at all.
 *
 * Everything is gathered in memory; attn_dat_write puts it under a temporary
 * name in the target's folder, flushes, checks and renames, with the signals
 * that end a program held back meanwhile. A full disk, a kill or a Ctrl-C
 * leaves the old file as it was.
 *
 * A .dat file is comments, then blocks. A block is a comment with its name
 * (gnuplot: index 'name'), a row of column names (using "d_k":"sd") and rows
 * of numbers; two blank lines part the blocks.
 *
 * gnuplot's index 'name' finds the first comment that begins with the name,
 * be it a longer name or a line of the head. So a block's name must not be the
 * beginning of any comment before it: 'scaled' may not follow 'scaled-twice',
 * though it may come first. The head that attn_program writes takes the words
 * experiment, claims, command and version, a block's columns the word column.
 */
#ifndef ATTN_DAT_H
#define ATTN_DAT_H

#include <stddef.h>
#include <stdio.h>

typedef struct attn_dat attn_dat;

typedef struct {
    const char *name;    /* one word */
    const char *meaning; /* what it is, with its unit */
} attn_dat_column;

/* An empty file in memory; NULL and GSL_ENOMEM when there is none. */
attn_dat *attn_dat_alloc(void);
void attn_dat_free(attn_dat *dat);

/* One comment line "# ...", printf's way; a newline in it starts another. */
void attn_dat_comment(attn_dat *dat, const char *format, ...);

/*
 * Begin the block `name`: a comment for each of the count columns, then the
 * name and the row of column names. No pointer is kept. A name that
 * is not one word, or that gnuplot could not find (above), and a block without
 * columns spoil the file.
 */
void attn_dat_block(attn_dat *dat, const char *name,
                    const attn_dat_column *columns, size_t count);

/* A row of numbers with nine significant digits, as many as the block has
 * columns; -0 is written 0. A NaN, an infinity or a wrong count spoils the
 * file: attn_dat_write will refuse it. */
void attn_dat_row(attn_dat *dat, size_t count, const double *values);

/* The same with a word at its end, in a column of its own: printable bytes or
 * UTF-8, no blank, '#', quote or backslash, or the file is spoiled. */
void attn_dat_row_word(attn_dat *dat, size_t count, const double *values,
                       const char *word);

/* A row whose numbers are the arguments: ATTN_DAT_ROW(dat, n, mean, se). */
#define ATTN_DAT_ROW(dat, ...)                                                 \
    attn_dat_row((dat),                                                        \
                 sizeof((const double[]){__VA_ARGS__}) / sizeof(double),       \
                 (const double[]){__VA_ARGS__})

/* Print what is no comment: names and numbers, as they stand in the file. */
void attn_dat_print_rows(attn_dat *dat, FILE *out);

/* The stream behind the file, for text that is no row. */
FILE *attn_dat_stream(attn_dat *dat);

/*
 * Write the file to path. GSL_SUCCESS; GSL_EFAILED, with errno set and the old
 * file untouched, when it cannot be written; GSL_EINVAL when it was spoiled.
 * A path that is a link or a device is replaced, not written through.
 */
int attn_dat_write(attn_dat *dat, const char *path);

#endif

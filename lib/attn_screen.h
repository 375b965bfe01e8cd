/*
 * What a stream lands on: a terminal of some width that may show colours, or a
 * file.
 */
#ifndef ATTN_SCREEN_H
#define ATTN_SCREEN_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    int columns; /* of the window; 0: no terminal, lines as long as they are */
    int in_colour; /* never the only sign of anything */
} attn_screen;

/*
 * The screen behind out. COLUMNS, where it is a number, goes before what the
 * terminal says of its window; a window of unknown width has 80 columns.
 * Colours need a terminal, a TERM other than "dumb" and no NO_COLOR
 * (https://no-color.org). Programs of make MPI=1 never have a screen: mpirun's
 * own terminal says nothing of where their output goes.
 */
attn_screen attn_screen_of(FILE *out);

/* The columns that `bytes` bytes of UTF-8 take: one a character, so accents
 * that are characters of their own and wide letters count as one too. */
size_t attn_screen_width(const char *text, size_t bytes);

#endif

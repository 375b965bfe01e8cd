/*
 * A progress bar for work that takes longer than about a second, with the time
 * that is left. Whether the stream is a terminal is the caller's business.
 */
#ifndef ATTN_BAR_H
#define ATTN_BAR_H

#include <stdio.h>

typedef struct {
    FILE *out;
    int cells;    /* its length; a narrow window makes it shorter */
    double begun; /* when the bar was made, in seconds of some clock */
    double stage; /* when the share was last at its start */
    double share; /* of the last call */
    double drawn; /* when it was last drawn */
    int is_drawn; /* something stands on the line */
} attn_bar;

/* A bar that begins now; nothing is drawn yet. */
attn_bar attn_bar_start(FILE *out);

/*
 * An attn_blocks_progress whose context is the bar. Draws nothing in the first
 * second, and at most ten times a second. A share that falls begins a new
 * stage of the work.
 */
void attn_bar_show(double share, void *bar);

/* Take the bar off the line, if it stands there. */
void attn_bar_clear(attn_bar *bar);

#endif

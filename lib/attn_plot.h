/*
 * Drawing a program's figures with gnuplot, from the file just written.
 */
#ifndef ATTN_PLOT_H
#define ATTN_PLOT_H

#include "attn_screen.h"
#include <stdio.h>

typedef struct {
    const char *program; /* argv[0]: where it is, the plots are beside */
    const char *stem;    /* draws plots/<stem>.gp and plots/<stem>-*.gp */
    const char *folder;  /* holds <stem>.dat, receives the SVGs */
    FILE *report;        /* "wrote ...", a line per figure; NULL: none */
    attn_screen screen;  /* of standard output: a terminal gets the figure too,
                            in characters */
} attn_plot;

/* What was wrong: "what, where, what to do". */
typedef struct {
    char text[1024];
} attn_plot_error;

/*
 * Draw every figure of the stem. The scripts are in ../plots or
 * ../share/attn/plots, seen from the executable's folder, or in ./plots.
 * GSL_SUCCESS, or GSL_EFAILED with error filled and the old figure untouched.
 */
int attn_plot_draw(const attn_plot *plot, attn_plot_error *error);

#endif

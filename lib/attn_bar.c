/* A progress bar on one line of a terminal. */
#include "attn_bar.h"
#include "attn_screen.h"
#include <time.h>

enum { CELLS = 40, WORDS = 24 /* columns of what stands behind them */ };
static const double patience = 1.0; /* seconds before the bar appears */
static const double interval = 0.1; /* seconds between two drawings */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

attn_bar attn_bar_start(FILE *out)
{
    const double t = now();
    const int room = attn_screen_of(out).columns - WORDS;

    return (attn_bar){.out = out,
                      .cells = room > 0 && room < CELLS ? room : CELLS,
                      .begun = t,
                      .stage = t,
                      .drawn = t};
}

static void put_time(double seconds, FILE *out)
{
    if (seconds < 100) {
        fprintf(out, "%.0f s", seconds);
    } else if (seconds < 6000) {
        fprintf(out, "%.0f min", seconds / 60);
    } else {
        fprintf(out, "%.1f h", seconds / 3600);
    }
}

static void draw(const attn_bar *bar, double elapsed)
{
    const int full = (int)(bar->share * bar->cells);

    fputs("\r[", bar->out);
    for (int i = 0; i < bar->cells; i++) {
        fputc(i < full ? '#' : '.', bar->out);
    }
    fprintf(bar->out, "] %3.0f %%, ", 100 * bar->share);
    put_time(elapsed * (1 - bar->share) / bar->share, bar->out);
    fputs(" left\033[K", bar->out);
    fflush(bar->out);
}

void attn_bar_show(double share, void *context)
{
    attn_bar *bar = context;
    const double t = now();

    if (share < bar->share) {
        bar->stage = t;
    }
    bar->share = share < 1 ? share : 1;
    if (!(share > 0) || t - bar->begun < patience ||
        (bar->is_drawn && t - bar->drawn < interval)) {
        return;
    }
    draw(bar, t - bar->stage);
    bar->drawn = t;
    bar->is_drawn = 1;
}

void attn_bar_clear(attn_bar *bar)
{
    if (bar->is_drawn) {
        fputs("\r\033[K", bar->out);
        fflush(bar->out);
        bar->is_drawn = 0;
    }
}

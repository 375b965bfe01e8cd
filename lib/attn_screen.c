/* The terminal behind a stream. */
#include "attn_screen.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

static int columns_of(int terminal)
{
    const char *columns = getenv("COLUMNS");
    const long asked = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize window = {0};

    if (asked > 0 && asked <= 10000)
        return (int)asked;
    ioctl(terminal, TIOCGWINSZ, &window);
    return window.ws_col ? window.ws_col : 80;
}

/* mpirun reads the ranks' output through a pseudo-terminal. */
#ifdef ATTN_MPI
enum { IS_FOR_MPIRUN = 1 };
#else
enum { IS_FOR_MPIRUN = 0 };
#endif

attn_screen attn_screen_of(FILE *out)
{
    const int fd = fileno(out);
    const char *term = getenv("TERM");

    if (IS_FOR_MPIRUN || !isatty(fd))
        return (attn_screen){0};
    return (attn_screen){.columns = columns_of(fd),
                         .in_colour = !is_set("NO_COLOR") && term &&
                                      strcmp(term, "dumb") != 0};
}

size_t attn_screen_width(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

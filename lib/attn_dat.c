/* A result file, gathered in memory, then put in place by one rename. */
#include "attn_dat.h"
#include "attn_signals.h"
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WIDTH = 15,       /* of a column: -1.23456789e-05 */
    TEMPORARIES = 100 /* names tried, where a killed run left its own */
};

struct attn_dat {
    FILE *stream; /* open_memstream: text and size hold after fflush */
    char *text;
    size_t size;
    size_t columns; /* of the present block; 0: none begun */
    int has_lost;   /* something, for want of memory */
    int spoiled;    /* what was written does not make a result file */
};

attn_dat *attn_dat_alloc(void)
{
    attn_dat *dat = calloc(1, sizeof *dat);

    if (dat != NULL) {
        dat->stream = open_memstream(&dat->text, &dat->size);
    }
    if (dat == NULL || dat->stream == NULL) {
        free(dat);
        GSL_ERROR_NULL("no memory for a result file", GSL_ENOMEM);
    }
    return dat;
}

void attn_dat_free(attn_dat *dat)
{
    if (dat == NULL) {
        return;
    }
    fclose(dat->stream);
    free(dat->text);
    free(dat);
}

FILE *attn_dat_stream(attn_dat *dat)
{
    return dat->stream;
}

/* printf's way, and what is lost is known: a stream in memory that cannot grow
 * drops what it was given, and says so to the caller alone (glibc). */
static void put(attn_dat *dat, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    dat->has_lost |= vfprintf(dat->stream, format, arguments) < 0;
    va_end(arguments);
}

static void put_comment_lines(attn_dat *dat, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "\n");

        put(dat, length > 0 ? "# %.*s\n" : "#%.*s\n", (int)length, text);
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

void attn_dat_comment(attn_dat *dat, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        text = malloc((size_t)length + 1);
    }
    if (text == NULL) {
        dat->has_lost = 1;
        return;
    }

    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    put_comment_lines(dat, text);
    free(text);
}

/* gnuplot takes the first comment that begins with a name for that name. */
static int is_taken(attn_dat *dat, const char *name)
{
    const char *line;

    if (fflush(dat->stream) != 0) {
        return 1;
    }
    for (line = dat->text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line == '#' &&
            strncmp(line + strspn(line, "# \t"), name, strlen(name)) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Printable, of bytes up to last, and nothing that gnuplot would take for
 * something else. */
static int is_printable(const char *name, unsigned char last)
{
    const char *c = name;

    while ((unsigned char)*c > ' ' && *c != 0x7f && (unsigned char)*c <= last &&
           strchr("#\"'\\", *c) == NULL) {
        c++;
    }
    return c != name && *c == '\0';
}

static int is_word(const char *name)
{
    return is_printable(name, '~');
}

void attn_dat_block(attn_dat *dat, const char *name,
                    const attn_dat_column *columns, size_t count)
{
    dat->spoiled |= !is_word(name) || is_taken(dat, name) || count == 0;
    if (dat->columns > 0) {
        put(dat, "\n\n");
    }
    dat->columns = count;

    for (size_t i = 0; i < count; i++) {
        dat->spoiled |= !is_word(columns[i].name);
        attn_dat_comment(dat, "column %-*s %s", WIDTH, columns[i].name,
                         columns[i].meaning);
    }
    attn_dat_comment(dat, "%s", name);
    for (size_t i = 0; i < count; i++) {
        put(dat, "%*s%c", WIDTH, columns[i].name, i + 1 < count ? ' ' : '\n');
    }
}

static void put_numbers(attn_dat *dat, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        dat->spoiled |= !isfinite(values[i]);
        /* + 0.0: a zero has no sign in a file. */
        put(dat, i > 0 ? " %*.9g" : "%*.9g", WIDTH, values[i] + 0.0);
    }
}

void attn_dat_print_rows(attn_dat *dat, FILE *out)
{
    const char *line = fflush(dat->stream) == 0 ? dat->text : "";

    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");

        if (*line != '#') {
            fprintf(out, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
}

void attn_dat_row(attn_dat *dat, size_t count, const double *values)
{
    dat->spoiled |= count == 0 || count != dat->columns;
    put_numbers(dat, count, values);
    put(dat, "\n");
}

void attn_dat_row_word(attn_dat *dat, size_t count, const double *values,
                       const char *word)
{
    dat->spoiled |=
        count == 0 || count + 1 != dat->columns || !is_printable(word, 0xff);
    put_numbers(dat, count, values);
    put(dat, " %*s\n", WIDTH, word);
}

/* A new file beside path; its descriptor, or -1 with errno. */
static int open_temporary(const char *path, char *name, size_t size)
{
    int fd = -1;

    for (int k = 0; k < TEMPORARIES; k++) {
        snprintf(name, size, k == 0 ? "%s.tmp.%ld" : "%s.tmp.%ld.%d", path,
                 (long)getpid(), k);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    return fd;
}

/* All of text onto the disk; 0 or errno. Closes fd in any case. */
static int fill(int fd, const char *text, size_t size)
{
    int error = 0;

    while (size > 0 && error == 0) {
        const ssize_t written = write(fd, text, size);

        if (written >= 0) {
            text += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    /* EINVAL: a file system that cannot fsync. */
    if (error == 0 && fsync(fd) != 0 && errno != EINVAL) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

/* path holds text, or what it held before; 0 or errno. */
static int replace(const char *path, const char *text, size_t size)
{
    const size_t longest = strlen(path) + 64;
    char *temporary = malloc(longest);
    int fd, error;

    if (temporary == NULL) {
        return ENOMEM;
    }
    fd = open_temporary(path, temporary, longest);
    if (fd < 0) {
        error = errno;
    } else {
        error = fill(fd, text, size);
        if (error == 0 && rename(temporary, path) != 0) {
            error = errno;
        }
        if (error != 0) {
            unlink(temporary);
        }
    }
    free(temporary);
    return error;
}

int attn_dat_write(attn_dat *dat, const char *path)
{
    int error;

    if (fflush(dat->stream) != 0 || ferror(dat->stream) || dat->has_lost) {
        errno = ENOMEM;
        GSL_ERROR("no memory for a result file", GSL_EFAILED);
    }
    if (dat->spoiled) {
        GSL_ERROR("a row or a block does not make a result file", GSL_EINVAL);
    }

    attn_signals_hold();
    error = replace(path, dat->text, dat->size);
    attn_signals_release();
    if (error != 0) {
        errno = error;
        GSL_ERROR("a result file cannot be written", GSL_EFAILED);
    }
    return GSL_SUCCESS;
}

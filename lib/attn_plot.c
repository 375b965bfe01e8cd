/* Running gnuplot: one SVG per script, put in place when it is whole. */
#include "attn_plot.h"
#include "attn_signals.h"
#include <errno.h>
#include <glob.h>
#include <gsl/gsl_errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_SIZE = 4096 };
typedef struct {
    char at[PATH_SIZE];
} path;

/* What does not fit becomes a path that does not exist. */
static path path_of(const char *format, ...)
{
    path p;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(p.at, sizeof p.at, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_SIZE) {
        p.at[0] = '\0';
    }
    return p;
}

static int fail(attn_plot_error *error, const char *what, const char *where,
                const char *remedy)
{
    snprintf(error->text, sizeof error->text, "%s, %.500s, %s", what, where,
             remedy);
    return GSL_EFAILED;
}

static int exists(path p)
{
    return access(p.at, R_OK) == 0;
}

/* Where the executable is: Linux knows, elsewhere argv[0] may. */
static path executable(const char *program)
{
    path p = {0};
    const ssize_t length = readlink("/proc/self/exe", p.at, sizeof p.at - 1);

    return length > 0 ? p : path_of("%s", program);
}

/* Where the sources are, where `make install` puts them, or here. */
static path plots_folder(const char *program)
{
    static const char *const beside[] = {"../plots", "../share/attn/plots"};
    path exe = executable(program);
    char *name = strrchr(exe.at, '/');

    for (size_t i = 0; name != NULL && i < 2; i++) {
        path folder;

        *name = '\0';
        folder = path_of("%s/%s", exe.at, beside[i]);
        if (exists(path_of("%s/style.gp", folder.at))) {
            return folder;
        }
    }
    return path_of("plots");
}

/* gnuplot's exit status; -1 with errno when it could not be started. A screen
 * gets the figure in characters, and then out is "-". */
static int run_gnuplot(const char *style, const char *script, const char *dat,
                       const char *out, const attn_screen *screen)
{
    const path columns = path_of("%d", screen ? screen->columns : 0);
    const char *const colour = screen && screen->in_colour ? "colour" : "plain";
    const char *const words[] = {
        "gnuplot", "-d", "-c", style,
        script,    dat,  out,  screen ? columns.at : NULL,
        colour,    NULL};
    pid_t child;
    int status, error;

    /* The child does not change its words; the prototype is an old one. */
    error = posix_spawnp(&child, words[0], NULL, NULL, (char **)words, environ);
    if (error != 0) {
        errno = error;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        errno = ENOENT; /* how some systems report a failed start */
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int fail_gnuplot(attn_plot_error *error, int status, const char *script)
{
    if (status < 0) {
        return fail(error,
                    errno == ENOENT ? "gnuplot is not installed"
                                    : "gnuplot cannot be started",
                    script,
                    "install gnuplot (make setup) and draw again; the data "
                    "are kept");
    }
    return fail(error, "gnuplot failed", script,
                "see its message: one trial has no spread to draw, and a "
                "gnuplot older than 5.4 may not know a command; the data are "
                "kept");
}

/* Draw under a temporary name, then put in place. */
static int draw_svg(const char *style, const char *script, const char *dat,
                    const char *svg, attn_plot_error *error)
{
    const path temporary = path_of("%s.tmp.%ld.svg", svg, (long)getpid());
    struct stat made;
    int status, is_drawn, is_placed, cause;

    attn_signals_hold();
    status = run_gnuplot(style, script, dat, temporary.at, NULL);
    cause = errno;
    is_drawn =
        status == 0 && stat(temporary.at, &made) == 0 && made.st_size > 0;
    is_placed = is_drawn && rename(temporary.at, svg) == 0;
    if (!is_placed) {
        cause = is_drawn ? errno : cause;
        unlink(temporary.at);
    }
    attn_signals_release();
    errno = cause;
    return is_placed  ? GSL_SUCCESS
           : is_drawn ? fail(error, strerror(errno), svg,
                             "the figure is not replaced; the data are kept")
                      : fail_gnuplot(error, status, script);
}

static int draw(const attn_plot *plot, const char *script,
                attn_plot_error *error)
{
    const path style =
        path_of("%.*s/style.gp", (int)(strrchr(script, '/') - script), script);
    const path dat = path_of("%s/%s.dat", plot->folder, plot->stem);
    const char *name = strrchr(script, '/') + 1;
    const int length = (int)(strlen(name) - strlen(".gp"));
    const path svg = path_of("%s/%.*s.svg", plot->folder, length, name);
    int status = draw_svg(style.at, script, dat.at, svg.at, error);

    if (status != GSL_SUCCESS) {
        return status;
    }
    if (plot->report != NULL) {
        fprintf(plot->report, "wrote %s\n", svg.at);
        fflush(plot->report);
    }
    if (plot->screen.columns > 0) {
        status = run_gnuplot(style.at, script, dat.at, "-", &plot->screen);
        return status == 0 ? GSL_SUCCESS : fail_gnuplot(error, status, script);
    }
    return GSL_SUCCESS;
}

/* folder/stem-*.gp, with what glob would take for a pattern made plain. */
static path further_figures(const char *folder, const char *stem)
{
    path plain;
    size_t n = 0;

    for (const char *c = folder; *c != '\0' && n + 2 < sizeof plain.at; c++) {
        if (strchr("*?[]\\", *c) != NULL) {
            plain.at[n++] = '\\';
        }
        plain.at[n++] = *c;
    }
    plain.at[n] = '\0';
    return path_of("%s/%s-*.gp", plain.at, stem);
}

int attn_plot_draw(const attn_plot *plot, attn_plot_error *error)
{
    const path folder = plots_folder(plot->program);
    const path first = path_of("%s/%s.gp", folder.at, plot->stem);
    const path pattern = further_figures(folder.at, plot->stem);
    glob_t further = {0};
    int status, found;

    if (!exists(first)) {
        return fail(error, "there is no script to draw with", first.at,
                    "run the program in the project's folder");
    }
    status = draw(plot, first.at, error);
    if (status != GSL_SUCCESS) {
        return status;
    }
    found = glob(pattern.at, GLOB_ERR, NULL, &further);
    if (found != 0 && found != GLOB_NOMATCH) {
        status = fail(error, "further scripts cannot be listed", folder.at,
                      "draw again; the data are kept");
    }
    for (size_t i = 0; i < further.gl_pathc && status == GSL_SUCCESS; i++) {
        status = draw(plot, further.gl_pathv[i], error);
    }
    globfree(&further);
    return status;
}

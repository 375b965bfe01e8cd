/* Every program as a function, called by its name with the command line that a
 * terminal would give it. One call an instance of the module: options are
 * static variables, and keep what they were given. */
#include "programs.h" /* the list of them, made by lab/module.mk */
#include "attn_plot.h"
#include "lab.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <stdio.h>
#include <string.h>

/* What GSL's own build makes last of all. */
const char *gsl_version = GSL_VERSION;

/* argv[0] is "bin/STEM"; the exit status, or -1: there is no such program. */
LAB_EXPORT int lab_run(int argc, char *argv[])
{
    static const struct {
        const char *stem;
        int (*main)(int argc, char *argv[]);
    } programs[] = {PROGRAMS};
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

    for (size_t i = 0; slash && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(slash + 1, programs[i].stem) == 0) {
            const int status = programs[i].main(argc, argv);
            fflush(NULL);
            return status;
        }
    return -1;
}

/* In the place of lib/attn_plot.c: there is no gnuplot in a browser. */
int attn_plot_draw(const attn_plot *plot, attn_plot_error *error)
{
    (void)plot;
    snprintf(error->text, sizeof error->text,
             "--plot: needs gnuplot, so it works on a terminal only");
    return GSL_EFAILED;
}

/* musl's open() ends in the first of these, which knows no files; the second
 * is JavaScript's, which does. */
long __syscall_open(const char *path, long flags, ...);
long __syscall_openat(long folder, const char *path, long flags);

long __syscall_open(const char *path, long flags, ...)
{
    return __syscall_openat(0, path, flags);
}

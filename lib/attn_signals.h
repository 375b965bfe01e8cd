/*
 * Holding back the signals that end a program while a file is made.
 *
 * Blocking them in one thread would not do: a signal to the process goes to
 * any thread that does not block it, and OpenMP keeps its threads. So they are
 * caught, noted, and raised again at the end. One caller at a time; does not
 * nest.
 */
#ifndef ATTN_SIGNALS_H
#define ATTN_SIGNALS_H

/*
 * From here on SIGINT, SIGTERM and SIGHUP wait, but for those that are
 * ignored. A file that grows past its limit (SIGXFSZ) becomes an error of the
 * write. A child started meanwhile has them as usual.
 */
void attn_signals_hold(void);

/* As before the hold; what came meanwhile is raised now. Keeps errno. */
void attn_signals_release(void);

#endif

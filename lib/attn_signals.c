/* Signals caught, noted, and raised again later. */
#include "attn_signals.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>

enum { HELD = 4 };
static const int held[HELD] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
static struct sigaction before[HELD];
static volatile sig_atomic_t came[HELD];

static void note(int signal)
{
    for (size_t i = 0; i < HELD; i++) {
        if (held[i] == signal) {
            came[i] = 1;
        }
    }
}

void attn_signals_hold(void)
{
    struct sigaction noting = {.sa_handler = note, .sa_flags = SA_RESTART};

    sigemptyset(&noting.sa_mask);
    for (size_t i = 0; i < HELD; i++) {
        sigaction(held[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(held[i], &noting, NULL);
        }
    }
}

void attn_signals_release(void)
{
    const int error = errno;

    for (size_t i = 0; i < HELD; i++) {
        sigaction(held[i], &before[i], NULL);
    }
    for (size_t i = 0; i < HELD; i++) {
        /* Another thread may note one late: then it is raised next time. The
         * write that met the limit has failed, and says so itself. */
        if (came[i]) {
            came[i] = 0;
            if (held[i] != SIGXFSZ) {
                raise(held[i]);
            }
        }
    }
    errno = error;
}

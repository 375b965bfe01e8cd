/*
 * Programs seen from outside: run one, read what it printed and wrote.
 */
#ifndef RUN_H
#define RUN_H

#include <stddef.h>

typedef struct {
    int status;      /* exit status; 128 + n for signal n */
    char out[32768]; /* what went to standard output */
    char err[8192];  /* what went to standard error */
} run_result;

/* The folder of the programs (ATTN_BIN), and of their broken copies. */
const char *run_bin(void);
const char *run_sabotaged(void);

/*
 * The programs, by what is in experiments/, in alphabetical order, closed by
 * NULL. ATTN_ONLY, where it is set, names the one that is asked for.
 */
const char *const *run_programs(void);
size_t run_program_count(void);
int run_is_asked(const char *program);

/* A new empty folder under TMPDIR or /tmp. */
const char *run_folder(void);

/* Run a shell command line made printf's way. */
run_result run(const char *format, ...);

/* Run the program words[0] with these words, closed by NULL; no shell comes
 * between, so that a thousand runs take seconds. */
run_result run_words(char *const words[]);

/* A whole file in memory, to be freed; NULL when there is none. */
char *run_read(const char *folder, const char *name);

#endif

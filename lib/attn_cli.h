/*
 * Command lines: one table per program makes the parser and the help.
 *
 * An option's variable holds its default until the parser fills it, so the
 * help prints defaults from the very variables. Numbers are read strictly:
 * base 10, the whole word, finite, within the range, no sign on an unsigned
 * one, no leading zero, no silent wrap, no underflow to 0. A list has no empty
 * item and none twice. "--name value" and "--name=value" are the same; an
 * option given twice is an error, and so is a value that begins with "--",
 * unless it follows a "=". Numbers are those of the C locale, which
 * attn_program_main sets.
 */
#ifndef ATTN_CLI_H
#define ATTN_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ATTN_CLI_LIST_MAX 32

/* A list of sizes, "1,2,4". */
typedef struct {
    size_t count;
    size_t at[ATTN_CLI_LIST_MAX];
} attn_cli_sizes;

typedef enum {
    ATTN_CLI_SIZE,   /* value: size_t, within [min, max] */
    ATTN_CLI_SIZES,  /* value: attn_cli_sizes, each within [min, max] */
    ATTN_CLI_REAL,   /* value: double, within [min, max] */
    ATTN_CLI_CHOICE, /* value: int, an index into choices */
    ATTN_CLI_SEED,   /* value: uint64_t, 1 to 2^64 - 1 */
    ATTN_CLI_PATH,   /* value: const char *, not empty; NULL: no default */
    ATTN_CLI_FILE,   /* the same, called FILE and not DIR in the help */
    ATTN_CLI_FLAG    /* value: int, 0 or 1; takes no word */
} attn_cli_type;

typedef struct {
    const char *name; /* without the dashes; NULL closes a table */
    attn_cli_type type;
    void *value;         /* holds the default, receives what was given */
    const char *meaning; /* one line of help */
    double min, max;     /* SIZE, SIZES, REAL: the range, both ends allowed */
    const char *const *choices; /* CHOICE: the words, closed by NULL */
    int given;                  /* set by the parser */
} attn_cli_option;

/* What was wrong, as "--option: what was given, what is allowed". */
typedef struct {
    char text[256];
} attn_cli_error;

/*
 * Read one word into option->value. GSL_SUCCESS or GSL_EINVAL, with error
 * filled and the value as it was.
 */
int attn_cli_read(attn_cli_option *option, const char *word,
                  attn_cli_error *error);

/*
 * Read argv[1 .. argc-1] by the table. GSL_SUCCESS, or GSL_EINVAL with error
 * filled; options before the bad one have been read by then.
 */
int attn_cli_parse(attn_cli_option *table, int argc, char *const argv[],
                   attn_cli_error *error);

/* Print per option its name, meaning, range and default, in 80 columns; where
 * there is no memory for a line, its name and meaning alone. */
void attn_cli_help(const attn_cli_option *table, FILE *out);

/*
 * Print text from column on and a newline, broken at blanks and after commas
 * so that no line exceeds 80 columns; further lines begin at indent.
 */
void attn_cli_wrap(const char *text, size_t column, size_t indent, FILE *out);

/*
 * Print " --name value" of every option in the table, as a command has it:
 * a shell that reads it back gives the same values. A flag that is 0 and a path
 * that is NULL are left out.
 */
void attn_cli_command(const attn_cli_option *table, FILE *out);

/* Print the value of one option as a command line would give it; a flag has
 * none. */
void attn_cli_print_value(const attn_cli_option *option, FILE *out);

#endif

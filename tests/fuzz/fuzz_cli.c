/*
 * The option parser: any words, one a line. What it reads is within its range
 * and reads back from the command that it prints; what it refuses is said in
 * one line.
 */
#include "attn_cli.h"
#include "fuzz.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

enum { WORDS = 32, COLUMNS = 80 };

typedef struct {
    size_t pairs;
    attn_cli_sizes keys;
    double correlation, scale;
    int law;
    uint64_t seed;
    const char *out, *input;
    int quiet;
} values;

static const char *const laws[] = {"normal", "laplace", "rademacher", NULL};

enum { TABLE = 10 };

static void make_table(attn_cli_option table[TABLE], values *v)
{
    const attn_cli_option options[TABLE] = {
        {"pairs", ATTN_CLI_SIZE, &v->pairs, "pairs", 1, 1e12, NULL, 0},
        {"keys", ATTN_CLI_SIZES, &v->keys, "keys", 1, 4096, NULL, 0},
        {"correlation", ATTN_CLI_REAL, &v->correlation, "correlation", -1, 1,
         NULL, 0},
        {"scale", ATTN_CLI_REAL, &v->scale, "scale", 0, 1e300, NULL, 0},
        {"law", ATTN_CLI_CHOICE, &v->law, "law of the entries", 0, 0, laws, 0},
        {"seed", ATTN_CLI_SEED, &v->seed, "seed", 0, 0, NULL, 0},
        {"out", ATTN_CLI_PATH, &v->out, "folder", 0, 0, NULL, 0},
        {"input", ATTN_CLI_FILE, &v->input, "file", 0, 0, NULL, 0},
        {"quiet", ATTN_CLI_FLAG, &v->quiet, "no word", 0, 0, NULL, 0},
        {0}};

    *v = (values){.pairs = 5000, .keys = {2, {7, 11}}, .scale = 1, .seed = 1};
    memcpy(table, options, sizeof options);
}

/* text cut at each separator into words, behind a program's name. */
static int cut(char *text, char separator, char *words[WORDS])
{
    int count = 0;

    words[count++] = (char[]){"program"};
    while (text && *text && count < WORDS) {
        char *end = strchr(text, separator);
        words[count++] = text;
        if (end)
            *end++ = '\0';
        text = end;
    }
    return count;
}

static void check_values(const values *v)
{
    HOLDS(v->pairs >= 1 && v->pairs <= 1000000000000);
    HOLDS(v->keys.count >= 1 && v->keys.count <= ATTN_CLI_LIST_MAX);
    for (size_t i = 0; i < v->keys.count; i++) {
        HOLDS(v->keys.at[i] >= 1 && v->keys.at[i] <= 4096);
        for (size_t j = 0; j < i; j++)
            HOLDS(v->keys.at[i] != v->keys.at[j]);
    }
    HOLDS(v->correlation >= -1 && v->correlation <= 1);
    HOLDS(v->scale >= 0 && v->scale <= 1e300 && !signbit(v->scale));
    HOLDS(v->law >= 0 && v->law < 3);
    HOLDS(v->seed >= 1);
    HOLDS(!v->out || *v->out);
    HOLDS(!v->input || *v->input);
    HOLDS(v->quiet == 0 || v->quiet == 1);
}

static char *printed(void (*print)(const attn_cli_option *, FILE *),
                     const attn_cli_option *table)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    HOLDS(out);
    print(table, out);
    fclose(out);
    return text;
}

/* The printed command gives the same values; paths apart, which a shell would
 * have to take out of their quotes. */
static void check_command(attn_cli_option *table, values *v)
{
    attn_cli_option again[TABLE];
    attn_cli_error error;
    values w;
    char *words[WORDS];

    v->out = v->input = NULL;
    char *text = printed(attn_cli_command, table);
    make_table(again, &w);
    const int count = cut(text + 1, ' ', words);
    HOLDS(attn_cli_parse(again, count, words, &error) == GSL_SUCCESS);
    HOLDS(w.pairs == v->pairs && w.correlation == v->correlation &&
          w.scale == v->scale && w.law == v->law && w.seed == v->seed &&
          w.quiet == v->quiet && w.keys.count == v->keys.count);
    HOLDS(memcmp(w.keys.at, v->keys.at, w.keys.count * sizeof *w.keys.at) == 0);
    free(text);
}

static void check_help(const attn_cli_option *table)
{
    char *text = printed(attn_cli_help, table);

    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        HOLDS(strcspn(line, "\n") <= COLUMNS);
    free(text);
}

static void check_error(const attn_cli_error *error)
{
    HOLDS(memchr(error->text, '\0', sizeof error->text));
    HOLDS(*error->text);
    for (const char *c = error->text; *c; c++)
        HOLDS(*c >= ' ' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *words[WORDS];
    attn_cli_option table[TABLE];
    attn_cli_error error;
    values v;

    HOLDS(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    make_table(table, &v);
    const int count = cut(text, '\n', words);
    const int status = attn_cli_parse(table, count, words, &error);
    HOLDS(status == GSL_SUCCESS || status == GSL_EINVAL);
    check_values(&v);
    if (status == GSL_SUCCESS)
        check_command(table, &v);
    else
        check_error(&error);
    v.out = v.input = NULL;
    check_help(table);
    free(text);
    return 0;
}

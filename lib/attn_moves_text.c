/* The moves on paper, and a reader's own from a text file. */
#include "attn_layer.h"
#include "attn_moves.h"
#include "attn_screen.h"
#include <gsl/gsl_errno.h>
#include <string.h>

enum { SHOWN = 6 }; /* numbers of a vector that are printed */

/* ---- the reader's own numbers ---- */

static int is_known(const char *kind)
{
    return strcmp(kind, "query") == 0 || strcmp(kind, "key") == 0 ||
           strcmp(kind, "value") == 0 || strcmp(kind, "scale") == 0;
}

/* Rows of one kind into M, each of as many numbers as M has columns. */
static int take_rows(const attn_text *text, const char *kind, gsl_matrix *M,
                     const char **words, attn_text_error *error)
{
    const attn_text_entry *e;
    size_t k = 0;

    for (size_t j = 0; j < M->size1; j++) {
        e = attn_text_next(text, kind, k, &k);
        k++;
        if (e->M->size1 != 1 || e->M->size2 != M->size2)
            return attn_text_refuse(text, e->line, error,
                                    "%zu rows of %zu numbers found, one row "
                                    "of %zu is expected",
                                    e->M->size1, e->M->size2, M->size2);
        if (*e->label == '\0')
            return attn_text_refuse(text, e->line, error,
                                    "'%s' without a name found, %s NAME = "
                                    "NUMBERS is expected",
                                    kind, kind);
        if (words[j] && strcmp(words[j], e->label) != 0)
            return attn_text_refuse(text, e->line, error,
                                    "value '%s' found, value '%s' is expected: "
                                    "values follow the keys' order",
                                    e->label, words[j]);
        words[j] = e->label;
        memcpy(gsl_matrix_ptr(M, j, 0), e->M->data, M->size2 * sizeof(double));
    }
    return GSL_SUCCESS;
}

static int check_kinds(const attn_text *text, size_t n, size_t values,
                       attn_text_error *error)
{
    for (size_t k = 0; k < attn_text_count(text); k++) {
        const attn_text_entry *e = attn_text_get(text, k);
        if (!is_known(e->kind))
            return attn_text_refuse(text, e->line, error,
                                    "'%s' found, query, key, value or scale is "
                                    "expected",
                                    e->kind);
    }
    if (n == 0 || n > ATTN_MOVES_KEYS)
        return attn_text_refuse(text, 0, error,
                                "%zu keys found, 1 to %d are expected", n,
                                ATTN_MOVES_KEYS);
    if (values != n)
        return attn_text_refuse(text, 0, error,
                                "%zu values found, one for each of %zu keys is "
                                "expected",
                                values, n);
    return GSL_SUCCESS;
}

/* The scale, where the file has one. */
int attn_moves_read(const attn_text *text, attn_moves **moves,
                    attn_text_error *error)
{
    const size_t n = attn_text_count_of(text, "key");
    attn_moves *m;

    *moves = NULL;
    if (check_kinds(text, n, attn_text_count_of(text, "value"), error))
        return GSL_EINVAL;
    const attn_text_entry *q = attn_text_only(text, "query", error);
    if (!q)
        return GSL_EINVAL;
    if (q->M->size1 != 1)
        return attn_text_refuse(text, q->line, error,
                                "%zu rows of %zu numbers found, one row is "
                                "expected",
                                q->M->size1, q->M->size2);
    const attn_text_entry *v = attn_text_next(text, "value", 0, NULL);
    if (v->M->size2 > ATTN_MOVES_VALUES)
        return attn_text_refuse(text, v->line, error,
                                "%zu numbers found, at most %d are expected",
                                v->M->size2, ATTN_MOVES_VALUES);

    m = attn_moves_alloc(n, q->M->size2, v->M->size2);
    if (!m) {
        attn_text_refuse(text, 0, error, "out of memory");
        return GSL_ENOMEM;
    }
    gsl_matrix_memcpy(m->q, q->M);
    m->query = *q->label ? q->label : "query";
    if (attn_text_scale(text, &m->scale, error) ||
        take_rows(text, "key", m->K, m->words, error) ||
        take_rows(text, "value", m->V, m->words, error)) {
        attn_moves_free(m);
        return GSL_EINVAL;
    }
    *moves = m;
    return GSL_SUCCESS;
}

/* ---- on paper ---- */

/* "(2, 0, 0)" */
static void put_vector(FILE *out, const double *x, size_t n)
{
    for (size_t i = 0; i < n && i < SHOWN; i++)
        fprintf(out, "%s%.6g", i ? ", " : "(", x[i]);
    fputs(n > SHOWN ? ", ...)" : ")", out);
}

/* "(2)(-1) + (0)(0)" */
static void put_terms(FILE *out, const double *q, const double *k, size_t n)
{
    for (size_t i = 0; i < n && i < SHOWN; i++)
        fprintf(out, "%s(%.6g)(%.6g)", i ? " + " : "", q[i], k[i]);
    fputs(n > SHOWN ? " + ..." : "", out);
}

/* Columns that the longest word takes. */
static int width_of(const attn_moves *m)
{
    size_t widest = 0;

    for (size_t j = 0; j < m->n; j++) {
        const size_t columns =
            attn_screen_width(m->words[j], strlen(m->words[j]));
        widest = columns > widest ? columns : widest;
    }
    return (int)widest;
}

/* "  what word   = " with the word padded to the widest one. */
static void put_left(FILE *out, const attn_moves *m, const char *what, size_t j)
{
    const size_t bytes = strlen(m->words[j]);
    const size_t columns = attn_screen_width(m->words[j], bytes);

    fprintf(out, "  %s%-*s = ", what, width_of(m) + (int)(bytes - columns),
            m->words[j]);
}

static void put_scores(const attn_moves *m, FILE *out)
{
    fprintf(out, "1. Products of the query with each key, <q, k>\n");
    for (size_t j = 0; j < m->n; j++) {
        put_left(out, m, "", j);
        put_terms(out, m->q->data, gsl_matrix_const_ptr(m->K, j, 0), m->d_k);
        fprintf(out, " = %.6g\n", gsl_matrix_get(m->products, 0, j));
    }
    fprintf(out, "\n2. Scores: times %.6g", m->scale);
    if (m->scale == attn_layer_scale(m->d_k))
        fprintf(out, " = 1/sqrt(%zu)", m->d_k);
    fputc('\n', out);
    for (size_t j = 0; j < m->n; j++) {
        put_left(out, m, "s ", j);
        fprintf(out, "%.6g * %.6g = %.6g\n", m->scale,
                gsl_matrix_get(m->products, 0, j),
                gsl_matrix_get(m->scores, 0, j));
    }
}

static void put_weights(const attn_moves *m, FILE *out)
{
    fprintf(out, "\n3. Exponentials, e^s");
    if (m->shift != 0)
        fprintf(out,
                "; e^%.6g is beyond a double's range or near its end, so\n"
                "   %.6g is subtracted from every score first, which changes "
                "no weight",
                m->shift, m->shift);
    fputc('\n', out);
    for (size_t j = 0; j < m->n; j++) {
        put_left(out, m, "", j);
        fprintf(out, "e^%.6g = %.6g\n",
                gsl_matrix_get(m->scores, 0, j) - m->shift,
                gsl_matrix_get(m->exponentials, 0, j));
    }
    fprintf(out, "\n4. Their sum\n  %.6g\n\n5. Weights: each over the sum\n",
            m->sum);
    for (size_t j = 0; j < m->n; j++) {
        put_left(out, m, "a ", j);
        fprintf(out, "%.6g/%.6g = %.6g\n",
                gsl_matrix_get(m->exponentials, 0, j), m->sum,
                gsl_matrix_get(m->weights, 0, j));
    }
}

static void put_output(const attn_moves *m, FILE *out)
{
    double part[ATTN_MOVES_VALUES];

    fprintf(out, "\n6. Values, each times its weight\n");
    for (size_t j = 0; j < m->n; j++) {
        const double a = gsl_matrix_get(m->weights, 0, j);
        const double *v = gsl_matrix_const_ptr(m->V, j, 0);
        put_left(out, m, "", j);
        fprintf(out, "%.6g ", a);
        put_vector(out, v, m->d_v);
        for (size_t c = 0; c < m->d_v; c++)
            part[c] = a * v[c] + 0.0;
        fputs(" = ", out);
        put_vector(out, part, m->d_v);
        fputc('\n', out);
    }
    fprintf(out, "\n7. Output: their sum\n  o %s = ", m->query);
    put_vector(out, m->output->data, m->d_v);
    fputs("\n\n", out);
}

void attn_moves_print(const attn_moves *m, FILE *out)
{
    fprintf(out,
            "What \"%s\" hears: %zu key%s, d_k = %zu, d_v = %zu\n  q %s = ",
            m->query, m->n, m->n == 1 ? "" : "s", m->d_k, m->d_v, m->query);
    put_vector(out, m->q->data, m->d_k);
    fputs("\n\n", out);
    put_scores(m, out);
    put_weights(m, out);
    put_output(m, out);
}

/* O = softmax(scale Q K^T) V against a dictionary, key by key. */
#include "attn_dictionary.h"
#include "attn_layer.h"
#include "attn_lookup.h"
#include "attn_math.h"
#include "attn_matrix.h"
#include "attn_softmax.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4 }; /* numbers of a value that are printed */

/* ---- reading ---- */

static int check_kinds(const attn_text *text, attn_text_error *error)
{
    static const char *const known[] = {"W_Q", "W_K", "W_V", "key", "scale"};

    for (size_t k = 0; k < attn_text_count(text); k++) {
        const attn_text_entry *e = attn_text_get(text, k);
        size_t i = 0;
        while (i < 5 && strcmp(e->kind, known[i]) != 0)
            i++;
        if (i == 5)
            return attn_text_refuse(text, e->line, error,
                                    "'%s' found, W_Q, W_K, W_V, key or scale "
                                    "is expected",
                                    e->kind);
        if (i < 3 && *e->label != '\0')
            return attn_text_refuse(text, e->line, error,
                                    "'%s %s' found, %s alone is expected",
                                    e->kind, e->label, e->kind);
    }
    return GSL_SUCCESS;
}

/* Do the shapes of the three matrices and the scale fit? */
static int check_shapes(const attn_text *text, const attn_text_entry *W[3],
                        size_t n, attn_text_error *error)
{
    const size_t d = W[0]->M->size1, d_k = W[0]->M->size2;

    if (n == 0 || n > ATTN_DICTIONARY_KEYS)
        return attn_text_refuse(text, 0, error,
                                "%zu keys found, 1 to %d are expected", n,
                                ATTN_DICTIONARY_KEYS);
    if (d < n)
        return attn_text_refuse(text, W[0]->line, error,
                                "W_Q has %zu rows, one for each of %zu keys is "
                                "expected",
                                d, n);
    for (int i = 1; i < 3; i++)
        if (W[i]->M->size1 != d)
            return attn_text_refuse(text, W[i]->line, error,
                                    "%s has %zu rows, %zu as in W_Q are "
                                    "expected",
                                    W[i]->kind, W[i]->M->size1, d);
    if (W[1]->M->size2 != d_k)
        return attn_text_refuse(text, W[1]->line, error,
                                "W_K has %zu columns, %zu as in W_Q are "
                                "expected",
                                W[1]->M->size2, d_k);
    if (W[2]->M->size2 > ATTN_DICTIONARY_VALUES)
        return attn_text_refuse(text, W[2]->line, error,
                                "W_V has %zu columns, at most %d are expected",
                                W[2]->M->size2, ATTN_DICTIONARY_VALUES);
    return GSL_SUCCESS;
}

/* What the file says of each key, in order. */
static int take_keys(attn_dictionary *x, const attn_text *text,
                     attn_text_error *error)
{
    const attn_text_entry *e;
    size_t k = 0;

    for (size_t t = 0; t < x->n; t++, k++) {
        e = attn_text_next(text, "key", k, &k);
        if (*e->label == '\0')
            return attn_text_refuse(text, e->line, error,
                                    "'key' without a name found, key NAME = "
                                    "VALUE is expected");
        if (e->M->size1 != 1 || e->M->size2 != x->V->size2)
            return attn_text_refuse(text, e->line, error,
                                    "%zu rows of %zu numbers found, one row "
                                    "of %zu as in W_V is expected",
                                    e->M->size1, e->M->size2, x->V->size2);
        x->keys[t] = e->label;
        x->lines[t] = e->line;
        memcpy(gsl_matrix_ptr(x->wanted, t, 0), e->M->data,
               e->M->size2 * sizeof(double));
    }
    return GSL_SUCCESS;
}

static int are_called_alike(const attn_dictionary *x, size_t t, size_t j)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): all set */
    return strcmp(x->keys[t], x->keys[j]) == 0;
}

/* How many keys are called like key t; *first is the first of them. */
static size_t namesakes(const attn_dictionary *x, size_t t, size_t *first)
{
    size_t count = 0;

    *first = t;
    for (size_t j = x->n; j-- > 0;)
        if (are_called_alike(x, t, j)) {
            *first = j;
            count++;
        }
    return count;
}

static int same_row(const gsl_matrix *M, size_t i, size_t j)
{
    return memcmp(gsl_matrix_const_ptr(M, i, 0), gsl_matrix_const_ptr(M, j, 0),
                  M->size2 * sizeof(double)) == 0;
}

/* A key that comes several times can only return the mean of its values. */
static void average_namesakes(attn_dictionary *x)
{
    for (size_t t = 0; t < x->n; t++)
        for (size_t j = 0; j < x->n; j++)
            x->differ[t] |=
                are_called_alike(x, t, j) && !same_row(x->wanted, t, j);
    for (size_t t = 0; t < x->n; t++) {
        size_t first;
        const size_t count = namesakes(x, t, &first);
        for (size_t c = 0; c < x->wanted->size2 && x->differ[t] && t == first;
             c++) {
            double sum = 0;
            for (size_t j = 0; j < x->n; j++)
                if (are_called_alike(x, t, j))
                    sum += gsl_matrix_get(x->wanted, j, c);
            for (size_t j = 0; j < x->n; j++)
                if (are_called_alike(x, t, j))
                    gsl_matrix_set(x->wanted, j, c, sum / (double)count);
        }
    }
}

static attn_dictionary *alloc(size_t n, size_t d, size_t d_k, size_t d_v)
{
    attn_dictionary *x = calloc(1, sizeof *x);

    if (!x)
        return NULL;
    x->n = n;
    x->d = d;
    x->keys = calloc(n, sizeof *x->keys);
    x->lines = calloc(n, sizeof *x->lines);
    x->differ = calloc(n, sizeof *x->differ);
    x->wanted = gsl_matrix_alloc(n, d_v);
    x->Q = gsl_matrix_alloc(d, d_k);
    x->K = gsl_matrix_alloc(n, d_k);
    x->V = gsl_matrix_alloc(n, d_v);
    x->S = gsl_matrix_calloc(d, n);
    x->A = gsl_matrix_calloc(d, n);
    x->O = gsl_matrix_calloc(d, d_v);
    if (!x->keys || !x->lines || !x->differ || !x->wanted || !x->Q || !x->K ||
        !x->V || !x->S || !x->A || !x->O) {
        attn_dictionary_free(x);
        return NULL;
    }
    return x;
}

void attn_dictionary_free(attn_dictionary *x)
{
    if (!x)
        return;
    free(x->keys);
    free(x->lines);
    free(x->differ);
    gsl_matrix_free(x->wanted);
    gsl_matrix_free(x->Q);
    gsl_matrix_free(x->K);
    gsl_matrix_free(x->V);
    gsl_matrix_free(x->S);
    gsl_matrix_free(x->A);
    gsl_matrix_free(x->O);
    free(x);
}

int attn_dictionary_read(const attn_text *text, attn_dictionary **dictionary,
                         attn_text_error *error)
{
    static const char *const kinds[] = {"W_Q", "W_K", "W_V"};
    const size_t n = attn_text_count_of(text, "key");
    const attn_text_entry *W[3];

    *dictionary = NULL;
    if (check_kinds(text, error))
        return GSL_EINVAL;
    for (int i = 0; i < 3; i++)
        if (!(W[i] = attn_text_only(text, kinds[i], error)))
            return GSL_EINVAL;
    if (check_shapes(text, W, n, error))
        return GSL_EINVAL;

    attn_dictionary *x =
        alloc(n, W[0]->M->size1, W[0]->M->size2, W[2]->M->size2);
    if (!x) {
        attn_text_refuse(text, 0, error, "out of memory");
        return GSL_ENOMEM;
    }
    gsl_matrix_memcpy(x->Q, W[0]->M);
    memcpy(x->K->data, W[1]->M->data, n * x->K->size2 * sizeof(double));
    memcpy(x->V->data, W[2]->M->data, n * x->V->size2 * sizeof(double));
    x->scale = attn_layer_scale(x->K->size2);
    if (take_keys(x, text, error) || attn_text_scale(text, &x->scale, error)) {
        attn_dictionary_free(x);
        return GSL_EINVAL;
    }
    average_namesakes(x);
    x->tolerance =
        2 * (double)n * 0x1p-52 *
        attn_max(attn_matrix_largest(x->V), attn_matrix_largest(x->wanted));
    *dictionary = x;
    return GSL_SUCCESS;
}

/* ---- asking ---- */

int attn_dictionary_ask(attn_dictionary *x)
{
    int status = attn_layer_scores(x->Q, x->K, x->scale, x->S);

    if (!status)
        status = attn_layer_weights(x->S, x->A);
    if (!status)
        status = attn_layer_output(x->A, x->V, x->O);
    return status;
}

static int are_near(const attn_dictionary *x, const gsl_matrix *A, size_t i,
                    const gsl_matrix *B, size_t j)
{
    int near = 1;

    for (size_t c = 0; c < A->size2; c++)
        near &= fabs(gsl_matrix_get(A, i, c) - gsl_matrix_get(B, j, c)) <=
                x->tolerance;
    return near;
}

int attn_dictionary_is_right(const attn_dictionary *x, size_t t)
{
    return are_near(x, x->O, t, x->wanted, t);
}

/* The key with the largest score of token t, other than skip. */
static size_t top_of(const attn_dictionary *x, size_t t, size_t skip)
{
    size_t p = skip == 0 ? 1 : 0;

    for (size_t j = p + 1; j < x->n; j++)
        if (j != skip &&
            gsl_matrix_get(x->S, t, j) > gsl_matrix_get(x->S, t, p))
            p = j;
    return p;
}

double attn_dictionary_gap(const attn_dictionary *x, size_t t)
{
    const size_t top = top_of(x, t, x->n);

    return x->n > 1 ? gsl_matrix_get(x->S, t, top) -
                          gsl_matrix_get(x->S, t, top_of(x, t, top))
                    : 0;
}

double attn_dictionary_off(const attn_dictionary *x, size_t t)
{
    const gsl_matrix_const_view found =
        gsl_matrix_const_submatrix(x->O, t, 0, 1, x->O->size2);
    const gsl_matrix_const_view wanted =
        gsl_matrix_const_submatrix(x->wanted, t, 0, 1, x->wanted->size2);

    return attn_matrix_difference(&found.matrix, &wanted.matrix);
}

/* ---- saying ---- */

/* "4" or "(4, 1)" */
static void put_value(FILE *out, const gsl_matrix *M, size_t i, int digits)
{
    const size_t n = M->size2;

    for (size_t c = 0; c < n && c < SHOWN; c++)
        fprintf(out, "%s%.*g",
                c       ? ", "
                : n > 1 ? "("
                        : "",
                digits, gsl_matrix_get(M, i, c));
    fputs(n > SHOWN ? ", ...)" : n > 1 ? ")" : "", out);
}

/* "'b' (line 7)" */
static void put_key(FILE *out, const attn_dictionary *x, size_t t)
{
    fprintf(out, "'%s' (line %zu)", x->keys[t], x->lines[t]);
}

static void put_weight(FILE *out, const attn_dictionary *x, size_t t, size_t j)
{
    fprintf(out, "%.4g is on '%s'", gsl_matrix_get(x->A, t, j), x->keys[j]);
}

/* The key whose value is what token t should get: its own, another, or n. */
static size_t place_of_value(const attn_dictionary *x, size_t t)
{
    size_t j = 0;

    if (are_near(x, x->V, t, x->wanted, t))
        return t;
    while (j < x->n && !are_near(x, x->V, j, x->wanted, t))
        j++;
    return j;
}

/* Of the keys called like t that have another value than t should get, the one
 * that t listens to most, or n. */
static size_t wrong_value(const attn_dictionary *x, size_t t)
{
    size_t worst = x->n;

    for (size_t j = 0; j < x->n; j++)
        if (are_called_alike(x, t, j) && !are_near(x, x->V, j, x->wanted, t) &&
            (worst == x->n ||
             gsl_matrix_get(x->A, t, j) > gsl_matrix_get(x->A, t, worst)))
            worst = j;
    return worst;
}

/* The largest score of token t among keys not called like key right, or n. */
static size_t rival_of(const attn_dictionary *x, size_t t, size_t right)
{
    size_t rival = x->n;

    for (size_t j = 0; j < x->n; j++)
        if (!are_called_alike(x, right, j) &&
            (rival == x->n ||
             gsl_matrix_get(x->S, t, j) > gsl_matrix_get(x->S, t, rival)))
            rival = j;
    return rival;
}

/* Another key has a larger score than the right one. */
static void put_lost(FILE *out, const attn_dictionary *x, size_t t,
                     size_t right, size_t top)
{
    const gsl_vector_const_view s = gsl_matrix_const_row(x->S, t);

    if (x->scale < 0 &&
        gsl_vector_get(&s.vector, right) == gsl_vector_min(&s.vector)) {
        fprintf(out,
                "the scale, %.4g, is negative, so the key that matches best "
                "gets the smallest weight; make it positive",
                x->scale);
        return;
    }
    fputs("the largest weight ", out);
    put_weight(out, x, t, top);
    fprintf(out, "; row %zu of W_Q should ask for the key of '%s'", t + 1,
            x->keys[right]);
}

/* Nobody else has a weight that matters, so the values themselves differ. */
static void put_rounded(FILE *out, const attn_dictionary *x, size_t right)
{
    fprintf(out,
            "the weight is where it should be, but not every row of '%s' in "
            "W_V has the dictionary's value to the last digit; write it there",
            x->keys[right]);
}

/* The right key's score is the largest, but the rival's is too near. */
static void put_close(FILE *out, const attn_dictionary *x, size_t t,
                      size_t right, size_t rival, double gap)
{
    fputs("the second largest weight ", out);
    put_weight(out, x, t, rival);
    if (gap > 0)
        fprintf(out, "; make the score gap, %.4g, larger (%.4g is enough)", gap,
                ceil(attn_lookup_one(x->n)));
    else if (x->scale == 0)
        fputs("; the scale is 0 and with it every score: make it positive",
              out);
    else if (same_row(x->K, right, rival))
        fprintf(out,
                "; rows %zu and %zu of W_K are the same, so no query can tell "
                "'%s' from '%s': make them differ",
                right + 1, rival + 1, x->keys[right], x->keys[rival]);
    else
        fprintf(out,
                "; row %zu of W_Q fits the keys of '%s' and '%s' equally well: "
                "make it ask for '%s' alone",
                t + 1, x->keys[right], x->keys[rival], x->keys[right]);
}

/* Advice for a key whose answer is wrong. */
static void put_remedy(FILE *out, const attn_dictionary *x, size_t t)
{
    const size_t right = place_of_value(x, t), top = top_of(x, t, x->n);
    const size_t wrong = wrong_value(x, t);

    if (right == x->n || (wrong < x->n && are_called_alike(x, t, top))) {
        fprintf(out, "%sW_V gives '%s' the value ",
                right == x->n ? "no token has that value, " : "",
                x->keys[wrong]);
        put_value(out, x->V, wrong, 6);
        fprintf(out, "; change row %zu of W_V", wrong + 1);
    } else if (gsl_matrix_get(x->S, t, right) < gsl_matrix_get(x->S, t, top) &&
               !are_called_alike(x, right, top)) {
        put_lost(out, x, t, right, top);
    } else {
        const size_t rival = rival_of(x, t, right);
        const double gap = rival == x->n ? INFINITY
                                         : gsl_matrix_get(x->S, t, right) -
                                               gsl_matrix_get(x->S, t, rival);
        if (gap >= attn_lookup_one(x->n))
            put_rounded(out, x, right);
        else
            put_close(out, x, t, right, rival, gap);
    }
}

/* The weight that is not on the key asked for, by whatever name it comes
 * again. */
static double elsewhere(const attn_dictionary *x, size_t t)
{
    const size_t top = top_of(x, t, x->n);
    double sum = 0;

    for (size_t j = 0; j < x->n; j++)
        if (!are_called_alike(x, top, j))
            sum += gsl_matrix_get(x->A, t, j);
    return sum;
}

/* Several values for one key: at best their mean comes out. */
static void put_ambiguous(FILE *out, const attn_dictionary *x, size_t t,
                          size_t count, size_t first)
{
    fprintf(out, ", the mean of its %zu values is ", count);
    put_value(out, x->wanted, t, 9);
    fprintf(out,
            ": a key that comes %zu times (first in line %zu) cannot return "
            "any one of them%s",
            count, x->lines[first],
            attn_dictionary_is_right(x, t)
                ? ""
                : "; give all its rows of W_K the same key and all its rows of "
                  "W_Q the same query");
}

static void put_answer(FILE *out, const attn_dictionary *x, size_t t)
{
    const double largest_value = x->tolerance / (2 * (double)x->n * 0x1p-52);
    size_t first;
    const size_t count = namesakes(x, t, &first);
    const double off = attn_dictionary_off(x, t);

    fputs("key ", out);
    put_key(out, x, t);
    fputs(": the layer returns ", out);
    put_value(out, x->O, t, 9);
    if (x->differ[t]) {
        put_ambiguous(out, x, t, count, first);
    } else if (attn_dictionary_is_right(x, t)) {
        fputs(", as the dictionary says", out);
        if (count > 1)
            fprintf(out, " (%zu times, first in line %zu)", count,
                    x->lines[first]);
        fprintf(out, "; %.2g of the weight is elsewhere", elsewhere(x, t));
    } else {
        fputs(", the dictionary says ", out);
        put_value(out, x->wanted, t, 9);
        if (off < 1e-8 * largest_value) /* the digits look the same */
            fprintf(out, " (%.2g apart)", off);
        fputs(": ", out);
        put_remedy(out, x, t);
    }
    fputs(".\n", out);
}

/* A token without an entry: nothing to compare with. */
static void put_missing(FILE *out, const attn_dictionary *x, size_t t)
{
    const gsl_vector_const_view a = gsl_matrix_const_row(x->A, t);
    double low, high;

    gsl_vector_minmax(&a.vector, &low, &high);
    fprintf(out, "token %zu is in no dictionary: the layer returns ", t + 1);
    put_value(out, x->O, t, 9);
    if (high - low <= 2 * (double)x->n * 0x1p-52 * high)
        fprintf(out, ", the mean of all %zu values, without a warning.\n",
                x->n);
    else
        fprintf(out,
                ", weights from %.4g to %.4g: it does not know that there is "
                "no such key.\n",
                low, high);
}

void attn_dictionary_print(const attn_dictionary *x, FILE *out)
{
    size_t right = 0;
    double trace = 0;

    for (size_t t = 0; t < x->n; t++) {
        const gsl_vector_const_view a = gsl_matrix_const_row(x->A, t);
        put_answer(out, x, t);
        right += attn_dictionary_is_right(x, t) != 0;
        trace = attn_max(trace, attn_softmax_trace(&a.vector));
    }
    for (size_t t = x->n; t < x->d; t++)
        put_missing(out, x, t);
    fprintf(out,
            "%zu of %zu keys are right: this layer is %sthe lookup "
            "table.\nThe largest trace of its Jacobians is %.3g: the more "
            "exact, the less gradient passes.\n\n",
            right, x->n, right == x->n ? "" : "not ", trace);
}

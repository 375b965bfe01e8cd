/* S^n = I, C S = S C, C = sum_m w_m S^m: right, or where not. */
#include "attn_shift.h"
#include "attn_convolution.h"
#include "attn_product.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static int check_kinds(const attn_text *text, attn_text_error *error)
{
    for (size_t k = 0; k < attn_text_count(text); k++) {
        const attn_text_entry *e = attn_text_get(text, k);
        if (strlen(e->kind) != 1 || !strchr("SCw", *e->kind) || *e->label)
            return attn_text_refuse(text, e->line, error,
                                    "'%s%s%s' found, S, C or w is expected",
                                    e->kind, *e->label ? " " : "", e->label);
    }
    return GSL_SUCCESS;
}

/* An entry of rows x columns numbers, where the file has one: *M, or NULL. */
static int take(const attn_text *text, const char *kind, size_t rows,
                size_t columns, const gsl_matrix **M, attn_text_error *error)
{
    const attn_text_entry *e;

    *M = NULL;
    if (attn_text_count_of(text, kind) == 0)
        return GSL_SUCCESS;
    e = attn_text_only(text, kind, error);
    if (!e)
        return GSL_EINVAL;
    if (e->M->size1 != rows || e->M->size2 != columns)
        return attn_text_refuse(text, e->line, error,
                                "%s has %zu rows and %zu columns, %zu and %zu "
                                "are expected",
                                kind, e->M->size1, e->M->size2, rows, columns);
    *M = e->M;
    return GSL_SUCCESS;
}

static int take_kernel(attn_shift *x, const attn_text *text,
                       attn_text_error *error)
{
    const attn_text_entry *e = attn_text_next(text, "w", 0, NULL);

    if (!e)
        return GSL_SUCCESS;
    if (!x->C)
        return attn_text_refuse(text, e->line, error,
                                "w without C found, the matrix that it should "
                                "give is expected too");
    if (e->M->size2 > x->n)
        return attn_text_refuse(text, e->line, error,
                                "w has %zu numbers, at most %zu are expected: "
                                "S^%zu is I again",
                                e->M->size2, x->n, x->n);
    return take(text, "w", 1, e->M->size2, &x->w, error);
}

/* Which way S moves more of its rows. */
static int direction(const gsl_matrix *S)
{
    const size_t n = S->size1;
    size_t forth = 0, back = 0;

    for (size_t i = 0; i < n; i++) {
        forth += gsl_matrix_get(S, i, (i + 1) % n) == 1;
        back += gsl_matrix_get(S, (i + 1) % n, i) == 1;
    }
    return back > forth ? -1 : 1;
}

/* The row of X that row i of T^m X is. */
static size_t row_after(const attn_shift *x, size_t i, size_t m)
{
    return (x->step > 0 ? i + m : i + x->n - m % x->n) % x->n;
}

static int fill(attn_shift *x, const attn_text *text, attn_text_error *error)
{
    const size_t n = x->n;
    int status = take(text, "S", n, n, &x->S, error);

    if (!status)
        status = take(text, "C", n, n, &x->C, error);
    if (!status)
        status = take_kernel(x, text, error);
    if (status)
        return status;
    x->step = direction(x->S);
    for (size_t i = 0; i < n; i++)
        gsl_matrix_set(x->T, i, row_after(x, i, 1), 1);
    return GSL_SUCCESS;
}

void attn_shift_free(attn_shift *x)
{
    if (!x)
        return;
    gsl_matrix_free(x->T);
    gsl_matrix_free(x->A);
    gsl_matrix_free(x->B);
    gsl_matrix_free(x->D);
    free(x);
}

int attn_shift_read(const attn_text *text, attn_shift **shift,
                    attn_text_error *error)
{
    const attn_text_entry *S;

    *shift = NULL;
    if (check_kinds(text, error))
        return GSL_EINVAL;
    S = attn_text_only(text, "S", error);
    if (!S)
        return GSL_EINVAL;
    const size_t n = S->M->size1;
    if (n > ATTN_SHIFT_ROWS)
        return attn_text_refuse(text, S->line, error,
                                "S has %zu rows, at most %d are expected", n,
                                ATTN_SHIFT_ROWS);

    attn_shift *x = calloc(1, sizeof *x);
    if (x) {
        x->n = n;
        x->T = gsl_matrix_calloc(n, n);
        x->A = gsl_matrix_alloc(n, n);
        x->B = gsl_matrix_alloc(n, n);
        x->D = gsl_matrix_alloc(n, n);
    }
    if (!x || !x->T || !x->A || !x->B || !x->D) {
        attn_shift_free(x);
        attn_text_refuse(text, 0, error, "out of memory");
        return GSL_ENOMEM;
    }
    if (fill(x, text, error)) {
        attn_shift_free(x);
        return GSL_EINVAL;
    }
    *shift = x;
    return GSL_SUCCESS;
}

/* ---- comparing ---- */

/* The first place, row by row, where A and B differ; 0: none. */
static int differ(const gsl_matrix *A, const gsl_matrix *B, size_t *i,
                  size_t *j)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): w has its C */
    for (*i = 0; *i < A->size1; ++*i)
        for (*j = 0; *j < A->size2; ++*j)
            if (!(gsl_matrix_get(A, *i, *j) == gsl_matrix_get(B, *i, *j)))
                return 1;
    return 0;
}

/* Whether there is a place where A is not I; and where. */
static int differs_from_identity(const gsl_matrix *A, size_t *i, size_t *j)
{
    for (*i = 0; *i < A->size1; ++*i)
        for (*j = 0; *j < A->size2; ++*j)
            if (!(gsl_matrix_get(A, *i, *j) == (*i == *j)))
                return 1;
    return 0;
}

static void note(attn_shift *x, int is_right)
{
    x->statements++;
    x->right += is_right != 0;
}

/* ---- S ---- */

/* The place of the one in row i (or column i), with 0 elsewhere; n: it is not
 * so, which is said. */
static size_t place_of_one(const attn_shift *x, size_t i, int is_column,
                           FILE *out)
{
    const gsl_vector_const_view line = is_column
                                           ? gsl_matrix_const_column(x->S, i)
                                           : gsl_matrix_const_row(x->S, i);
    const char *const name = is_column ? "column" : "row";
    size_t ones = 0, place = x->n;

    for (size_t j = 0; j < x->n; j++) {
        const double value = gsl_vector_get(&line.vector, j);
        if (value == 1) {
            ones++;
            place = j;
        } else if (value != 0) {
            fprintf(out,
                    "S is no permutation matrix: row %zu, column %zu holds "
                    "%.6g, 0 or 1 is expected.\n",
                    i + 1, j + 1, value);
            return x->n;
        }
    }
    if (ones == 1)
        return place;
    fprintf(out,
            "S is no permutation matrix: %s %zu has %s, exactly one 1 is "
            "expected.\n",
            name, i + 1, ones ? "more than one 1" : "no 1");
    return x->n;
}

/* Row i of S X is which row of X? p of n places; 0: S is no permutation
 * matrix, which is said. */
static int permutation_of(const attn_shift *x, size_t *p, FILE *out)
{
    for (size_t i = 0; i < x->n; i++)
        if ((p[i] = place_of_one(x, i, 0, out)) == x->n)
            return 0;
    for (size_t j = 0; j < x->n; j++)
        if (place_of_one(x, j, 1, out) == x->n)
            return 0;
    return 1;
}

static int is_shift(attn_shift *x, FILE *out)
{
    const size_t n = x->n;
    size_t p[ATTN_SHIFT_ROWS] = {0}, i = 0, steps = 1;

    if (!permutation_of(x, p, out))
        return 0;
    while (i < n && p[i] == row_after(x, i, 1))
        i++;
    if (i == n) {
        fprintf(out, "S is the shift matrix: row 1 of S X is row %zu of X",
                p[0] + 1);
        if (n > 2)
            fprintf(out, ", row 2 is row %zu, and so on round the circle",
                    p[1] + 1);
        fputs(".\n", out);
        return 1;
    }
    const size_t stray = i;
    while (steps < n && p[0] != (steps % n))
        steps++;
    for (i = 0; i < n && p[i] == (i + steps) % n; i++)
        ;
    fputs("S is a permutation matrix, but not the shift: ", out);
    if (i == n && steps % n == 0)
        fputs("it is I and leaves every row in its place", out);
    else if (i == n)
        fprintf(out, "it moves every row by %zu places, one is expected",
                steps < n - steps ? steps : n - steps);
    else
        fprintf(out, "row %zu of S X is row %zu of X, row %zu is expected",
                stray + 1, p[stray] + 1, row_after(x, stray, 1) + 1);
    fputs(".\n", out);
    return 0;
}

/* The largest and the smallest entry are NaN where any is. */
static int is_finite(const gsl_matrix *A)
{
    return isfinite(gsl_matrix_max(A)) && isfinite(gsl_matrix_min(A));
}

/* S^n = I and no smaller power is. */
static int powers(attn_shift *x, FILE *out, int *is_right)
{
    size_t i, j, m = 1;

    gsl_matrix_memcpy(x->A, x->S);
    while (m < x->n && is_finite(x->A) && differs_from_identity(x->A, &i, &j)) {
        const int status = attn_product_ab(x->A, x->S, x->B);
        if (status)
            return status;
        gsl_matrix_memcpy(x->A, x->B);
        m++;
    }
    const int is_identity = !differs_from_identity(x->A, &i, &j);
    *is_right = is_identity && m == x->n;
    if (*is_right)
        fprintf(out, "S^%zu = I, and no smaller power is.\n", x->n);
    else if (!is_finite(x->A))
        fprintf(out,
                "S^%zu is out of a double's range, S^%zu = I is expected.\n", m,
                x->n);
    else if (is_identity)
        fprintf(out, "S^%zu = I already, the shift of %zu rows needs %zu.\n", m,
                x->n, x->n);
    else
        fprintf(out,
                "S^%zu is not I: its row %zu, column %zu is %.6g, %d is "
                "expected.\n",
                x->n, i + 1, j + 1, gsl_matrix_get(x->A, i, j), i == j);
    return GSL_SUCCESS;
}

static int orthogonal(attn_shift *x, FILE *out, int *is_right)
{
    size_t i, j;
    const int status = attn_product_atb(1, x->S, x->S, x->A);

    *is_right = !differs_from_identity(x->A, &i, &j);
    if (*is_right)
        fputs("S^T S = I: the transpose moves every row back.\n", out);
    else
        fprintf(out,
                "S^T S is not I: its row %zu, column %zu is %.6g, %d is "
                "expected.\n",
                i + 1, j + 1, gsl_matrix_get(x->A, i, j), i == j);
    return status;
}

/* ---- C ---- */

static void put_row(FILE *out, const gsl_matrix *M, size_t i, size_t from)
{
    enum { SHOWN = 8 };

    for (size_t j = 0; j < M->size2 && j < SHOWN; j++)
        fprintf(out, "%s%.6g", j ? ", " : "(",
                gsl_matrix_get(M, i, (j + from) % M->size2));
    fputs(M->size2 > SHOWN ? ", ...)" : ")", out);
}

/* Circulant up to the edge, and nothing carried round it: what zeros beyond
 * the ends do. */
static int is_padded(const gsl_matrix *C)
{
    const size_t n = C->size1;

    for (size_t i = 0; i + 1 < n; i++)
        for (size_t j = 0; j + 1 < n; j++)
            if (gsl_matrix_get(C, i, j) != gsl_matrix_get(C, i + 1, j + 1))
                return 0;
    return gsl_matrix_get(C, 0, n - 1) == 0 && gsl_matrix_get(C, n - 1, 0) == 0;
}

/* "2 I + 3 S - S^2" */
static void put_sum(FILE *out, const attn_shift *x)
{
    size_t terms = 0;

    for (size_t m = 0; m < x->n; m++) {
        const double c = gsl_matrix_get(x->C, 0, row_after(x, 0, m));
        if (c == 0)
            continue;
        fprintf(out, "%s",
                terms++ ? (c < 0 ? " - " : " + ")
                : c < 0 ? "-"
                        : "");
        if (fabs(c) != 1)
            fprintf(out, "%.6g ", fabs(c));
        if (m < 2)
            fputs(m ? "S" : "I", out);
        else
            fprintf(out, "S^%zu", m);
    }
    if (terms == 0)
        fputs("0", out);
}

static int commutes(attn_shift *x, FILE *out, int *is_right)
{
    size_t i, j, k = 0;
    int status = attn_product_ab(x->C, x->T, x->A);

    if (!status)
        status = attn_product_ab(x->T, x->C, x->B);
    *is_right = !differ(x->A, x->B, &i, &j);
    if (*is_right) {
        fputs("C S = S C: C is circulant, C = ", out);
        put_sum(out, x);
        fputs(".\n", out);
        return status;
    }
    while (k + 1 < x->n) { /* row k + 1 is row k, moved on by one column */
        size_t c = 0;
        while (c < x->n && gsl_matrix_get(x->C, k, c) ==
                               gsl_matrix_get(x->C, k + 1, (c + 1) % x->n))
            c++;
        if (c < x->n)
            break;
        k++;
    }
    fprintf(out,
            "C S is not S C: row %zu, column %zu is %.6g in C S and %.6g in "
            "S C; ",
            i + 1, j + 1, gsl_matrix_get(x->A, i, j),
            gsl_matrix_get(x->B, i, j));
    if (is_padded(x->C))
        fputs("C lets nothing round the edge, as zeros beyond the ends do; on "
              "a circle what leaves a row at one end enters at the other",
              out);
    else {
        fprintf(out,
                "each row is the one above moved right by one, so row %zu "
                "should be ",
                k + 2);
        put_row(out, x->C, k, x->n - 1);
        fprintf(out, " after row %zu, and is ", k + 1);
        put_row(out, x->C, k + 1, 0);
    }
    fputs(".\n", out);
    return status;
}

/* x->A = sum_m w_m T^m by powers, x->B the circular convolution of I with w. */
static int convolve(attn_shift *x)
{
    const size_t taps = x->w->size2;
    double kernel[2 * ATTN_SHIFT_ROWS - 1] = {0};
    gsl_vector_view w = gsl_vector_view_array(kernel, 2 * taps - 1);
    int status = GSL_SUCCESS;

    gsl_matrix_set_zero(x->A);
    gsl_matrix_set_identity(x->D); /* T^m */
    for (size_t m = 0; m < taps && !status; m++) {
        const double wm = gsl_matrix_get(x->w, 0, m);
        /* its centre, taps - 1, is m = 0 */
        kernel[x->step > 0 ? taps - 1 + m : taps - 1 - m] = wm;
        for (size_t i = 0; i < x->n; i++)
            for (size_t j = 0; j < x->n; j++)
                *gsl_matrix_ptr(x->A, i, j) += wm * gsl_matrix_get(x->D, i, j);
        status = attn_product_ab(x->D, x->T, x->B);
        gsl_matrix_memcpy(x->D, x->B);
    }
    gsl_matrix_set_identity(x->D);
    return status ? status : attn_convolution_circular(&w.vector, x->D, x->B);
}

static int is_sum(attn_shift *x, FILE *out, int *is_right)
{
    size_t i, j;
    const int status = convolve(x);

    *is_right = !differ(x->A, x->B, &i, &j) && !differ(x->C, x->A, &i, &j);
    if (status)
        return status;
    if (*is_right) {
        fputs("C is the sum of w_m S^m: C X is the circular convolution of X "
              "with w.\n",
              out);
        return GSL_SUCCESS;
    }
    gsl_matrix_transpose_memcpy(x->D, x->C);
    if (!differ(x->D, x->A, &i, &j)) {
        fputs("C is the sum of w_m (S^T)^m, of shifts the other way: the "
              "transpose of C is expected.\n",
              out);
        return GSL_SUCCESS;
    }
    if (!differ(x->C, x->A, &i, &j))
        differ(x->C, x->B, &i, &j);
    const size_t m =
        x->step > 0 ? (j + x->n - i) % x->n : (i + x->n - j) % x->n;
    fprintf(out,
            "C is not the sum of w_m S^m: its row %zu, column %zu is %.6g; "
            "there S^%zu has its 1, so %.6g is expected",
            i + 1, j + 1, gsl_matrix_get(x->C, i, j), m,
            gsl_matrix_get(x->A, i, j));
    fprintf(out, m < x->w->size2 ? ", w_%zu.\n" : ", w has no w_%zu.\n", m);
    return GSL_SUCCESS;
}

int attn_shift_judge(attn_shift *x, FILE *out)
{
    int is_right = is_shift(x, out);
    const int is_known = is_right;

    x->statements = x->right = 0;
    note(x, is_right);
    int status = powers(x, out, &is_right);
    note(x, is_right);
    if (!status)
        status = orthogonal(x, out, &is_right);
    note(x, is_right);
    if (x->C && !is_known)
        fprintf(out,
                "What is said of C goes by the right S: row 1 of S X is row "
                "%zu of X.\n",
                row_after(x, 0, 1) + 1);
    if (!status && x->C) {
        status = commutes(x, out, &is_right);
        note(x, is_right);
    }
    if (!status && x->w) {
        status = is_sum(x, out, &is_right);
        note(x, is_right);
    }
    fprintf(out, "%zu of %zu statements are right.\n\n", x->right,
            x->statements);
    return status;
}

/* The reader's shift matrix and circulant matrix, judged in sentences. */
#include "attn_shift.h"
#include "near.h"
#include "text_of.h"
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(shift, .init = text_init, .fini = text_fini);

/* What is said of the matrices in content, to be freed. */
static char *said_of(const char *content, size_t *right, size_t *statements)
{
    attn_text *text = text_of(content);
    attn_shift *x;
    char *said = NULL;
    size_t size;
    FILE *out = open_memstream(&said, &size);

    cr_assert_eq(attn_shift_read(text, &x, &error), GSL_SUCCESS, "%s",
                 error.text);
    cr_assert_eq(attn_shift_judge(x, out), GSL_SUCCESS);
    cr_assert_eq(fclose(out), 0);
    *right = x->right;
    *statements = x->statements;
    attn_shift_free(x);
    attn_text_free(text);
    return said;
}

#define UP "S =\n0 1 0 0\n0 0 1 0\n0 0 0 1\n1 0 0 0\n"
#define DOWN "S =\n0 0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
#define C_UP "C =\n2 3 0 0\n0 2 3 0\n0 0 2 3\n3 0 0 2\n"
#define C_DOWN "C =\n2 0 0 3\n3 2 0 0\n0 3 2 0\n0 0 3 2\n"

Test(shift, each_mistake_has_its_sentence)
{
    static const struct {
        const char *content;
        size_t right, statements;
        const char *said;
    } cases[] = {
        {UP, 3, 3,
         "S is the shift matrix: row 1 of S X is row 2 of X, row 2 is row 3, "
         "and so on round the circle.\nS^4 = I, and no smaller power is.\n"
         "S^T S = I: the transpose moves every row back.\n"
         "3 of 3 statements are right.\n"},
        {DOWN C_DOWN "w = 2 3\n", 5, 5,
         "S is the shift matrix: row 1 of S X is row 4 of X, row 2 is row 1"},
        {UP C_UP, 4, 4, "C S = S C: C is circulant, C = 2 I + 3 S.\n"},
        {UP C_UP "w = 2 3 0 0\n", 5, 5,
         "C is the sum of w_m S^m: C X is the circular convolution of X with "
         "w.\n"},
        {UP "C =\n0 0 -1 -2.5\n-2.5 0 0 -1\n-1 -2.5 0 0\n0 -1 -2.5 0\n", 4, 4,
         "C = -S^2 - 2.5 S^3.\n"},
        {"S = 1\nC = 3\nw = 3\n", 5, 5, "row 1 of S X is row 1 of X.\n"},
        {"S =\n0 1\n1 0\nC =\n-1 2\n2 -1\nw = -1 2\n", 5, 5, "C = -I + 2 S.\n"},
        {"S =\n0 1\n1 0\nC =\n0 0\n0 0\n", 4, 4, "C = 0.\n"},
        {"S =\n0 1 0\n0 0 0\n1 0 0\n", 0, 3,
         "S is no permutation matrix: row 2 has no 1, exactly one 1 is "
         "expected.\n"},
        {"S =\n0 1 1\n0 0 1\n1 0 0\n", 0, 3,
         "row 1 has more than one 1, exactly one 1 is expected.\n"},
        {"S =\n0 1 0\n0 1 0\n1 0 0\n", 0, 3,
         "column 2 has more than one 1, exactly one 1 is expected.\n"},
        {"S =\n0 1 0\n0 0 0.5\n1 0 0\n", 0, 3,
         "row 2, column 3 holds 0.5, 0 or 1 is expected.\nS^3 is not I: its "
         "row 1, column 1 is 0.5, 1 is expected.\nS^T S is not I: its row 3, "
         "column 3 is 0.25, 1 is expected.\n"},
        {"S =\n0 1e100 0 0 0\n0 0 1e100 0 0\n0 0 0 1e100 0\n"
         "0 0 0 0 1e100\n1e100 0 0 0 0\n",
         0, 3, "\nS^4 is out of a double's range, S^5 = I is expected.\n"},
        {"S =\n1 0 0\n0 1 0\n0 0 1\n", 1, 3,
         "but not the shift: it is I and leaves every row in its place.\n"},
        {"S =\n0 0 1 0 0\n0 0 0 1 0\n0 0 0 0 1\n1 0 0 0 0\n0 1 0 0 0\n", 2, 3,
         "it moves every row by 2 places, one is expected.\n"},
        {"S =\n0 0 0 1 0\n0 0 0 0 1\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n", 2, 3,
         "it moves every row by 2 places, one is expected.\n"},
        {"S =\n0 1 0 0\n1 0 0 0\n0 0 0 1\n0 0 1 0\n", 1, 3,
         "row 2 of S X is row 1 of X, row 3 is expected.\nS^2 = I already, the "
         "shift of 4 rows needs 4.\n"},
        {UP "C =\n2 3 0 0\n0 2 3 0\n0 0 2 4\n3 0 0 2\n", 3, 4,
         "C S is not S C: row 2, column 4 is 3 in C S and 4 in S C; each row "
         "is the one above moved right by one, so row 3 should be (0, 0, 2, 3) "
         "after row 2, and is (0, 0, 2, 4).\n"},
        {UP "C =\n2 3 0 0\n0 2 3 0\n0 0 2 3\n0 0 0 2\n", 3, 4,
         "C lets nothing round the edge, as zeros beyond the ends do"},
        {"S =\n0 1 0 0\n0 0 1 0\n0 0 0 1\n0 0 0 0\n" C_UP "w = 2 3\n", 2, 5,
         "What is said of C goes by the right S: row 1 of S X is row 2 of "
         "X.\nC S = S C"},
        {UP C_DOWN "w = 2 3\n", 4, 5,
         "C is the sum of w_m (S^T)^m, of shifts the other way: the transpose "
         "of C is expected.\n"},
        {UP C_UP "w = 2 3 1\n", 4, 5,
         "its row 1, column 3 is 0; there S^2 has its 1, so 1 is expected, "
         "w_2.\n"},
        {UP C_UP "w = 2\n", 4, 5,
         "its row 1, column 2 is 3; there S^1 has its 1, so 0 is expected, w "
         "has no w_1.\n"},
        {DOWN C_DOWN "w = 2 4\n", 4, 5,
         "its row 1, column 4 is 3; there S^1 has its 1, so 4 is expected, "
         "w_1.\n"},
    };
    size_t ran = 0;

    for (; ran < sizeof cases / sizeof *cases; ran++) {
        size_t right, statements;
        char *said = said_of(cases[ran].content, &right, &statements);
        cr_expect_not_null(strstr(said, cases[ran].said), "no '%s' in\n%s",
                           cases[ran].said, said);
        cr_expect_eq(right, cases[ran].right, "%s", said);
        cr_expect_eq(statements, cases[ran].statements, "%s", said);
        free(said);
    }
    cr_assert_eq(ran, 24);
}

/* Numbers that no sum of doubles keeps: C is compared as it stands. */
Test(shift, a_circulant_of_any_numbers_is_exact_at_every_size_and_both_ways)
{
    size_t ran = 0;

    for (size_t n = 1; n <= ATTN_SHIFT_ROWS; n += n < 5 ? 1 : 17)
        for (int back = 0; back < 2; back++, ran++) {
            const size_t step = back ? n - 1 : 1;
            char *content = NULL;
            size_t size, right, statements;
            FILE *out = open_memstream(&content, &size);
            fputs("S =\n", out);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    fprintf(out, "%d%c", j == (i + step) % n,
                            j + 1 < n ? ' ' : '\n');
            fputs("C =\n", out);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    const size_t by = (j + n - i) % n;
                    const size_t m = step == 1 ? by : (n - by) % n;
                    fprintf(out, "%.17g%c", 0.1 * (double)(m + 1) - 1 / 3.,
                            j + 1 < n ? ' ' : '\n');
                }
            fputs("w =", out);
            for (size_t m = 0; m < n; m++)
                fprintf(out, " %.17g", 0.1 * (double)(m + 1) - 1 / 3.);
            fputs("\n", out);
            fclose(out);
            char *said = said_of(content, &right, &statements);
            cr_assert_eq(right, 5, "%zu rows, step %zu:\n%s", n, step, said);
            cr_assert_eq(statements, 5);
            free(said);
            free(content);
        }
    cr_assert_geq(ran, 12);
}

Test(shift, what_a_file_lacks_is_said)
{
    static const char *const bad[][2] = {
        {"w = 1\n", ": 0 entries 'S' found, one is expected"},
        {"S =\n0 1\n1 0\nS = 1\n", ":4: 2 entries 'S' found, one is expected"},
        {"S =\n0 1\n1 0\nC = 1\nC = 1\n",
         ":5: 2 entries 'C' found, one is expected"},
        {"S = 1\nC = 1\nw = 1\nw = 1\n",
         ":4: 2 entries 'w' found, one is expected"},
        {"S = 1\nT = 1\n", ":2: 'T' found, S, C or w is expected"},
        {"S = 1\nC big = 1\n", ":2: 'C big' found, S, C or w is expected"},
        {"S =\n0 1 0\n0 0 1\n",
         ":1: S has 2 rows and 3 columns, 2 and 2 are expected"},
        {"S =\n0 1\n1 0\nC = 1 2\n",
         ":4: C has 1 rows and 2 columns, 2 and 2 are expected"},
        {"S =\n0 1\n1 0\nw = 1\n",
         ":4: w without C found, the matrix that it should give is expected "
         "too"},
        {"S = 1\nC = 1\nw = 1 2\n",
         ":3: w has 2 numbers, at most 1 are expected: S^1 is I again"},
        {"S = 1\nC = 1\nw =\n1\n1\n",
         ":3: w has 2 rows and 1 columns, 1 and 1 are expected"},
    };
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++) {
        attn_text *text = text_of(bad[ran][0]);
        attn_shift *x = (attn_shift *)&x;
        cr_assert_eq(attn_shift_read(text, &x, &error), GSL_EINVAL, "%s",
                     bad[ran][0]);
        cr_assert_null(x);
        cr_assert_str_eq(error.text + strlen(path), bad[ran][1]);
        attn_text_free(text);
    }
    cr_assert_eq(ran, 11);
}

Test(shift, too_many_rows_are_refused)
{
    char content[512] = "S =\n";
    attn_shift *x;

    for (int i = 0; i < ATTN_SHIFT_ROWS + 1; i++)
        strcat(content, "1\n");
    attn_text *text = text_of(content);
    cr_assert_eq(attn_shift_read(text, &x, &error), GSL_EINVAL);
    cr_assert_str_eq(error.text + strlen(path),
                     ":1: S has 65 rows, at most 64 are expected");
    attn_text_free(text);
    attn_shift_free(NULL);
}

/* One query's moves: the board's numbers, files that hold others. */
#include "attn_layer.h"
#include "attn_moves.h"
#include "attn_softmax.h"
#include "near.h"
#include "text_of.h"
#include <gsl/gsl_errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(moves, .init = text_init, .fini = text_fini);

/* Three keys, of two numbers, with values of three. */
static attn_moves *small(const double *q, const double *K, const double *V)
{
    attn_moves *m = attn_moves_alloc(3, 2, 3);

    cr_assert_not_null(m);
    memcpy(m->q->data, q, 2 * sizeof *q);
    memcpy(m->K->data, K, 6 * sizeof *K);
    memcpy(m->V->data, V, 9 * sizeof *V);
    return m;
}

static const double q[] = {1, -2};
static const double K[] = {0.5, 1, 2, -1, -1, 3};
static const double V[] = {1, 2, 3, 4, 5, 6, 7, 8, -9};

Test(moves, each_follows_from_the_one_before)
{
    attn_moves *m = small(q, K, V);
    const double products[] = {-1.5, 4, -7};
    double e[3], sum = 0;

    cr_near(m->scale, 1 / sqrt(2), 1e-15, 0);
    cr_assert_eq(attn_moves_make(m), GSL_SUCCESS);
    for (size_t j = 0; j < 3; j++) {
        e[j] = exp(products[j] / sqrt(2));
        sum += e[j];
        cr_near(gsl_matrix_get(m->products, 0, j), products[j], 0, 0);
        cr_near(gsl_matrix_get(m->scores, 0, j), products[j] / sqrt(2), 1e-15,
                0);
        cr_near(gsl_matrix_get(m->exponentials, 0, j), e[j], 1e-14, 0);
    }
    cr_near(m->shift, 0, 0, 0);
    cr_near(m->sum, sum, 1e-14, 0);
    for (size_t j = 0; j < 3; j++)
        cr_near(gsl_matrix_get(m->weights, 0, j), e[j] / sum, 1e-14, 0);
    for (size_t c = 0; c < 3; c++)
        cr_near(gsl_matrix_get(m->output, 0, c),
                (e[0] * V[c] + e[1] * V[3 + c] + e[2] * V[6 + c]) / sum, 1e-14,
                0);
    attn_moves_free(m);
}

Test(moves, scores_beyond_exp_are_shifted_and_weights_stay)
{
    static const double scales[] = {1e3, -1e3, 170, 176};
    static const double shifts[] = {4e3, 7e3, 0, 704};
    size_t ran = 0;

    for (; ran < sizeof scales / sizeof *scales; ran++) {
        attn_moves *m = small(q, K, V);
        m->scale = scales[ran];
        cr_assert_eq(attn_moves_make(m), GSL_SUCCESS);
        cr_near(m->shift, shifts[ran], 0, 0);
        for (size_t j = 0; j < 3; j++)
            cr_near(gsl_matrix_get(m->exponentials, 0, j) / m->sum,
                    gsl_matrix_get(m->weights, 0, j), 1e-14, 0);
        attn_moves_free(m);
    }
    cr_assert_eq(ran, 4);
}

Test(moves, scores_that_are_no_numbers_have_a_status)
{
    static const struct {
        double first;
        int status;
    } cases[] = {{NAN, GSL_EDOM},
                 {INFINITY, GSL_EOVRFLW},
                 {-INFINITY, ATTN_SOFTMAX_NO_KEY}};
    size_t ran = 0;

    for (; ran < sizeof cases / sizeof *cases; ran++) {
        attn_moves *m = attn_moves_alloc(2, 1, 1);
        gsl_matrix_set_all(m->q, cases[ran].first);
        gsl_matrix_set_all(m->K, 1);
        cr_assert_eq(attn_moves_make(m), cases[ran].status);
        attn_moves_free(m);
    }
    cr_assert_eq(ran, 3);
}

Test(moves, sizes_of_none_and_of_too_much_are_refused)
{
    cr_assert_null(attn_moves_alloc(0, 1, 1));
    cr_assert_null(attn_moves_alloc(1, 0, 1));
    cr_assert_null(attn_moves_alloc(1, 1, 0));
    cr_assert_null(attn_moves_alloc(SIZE_MAX / 2, 8, 1));
    cr_assert_null(attn_moves_alloc(SIZE_MAX / 16, 1, 1));
    attn_moves_free(NULL);
}

Test(moves, a_file_says_all_of_it)
{
    attn_text *text = text_of("value a = 1 2 3\nkey a = 0.5 1\nscale = 3\n"
                              "key b = 2 -1\nkey a = -1 3\nquery = 1 -2\n"
                              "value b = 4 5 6\nvalue a = 7 8 -9\n");
    attn_moves *m, *want = small(q, K, V);

    cr_assert_eq(attn_moves_read(text, &m, &error), GSL_SUCCESS, "%s",
                 error.text);
    cr_assert_eq(m->n, 3);
    cr_assert(gsl_matrix_equal(m->q, want->q));
    cr_assert(gsl_matrix_equal(m->K, want->K));
    cr_assert(gsl_matrix_equal(m->V, want->V));
    cr_near(m->scale, 3, 0, 0);
    cr_assert_str_eq(m->query, "query");
    cr_assert_str_eq(m->words[0], "a");
    cr_assert_str_eq(m->words[1], "b");
    cr_assert_str_eq(m->words[2], "a");
    attn_moves_free(want);
    attn_moves_free(m);
    attn_text_free(text);
}

Test(moves, what_a_file_lacks_is_said)
{
    static const char *const bad[][2] = {
        {"key a = 1\nvalue a = 1\n",
         ": 0 entries 'query' found, one is expected"},
        {"query = 1\nquery b = 1\nkey a = 1\nvalue a = 1\n",
         ":2: 2 entries 'query' found, one is expected"},
        {"query =\n1\n2\nkey a = 1\nvalue a = 1\n",
         ":1: 2 rows of 1 numbers found, one row is expected"},
        {"query = 1\n", ": 0 keys found, 1 to 64 are expected"},
        {"query = 1\nkey a = 1\n",
         ": 0 values found, one for each of 1 keys is expected"},
        {"query = 1\nkey a = 1\nvalue a = 1\nvalue a = 1\n",
         ": 2 values found, one for each of 1 keys is expected"},
        {"query = 1 2\nkey a = 1\nvalue a = 1\n",
         ":2: 1 rows of 1 numbers found, one row of 2 is expected"},
        {"query = 1\nkey a =\n1\n1\nvalue a = 1\n",
         ":2: 2 rows of 1 numbers found, one row of 1 is expected"},
        {"query = 1\nkey a = 1\nkey b = 1\nvalue a = 1 2\nvalue b = 1\n",
         ":5: 1 rows of 1 numbers found, one row of 2 is expected"},
        {"query = 1\nkey = 1\nvalue a = 1\n",
         ":2: 'key' without a name found, key NAME = NUMBERS is expected"},
        {"query = 1\nkey a = 1\nvalue = 1\n",
         ":3: 'value' without a name found, value NAME = NUMBERS is expected"},
        {"query = 1\nkey a = 1\nkey b = 2\nvalue b = 1\nvalue a = 1\n",
         ":4: value 'b' found, value 'a' is expected: values follow the keys' "
         "order"},
        {"query = 1\nkey a = 1\nvalue a = 1\nscale = 1 2\n",
         ":4: 1 rows of 2 numbers found, one number is expected"},
        {"query = 1\nkey a = 1\nvalue a = 1\nscale = 1\nscale = 2\n",
         ":5: 2 entries 'scale' found, one is expected"},
        {"query = 1\nkey a = 1\nweight a = 1\n",
         ":3: 'weight' found, query, key, value or scale is expected"},
    };
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++) {
        attn_text *text = text_of(bad[ran][0]);
        attn_moves *m = (attn_moves *)&m;
        cr_assert_eq(attn_moves_read(text, &m, &error), GSL_EINVAL, "%s",
                     bad[ran][0]);
        cr_assert_null(m);
        cr_assert_str_eq(error.text + strlen(path), bad[ran][1]);
        attn_text_free(text);
    }
    cr_assert_eq(ran, 15);
}

Test(moves, too_many_keys_or_values_are_refused)
{
    char content[8192] = "query = 1\n", *at = content + strlen(content);

    for (int j = 0; j <= ATTN_MOVES_KEYS; j++)
        at += sprintf(at, "key a = 1\nvalue a = 1\n");
    attn_text *text = text_of(content);
    attn_moves *m;
    cr_assert_eq(attn_moves_read(text, &m, &error), GSL_EINVAL);
    cr_assert_str_eq(error.text + strlen(path),
                     ": 65 keys found, 1 to 64 are expected");
    attn_text_free(text);

    at = content + sprintf(content, "query = 1\nkey a = 1\nvalue a =");
    for (int j = 0; j <= ATTN_MOVES_VALUES; j++)
        at += sprintf(at, " 1");
    text = text_of(content);
    cr_assert_eq(attn_moves_read(text, &m, &error), GSL_EINVAL);
    cr_assert_str_eq(error.text + strlen(path),
                     ":3: 65 numbers found, at most 64 are expected");
    attn_text_free(text);
}

Test(moves, every_move_is_on_paper)
{
    static const char *const lines[] = {
        "What \"x\" hears: 3 keys, d_k = 2, d_v = 3\n  q x = (1, -2)\n",
        "\n  a  = (1)(0.5) + (-2)(1) = -1.5\n",
        "2. Scores: times 0.707107 = 1/sqrt(2)\n",
        "\n  s o\xc3\xb9 = 0.707107 * 4 = 2.82843\n",
        "\n  o\xc3\xb9 = e^2.82843 = 16.9188\n",
        "4. Their sum\n  17.2721\n",
        "\n  a a  = 0.346227/17.2721 = 0.0200454\n",
        ("\n  c  = 0.00041021 (7, 8, -9) = (0.00287147, 0.00328168, "
         "-0.00369189)\n"),
        "7. Output: their sum\n  o x = (3.94109, 4.94109, 5.93371)"};
    attn_moves *m = small(q, K, V);
    char *paper = NULL;
    size_t size, ran = 0;
    FILE *out = open_memstream(&paper, &size);

    m->query = "x";
    m->words[0] = "a";
    m->words[1] = "o\xc3\xb9";
    m->words[2] = "c";
    cr_assert_eq(attn_moves_make(m), GSL_SUCCESS);
    attn_moves_print(m, out);
    cr_assert_eq(fclose(out), 0);
    for (; ran < sizeof lines / sizeof *lines; ran++)
        cr_assert_not_null(strstr(paper, lines[ran]), "no '%s' in\n%s",
                           lines[ran], paper);
    cr_assert_eq(ran, 9);
    attn_moves_free(m);
    free(paper);
}

Test(moves, what_is_subtracted_from_steep_scores_is_on_paper)
{
    attn_moves *m = small(q, K, V);
    char *paper = NULL;
    size_t size;
    FILE *out = open_memstream(&paper, &size);

    m->query = "x";
    m->words[0] = m->words[1] = m->words[2] = "a";
    m->scale = 1000;
    cr_assert_eq(attn_moves_make(m), GSL_SUCCESS);
    attn_moves_print(m, out);
    cr_assert_eq(fclose(out), 0);
    cr_assert_not_null(strstr(paper,
                              "; e^4000 is beyond a double's range or near its "
                              "end, so\n   4000 is subtracted from every score "
                              "first"),
                       "%s", paper);
    cr_assert_not_null(strstr(paper, " = e^0 = 1\n"), "%s", paper);
    attn_moves_free(m);
    free(paper);
}

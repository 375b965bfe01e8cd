/* Lookup tables: the laws, the programmed layer, the reader's dictionary. */
#include "attn_dictionary.h"
#include "attn_lookup.h"
#include "attn_softmax.h"
#include "near.h"
#include "text_of.h"
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(lookup, .init = text_init, .fini = text_fini);

Test(lookup, the_laws_are_those_of_a_softmax_with_one_lead)
{
    static const size_t sizes[] = {2, 3, 7, 100};
    static const double gaps[] = {0, 0.1, 1, 5, 20, 40, 300, 700};
    size_t ran = 0;

    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 8; j++, ran++) {
            const size_t n = sizes[i];
            gsl_vector *a = gsl_vector_calloc(n);
            gsl_vector_set(a, n - 1, gaps[j]);
            attn_softmax(a, a);
            cr_near(attn_lookup_weight(n, gaps[j]), gsl_vector_get(a, n - 1),
                    1e-14, 0);
            cr_near(attn_lookup_rest(n, gaps[j]), attn_softmax_rest(a), 1e-13,
                    0);
            cr_near(attn_lookup_trace(n, gaps[j]), attn_softmax_trace(a), 1e-13,
                    0);
            cr_near(attn_lookup_frobenius(n, gaps[j]),
                    attn_softmax_frobenius(a), 1e-13, 0);
            gsl_vector_free(a);
        }
    cr_assert_eq(ran, 32);
}

Test(lookup, known_values)
{
    cr_near(attn_lookup_weight(11, log(10)), 0.5, 1e-15, 0);
    cr_near(attn_lookup_rest(11, log(10)), 0.5, 1e-15, 0);
    cr_near(attn_lookup_frobenius(2, 0), 0.5, 1e-15, 0);
    cr_near(attn_lookup_trace(4, 0), 0.75, 1e-15, 0);
    cr_near(attn_lookup_weight(1, 3), 1, 0, 0);
    cr_near(attn_lookup_rest(1, 3), 0, 0, 0);
    cr_near(attn_lookup_trace(1, 3), 0, 0, 0);
    cr_near(attn_lookup_frobenius(1, 3), 0, 0, 0);
    cr_near(attn_lookup_one_top(), 36.736800569677101, 1e-15, 0);
    cr_near(attn_lookup_one(50), 36.736800569677101 + log(49), 1e-15, 0);
    cr_near(attn_lookup_zero(), 745.13321910194122, 1e-15, 0);
}

/* Scores b and n - 1 zeros, the lead at the end. */
static gsl_vector *lead(size_t n, double b)
{
    gsl_vector *s = gsl_vector_calloc(n);

    gsl_vector_set(s, n - 1, b);
    return s;
}

Test(lookup, the_order_of_summing_moves_the_threshold)
{
    static const size_t sizes[] = {2, 5, 33, 200};
    size_t ran = 0;

    for (; ran < sizeof sizes / sizeof *sizes; ran++) {
        const size_t n = sizes[ran];
        const double one = attn_lookup_one(n), top = attn_lookup_one_top();
        for (int above = 0; above < 2; above++) {
            const double off = above ? 1e-9 : -1e-9;
            gsl_vector *s = lead(n, top + off);
            cr_assert_eq(attn_lookup_top_first(s) == 1, above);
            gsl_vector_set(s, n - 1, one + off);
            attn_softmax(s, s);
            cr_assert_eq(gsl_vector_get(s, n - 1) == 1, above, "%zu keys", n);
            gsl_vector_free(s);
            s = lead(n, attn_lookup_zero() + off);
            attn_softmax(s, s);
            cr_assert_eq(gsl_vector_get(s, 0) == 0, above);
            gsl_vector_free(s);
        }
    }
    cr_assert_eq(ran, 4);
}

Test(lookup, a_programmed_layer_returns_the_targets_value)
{
    static const size_t target[] = {2, 0, 1};
    attn_layer *layer = attn_layer_alloc(3, 4, 2, 1);
    attn_layer_workspace *w = attn_layer_workspace_alloc(layer, 3);
    gsl_matrix *X = gsl_matrix_alloc(3, 3), *O = gsl_matrix_alloc(3, 2);

    gsl_matrix_set_identity(X);
    for (size_t i = 0; i < 6; i++)
        gsl_matrix_set(layer->W_V, i / 2, i % 2, (double)i * 1.7 - 3);
    cr_assert_eq(attn_lookup_program(layer, target, 746), GSL_SUCCESS);
    cr_assert_eq(attn_layer_forward(layer, X, O, w), GSL_SUCCESS);
    for (size_t i = 0; i < 6; i++)
        cr_near(gsl_matrix_get(O, i / 2, i % 2),
                gsl_matrix_get(layer->W_V, target[i / 2], i % 2), 0, 0);
    gsl_matrix_free(X);
    gsl_matrix_free(O);
    attn_layer_workspace_free(w);
    attn_layer_free(layer);
}

Test(lookup, a_layer_that_cannot_be_programmed_is_refused)
{
    static const size_t target[] = {2, 0, 1}, beyond[] = {2, 0, 3};
    static const size_t sizes[][2] = {{2, 1}, {4, 2}};
    size_t ran = 0;

    for (; ran < sizeof sizes / sizeof *sizes; ran++) {
        attn_layer *layer =
            attn_layer_alloc(3, sizes[ran][0], 1, sizes[ran][1]);
        cr_assert_eq(attn_lookup_program(layer, target, 1), GSL_EBADLEN);
        attn_layer_free(layer);
    }
    cr_assert_eq(ran, 2);
    attn_layer *layer = attn_layer_alloc(3, 3, 1, 1);
    gsl_matrix_set_all(layer->W_Q, 5);
    cr_assert_eq(attn_lookup_program(layer, beyond, 1), GSL_EBADLEN);
    cr_near(gsl_matrix_get(layer->W_Q, 0, 0), 5, 0, 0);
    attn_layer_free(layer);
}

/* ---- the reader's dictionary ---- */

/* What is said of the layer in content, to be freed. */
static char *said_of(const char *content)
{
    attn_text *text = text_of(content);
    attn_dictionary *x;
    char *said = NULL;
    size_t size;
    FILE *out = open_memstream(&said, &size);

    cr_assert_eq(attn_dictionary_read(text, &x, &error), GSL_SUCCESS, "%s",
                 error.text);
    cr_assert_eq(attn_dictionary_ask(x), GSL_SUCCESS);
    attn_dictionary_print(x, out);
    cr_assert_eq(fclose(out), 0);
    attn_dictionary_free(x);
    attn_text_free(text);
    return said;
}

Test(lookup, a_file_says_all_of_the_layer)
{
    attn_text *text = text_of("W_V =\n1 2\n3 4\n5 6\nkey a = 1 2\nkey b = 3 5\n"
                              "W_K =\n1 0 2\n0 1 0\n7 7 7\nscale = 3\n"
                              "W_Q =\n9 0 0\n0 8 0\n0 0 1\n");
    attn_dictionary *x;

    cr_assert_eq(attn_dictionary_read(text, &x, &error), GSL_SUCCESS, "%s",
                 error.text);
    cr_assert(x->n == 2 && x->d == 3 && x->Q->size1 == 3 && x->K->size1 == 2);
    cr_assert(x->V->size1 == 2 && x->V->size2 == 2);
    cr_near(x->scale, 3, 0, 0);
    cr_near(gsl_matrix_get(x->Q, 1, 1), 8, 0, 0);
    cr_near(gsl_matrix_get(x->K, 0, 2), 2, 0, 0);
    cr_near(gsl_matrix_get(x->V, 1, 0), 3, 0, 0);
    cr_near(gsl_matrix_get(x->wanted, 1, 1), 5, 0, 0);
    cr_assert_str_eq(x->keys[1], "b");
    cr_assert_eq(x->lines[1], 6);
    cr_near(x->tolerance, 4 * 0x1p-52 * 5, 0, 0);
    cr_assert_eq(attn_dictionary_ask(x), GSL_SUCCESS);
    cr_near(attn_dictionary_gap(x, 0), 27, 0, 0);
    cr_assert(attn_dictionary_is_right(x, 0) == 0); /* e^-27 too much */
    attn_dictionary_free(x);
    attn_text_free(text);
}

#define UNIT "W_K =\n1 0 0\n0 1 0\n0 0 1\nscale = 1\n"

Test(lookup, each_mistake_has_its_sentence)
{
    static const char *const cases[][2] = {
        {"key a = 3\nkey b = 4\nkey c = 5\nW_Q =\n50 0 0\n0 50 0\n0 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "key 'a' (line 1): the layer returns 3, as the dictionary says; "
         "3.9e-22 of the weight is elsewhere.\n"},
        {"key a = 3\nkey b = 4\nkey c = 5\nW_Q =\n50 0 0\n0 1 0.5\n0 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "key 'b' (line 2): the layer returns 4.12087216, the dictionary says "
         "4: the second largest weight 0.3072 is on 'c'; make the score gap, "
         "0.5, larger (38 is enough).\n"},
        {"key a = 3\nkey b = 4\nkey c = 5\nW_Q =\n0 0 50\n0 50 0\n0 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "key 'a' (line 1): the layer returns 5, the dictionary says 3: the "
         "largest weight 1 is on 'c'; row 1 of W_Q should ask for the key of "
         "'a'.\n"},
        {"key a = 3\nkey b = 4\nkey c = 5\nW_Q =\n50 0 0\n0 50 0\n0 0 50\n"
         "W_V =\n3\n-4\n5\n" UNIT,
         "key 'b' (line 2): the layer returns -4, the dictionary says 4: no "
         "token has that value, W_V gives 'b' the value -4; change row 2 of "
         "W_V.\n"},
        {"key a = 3\nkey b = 4\nkey c = 5\nW_Q =\n50 0 0\n0 50 50\n0 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "key 'b' (line 2): the layer returns 4.5, the dictionary says 4: the "
         "second largest weight 0.5 is on 'c'; row 2 of W_Q fits the keys of "
         "'b' and 'c' equally well: make it ask for 'b' alone.\n"},
        {"key a = 3\nkey b = 4\nkey c = 5\nW_Q =\n50 0\n0 50\n0 50\n"
         "W_K =\n1 0\n0 1\n0 1\nW_V =\n3\n4\n5\nscale = 1\n",
         "key 'c' (line 3): the layer returns 4.5, the dictionary says 5: the "
         "second largest weight 0.5 is on 'b'; rows 3 and 2 of W_K are the "
         "same, so no query can tell 'c' from 'b': make them differ.\n"},
        {"key a = 3\nkey b = 4\nW_Q =\n20 0\n0 50\nW_K =\n1 0\n0 1\n"
         "W_V =\n3\n4\nscale = 1\n",
         "key 'a' (line 1): the layer returns 3, the dictionary says 3 "
         "(2.1e-09 apart): the second largest weight 2.061e-09 is on 'b'; "
         "make the score gap, 20, larger (37 is enough).\n"},
        {"key a = 3\nkey b = 4\nW_Q =\n80 0\n0 80\nW_K =\n1 0\n0 1\n"
         "W_V =\n3\n4\nscale = -0.5\n",
         "key 'a' (line 1): the layer returns 4, the dictionary says 3: the "
         "scale, -0.5, is negative, so the key that matches best gets the "
         "smallest weight; make it positive.\n"},
        {"key a = 3\nkey b = 4\nW_Q =\n80 0\n0 80\nW_K =\n1 0\n0 1\n"
         "W_V =\n3\n4\nscale = 0\n",
         "the second largest weight 0.5 is on 'b'; the scale is 0 and with it "
         "every score: make it positive.\n"},
        {"key a = 3\nkey b = 4\nW_Q =\n80 0\n0 80\nW_K =\n1 0\n0 1\n"
         "W_V =\n4\n3\n",
         "key 'a' (line 1): the layer returns 4, the dictionary says 3: W_V "
         "gives 'a' the value 4; change row 1 of W_V.\n"},
        {"key a = 3\nkey a = 3\nkey b = 4\nW_Q =\n80 0\n80 0\n0 80\n"
         "W_K =\n1 0\n1 0\n0 1\nW_V =\n3\n3\n4\n",
         "key 'a' (line 2): the layer returns 3, as the dictionary says (2 "
         "times, first in line 1); 1.4e-25 of the weight is elsewhere.\n"},
        {"key a = 1\nkey a = 1\nW_Q =\n0.252 0\n0 0.252\nW_K =\n1 0\n0 1\n"
         "W_V =\n1.00000000000000088818\n1.00000000000000088818\nscale = 1\n",
         "key 'a' (line 1): the layer returns 1, the dictionary says 1 "
         "(1.1e-15 apart): the weight is where it should be, but not every row "
         "of 'a' in W_V has the dictionary's value to the last digit; write it "
         "there.\n"},
        {"key a = 3\nkey b = 4\nkey a = 3\nW_Q =\n80 0\n0 80\n80 0\n"
         "W_K =\n1 0\n0 1\n1 0\nW_V =\n3\n4\n5\n",
         "key 'a' (line 1): the layer returns 4, the dictionary says 3: W_V "
         "gives 'a' the value 5; change row 3 of W_V.\n"},
        {"key a = 3\nkey b = 4\nkey a = 3\nW_Q =\n0 0 50\n0 50 0\n0 0 50\n"
         "W_V =\n5\n4\n6\n" UNIT,
         "key 'a' (line 1): the layer returns 6, the dictionary says 3: no "
         "token has that value, W_V gives 'a' the value 6; change row 3 of "
         "W_V.\n"},
        {"key a = 3\nkey b = 4\nkey a = 5\nW_Q =\n50 0 50\n0 50 0\n50 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "key 'a' (line 3): the layer returns 4, the mean of its 2 values is "
         "4: a key that comes 2 times (first in line 1) cannot return any one "
         "of them.\n"},
        {"key a = 3\nkey b = 4\nkey a = 5\nW_Q =\n50 0 0\n0 50 0\n0 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "key 'a' (line 3): the layer returns 5, the mean of its 2 values is "
         "4: a key that comes 2 times (first in line 1) cannot return any one "
         "of them; give all its rows of W_K the same key and all its rows of "
         "W_Q the same query.\n"},
        {"key a = 3\nkey b = 4\nW_Q =\n50 0 0\n0 50 0\n0 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "token 3 is in no dictionary: the layer returns 3.5, the mean of all "
         "2 values, without a warning.\n"},
        {"key a = 3\nkey b = 4\nW_Q =\n50 0 0\n0 50 0\n1 0 50\n"
         "W_V =\n3\n4\n5\n" UNIT,
         "token 3 is in no dictionary: the layer returns 3.26894142, weights "
         "from 0.2689 to 0.7311: it does not know that there is no such "
         "key.\n"},
        {"key a = 3 1 2 3 4\nW_Q = 1\nW_K = 1\nW_V = 3 1 2 3 4\n",
         "key 'a' (line 1): the layer returns (3, 1, 2, 3, ...), as the "
         "dictionary says; 0 of the weight is elsewhere.\n"
         "1 of 1 keys are right: this layer is the lookup table.\n"},
    };
    size_t ran = 0;

    for (; ran < sizeof cases / sizeof *cases; ran++) {
        char *said = said_of(cases[ran][0]);
        cr_assert_not_null(strstr(said, cases[ran][1]), "no '%s' in\n%s",
                           cases[ran][1], said);
        free(said);
    }
    cr_assert_eq(ran, 19);
}

Test(lookup, what_a_file_lacks_is_said)
{
    static const char *const bad[][2] = {
        {"key a = 1\n", ": 0 entries 'W_Q' found, one is expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nW_K = 1\nkey a = 1\n",
         ":4: 2 entries 'W_K' found, one is expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\n", ": 0 keys found, 1 to 64 are expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nkey a = 1\nkey b = 1\n",
         ":1: W_Q has 1 rows, one for each of 2 keys is expected"},
        {"W_Q = 1\nW_K =\n1\n2\nW_V = 1\nkey a = 1\n",
         ":2: W_K has 2 rows, 1 as in W_Q are expected"},
        {"W_Q = 1\nW_K = 1\nW_V =\n1\n2\nkey a = 1\n",
         ":3: W_V has 2 rows, 1 as in W_Q are expected"},
        {"W_Q = 1\nW_K = 1 2\nW_V = 1\nkey a = 1\n",
         ":2: W_K has 2 columns, 1 as in W_Q are expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nkey = 1\n",
         ":4: 'key' without a name found, key NAME = VALUE is expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nkey a = 1 2\n",
         ":4: 1 rows of 2 numbers found, one row of 1 as in W_V is expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nkey a = 1\nscale = 1 2\n",
         ":5: 1 rows of 2 numbers found, one number is expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nkey a = 1\nscale = 1\nscale = 1\n",
         ":6: 2 entries 'scale' found, one is expected"},
        {"W_Q = 1\nW_K = 1\nW_V = 1\nkey a = 1\nW_O = 1\n",
         ":5: 'W_O' found, W_Q, W_K, W_V, key or scale is expected"},
        {"W_Q a = 1\nW_K = 1\nW_V = 1\nkey a = 1\n",
         ":1: 'W_Q a' found, W_Q alone is expected"},
    };
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++) {
        attn_text *text = text_of(bad[ran][0]);
        attn_dictionary *x = (attn_dictionary *)&x;
        cr_assert_eq(attn_dictionary_read(text, &x, &error), GSL_EINVAL, "%s",
                     bad[ran][0]);
        cr_assert_null(x);
        cr_assert_str_eq(error.text + strlen(path), bad[ran][1]);
        attn_text_free(text);
    }
    cr_assert_eq(ran, 13);
}

/* head, then count copies of part, then tail. */
static attn_text *long_text(const char *head, const char *part, int count,
                            const char *tail)
{
    char content[8192], *at = content;

    at += sprintf(at, "%s", head);
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s", part);
    sprintf(at, "%s", tail);
    return text_of(content);
}

Test(lookup, too_many_keys_or_columns_are_refused)
{
    attn_dictionary *x;
    attn_text *text = long_text("W_Q = 1\nW_K = 1\nW_V = 1\n", "key a = 1\n",
                                ATTN_DICTIONARY_KEYS + 1, "");

    cr_assert_eq(attn_dictionary_read(text, &x, &error), GSL_EINVAL);
    cr_assert_str_eq(error.text + strlen(path),
                     ": 65 keys found, 1 to 64 are expected");
    attn_text_free(text);
    text = long_text("W_Q = 1\nW_K = 1\nW_V =", " 1",
                     ATTN_DICTIONARY_VALUES + 1, "\nkey a = 1\n");
    cr_assert_eq(attn_dictionary_read(text, &x, &error), GSL_EINVAL);
    cr_assert_str_eq(error.text + strlen(path),
                     ":3: W_V has 65 columns, at most 64 are expected");
    attn_text_free(text);
    attn_dictionary_free(NULL);
}

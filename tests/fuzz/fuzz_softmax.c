/*
 * Softmax and its Jacobian on any scores: a NaN is reported, weights are at
 * least 0 and sum to 1, equal scores have equal weights and larger ones no
 * smaller, and the norms of the Jacobian keep their order and their bounds.
 */
#include "attn_softmax.h"
#include "fuzz.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#define EPS 0x1p-52
#define TINY 1e-300 /* down to which the norms are right */
enum { SCORES = 48 };

/* Numbers at the edges, or (mode 1) any eight bytes. */
static size_t take_scores(const uint8_t *data, size_t size, double *s)
{
    const int is_raw = fuzz_byte(&data, &size) & 1;
    size_t n = 0;

    for (; size > 0 && n < SCORES; n++) {
        if (!is_raw) {
            s[n] = fuzz_number(&data, &size);
        } else if (size >= sizeof *s) {
            memcpy(&s[n], data, sizeof *s);
            data += sizeof *s;
            size -= sizeof *s;
        } else {
            break;
        }
    }
    return n;
}

static int has_nan(const double *s, size_t n)
{
    for (size_t j = 0; j < n; j++)
        if (isnan(s[j]))
            return 1;
    return 0;
}

static double largest(const double *s, size_t n)
{
    double most = -INFINITY;

    for (size_t j = 0; j < n; j++)
        most = s[j] > most ? s[j] : most;
    return most;
}

static void check_nan(const gsl_vector *s, gsl_vector *a)
{
    double lse;

    gsl_vector_set_all(a, 7);
    HOLDS(attn_softmax(s, a) == GSL_EDOM);
    for (size_t j = 0; j < a->size; j++)
        HOLDS(gsl_vector_get(a, j) == 7);
    HOLDS(attn_softmax_lse(s, &lse) == GSL_EDOM);
}

static void check_weights(const double *s, const double *a, size_t n)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++) {
        HOLDS(a[j] >= 0 && a[j] <= 1);
        HOLDS(s[j] != -INFINITY || a[j] == 0);
        for (size_t l = 0; l < n; l++) {
            HOLDS(s[j] != s[l] || a[j] == a[l]);
            HOLDS(!(s[j] > s[l]) || a[j] >= a[l]);
        }
        sum += a[j];
    }
    HOLDS(fabs(sum - 1) <= (double)n * EPS);
}

/* lse, against the weight of the largest score: a_max = e^(s_max - lse). */
static void check_lse(const gsl_vector *s, double most, double a_most)
{
    double lse;

    HOLDS(attn_softmax_lse(s, &lse) == GSL_SUCCESS);
    if (most == INFINITY) {
        HOLDS(lse == INFINITY);
        return;
    }
    HOLDS(lse >= most &&
          lse <= most + log((double)s->size) + 4 * EPS * (fabs(most) + 4));
    HOLDS(fabs(exp(most - lse) - a_most) <=
          (2 * (double)s->size + 4 * fabs(most) + 8) * EPS);
}

static void check_norms(const gsl_vector *a)
{
    const double n = (double)a->size;
    const double slack = 1 + 32 * n * EPS;
    const double trace = attn_softmax_trace(a);
    const double frobenius = attn_softmax_frobenius(a);
    const double spectral = attn_softmax_spectral(a);
    const double rest = attn_softmax_rest(a);
    const double entropy = attn_softmax_entropy(a);

    HOLDS(spectral >= 0 && spectral <= frobenius * slack + TINY);
    HOLDS(frobenius <= trace * slack + TINY);
    HOLDS(frobenius <= 0.5 * slack);
    HOLDS(trace <= (1 - 1 / n) * slack + n * EPS);
    HOLDS(rest >= 0 && rest <= (1 - 1 / n) * slack + n * EPS);
    HOLDS(entropy >= 0 && entropy <= log(n) + 8 * n * EPS);
    /* 1 - a_max is within [tr J/2, tr J] */
    HOLDS(trace <= 2 * rest * slack + TINY && rest <= trace * slack + TINY);
}

static void check_jacobian(const gsl_vector *a)
{
    const size_t n = a->size;
    double j_entries[SCORES * SCORES], x_entries[SCORES], y_entries[SCORES];
    gsl_matrix_view J = gsl_matrix_view_array(j_entries, n, n);
    gsl_vector_view x = gsl_vector_view_array(x_entries, n);
    gsl_vector_view y = gsl_vector_view_array(y_entries, n);

    for (size_t i = 0; i < n; i++)
        x_entries[i] = 1 - 0.375 * (double)(i % 7);
    HOLDS(attn_softmax_jacobian(a, &J.matrix) == GSL_SUCCESS);
    HOLDS(attn_softmax_jvp(a, &x.vector, &y.vector) == GSL_SUCCESS);
    for (size_t i = 0; i < n; i++) {
        double row = 0, product = 0;
        for (size_t j = 0; j < n; j++) {
            const double J_ij = j_entries[i * n + j];
            HOLDS(J_ij == j_entries[j * n + i]);
            HOLDS(i == j ? J_ij >= 0 : J_ij <= 0);
            row += J_ij;
            product += J_ij * x_entries[j];
        }
        HOLDS(fabs(row) <= 2 * (double)n * EPS);
        HOLDS(fabs(product - y_entries[i]) <= 8 * (double)n * EPS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double scores[SCORES], weights[SCORES];
    const size_t n = take_scores(data, size, scores);

    if (n == 0)
        return 0;
    gsl_set_error_handler_off();
    const double most = largest(scores, n);
    gsl_vector_view s = gsl_vector_view_array(scores, n);
    gsl_vector_view a = gsl_vector_view_array(weights, n);
    if (has_nan(scores, n)) {
        check_nan(&s.vector, &a.vector);
        return 0;
    }
    const int status = attn_softmax(&s.vector, &a.vector);
    if (most == -INFINITY) {
        HOLDS(status == ATTN_SOFTMAX_NO_KEY);
        for (size_t j = 0; j < n; j++)
            HOLDS(weights[j] == 0);
        return 0;
    }
    HOLDS(status == GSL_SUCCESS);
    check_weights(scores, weights, n);
    check_lse(&s.vector, most, largest(weights, n));
    check_norms(&a.vector);
    check_jacobian(&a.vector);
    HOLDS(attn_softmax(&s.vector, &s.vector) == GSL_SUCCESS);
    HOLDS(memcmp(scores, weights, n * sizeof *scores) == 0);
    return 0;
}

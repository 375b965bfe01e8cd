/* a_j = e^{s_j}/Z and J = diag(a) - a a^T, right near saturation. */
#include "attn_softmax.h"
#include "attn_math.h"
#include <gsl/gsl_errno.h>
#include <math.h>

#define REQUIRE_SAME_SIZE(x, y)                                                \
    do {                                                                       \
        if ((x)->size != (y)->size)                                            \
            GSL_ERROR("vectors of unequal size", GSL_EBADLEN);                 \
    } while (0)

/* s - top, with infinity - infinity = 0: equal scores are equal. */
static double below(double s, double top)
{
    return s == top ? 0 : s - top;
}

/* Index of the first largest score; size when one of them is NaN. */
static size_t find_top(const gsl_vector *s)
{
    size_t p = 0;

    for (size_t j = 0; j < s->size; j++) {
        const double sj = gsl_vector_get(s, j);
        if (isnan(sj))
            return s->size;
        if (sj > gsl_vector_get(s, p))
            p = j;
    }
    return p;
}

/* x_j = e^{x_j} */
static void exponentials(gsl_vector *x)
{
    if (x->stride == 1)
        attn_exp_all(x->data, x->size, x->data);
    else
        for (size_t j = 0; j < x->size; j++)
            gsl_vector_set(x, j, attn_exp(gsl_vector_get(x, j)));
}

int attn_softmax(const gsl_vector *s, gsl_vector *a)
{
    REQUIRE_SAME_SIZE(s, a);
    const size_t p = find_top(s);
    if (p == s->size)
        GSL_ERROR("a score is NaN", GSL_EDOM);
    const double top = gsl_vector_get(s, p);
    if (top == -INFINITY) {
        gsl_vector_set_zero(a);
        return ATTN_SOFTMAX_NO_KEY;
    }

    for (size_t j = 0; j < s->size; j++)
        gsl_vector_set(a, j, below(gsl_vector_get(s, j), top));
    exponentials(a);
    double rest = 0; /* sum of e^{s_j - top}, j != p */
    for (size_t j = 0; j < s->size; j++)
        rest += j == p ? 0 : gsl_vector_get(a, j);
    const double Z = 1 + rest;
    for (size_t j = 0; j < s->size; j++)
        gsl_vector_set(a, j, gsl_vector_get(a, j) / Z);
    return GSL_SUCCESS;
}

int attn_softmax_lse(const gsl_vector *s, double *lse)
{
    const size_t p = find_top(s);
    if (p == s->size)
        GSL_ERROR("a score is NaN", GSL_EDOM);
    const double top = gsl_vector_get(s, p);
    *lse = top;
    if (isinf(top))
        return top > 0 ? GSL_SUCCESS : ATTN_SOFTMAX_NO_KEY;

    double rest = 0;
    for (size_t j = 0; j < s->size; j++)
        if (j != p)
            rest += attn_exp(gsl_vector_get(s, j) - top);
    *lse = top + attn_log1p(rest); /* top + ln(1 + sum of the others) */
    return GSL_SUCCESS;
}

/* The winner, what is left for the others, and the largest of them. */
typedef struct {
    size_t p;         /* argmax */
    double top;       /* a_p */
    double rest;      /* 1 - a_p = sum of a_j, j != p */
    double runner_up; /* max of a_j, j != p; 0 when there is none */
} shape;

static shape shape_of(const gsl_vector *a)
{
    shape w = {.p = gsl_vector_max_index(a)};

    w.top = gsl_vector_get(a, w.p);
    for (size_t j = 0; j < a->size; j++)
        if (j != w.p) {
            w.rest += gsl_vector_get(a, j);
            w.runner_up = fmax(w.runner_up, gsl_vector_get(a, j));
        }
    return w;
}

double attn_softmax_rest(const gsl_vector *a)
{
    return shape_of(a).rest;
}

double attn_softmax_entropy(const gsl_vector *a)
{
    const shape w = shape_of(a);
    /* ln a_p = ln(1 - rest), without forming 1 - rest when rest is small. */
    const double log_top = w.rest < 0.5 ? attn_log1p(-w.rest) : attn_log(w.top);
    double H = 0;

    for (size_t j = 0; j < a->size; j++) {
        const double aj = gsl_vector_get(a, j);
        if (j != w.p && aj > 0)
            H -= aj * attn_log(aj);
    }
    return w.top > 0 ? H - w.top * log_top : 0;
}

int attn_softmax_jacobian(const gsl_vector *a, gsl_matrix *J)
{
    const size_t n = a->size;
    if (J->size1 != n || J->size2 != n)
        GSL_ERROR("the Jacobian of n weights is n x n", GSL_EBADLEN);
    const shape w = shape_of(a);

    for (size_t j = 0; j < n; j++) {
        const double aj = gsl_vector_get(a, j);
        for (size_t l = 0; l < n; l++)
            gsl_matrix_set(J, j, l, -aj * gsl_vector_get(a, l));
        /* a_j (1 - a_j); every a_j but the largest is at most 1/2. */
        gsl_matrix_set(J, j, j, aj * (j == w.p ? w.rest : 1 - aj));
    }
    return GSL_SUCCESS;
}

int attn_softmax_jvp(const gsl_vector *a, const gsl_vector *x, gsl_vector *y)
{
    REQUIRE_SAME_SIZE(a, x);
    REQUIRE_SAME_SIZE(a, y);
    const shape w = shape_of(a);
    const double xp = gsl_vector_get(x, w.p);
    double lead = 0; /* x_p - sum_l a_l x_l = sum_l a_l (x_p - x_l) */

    for (size_t l = 0; l < a->size; l++)
        lead += gsl_vector_get(a, l) * (xp - gsl_vector_get(x, l));
    for (size_t j = 0; j < a->size; j++)
        gsl_vector_set(
            y, j, gsl_vector_get(a, j) * ((gsl_vector_get(x, j) - xp) + lead));
    return GSL_SUCCESS;
}

double attn_softmax_trace(const gsl_vector *a)
{
    const shape w = shape_of(a);
    double trace = w.top * w.rest;

    for (size_t j = 0; j < a->size; j++) {
        const double aj = gsl_vector_get(a, j);
        if (j != w.p)
            trace += aj * (1 - aj);
    }
    return trace;
}

/*
 * With u_j = a_j/a_w (w the runner-up) and R = sum of a_j^2, all j != p,
 *
 *     |J|^2 = a_w^2 [ (a_p rest/a_w)^2                        J_pp
 *           + sum_j u_j^2 ( (1 - a_j)^2 + 2 a_p^2             J_jj, J_jp, J_pj
 *                           + R - a_j^2 ) ]                   J_jl
 *
 * where every term is >= 0 and the bracket is at least 1/4.
 */
double attn_softmax_frobenius(const gsl_vector *a)
{
    const shape w = shape_of(a);
    if (w.runner_up == 0)
        return 0; /* one-hot */
    const double lead = w.top * (w.rest / w.runner_up);
    double R = 0, sum = lead * lead;

    for (size_t j = 0; j < a->size; j++)
        if (j != w.p)
            R += gsl_vector_get(a, j) * gsl_vector_get(a, j);
    for (size_t j = 0; j < a->size; j++) {
        const double aj = gsl_vector_get(a, j), u = aj / w.runner_up;
        if (j != w.p)
            sum += u * u *
                   ((1 - aj) * (1 - aj) + 2 * w.top * w.top + (R - aj * aj));
    }
    return w.runner_up * sqrt(sum);
}

/*
 * An eigenvalue lambda of diag(a) - a a^T with sum a = 1 solves
 * sum_j a_j/(a_j - lambda) = 0, and the largest lies between the two largest
 * weights (interlacing). With lambda = a_w mu, b_j = a_j/a_w and T = a_w/a_p,
 * multiplying by 1 - T mu leaves
 *
 *     G(mu) = sum_{j != p} b_j (1 - a_j/a_p) / (mu - b_j) = 1/a_p,  mu > 1.
 *
 * G falls and 1/G is concave, so Newton's method on 1/G, started at the left
 * of the root, climbs to it; for n = 2 its first step is exact.
 */
double attn_softmax_spectral(const gsl_vector *a)
{
    const shape w = shape_of(a);
    const double Z = 1 / w.top;
    /* mu - 1, first from the runner-up's term alone */
    double y = (1 - w.runner_up / w.top) / Z;

    if (w.runner_up == 0)
        return 0;
    for (int step = 0; y > 0 && step < 100; step++) {
        double G = 0, slope = 0; /* slope = -G' */
        for (size_t j = 0; j < a->size; j++) {
            const double aj = gsl_vector_get(a, j), b = aj / w.runner_up;
            const double away = y + (1 - b); /* mu - b_j */
            if (j != w.p) {
                const double term = b * (1 - aj / w.top) / away;
                G += term;
                slope += term / away;
            }
        }
        /* 1/G + (slope/G^2) dy = 1/Z */
        const double dy = G * (G / Z - 1) / slope;
        y += dy;
        if (!(dy > 2e-16 * (1 + y)))
            break;
    }
    return w.runner_up * (1 + y);
}

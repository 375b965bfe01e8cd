/*
 * Softmax, its Jacobian and attention against 200-bit arithmetic (MPFR): the
 * bounds that attn_softmax.h, attn_layer.h and attn_stream.h state, over scores
 * of every size, gaps, ties and masks. And sizes whose n n overflows 32 bits.
 */
#include "attn_counted.h"
#include "attn_layer.h"
#include "attn_matrix.h"
#include "attn_rng.h"
#include "attn_sample.h"
#include "attn_softmax.h"
#include "attn_stream.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))
#define EPS 0x1p-52
#define EPS_FLOAT 0x1p-23
enum { BITS = 200 };

/* ---- what was seen beside what is allowed ---- */

/* The largest share of its bound that an error took, and the largest error in
 * eps alone. */
typedef struct {
    const char *what;
    double share, in_eps;
    size_t compared;
} worst;

/* |got - want| <= bound |want| + floor, where want has BITS bits. */
static void compare(worst *s, double got, const mpfr_t want, double bound,
                    double floor)
{
    mpfr_t error;

    cr_assert(isfinite(got), "%s is %g", s->what, got);
    mpfr_init2(error, BITS);
    mpfr_sub_d(error, want, got, MPFR_RNDN);
    const double off = fabs(mpfr_get_d(error, MPFR_RNDN));
    const double size = fabs(mpfr_get_d(want, MPFR_RNDN));
    const double allowed = bound * size + floor;
    mpfr_clear(error);
    cr_assert(off <= allowed, "%s = %.17g: off by %.3g, allowed %.3g", s->what,
              got, off, allowed);
    s->compared++;
    if (off > 0)
        s->share = fmax(s->share, off / allowed);
    if (bound > 0 && size > 1e-290)
        s->in_eps = fmax(s->in_eps, off / size / EPS);
}

static void report(const worst *s)
{
    cr_log_info("%s: %.3g of its bound, %.3g eps, at worst in %zu", s->what,
                s->share, s->in_eps, s->compared);
    cr_assert_gt(s->compared, 0);
}

/* ---- weights ---- */

/* a_j in BITS bits, and what is left beside the largest, a_p. */
typedef struct {
    size_t n, p;
    mpfr_t *a, rest, lse;
    double gap;       /* to the second largest score; 0 for one key */
    double runner_up; /* max of a_j, j != p */
} truth;

static truth truth_of(const double *s, size_t n)
{
    truth t = {.n = n, .a = malloc(n * sizeof *t.a), .gap = INFINITY};
    mpfr_t Z, top;

    cr_assert_not_null(t.a);
    mpfr_inits2(BITS, Z, top, t.rest, t.lse, (mpfr_ptr)0);
    mpfr_set_zero(t.rest, 1);
    for (size_t j = 0; j < n; j++)
        t.p = s[j] > s[t.p] ? j : t.p;
    mpfr_set_d(top, s[t.p], MPFR_RNDN);
    for (size_t j = 0; j < n; j++) {
        mpfr_init2(t.a[j], BITS);
        mpfr_d_sub(t.a[j], s[j], top, MPFR_RNDN);
        mpfr_exp(t.a[j], t.a[j], MPFR_RNDN);
        if (j != t.p) {
            mpfr_add(t.rest, t.rest, t.a[j], MPFR_RNDN);
            t.gap = fmin(t.gap, s[t.p] - s[j]);
        }
    }
    mpfr_add_ui(Z, t.rest, 1, MPFR_RNDN);
    mpfr_log(t.lse, Z, MPFR_RNDN);
    mpfr_add(t.lse, t.lse, top, MPFR_RNDN);
    mpfr_div(t.rest, t.rest, Z, MPFR_RNDN);
    for (size_t j = 0; j < n; j++) {
        mpfr_div(t.a[j], t.a[j], Z, MPFR_RNDN);
        if (j != t.p)
            t.runner_up = fmax(t.runner_up, mpfr_get_d(t.a[j], MPFR_RNDN));
    }
    t.gap = isinf(t.gap) ? 0 : t.gap;
    mpfr_clears(Z, top, (mpfr_ptr)0);
    return t;
}

static void truth_free(truth *t)
{
    for (size_t j = 0; j < t->n; j++)
        mpfr_clear(t->a[j]);
    free(t->a);
    mpfr_clears(t->rest, t->lse, (mpfr_ptr)0);
}

/* 1 - a_j; of the largest, what the others have. */
static void others_of(const truth *t, size_t j, mpfr_t y)
{
    if (j == t->p)
        mpfr_set(y, t->rest, MPFR_RNDN);
    else
        mpfr_ui_sub(y, 1, t->a[j], MPFR_RNDN);
}

/* tr J = sum a_j (1 - a_j), and |J|_F^2 = sum_j a_j^2 ((1 - a_j)^2 + the sum
 * of a_l^2 over l != j), that sum without the largest if it is not j's. */
static void trace_and_frobenius(const truth *t, mpfr_t trace, mpfr_t frobenius)
{
    mpfr_t R, x, y, top;

    mpfr_inits2(BITS, R, x, y, top, (mpfr_ptr)0);
    mpfr_set_zero(R, 1); /* sum of a_l^2, l != p */
    mpfr_set_zero(trace, 1);
    mpfr_set_zero(frobenius, 1);
    for (size_t j = 0; j < t->n; j++)
        if (j != t->p)
            mpfr_fma(R, t->a[j], t->a[j], R, MPFR_RNDN);
    mpfr_sqr(top, t->a[t->p], MPFR_RNDN);
    for (size_t j = 0; j < t->n; j++) {
        others_of(t, j, y);
        mpfr_fma(trace, t->a[j], y, trace, MPFR_RNDN);
        mpfr_sqr(y, y, MPFR_RNDN);
        mpfr_sqr(x, t->a[j], MPFR_RNDN);
        mpfr_add(y, y, R, MPFR_RNDN);
        if (j != t->p) {
            mpfr_sub(y, y, x, MPFR_RNDN);
            mpfr_add(y, y, top, MPFR_RNDN);
        }
        mpfr_fma(frobenius, x, y, frobenius, MPFR_RNDN);
    }
    mpfr_sqrt(frobenius, frobenius, MPFR_RNDN);
    mpfr_clears(R, x, y, top, (mpfr_ptr)0);
}

/* -sum_j a_j ln a_j */
static void entropy_of(const truth *t, mpfr_t H)
{
    mpfr_t x;

    mpfr_init2(x, BITS);
    mpfr_set_zero(H, 1);
    for (size_t j = 0; j < t->n; j++) {
        if (mpfr_zero_p(t->a[j]))
            continue;
        if (j == t->p) {
            mpfr_neg(x, t->rest, MPFR_RNDN);
            mpfr_log1p(x, x, MPFR_RNDN);
        } else {
            mpfr_log(x, t->a[j], MPFR_RNDN);
        }
        mpfr_mul(x, x, t->a[j], MPFR_RNDN);
        mpfr_sub(H, H, x, MPFR_RNDN);
    }
    mpfr_clear(x);
}

/* The sign of sum_j a_j/(l - a_j), which falls from the second largest weight
 * to the largest and is 0 at the largest eigenvalue of J. */
static int secular(const truth *t, const mpfr_t l)
{
    mpfr_t sum, x;

    mpfr_inits2(BITS, sum, x, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (size_t j = 0; j < t->n; j++) {
        mpfr_sub(x, l, t->a[j], MPFR_RNDN);
        mpfr_div(x, t->a[j], x, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    const int sign = mpfr_sgn(sum);
    mpfr_clears(sum, x, (mpfr_ptr)0);
    return sign;
}

/* Does the largest eigenvalue lie within got (1 +- bound)? */
static int brackets(const truth *t, double got, double bound)
{
    mpfr_t l;
    int is_below, is_above; /* the lower end, the upper end */

    mpfr_init2(l, BITS);
    mpfr_set_d(l, -bound, MPFR_RNDN);
    mpfr_add_ui(l, l, 1, MPFR_RNDN);
    mpfr_mul_d(l, l, got, MPFR_RNDN);
    is_below = mpfr_cmp_d(l, t->runner_up) <= 0 ||
               (mpfr_less_p(l, t->a[t->p]) && secular(t, l) >= 0);
    mpfr_set_d(l, bound, MPFR_RNDN);
    mpfr_add_ui(l, l, 1, MPFR_RNDN);
    mpfr_mul_d(l, l, got, MPFR_RNDN);
    is_above = mpfr_greaterequal_p(l, t->a[t->p]) ||
               (mpfr_cmp_d(l, t->runner_up) > 0 && secular(t, l) <= 0);
    mpfr_clear(l);
    return is_below && is_above;
}

/* ---- scores ---- */

enum { NORMAL, TINY, HUGE_ONES, TIED, MASKED, WIDE, GAP };
static const double gaps[] = {0, 1e-12, 0.1, 3, 36, 360, 690, 700, 745, 800};
enum { KINDS = GAP + (int)LENGTH(gaps) };

/* n scores of a kind; from GAP on the winner stands out by so much. */
static void fill(double *s, size_t n, size_t kind)
{
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.reference", kind), n);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, s, n);
    for (size_t j = 0; j < n; j++) {
        const double u = attn_rng_uniform(&g);
        s[j] = kind == NORMAL      ? 3 * s[j]
               : kind == TINY      ? s[j] * 1e-300
               : kind == HUGE_ONES ? (2 * u - 1) * 1e308
               : kind == TIED      ? floor(3 * u)
               : kind == MASKED    ? (j % 3 == 1 ? -INFINITY : s[j])
               : kind == WIDE      ? -800 * u
                                   : -5 * u;
    }
    if (kind >= GAP) {
        s[n - 1] = 0;
        s[n / 2] = gaps[kind - GAP];
    }
}

/* One set of scores: everything that attn_softmax.h bounds. */
typedef struct {
    worst weights, lse, trace, frobenius, rest, entropy, spectral, entries;
} all_seen;

static void check_entries(worst *s, const truth *t, const double *score,
                          const gsl_vector *a)
{
    const size_t n = t->n;
    gsl_matrix *J = gsl_matrix_alloc(n, n);
    mpfr_t want;

    mpfr_init2(want, BITS);
    cr_assert_eq(attn_softmax_jacobian(a, J), GSL_SUCCESS);
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < n; l++) {
            const double top = score[t->p];
            const double down = (top - score[j]) + (top - score[l]);
            const double far = j == t->p && l == t->p ? t->gap : down;
            if (j == l)
                others_of(t, j, want);
            else
                mpfr_neg(want, t->a[l], MPFR_RNDN);
            mpfr_mul(want, want, t->a[j], MPFR_RNDN);
            compare(s, gsl_matrix_get(J, j, l), want,
                    (2 * (double)n + 8 + fmin(far, 1600)) * EPS,
                    (double)n * 0x1p-1072);
        }
    mpfr_clear(want);
    gsl_matrix_free(J);
}

static void check_softmax(all_seen *seen, size_t n, size_t kind)
{
    gsl_vector *s = gsl_vector_alloc(n), *a = gsl_vector_alloc(n);
    const double floor = (double)n * 0x1p-1072;
    double lse;
    mpfr_t trace, frobenius;

    fill(s->data, n, kind);
    truth t = truth_of(s->data, n);
    const double top = s->data[t.p], bound = (4 * (double)n + 12 + t.gap) * EPS;
    cr_assert_eq(attn_softmax(s, a), GSL_SUCCESS);
    for (size_t j = 0; j < n; j++) {
        const double far = fmin(top - s->data[j], 800); /* beyond: weight 0 */
        compare(&seen->weights, a->data[j], t.a[j], ((double)n + 8 + far) * EPS,
                0x1p-1073);
    }
    cr_assert_eq(attn_softmax_lse(s, &lse), GSL_SUCCESS);
    compare(&seen->lse, lse, t.lse, EPS, ((double)n + 1) * EPS);
    mpfr_inits2(BITS, trace, frobenius, (mpfr_ptr)0);
    trace_and_frobenius(&t, trace, frobenius);
    compare(&seen->rest, attn_softmax_rest(a), t.rest, bound, floor);
    compare(&seen->trace, attn_softmax_trace(a), trace, bound, floor);
    compare(&seen->frobenius, attn_softmax_frobenius(a), frobenius, bound,
            floor);
    if (n <= 1000) {
        entropy_of(&t, trace);
        compare(&seen->entropy, attn_softmax_entropy(a), trace, bound,
                800 * floor); /* a times its logarithm */
    }
    mpfr_clears(trace, frobenius, (mpfr_ptr)0);
    if (t.runner_up > 1e-300) {
        const double spectral = attn_softmax_spectral(a);
        cr_assert(brackets(&t, spectral, bound), "n = %zu, kind %zu: %.17g", n,
                  kind, spectral);
        seen->spectral.compared++;
    }
    if (n <= 40)
        check_entries(&seen->entries, &t, s->data, a);
    truth_free(&t);
    gsl_vector_free(s);
    gsl_vector_free(a);
}

Test(reference, softmax_and_its_jacobian_keep_their_bounds)
{
    static const size_t sizes[] = {1, 2, 3, 7, 40, 1000, 20000};
    all_seen seen = {.weights = {.what = "weights"},
                     .lse = {.what = "lse"},
                     .trace = {.what = "trace"},
                     .frobenius = {.what = "frobenius"},
                     .rest = {.what = "rest"},
                     .entropy = {.what = "entropy"},
                     .spectral = {.what = "spectral"},
                     .entries = {.what = "entries"}};
    size_t ran = 0;

    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t kind = 0; kind < KINDS; kind++, ran++)
            check_softmax(&seen, sizes[i], kind);
    check_softmax(&seen, 1000000, MASKED);
    cr_assert_eq(ran, LENGTH(sizes) * KINDS);
    report(&seen.weights);
    report(&seen.lse);
    report(&seen.trace);
    report(&seen.frobenius);
    report(&seen.rest);
    report(&seen.entropy);
    cr_assert_gt(seen.spectral.compared, 0); /* yes or no */
    report(&seen.entries);
    mpfr_free_cache();
}

/* ---- attention ---- */

enum { N_Q = 5, D_K = 6, D_V = 3 };

/* Q and K as drawn, times size; numbers that float holds too. */
typedef struct {
    gsl_matrix *Q, *K, *V, *A, *O;
    gsl_matrix_float *q, *k, *v, *o;
    gsl_vector *lse;
    gsl_vector_float *l;
} attention;

static gsl_matrix *drawn(size_t rows, size_t columns, double size, uint64_t id)
{
    gsl_matrix *M = gsl_matrix_alloc(rows, columns);
    attn_rng g;

    attn_rng_set(&g, 1, attn_rng_experiment("test.reference.attention", id),
                 rows);
    attn_sample_fill(ATTN_SAMPLE_NORMAL, &g, M->data, rows * columns);
    for (size_t e = 0; e < rows * columns; e++)
        M->data[e] = (float)(size * M->data[e]);
    return M;
}

static gsl_matrix_float *in_float(const gsl_matrix *M)
{
    gsl_matrix_float *m = gsl_matrix_float_alloc(M->size1, M->size2);

    for (size_t e = 0; e < M->size1 * M->size2; e++)
        m->data[e] = (float)M->data[e];
    return m;
}

static attention attention_of(size_t n_k, double size)
{
    attention x = {.Q = drawn(N_Q, D_K, size, 0),
                   .K = drawn(n_k, D_K, 1, 1),
                   .V = drawn(n_k, D_V, 1, 2),
                   .A = gsl_matrix_alloc(N_Q, n_k),
                   .O = gsl_matrix_alloc(N_Q, D_V),
                   .o = gsl_matrix_float_alloc(N_Q, D_V),
                   .lse = gsl_vector_alloc(N_Q),
                   .l = gsl_vector_float_alloc(N_Q)};

    x.q = in_float(x.Q);
    x.k = in_float(x.K);
    x.v = in_float(x.V);
    return x;
}

static void attention_free(attention *x)
{
    gsl_matrix_free(x->Q);
    gsl_matrix_free(x->K);
    gsl_matrix_free(x->V);
    gsl_matrix_free(x->A);
    gsl_matrix_free(x->O);
    gsl_matrix_float_free(x->q);
    gsl_matrix_float_free(x->k);
    gsl_matrix_float_free(x->v);
    gsl_matrix_float_free(x->o);
    gsl_vector_free(x->lse);
    gsl_vector_float_free(x->l);
}

/* What query i should give, and what its errors are measured by. */
typedef struct {
    mpfr_t o[D_V], lse;
    double v[D_V]; /* max_j |V_jc| of the keys that it sees */
    double sigma;  /* max_j sum_c |scale Q_ic K_jc|, likewise */
} answer;

static answer answer_of(const attention *x, const attn_mask *mask, double scale,
                        size_t i)
{
    answer y = {.sigma = 0};
    mpfr_t Z, w;

    mpfr_inits2(BITS, Z, w, y.lse, (mpfr_ptr)0);
    mpfr_set_zero(Z, 1);
    for (size_t c = 0; c < D_V; c++) {
        mpfr_init2(y.o[c], BITS);
        mpfr_set_zero(y.o[c], 1);
    }
    for (size_t j = 0; j < x->K->size1; j++) {
        double sum = 0;
        if (!attn_mask_sees(mask, i, j))
            continue;
        mpfr_set_zero(w, 1);
        for (size_t c = 0; c < D_K; c++) {
            const double q = gsl_matrix_get(x->Q, i, c); /* 24 bits each */
            const double p = q * gsl_matrix_get(x->K, j, c);
            mpfr_add_d(w, w, p, MPFR_RNDN);
            sum += fabs(scale * p);
        }
        mpfr_mul_d(w, w, scale, MPFR_RNDN);
        mpfr_exp(w, w, MPFR_RNDN); /* its exponent has 63 bits */
        mpfr_add(Z, Z, w, MPFR_RNDN);
        y.sigma = fmax(y.sigma, sum);
        for (size_t c = 0; c < D_V; c++) {
            const double v = gsl_matrix_get(x->V, j, c);
            mpfr_t term;
            mpfr_init2(term, BITS);
            mpfr_mul_d(term, w, v, MPFR_RNDN);
            mpfr_add(y.o[c], y.o[c], term, MPFR_RNDN);
            mpfr_clear(term);
            y.v[c] = fmax(y.v[c], fabs(v));
        }
    }
    mpfr_log(y.lse, Z, MPFR_RNDN);
    for (size_t c = 0; c < D_V; c++)
        mpfr_div(y.o[c], y.o[c], Z, MPFR_RNDN);
    mpfr_clears(Z, w, (mpfr_ptr)0);
    return y;
}

static void answer_free(answer *y)
{
    for (size_t c = 0; c < D_V; c++)
        mpfr_clear(y->o[c]);
    mpfr_clear(y->lse);
}

/* The layer, and both streams in tiles of so many keys. */
static void check_attention(worst w[3], const attention *x,
                            const attn_mask *mask, size_t keys)
{
    const attn_stream how = {.keys = keys, .threads = 2};
    const size_t n_k = x->K->size1;
    const double n = (double)n_k, tiles = ceil(n / fmin(n, (double)keys));
    const double scale = 0.375; /* exact in both types */
    gsl_matrix *O = gsl_matrix_alloc(N_Q, D_V);

    cr_assert_eq(
        attn_layer_attend_masked(x->Q, x->K, x->V, scale, mask, x->A, x->O),
        GSL_SUCCESS);
    cr_assert_eq(
        attn_stream_attend(x->Q, x->K, x->V, scale, mask, &how, O, x->lse),
        GSL_SUCCESS);
    cr_assert_eq(attn_stream_attend_float(x->q, x->k, x->v, (float)scale, mask,
                                          &how, x->o, x->l),
                 GSL_SUCCESS);
    for (size_t i = 0; i < N_Q; i++) {
        answer y = answer_of(x, mask, scale, i);
        const double layer = 2 * n + 8 + (D_K + 1) * y.sigma;
        const double stream = layer + 4 * tiles;
        for (size_t c = 0; c < D_V; c++) {
            compare(&w[0], gsl_matrix_get(x->O, i, c), y.o[c], 0,
                    layer * EPS * y.v[c]);
            compare(&w[1], gsl_matrix_get(O, i, c), y.o[c], 0,
                    stream * EPS * y.v[c]);
            compare(&w[2], (double)gsl_matrix_float_get(x->o, i, c), y.o[c], 0,
                    stream * EPS_FLOAT * y.v[c]);
        }
        compare(&w[1], gsl_vector_get(x->lse, i), y.lse, EPS, stream * EPS);
        compare(&w[2], (double)gsl_vector_float_get(x->l, i), y.lse, EPS_FLOAT,
                stream * EPS_FLOAT);
        answer_free(&y);
    }
    gsl_matrix_free(O);
}

Test(reference, attention_keeps_its_bounds_in_double_and_float)
{
    static const double sizes[] = {1e-30, 0.1, 1, 10, 300};
    static const size_t many[] = {1, 2, 37, 500}, tiles[] = {1, 7, 128};
    const attn_mask masks[] = {attn_mask_none, attn_mask_causal};
    worst w[3] = {{.what = "layer"}, {.what = "stream"}, {.what = "float"}};
    size_t ran = 0;

    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t k = 0; k < LENGTH(many); k++) {
            attention x = attention_of(many[k], sizes[i]);
            for (size_t t = 0; t < LENGTH(tiles); t++)
                for (size_t m = 0; m < LENGTH(masks); m++, ran++)
                    check_attention(w, &x, &masks[m], tiles[t]);
            attention_free(&x);
        }
    cr_assert_eq(ran, 5 * 4 * 3 * 2);
    for (size_t i = 0; i < LENGTH(w); i++)
        report(&w[i]);
    mpfr_free_cache();
}

/* Scores to +-1e308: they differ by more than any weight can hold, or not. */
Test(reference, attention_over_the_largest_scores_takes_the_winners)
{
    double q[1] = {1e154}, o[2];
    double k[6] = {-1e154, 3, 1e154, 0, 1e154, -1e-154};
    double v[12] = {9, 9, 9, 9, 2, -1, 9, 9, 4, 3, 9, 9}, a[6];
    const gsl_matrix_view Q = gsl_matrix_view_array(q, 1, 1);
    const gsl_matrix_view K = gsl_matrix_view_array(k, 6, 1);
    const gsl_matrix_view V = gsl_matrix_view_array(v, 6, 2);
    gsl_matrix_view A = gsl_matrix_view_array(a, 1, 6);
    gsl_matrix_view O = gsl_matrix_view_array(o, 1, 2);
    size_t ran = 0;

    cr_assert_eq(attn_layer_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                   &A.matrix, &O.matrix),
                 GSL_SUCCESS);
    cr_near(o[0], 3, 0, 0);
    cr_near(o[1], 1, 0, 0);
    for (size_t keys = 1; keys <= 6; keys++, ran++) {
        const attn_stream how = {.keys = keys, .threads = 1};
        cr_assert_eq(attn_stream_attend(&Q.matrix, &K.matrix, &V.matrix, 1,
                                        &attn_mask_none, &how, &O.matrix, NULL),
                     GSL_SUCCESS);
        cr_near(o[0], 3, 0, 0);
        cr_near(o[1], 1, 0, 0);
    }
    cr_assert_eq(ran, 6);
}

/* ---- sizes whose n n overflows 32 bits ---- */

/* Under a sanitizer it takes a minute. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Every other query finds the last key alone, and the work, counted, is beyond
 * 32 bits. */
Test(reference, attention_at_46341_tokens)
{
    enum { N = 46341 }; /* N N > 2^31, 2 N N > 2^32 */
    gsl_matrix *Q = gsl_matrix_calloc(N, 1), *K = gsl_matrix_calloc(N, 1);
    gsl_matrix *V = gsl_matrix_calloc(N, 1), *O = gsl_matrix_calloc(N, 1);
    attn_counted count;

    for (size_t i = 0; i < N; i++) {
        gsl_matrix_set(Q, i, 0, i % 2 ? 1000 : 0);
        gsl_matrix_set(V, i, 0, (double)i);
    }
    gsl_matrix_set(K, N - 1, 0, 1);
    cr_assert_eq(attn_counted_stream(Q, K, V, 1, O, &count), GSL_SUCCESS);
    for (size_t i = 0; i < N; i++) /* the last key, or the mean of all */
        cr_near(gsl_matrix_get(O, i, 0), i % 2 ? N - 1 : (N - 1) / 2.0,
                2 * N * EPS, 0);
    cr_assert_geq(count.multiply_adds, (uint64_t)2 * N * N);
    gsl_matrix_free(Q);
    gsl_matrix_free(K);
    gsl_matrix_free(V);
    gsl_matrix_free(O);
}
#endif

static char complaint[128];

static void note(const char *reason, const char *file, int line, int number)
{
    (void)file, (void)line;
    snprintf(complaint, sizeof complaint, "%d: %s", number, reason);
}

Test(reference, a_matrix_whose_bytes_overflow_is_refused_by_name)
{
    static const size_t rows[] = {(size_t)1 << 32, (size_t)1 << 61, SIZE_MAX};
    attn_layer *layer = attn_layer_alloc(1, 1, 1, 1);
    char want[128];
    size_t ran = 0;

    snprintf(want, sizeof want, "%d: a matrix of more bytes than a size holds",
             GSL_ENOMEM);
    gsl_set_error_handler(note);
    for (size_t i = 0; i < LENGTH(rows); i++, ran++) {
        memset(complaint, 0, sizeof complaint);
        cr_assert_null(attn_matrix_calloc(rows[i], rows[i]));
        cr_assert_str_eq(complaint, want);
    }
    memset(complaint, 0, sizeof complaint);
    cr_assert_null(attn_matrix_calloc((size_t)1 << 61, 1));
    cr_assert_str_eq(complaint, want);
    cr_assert_null(attn_layer_workspace_alloc(layer, (size_t)1 << 61));
    cr_assert_str_eq(complaint, want);
    cr_assert_eq(ran, 3);
    attn_layer_free(layer);
}

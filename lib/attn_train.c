/* L = |o - y|^2/d_v down its gradient, over the projected vocabulary. */
#include "attn_train.h"
#include "attn_clones.h"
#include "attn_product.h"
#include "attn_softmax.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

/* y += sum_i w_i (row at[i] of X), i < count, summed in ascending order: four
 * rows at a time, so that y is read and written less. */
ATTN_CLONES static void train_combine(double *restrict y,
                                      const double *restrict w,
                                      const size_t *restrict at, size_t count,
                                      const double *restrict X, size_t width)
{
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        const double w0 = w[i], w1 = w[i + 1], w2 = w[i + 2], w3 = w[i + 3];
        const double *restrict x0 = X + at[i] * width;
        const double *restrict x1 = X + at[i + 1] * width;
        const double *restrict x2 = X + at[i + 2] * width;
        const double *restrict x3 = X + at[i + 3] * width;
        for (size_t c = 0; c < width; c++)
            y[c] =
                (((y[c] + w0 * x0[c]) + w1 * x1[c]) + w2 * x2[c]) + w3 * x3[c];
    }
    for (; i < count; i++)
        for (size_t c = 0; c < width; c++)
            y[c] += w[i] * X[at[i] * width + c];
}

/* Row i of C = sum_k A_ik (row k of B), or with A^T; zeros are passed over. */
static void rows_of(attn_train_head *head, const gsl_matrix *A, int transposed,
                    const gsl_matrix *B, double *C)
{
    const size_t rows = transposed ? A->size2 : A->size1;

    memset(C, 0, rows * B->size2 * sizeof *C);
    for (size_t i = 0; i < rows; i++) {
        size_t count = 0;
        for (size_t k = 0; k < B->size1; k++) {
            const double a =
                transposed ? gsl_matrix_get(A, k, i) : gsl_matrix_get(A, i, k);
            head->w[count] = a;
            head->at[count] = k;
            count += a != 0;
        }
        train_combine(C + i * B->size2, head->w, head->at, count, B->data,
                      B->size2);
    }
}

/* C = A B. */
static void product(attn_train_head *head, const gsl_matrix *A,
                    const gsl_matrix *B, double *C)
{
    rows_of(head, A, 0, B, C);
}

/* C = A^T B. */
static void transposed_product(attn_train_head *head, const gsl_matrix *A,
                               const gsl_matrix *B, double *C)
{
    rows_of(head, A, 1, B, C);
}

/* ---- life cycle ---- */

/* So many doubles begin the next matrix at a cache line. */
static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* The next matrix of the room. */
static gsl_matrix matrix(double **room, size_t rows, size_t columns)
{
    const gsl_matrix_view M = gsl_matrix_view_array(*room, rows, columns);

    *room += padded(rows * columns);
    return M.matrix;
}

attn_train_head *attn_train_alloc(size_t m, size_t n, size_t d, size_t d_k,
                                  size_t d_v)
{
    if (n < 2 || n > m || d == 0 || d_k == 0 || d_v == 0)
        GSL_ERROR_NULL("sizes are at least 1, and 2 <= n <= m", GSL_EINVAL);
    if (m > ATTN_TRAIN_TYPES)
        GSL_ERROR_NULL("more types than a head may have", GSL_EINVAL);

    /* 2 m rows of queries and keys are independent where d >= m. */
    const size_t width = d >= m && d_k > 2 * m ? 2 * m : d_k;
    if (width > SIZE_MAX / 64 / m - 8 || d > SIZE_MAX / 64)
        GSL_ERROR_NULL("a head of more bytes than a size holds", GSL_ENOMEM);
    const size_t depth = d > m ? d : m;
    const size_t size = 9 * padded(m * m) + 5 * padded(m * width) +
                        padded(3 * n) + padded(depth);
    attn_train_head *h = calloc(1, sizeof *h);
    double *room = aligned_alloc(64, size * sizeof *room);
    size_t *at = calloc(depth, sizeof *at);
    if (!h || !room || !at) {
        free(h);
        free(room);
        free(at);
        GSL_ERROR_NULL("no memory for a head", GSL_ENOMEM);
    }
    memset(room, 0, size * sizeof *room);
    *h = (attn_train_head){
        .m = m, .n = n, .d = d, .d_k = d_k, .d_v = d_v, .room = room, .at = at};
    gsl_matrix *const square[] = {&h->G,  &h->C, &h->V0, &h->Y, &h->H,
                                  &h->dS, &h->U, &h->P,  &h->dC};
    gsl_matrix *const wide[] = {&h->Q, &h->K, &h->dQ, &h->dK, &h->step};
    for (size_t i = 0; i < 9; i++)
        *square[i] = matrix(&room, m, m);
    for (size_t i = 0; i < 5; i++)
        *wide[i] = matrix(&room, m, width);
    h->a = room;
    h->ds = h->a + n;
    h->g = h->ds + n;
    h->w = h->a + padded(3 * n);
    return h;
}

void attn_train_free(attn_train_head *head)
{
    if (!head)
        return;
    free(head->room);
    free(head->at);
    free(head);
}

/* A = L L^T: the lower triangle of A becomes L, the upper one 0. */
static int cholesky(gsl_matrix *A)
{
    for (size_t i = 0; i < A->size1; i++) {
        double *a = gsl_matrix_ptr(A, i, 0);
        for (size_t j = 0; j <= i; j++) {
            const double *b = gsl_matrix_ptr(A, j, 0);
            const double left = a[j] - attn_product_dot(a, b, j);
            if (j == i && !(left > 0))
                GSL_ERROR("queries and keys are linearly dependent", GSL_ESING);
            a[j] = j == i ? sqrt(left) : left / b[j];
        }
        for (size_t j = i + 1; j < A->size2; j++)
            a[j] = 0;
    }
    return GSL_SUCCESS;
}

/* Q = E W_Q, K = E W_K, or both in a basis of the span of their rows. */
static int project(attn_train_head *head, const gsl_matrix *E,
                   const gsl_matrix *W_Q, const gsl_matrix *W_K)
{
    const size_t m = head->m, d_k = head->d_k;
    gsl_matrix *Z = gsl_matrix_alloc(2 * m, d_k);
    gsl_matrix *L = gsl_matrix_alloc(2 * m, 2 * m);
    const gsl_matrix *rows = head->Q.size2 < d_k ? L : Z;
    int status = Z && L ? GSL_SUCCESS : GSL_ENOMEM;

    if (!status) {
        product(head, E, W_Q, Z->data);
        product(head, E, W_K, Z->data + m * d_k);
    }
    if (!status && rows == L) {
        status = attn_product_abt(1, Z, Z, L);
        status = status ? status : cholesky(L);
    }
    if (!status) {
        const size_t half = m * rows->size2;
        memcpy(head->Q.data, rows->data, half * sizeof(double));
        memcpy(head->K.data, rows->data + half, half * sizeof(double));
    }
    gsl_matrix_free(L);
    gsl_matrix_free(Z);
    return status;
}

int attn_train_begin(attn_train_head *head, const gsl_matrix *E,
                     const gsl_matrix *W_Q, const gsl_matrix *W_K,
                     const gsl_matrix *W_V, const gsl_permutation *partner,
                     double scale)
{
    const size_t m = head->m;

    if (E->size1 != m || E->size2 != head->d || partner->size != m ||
        W_Q->size1 != head->d || W_K->size1 != head->d ||
        W_V->size1 != head->d || W_Q->size2 != head->d_k ||
        W_K->size2 != head->d_k || W_V->size2 != head->d_v)
        GSL_ERROR("E is m x d, W_Q and W_K d x d_k, W_V d x d_v", GSL_EBADLEN);
    gsl_matrix *V = gsl_matrix_alloc(m, head->d_v);
    if (!V)
        GSL_ERROR("no memory for the values", GSL_ENOMEM);

    product(head, E, W_V, V->data);
    int status = attn_product_abt(1, E, E, &head->G);
    status = status ? status : attn_product_abt(1, V, V, &head->H);
    status = status ? status : project(head, E, W_Q, W_K);
    gsl_matrix_memcpy(&head->V0, &head->H);
    gsl_matrix_memcpy(&head->Y, &head->H);
    gsl_matrix_set_identity(&head->C);
    head->partner = partner;
    head->scale = scale;
    gsl_matrix_free(V);
    return status;
}

/* ---- one sequence ---- */

static double square_root_of_form(const gsl_matrix *M, const size_t *tokens,
                                  const double *x, size_t n)
{
    double form = 0;

    for (size_t j = 0; j < n; j++) {
        const double *row = gsl_matrix_const_ptr(M, tokens[j], 0);
        double sum = 0;
        for (size_t l = 0; l < n; l++)
            sum += row[tokens[l]] * x[l];
        form += x[j] * sum;
    }
    return sqrt(fmax(form, 0));
}

/*
 * Forward: s, a, L. Backward: g_j = dL/da_j = (2/d_v) <v_j, o - y>, ds = J g.
 * Since sum a = 1, <v_j, o - y> = sum_l a_l (<v_j, v_l> - <v_j, y>), whose
 * term of the partner is exactly 0 as long as the values are frozen: nothing
 * cancels when the head is right.
 */
static int differentiate(attn_train_head *h, const size_t *tokens, double *loss)
{
    const size_t n = h->n, partner = gsl_permutation_get(h->partner, tokens[0]);
    const double *q = gsl_matrix_const_ptr(&h->Q, tokens[0], 0);
    gsl_vector_view a = gsl_vector_view_array(h->a, n);
    gsl_vector_view g = gsl_vector_view_array(h->g, n);
    gsl_vector_view ds = gsl_vector_view_array(h->ds, n);

    for (size_t j = 0; j < n; j++) {
        const double *k = gsl_matrix_const_ptr(&h->K, tokens[j], 0);
        h->a[j] = h->scale * attn_product_dot(q, k, h->Q.size2);
        if (!isfinite(h->a[j]))
            return GSL_EDOM;
    }
    int status = attn_softmax(&a.vector, &a.vector);

    double offset = 0; /* <o - y, y> */
    for (size_t l = 0; l < n; l++)
        offset += h->a[l] * (gsl_matrix_get(&h->Y, tokens[l], partner) -
                             gsl_matrix_get(&h->V0, partner, partner));
    double sum = 0; /* |o - y|^2 = sum_j a_j (<v_j, o - y> - <y, o - y>) */
    for (size_t j = 0; j < n; j++) {
        const double *H = gsl_matrix_const_ptr(&h->H, tokens[j], 0);
        const double y = gsl_matrix_get(&h->Y, tokens[j], partner);
        double gj = 0;
        for (size_t l = 0; l < n; l++)
            gj += h->a[l] * (H[tokens[l]] - y);
        sum += h->a[j] * (gj - offset);
        h->g[j] = 2 * gj / (double)h->d_v;
    }
    *loss = sum / (double)h->d_v;
    return status ? status : attn_softmax_jvp(&a.vector, &g.vector, &ds.vector);
}

/* Row t's gradients as matrices: dW_Q = x_t (scale sum_j ds_j k_j)^T,
 * dW_K = scale (sum_j ds_j x_j) q_t^T, dW_V = (2/d_v) (sum_j a_j x_j)(o - y)^T.
 */
static void norms(attn_train_head *h, const size_t *tokens, attn_train_row *row)
{
    const size_t t = tokens[0], width = h->Q.size2;
    const double *q = gsl_matrix_const_ptr(&h->Q, t, 0);
    double *pull = h->step.data;

    memset(pull, 0, width * sizeof *pull);
    train_combine(pull, h->ds, tokens, h->n, h->K.data, width);
    row->dW_Q = h->scale * sqrt(gsl_matrix_get(&h->G, t, t) *
                                attn_product_dot(pull, pull, width));
    row->dW_K = h->scale * sqrt(attn_product_dot(q, q, width)) *
                square_root_of_form(&h->G, tokens, h->ds, h->n);
    row->dW_V = 2 * square_root_of_form(&h->G, tokens, h->a, h->n) *
                sqrt(fmax(row->loss, 0) / (double)h->d_v);
}

int attn_train_look(attn_train_head *head, const size_t *tokens, int with_norms,
                    attn_train_row *row)
{
    const int status = differentiate(head, tokens, &row->loss);
    const size_t n = head->n;
    size_t best = 0, other = n; /* other: the largest but the partner's */

    if (status)
        return status;
    row->rest = 0;
    for (size_t j = 0; j < n; j++) {
        if (head->a[j] > head->a[best])
            best = j;
        if (j != 1 && (other == n || head->a[j] > head->a[other]))
            other = j;
    }
    for (size_t j = 0; j < n; j++)
        row->rest += j == best ? 0 : head->a[j];
    row->winner = best;
    row->hit = head->a[1] > head->a[other];
    row->ds = sqrt(attn_product_dot(head->ds, head->ds, n));
    row->dW_Q = row->dW_K = row->dW_V = 0;
    if (with_norms)
        norms(head, tokens, row);
    return GSL_SUCCESS;
}

/* ---- a batch ---- */

/* dC = U C - P: with w = share (2/d_v) a_j, U_jl += w a_l, P_jy += w. */
static void add_values(attn_train_head *h, const size_t *tokens, double share)
{
    const size_t partner = gsl_permutation_get(h->partner, tokens[0]);

    for (size_t j = 0; j < h->n; j++) {
        const double w = share * 2 / (double)h->d_v * h->a[j];
        double *U = gsl_matrix_ptr(&h->U, tokens[j], 0);
        for (size_t l = 0; l < h->n; l++)
            U[tokens[l]] += w * h->a[l];
        *gsl_matrix_ptr(&h->P, tokens[j], partner) += w;
    }
}

int attn_train_gradient(attn_train_head *head, const size_t *tokens,
                        size_t count, int with_values, double *loss)
{
    const double share = 1 / (double)count;

    gsl_matrix_set_zero(&head->dS);
    gsl_matrix_set_zero(&head->U);
    gsl_matrix_set_zero(&head->P);
    *loss = 0;
    for (size_t i = 0; i < count; i++, tokens += head->n) {
        double one;
        const int status = differentiate(head, tokens, &one);
        if (status)
            return status;
        *loss += share * one;
        double *dS = gsl_matrix_ptr(&head->dS, tokens[0], 0);
        for (size_t j = 0; j < head->n; j++)
            dS[tokens[j]] += share * head->scale * head->ds[j];
        if (with_values)
            add_values(head, tokens, share);
    }
    product(head, &head->dS, &head->K, head->dQ.data);
    transposed_product(head, &head->dS, &head->Q, head->dK.data);
    if (with_values) {
        product(head, &head->U, &head->C, head->dC.data);
        gsl_matrix_sub(&head->dC, &head->P);
    }
    return GSL_SUCCESS;
}

double attn_train_norm(const attn_train_head *head)
{
    const size_t m = head->m, width = head->dQ.size2;
    double form = 0; /* |E^T dQ|^2 = sum_tu G_tu <dQ_t, dQ_u> */

    for (size_t t = 0; t < m; t++)
        for (size_t u = 0; u < m; u++)
            form +=
                gsl_matrix_get(&head->G, t, u) *
                attn_product_dot(gsl_matrix_const_ptr(&head->dQ, t, 0),
                                 gsl_matrix_const_ptr(&head->dQ, u, 0), width);
    return sqrt(fmax(form, 0));
}

/* M -= rate G D, for an M whose rows are the vocabulary's. */
static void descend(attn_train_head *head, double rate, const gsl_matrix *D,
                    gsl_matrix *M, gsl_matrix *step)
{
    const double back = -rate;
    const size_t whole = 0;

    product(head, &head->G, D, step->data);
    train_combine(M->data, &back, &whole, 1, step->data, M->size1 * M->size2);
}

void attn_train_step(attn_train_head *head, double rate, int with_values)
{
    descend(head, rate, &head->dQ, &head->Q, &head->step);
    descend(head, rate, &head->dK, &head->K, &head->step);
    if (with_values) {
        descend(head, rate, &head->dC, &head->C, &head->U);
        product(head, &head->C, &head->V0, head->Y.data);
        attn_product_abt(1, &head->Y, &head->C, &head->H);
    }
}

/* Central sums to the fourth: x one at a time, or samples merged (Pebay). */
#include "attn_moments.h"
#include <math.h>

void attn_moments_add(attn_moments *m, double x)
{
    const attn_moments one = {.n = 1, .mean = x};

    attn_moments_merge(m, &one);
}

/* delta = mean_B - mean_A, n = n_A + n_B; each line is equation (2.1)-(2.4) of
 * Pebay with both parts written out. */
void attn_moments_merge(attn_moments *m, const attn_moments *part)
{
    if (part->n == 0)
        return;
    if (m->n == 0) {
        *m = *part;
        return;
    }
    const double a = (double)m->n, b = (double)part->n, n = a + b;
    const double delta = part->mean - m->mean;
    const double share = delta / n;             /* delta/n */
    const double cross = delta * a * b * share; /* delta^2 ab/n */

    m->M4 += part->M4 + cross * share * share * (a * a - a * b + b * b) +
             6 * share * share * (a * a * part->M2 + b * b * m->M2) +
             4 * share * (a * part->M3 - b * m->M3);
    m->M3 += part->M3 + cross * share * (a - b) +
             3 * share * (a * part->M2 - b * m->M2);
    m->M2 += part->M2 + cross;
    m->mean += b * share;
    m->n += part->n;
}

double attn_moments_variance(const attn_moments *m)
{
    return m->n < 2 ? (double)NAN : m->M2 / (double)(m->n - 1);
}

double attn_moments_se(const attn_moments *m)
{
    return sqrt(attn_moments_variance(m) / (double)m->n);
}

/* Softmax under pressure: the program, and its freezing map point by point. */
#include "lab.h"

#define main born_saturated_main
#include "../../experiments/born_saturated.c"

/*
 * The i-th point of the exact curves of n keys, i of the program's own grid:
 * sigma = 2^(i/10)/4, where 0 to 60 are in its file. NULL, or a list of sigma,
 * E sum a^2, E tr J, the root of E |J|_F^2.
 */
LAB_EXPORT const double *freezing_point(int n, int i)
{
    static double list[4];
    const double sigma = 0.25 * attn_exp(M_LN2 * (double)i / 10);
    attn_theory_jacobian J;

    if (attn_theory_jacobian_at((size_t)n, sigma, &J))
        return NULL;
    list[0] = sigma;
    list[1] = J.squares.value;
    list[2] = J.trace.value;
    list[3] = sqrt(J.frobenius2.value);
    return list;
}

/* Where n scores freeze, sqrt(2 ln n). */
LAB_EXPORT double freezing_sigma(int n)
{
    return sigma_c((size_t)n);
}

/* E[M_n]: E tr J is at most E[M_n]/sigma. */
LAB_EXPORT double freezing_largest(int n)
{
    attn_theory_value M = {0};

    attn_theory_max_normal((size_t)n, &M);
    return M.value;
}

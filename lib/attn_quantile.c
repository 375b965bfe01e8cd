/* A quantile between its two neighbours in the sample. */
#include "attn_quantile.h"
#include <math.h>

double attn_quantile(const double *sorted, size_t n, double share)
{
    if (n == 0 || !(share >= 0 && share <= 1))
        return (double)NAN;
    const double place = share * (double)(n - 1);
    const size_t i = (size_t)place;
    const double delta = place - (double)i;

    /* The last has no neighbour. */
    if (i == n - 1)
        return sorted[i];
    return (1 - delta) * sorted[i] + delta * sorted[i + 1];
}

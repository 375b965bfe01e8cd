/*
 * The one comparison of floating-point numbers in the tests: passes when equal,
 * or when both are finite and |got - want| <= atol + rtol |want|. Written as
 * the passing condition, so NaN fails, and 1 is not near infinity.
 */
#ifndef NEAR_H
#define NEAR_H

#include <criterion/criterion.h>
#include <math.h>

static inline int near(double got, double want, double rtol, double atol)
{
    return got == want || (isfinite(got) && isfinite(want) &&
                           fabs(got - want) <= atol + rtol * fabs(want));
}

#define cr_near(got, want, rtol, atol)                                         \
    do {                                                                       \
        const double near_got = (got), near_want = (want);                     \
        cr_assert(near(near_got, near_want, (rtol), (atol)),                   \
                  "%s = %.17g, want %s = %.17g (off by %.3g)", #got, near_got, \
                  #want, near_want, near_got - near_want);                     \
    } while (0)

#endif

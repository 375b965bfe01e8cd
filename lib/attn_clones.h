/*
 * Functions compiled several times for one processor family, the fitting one
 * taken when the program runs; the bits do not depend on which. GNU extensions,
 * and the one place that has any: elsewhere everything here is plain C11.
 *
 * ATTN_CLONES before a function: for AVX-512, AVX2 and the baseline, and the
 * loader takes what the processor has. No multiply-add is fused
 * (-ffp-contract=off), and vector lanes hold independent items. It needs the
 * GNU C library's loader: elsewhere (arm64, macOS, musl) it is empty, and so it
 * is under the thread sanitizer, which is not ready when the loader chooses.
 * For static functions whose name no other file has: clang 14 gives the
 * loader's choice a name that other files do not find, and shows them the
 * function that chooses. What is called in one is inline or has clones of its
 * own.
 *
 * ATTN_FMA_VERSIONS(name, (parameters), arguments) defines the static function
 * void name(parameters), which calls name_inline(version, arguments), an
 * ATTN_INLINE function that multiplies and adds with attn_fma.h alone. IEEE 754
 * says what every bit of a fused multiply-add is, so a baseline that has no
 * instruction for it takes ten to twenty times as long as one that rounds
 * twice, but gives the same. The version is a constant, as below.
 * (target_clones has no name for "AVX2 and FMA" that gcc 12 and clang 14 share:
 * arch=haswell is that one processor.)
 *
 * -DATTN_NO_CLONES compiles the baseline alone.
 */
#ifndef ATTN_CLONES_H
#define ATTN_CLONES_H

#include <limits.h> /* says whether this is the GNU C library */

/* Which fused multiply-add, and in how many vector registers: */
enum {
    ATTN_FMA_SOFT, /* none, of 16 registers or whatever there is */
    ATTN_FMA_16,   /* the processor's own, likewise */
    ATTN_FMA_32,   /* the processor's own, in 32 registers of 64 bytes */
#if defined(__FP_FAST_FMA) || defined(__FMA__)
    ATTN_FMA_BASELINE = ATTN_FMA_16
#else
    ATTN_FMA_BASELINE = ATTN_FMA_SOFT
#endif
};

#ifdef __has_feature /* clang's word for __SANITIZE_THREAD__ */
#if __has_feature(thread_sanitizer)
#define ATTN_CLONES
#endif
#endif

#if defined(__x86_64__) && defined(__has_attribute) && !defined(ATTN_NO_CLONES)
#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(ATTN_CLONES)
#if __has_attribute(target_clones)
#define ATTN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#if __has_attribute(target)
#define ATTN_FMA_VERSIONS(name, parameters, ...)                               \
    ATTN_TARGET("avx512f,avx2,fma") static void name##_avx512 parameters       \
    {                                                                          \
        name##_inline(ATTN_FMA_32, __VA_ARGS__);                               \
    }                                                                          \
    ATTN_TARGET("avx2,fma") static void name##_avx2 parameters                 \
    {                                                                          \
        name##_inline(ATTN_FMA_16, __VA_ARGS__);                               \
    }                                                                          \
    static void name##_baseline parameters                                     \
    {                                                                          \
        name##_inline(ATTN_FMA_BASELINE, __VA_ARGS__);                         \
    }                                                                          \
    static void name parameters                                                \
    {                                                                          \
        if (__builtin_cpu_supports("avx512f") &&                               \
            __builtin_cpu_supports("fma"))                                     \
            name##_avx512(__VA_ARGS__);                                        \
        else if (__builtin_cpu_supports("avx2") &&                             \
                 __builtin_cpu_supports("fma"))                                \
            name##_avx2(__VA_ARGS__);                                          \
        else                                                                   \
            name##_baseline(__VA_ARGS__);                                      \
    }
#define ATTN_TARGET(names) __attribute__((target(names)))
#endif
#endif

#ifndef ATTN_CLONES
#define ATTN_CLONES
#endif
#ifndef ATTN_FMA_VERSIONS
#define ATTN_FMA_VERSIONS(name, parameters, ...)                               \
    static void name parameters                                                \
    {                                                                          \
        name##_inline(ATTN_FMA_BASELINE, __VA_ARGS__);                         \
    }
#endif

#ifdef __GNUC__
#define ATTN_INLINE static inline __attribute__((always_inline))
#else
#define ATTN_INLINE static inline
#endif

/* Before static: a rare path, which stays out of its caller's loop. */
#ifdef __GNUC__
#define ATTN_NOINLINE __attribute__((noinline))
#else
#define ATTN_NOINLINE
#endif

#endif

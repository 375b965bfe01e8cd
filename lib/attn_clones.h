/*
 * ATTN_CLONES before a function: it is compiled for AVX-512, AVX2 and the
 * baseline, and the loader takes what the processor has. The bits do not depend
 * on which: no multiply-add is fused (-ffp-contract=off), and vector lanes hold
 * independent items.
 *
 * A GNU extension, and one that needs the GNU C library's loader: elsewhere
 * (arm64, macOS, musl) it is empty, and so it is under the thread sanitizer,
 * which is not ready when the loader chooses. For static functions whose name
 * no other file has: clang 14 gives the loader's choice a name that other files
 * do not find, and shows them the function that chooses. What is called in one
 * is inline or has clones of its own.
 */
#ifndef ATTN_CLONES_H
#define ATTN_CLONES_H

#include <limits.h> /* says whether this is the GNU C library */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute) &&   \
    !defined(__SANITIZE_THREAD__)
#if __has_attribute(target_clones)
#define ATTN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef ATTN_CLONES
#define ATTN_CLONES
#endif

#endif

/* malloc and its kin, of which the k-th call fails. */
#define _GNU_SOURCE
#include "allocate.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The GNU C library's own, by the names under which they stay; or what the
 * address sanitizer has put in their place, likewise. */
#ifdef ATTN_ASAN
#define __libc_malloc __interceptor_malloc
#define __libc_calloc __interceptor_calloc
#define __libc_realloc __interceptor_realloc
#define __libc_memalign __interceptor_memalign
#define __libc_free __interceptor_free
#endif
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);

enum { LIVE_MAX = 100000 };
static struct {
    const void *block, *caller;
} live[LIVE_MAX];
static size_t live_count, count, failing;
static int is_watching;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Is the caller in the shared library of this name? */
static int is_in(const void *caller, const char *library)
{
    Dl_info info;

    return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
           strstr(info.dli_fname, library) != NULL;
}

static int is_left_out(const void *caller)
{
    return is_in(caller, "libgomp") || is_in(caller, "libomp") ||
           is_in(caller, "ld-linux");
}

/* gsl_matrix_alloc that finds no memory for its block loses the struct that it
 * has allocated just before: no fault of the caller's. */
static void forgive(const void *caller)
{
    for (int i = 0; i < 2 && live_count > 0 && is_in(caller, "libgsl.so") &&
                    is_in(live[live_count - 1].caller, "libgsl.so");
         i++) {
        live_count--;
    }
}

/* Is this the one that fails? */
static int refuses(const void *caller)
{
    int refused;

    if (!is_watching || is_left_out(caller)) {
        return 0;
    }
    pthread_mutex_lock(&lock);
    refused = ++count == failing;
    pthread_mutex_unlock(&lock);
    if (refused) {
        forgive(caller);
        errno = ENOMEM;
    }
    return refused;
}

static void *noted(void *block, const void *caller)
{
    if (block != NULL && is_watching && !is_left_out(caller)) {
        pthread_mutex_lock(&lock);
        if (live_count == LIVE_MAX) {
            abort();
        }
        live[live_count].block = block;
        live[live_count++].caller = caller;
        pthread_mutex_unlock(&lock);
    }
    return block;
}

static void forget(const void *block)
{
    /* Before anything is watched locks may not work yet. */
    if (live_count == 0) {
        return;
    }
    pthread_mutex_lock(&lock);
    for (size_t i = live_count; i-- > 0;) {
        if (live[i].block == block) {
            live[i] = live[--live_count];
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

#define CALLER __builtin_return_address(0)
#define OR_REFUSE(block) (refuses(CALLER) ? NULL : noted((block), CALLER))

void *malloc(size_t size)
{
    return OR_REFUSE(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return OR_REFUSE(__libc_calloc(n, size));
}

void *memalign(size_t alignment, size_t size)
{
    return OR_REFUSE(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return OR_REFUSE(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = OR_REFUSE(__libc_memalign(alignment, size));

    if (made == NULL) {
        return ENOMEM;
    }
    *block = made;
    return 0;
}

void *realloc(void *old, size_t size)
{
    void *block;

    if (refuses(CALLER)) {
        return NULL;
    }
    block = __libc_realloc(old, size);
    if (block != NULL || size == 0) {
        forget(old);
    }
    return noted(block, CALLER);
}

void free(void *old)
{
    if (old != NULL) {
        forget(old);
    }
    __libc_free(old);
}

void allocate_watch(size_t k)
{
    live_count = count = 0;
    failing = k;
    is_watching = 1;
}

size_t allocate_count(void)
{
    is_watching = 0;
    return count;
}

size_t allocate_live(void)
{
    return live_count;
}

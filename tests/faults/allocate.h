/*
 * Allocations that fail on request. Linked into a program, this takes the place
 * of the C library's malloc and its kin for everything in the process: the
 * program, GSL and the C library itself (the GNU C library only, whose own
 * functions remain under other names).
 */
#ifndef ALLOCATE_H
#define ALLOCATE_H

#include <stddef.h>

/*
 * From here on allocations are counted and watched, and the k-th one fails;
 * k = 0: none. Two callers are left out, for neither survives a failure:
 * libgomp ends the process with a line of its own, and so does it where the
 * loader has no memory for a thread's variables.
 */
void allocate_watch(size_t k);

/* No longer; how many there were. */
size_t allocate_count(void);

/* Blocks that were allocated while watched and are not freed yet. */
size_t allocate_live(void);

#endif

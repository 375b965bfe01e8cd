/*
 * The end of a forked child: _exit, and before it a build that counts which
 * lines run (make coverage) writes its counts down.
 */
#ifndef LEAVE_H
#define LEAVE_H

#include <unistd.h>

#ifdef ATTN_COVERAGE
void __gcov_dump(void); /* gcc's */
#endif

static inline void leave(int status)
{
#ifdef ATTN_COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}

#endif

/*
 * ATTN_COUNT(n) stands in the loops of multiply-adds and says that n have just
 * been done. It is nothing, except in attn_counted.c, which compiles the same
 * loops a second time with their work counted.
 */
#ifndef ATTN_COUNT
#define ATTN_COUNT(multiply_adds) ((void)0)
#endif

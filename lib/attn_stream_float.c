/* Streaming attention in float: the very source of the one in double. */
#define ATTN_FLOAT
#include "attn_stream.c"

/*
 * Ranks: the processes of one MPI job, where make MPI=1 built the program;
 * elsewhere there is one, rank 0, and all of this does nothing. The one place
 * that knows about MPI.
 *
 * Every rank runs the whole program on the same options and so comes to the
 * same totals; what they share is the work of attn_blocks. Rank 0 alone prints
 * and writes. The calls marked "together" wait until every rank has made the
 * same call, outside of any parallel region; an error of MPI itself ends the
 * job.
 */
#ifndef ATTN_RANKS_H
#define ATTN_RANKS_H

#include <stddef.h>

/* Together, first of all: what other ranks than 0 print on standard output is
 * thrown away. */
void attn_ranks_begin(void);

/* Together, last of all: attn_ranks_agree(status), or where the ranks have
 * agreed on a failure before, the status that is given here. */
int attn_ranks_end(int status);

/* How many ranks there are, at least 1, and which of them this one is. */
size_t attn_ranks_count(void);
size_t attn_ranks_own(void);

/*
 * Together: 0 if every rank says 0, else a status that is not, the same on
 * every rank. From then on it is the answer to every call, at once: so a rank
 * that has failed alone says so once, wherever the others are to agree next,
 * and none waits for it any more.
 */
int attn_ranks_agree(int status);

/*
 * Together: items is an array of attn_ranks_count() shares of count items, each
 * of size bytes (at most INT_MAX); rank r has filled share r. Afterwards every
 * rank has all.
 */
void attn_ranks_gather(void *items, size_t size, size_t count);

/*
 * Together: how many of the processors that this process may run on its threads
 * should take: at most the machine's, divided by the ranks on this machine; at
 * least 1.
 */
size_t attn_ranks_processors(size_t processors);

#endif

/* The processes of one MPI job, or the only one there is. */
#include "attn_ranks.h"

#ifdef ATTN_MPI
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int count = 1, own = 0;
static int agreed = 0; /* the first status that was not 0 */

void attn_ranks_begin(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (own != 0 && freopen("/dev/null", "w", stdout) == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

int attn_ranks_end(int status)
{
    if (agreed == 0)
        status = attn_ranks_agree(status);
    MPI_Finalize();
    return status;
}

size_t attn_ranks_count(void)
{
    return (size_t)count;
}

size_t attn_ranks_own(void)
{
    return (size_t)own;
}

int attn_ranks_agree(int status)
{
    /* As unsigned, 0 is the least of all, GSL_FAILURE = -1 included. */
    unsigned most = (unsigned)status;

    if (agreed == 0) {
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED, MPI_MAX,
                      MPI_COMM_WORLD);
        agreed = (int)most;
    }
    return agreed;
}

void attn_ranks_gather(void *items, size_t size, size_t n)
{
    MPI_Datatype item;

    /* Counted in items, an int suffices; counted in bytes it might not. */
    MPI_Type_contiguous((int)size, MPI_BYTE, &item);
    MPI_Type_commit(&item);
    MPI_Allgather(MPI_IN_PLACE, 0, item, items, (int)n, item, MPI_COMM_WORLD);
    MPI_Type_free(&item);
}

size_t attn_ranks_processors(size_t processors)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Comm machine;
    int here;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &machine);
    MPI_Comm_size(machine, &here);
    MPI_Comm_free(&machine);

    /* A rank that is bound to a few processors has these to itself. */
    const size_t fair = online > here ? (size_t)(online / here) : 1;
    return fair < processors ? fair : processors;
}

#else

void attn_ranks_begin(void)
{
}

int attn_ranks_end(int status)
{
    return status;
}

size_t attn_ranks_count(void)
{
    return 1;
}

size_t attn_ranks_own(void)
{
    return 0;
}

int attn_ranks_agree(int status)
{
    return status;
}

void attn_ranks_gather(void *items, size_t size, size_t n)
{
    (void)items, (void)size, (void)n;
}

size_t attn_ranks_processors(size_t processors)
{
    return processors;
}
#endif

// The door of libbankrun-ranks.so, which alone is linked with MPI: bytes from rank to rank, nothing
// of which waits. One thread at a time.
#ifndef BANKRUN_RANKS_MPI_FACE_H
#define BANKRUN_RANKS_MPI_FACE_H

#include <stdbool.h>
#include <stddef.h>

#define RANKS_LIBRARY "libbankrun-ranks.so"
#define RANKS_SYMBOL "bankrun_ranks_mpi"

struct ranks_mpi {
    // False: it cannot be had.
    bool (*begin)(unsigned *rank, unsigned *count);
    // Takes over the bytes, which come from malloc. False: the other one cannot be reached.
    bool (*send)(unsigned rank, void *bytes, size_t length);
    // Bytes from malloc. NULL: there are none now.
    void *(*receive)(unsigned *rank, size_t *length, bool *has_failed);
    // Messages that are not away yet.
    size_t (*pending)(void);
    // All ranks do; `aborts`: somebody is gone, and the others are to be ended.
    void (*end)(bool aborts);
    const char *(*version)(void);
};

#endif

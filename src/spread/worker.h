// A rank other than the first: runs the blocks that it is given until the first one says that all
// is over.
#ifndef BANKRUN_SPREAD_WORKER_H
#define BANKRUN_SPREAD_WORKER_H

#include "ranks/mpi_face.h"

enum spread_worker_end { SPREAD_OVER, SPREAD_LOST }; // LOST: nothing was heard of the first rank

enum spread_worker_end spread_work(const struct ranks_mpi *mpi, unsigned rank, int threads);

#endif

// The only file that knows MPI. Nothing here waits: what MPI does where it waits is to turn round,
// which takes a processor from who has work.
#include "ranks/mpi_face.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

struct sending {
    MPI_Request request;
    void *bytes;
};
static struct sending *sendings;
static size_t sending_count, sending_room;
static bool is_begun;

enum { TAG = 23 };

static bool begin(unsigned *rank, unsigned *count) {
    int provided = 0, number = 0, size = 1, is_there = 0;
    MPI_Initialized(&is_there);
    if (!is_there && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return false;
    // A rank that is gone is an error that a call returns, and no end of this process.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *rank = (unsigned)number;
    *count = (unsigned)size;
    is_begun = true;
    return true;
}

static void drop(size_t at) {
    free(sendings[at].bytes);
    sendings[at] = sendings[--sending_count];
}

static size_t pending(void) {
    for (size_t i = sending_count; i-- > 0;) {
        int is_done = 0;
        if (MPI_Test(&sendings[i].request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_done)
            drop(i);
    }
    return sending_count;
}

static bool send(unsigned rank, void *bytes, size_t length) {
    if (sending_count == sending_room) {
        const size_t room = sending_room ? 2 * sending_room : 64;
        struct sending *more = realloc(sendings, room * sizeof *more);
        if (!more) {
            free(bytes);
            return false;
        }
        sendings = more;
        sending_room = room;
    }
    struct sending *sending = &sendings[sending_count];
    sending->bytes = bytes;
    if (length > INT_MAX || MPI_Isend(bytes, (int)length, MPI_BYTE, (int)rank, TAG, MPI_COMM_WORLD,
                                      &sending->request) != MPI_SUCCESS) {
        free(bytes);
        return false;
    }
    sending_count++;
    return true;
}

static void *receive(unsigned *rank, size_t *length, bool *has_failed) {
    MPI_Status status;
    MPI_Message message;
    int is_there = 0, count = 0;
    *has_failed = false;
    if (sending_count)
        pending();
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &message, &status) !=
        MPI_SUCCESS) {
        *has_failed = true;
        return NULL;
    }
    if (!is_there)
        return NULL;
    MPI_Get_count(&status, MPI_BYTE, &count);
    void *bytes = malloc(count ? (size_t)count : 1);
    if (!bytes || MPI_Mrecv(bytes, count, MPI_BYTE, &message, &status) != MPI_SUCCESS) {
        *has_failed = true;
        free(bytes);
        return NULL;
    }
    *rank = (unsigned)status.MPI_SOURCE;
    *length = (size_t)count;
    return bytes;
}

static void end(bool aborts) {
    if (!is_begun)
        return;
    if (aborts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    else
        MPI_Finalize();
    is_begun = false;
}

static const char *version(void) {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return text;
}

__attribute__((visibility("default"))) const struct ranks_mpi *bankrun_ranks_mpi(void) {
    static const struct ranks_mpi face = {begin, send, receive, pending, end, version};
    return &face;
}

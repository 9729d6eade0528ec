// Host memory that an operation which the host has not waited for still touches: its pages are
// protected while the program runs, so that the first touch is seen by its signal. Only pages whose
// bytes the operation touches all of are, hence each touch of one is a race.
//
// The functions are called with the state's lock held; touches come from any thread at any time.
#ifndef BANKRUN_CUDA_CHECKS_WATCH_H
#define BANKRUN_CUDA_CHECKS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/stream/clock.h"

struct cuda_watch {
    uint64_t begin, end;  // pages
    uint64_t first, past; // the bytes in them that the operation touches
    bool is_written;      // by the operation; else it only reads
    struct check_stamp stamp;
    char *what, *where; // the operation in words; owned
};

struct cuda_watch_touch {
    uint64_t address;
    bool writes;
    struct check_stamp stamp;
    char *what, *where; // the caller frees them
};

// Takes what it owns. False: there are too many already, or the program handles the signal itself.
bool cuda_watch_add(const struct cuda_watch *watch);
// Nothing is protected until cuda_watch_raise, as bankrun is about to touch the memory.
void cuda_watch_lower(void);
void cuda_watch_raise(void);
// Drops those whose operation is over. Nothing is protected.
void cuda_watch_drop(bool (*is_over)(const void *context, struct check_stamp stamp),
                     const void *context);
// The next touch that was seen. Its watch has ended. Nothing is protected. False: there is none.
bool cuda_watch_next(struct cuda_watch_touch *touch);

#endif

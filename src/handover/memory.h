// Inside the handover: how the memory is laid out. Segments, each twice as large as the one before
// it, are cut into chunks. The first ones hold the head; a process takes others as it needs them,
// by one atomic addition, and they are its stream in ascending order.
#ifndef BANKRUN_HANDOVER_MEMORY_H
#define BANKRUN_HANDOVER_MEMORY_H

#include <stdatomic.h>

#include "handover/handover.h"

enum {
    CHUNK_BYTES = 64 << 10,
    SEGMENTS = 9,
    FIRST_CHUNKS = 1024,                                // of the first segment: 64 MiB
    MOST_CHUNKS = FIRST_CHUNKS * ((1 << SEGMENTS) - 1), // 32 GiB in all
    PROCESS_BYTES = 4096,                               // of a process's first chunk
};

struct handover_head {
    uint64_t key;                        // the memory is the one that is meant
    _Atomic int32_t is_over;             // bankrun has taken over all that it will
    _Atomic int32_t only;                // process that is to hand over; 0: all are
    int32_t segments[SEGMENTS];          // their numbers; -1: could not be had
    _Atomic uint32_t next;               // chunk that nobody has taken
    _Atomic uint32_t owner[MOST_CHUNKS]; // the first chunk of the process that has it; 0: nobody
};
enum { HEAD_CHUNKS = (sizeof(struct handover_head) + CHUNK_BYTES - 1) / CHUNK_BYTES };

// At the start of a process's first chunk.
struct process_head {
    _Atomic uint64_t committed; // bytes of the stream, which begins PROCESS_BYTES further on
    int32_t pid;
    _Atomic int32_t end; // enum handover_end
    _Atomic int32_t signal;
    _Atomic int32_t is_cut, is_launching;
    uint64_t landed; // launches that the stream had when that one began
    struct handover_launch launch;
    char symbol[2048];
};
_Static_assert(sizeof(struct process_head) <= PROCESS_BYTES, "a process's head has its place");

struct handover {
    struct handover_head *head; // the first segment
    char *segments[SEGMENTS];   // NULL: not attached
};

static inline struct process_head *process_at(char *chunk) {
    return (struct process_head *)(void *)chunk;
}

static inline bool handover_is_launch(uint32_t kind) {
    return kind == HANDOVER_LAUNCH || kind == HANDOVER_REPEAT;
}

// The chunk, attached if need be. NULL: it cannot be had.
char *handover_chunk(struct handover *handover, uint32_t chunk);
// Detaches all.
void handover_detach(struct handover *handover);

#endif

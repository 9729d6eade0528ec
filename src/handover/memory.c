#include "handover/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#ifndef SHM_NORESERVE
#define SHM_NORESERVE 010000
#endif

static size_t bytes_of(unsigned segment) {
    return ((size_t)FIRST_CHUNKS * CHUNK_BYTES) << segment;
}

static char *attach(int32_t id, unsigned segment) {
    void *memory = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
    if (memory == (void *)-1)
        return NULL;
    madvise(memory, bytes_of(segment), MADV_DONTDUMP); // it says nothing about a crash
    return memory;
}

char *handover_chunk(struct handover *handover, uint32_t chunk) {
    unsigned segment = 0;
    uint32_t first = 0; // chunk of the segment
    while (segment < SEGMENTS && chunk - first >= (uint32_t)FIRST_CHUNKS << segment)
        first += (uint32_t)FIRST_CHUNKS << segment++;
    if (segment == SEGMENTS)
        return NULL;
    if (!handover->segments[segment])
        handover->segments[segment] = attach(handover->head->segments[segment], segment);
    char *memory = handover->segments[segment];
    return memory ? memory + (size_t)(chunk - first) * CHUNK_BYTES : NULL;
}

void handover_detach(struct handover *handover) {
    for (unsigned segment = SEGMENTS; segment-- > 0;)
        if (handover->segments[segment])
            shmdt(handover->segments[segment]);
    *handover = (struct handover){0};
}

// Goes with the last process that has it: nobody can leave it behind.
static char *create(unsigned segment, int32_t *id) {
    *id = shmget(IPC_PRIVATE, bytes_of(segment), 0600 | SHM_NORESERVE);
    if (*id < 0)
        return NULL;
    char *memory = attach(*id, segment);
    int error = errno;
    shmctl(*id, IPC_RMID, NULL);
    errno = error;
    return memory;
}

struct handover *handover_create(void) {
    struct timespec now;
    int32_t id;
    char *first = create(0, &id);
    if (!first)
        return NULL;
    struct handover *handover = base_alloc(sizeof *handover);
    handover->segments[0] = first;
    handover->head = (struct handover_head *)(void *)first;
    handover->head->segments[0] = id;
    for (unsigned segment = 1; segment < SEGMENTS; segment++) {
        handover->segments[segment] = create(segment, &handover->head->segments[segment]);
        if (!handover->segments[segment])
            handover->head->segments[segment] = -1;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    handover->head->key =
        (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 40;
    atomic_store(&handover->head->next, HEAD_CHUNKS);
    return handover;
}

void handover_free(struct handover *handover) {
    if (handover) {
        atomic_store(&handover->head->is_over, 1);
        handover_detach(handover);
    }
    free(handover);
}

char *handover_name(const struct handover *handover) {
    struct strbuf name = {0};
    strbuf_printf(&name, "%d:%llx", handover->head->segments[0],
                  (unsigned long long)handover->head->key);
    return strbuf_take(&name);
}

void handover_only_me(struct handover *handover) {
    atomic_store(&handover->head->only, (int32_t)getpid());
}

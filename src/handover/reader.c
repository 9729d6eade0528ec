// What bankrun takes over. Nothing here trusts what the processes wrote: a program may have written
// over it.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>

#include "base/alloc.h"
#include "handover/memory.h"

enum { RECORD_HEAD = 2 * sizeof(uint32_t) };

static uint32_t chunk_count(const struct handover *handover) {
    uint32_t next = atomic_load(&handover->head->next);
    return next < MOST_CHUNKS ? next : MOST_CHUNKS;
}

static bool is_first(const struct handover *handover, uint32_t chunk) {
    return atomic_load(&handover->head->owner[chunk]) == chunk;
}

size_t handover_count(const struct handover *handover) {
    size_t count = 0;
    for (uint32_t chunk = HEAD_CHUNKS; chunk < chunk_count(handover); chunk++)
        count += is_first(handover, chunk);
    return count;
}

bool handover_next(const struct strbuf *stream, size_t *at, struct handover_record *record) {
    if (stream->length - *at < RECORD_HEAD)
        return false;
    memcpy(&record->kind, stream->data + *at, sizeof record->kind);
    memcpy(&record->length, stream->data + *at + sizeof record->kind, sizeof record->length);
    if (stream->length - *at - RECORD_HEAD < record->length)
        return false;
    record->data = stream->data + *at + RECORD_HEAD;
    *at += RECORD_HEAD + record->length;
    return true;
}

static uint64_t count_launches(const struct strbuf *stream) {
    struct handover_record record;
    uint64_t count = 0;
    for (size_t at = 0; handover_next(stream, &at, &record);)
        count += handover_is_launch(record.kind);
    return count;
}

// Appends what is committed of the process's chunks.
static void read_stream(struct handover *handover, uint32_t first, uint64_t left,
                        struct strbuf *stream) {
    for (uint32_t chunk = first; left > 0 && chunk < chunk_count(handover); chunk++) {
        char *bytes = NULL;
        if (atomic_load(&handover->head->owner[chunk]) == first)
            bytes = handover_chunk(handover, chunk);
        if (!bytes)
            continue;
        size_t skip = chunk == first ? PROCESS_BYTES : 0, room = CHUNK_BYTES - skip;
        size_t take = left < room ? (size_t)left : room;
        strbuf_append(stream, bytes + skip, take);
        left -= take;
    }
}

static void peek(struct process_head *head, struct handover_process *to) {
    int32_t end = atomic_load(&head->end);
    *to = (struct handover_process){
        .pid = head->pid,
        .end = end < 0 || end > HANDOVER_REPLACED ? HANDOVER_OPEN : (enum handover_end)end,
        .signal = atomic_load(&head->signal),
        .is_cut = atomic_load(&head->is_cut) != 0,
    };
}

static void read_process(struct handover *handover, uint32_t first, struct handover_process *to) {
    struct process_head *head = process_at(handover_chunk(handover, first));
    bool is_launching = atomic_load(&head->is_launching) != 0;
    peek(head, to);
    to->launch = head->launch;
    to->symbol = base_strndup(head->symbol, strnlen(head->symbol, sizeof head->symbol));
    read_stream(handover, first, atomic_load(&head->committed), &to->stream);
    to->is_launching = is_launching && head->landed == count_launches(&to->stream);
}

void handover_process_free(struct handover_process *process) {
    strbuf_free(&process->stream);
    free(process->symbol);
}

// The first chunk of that process; 0: there is none.
static uint32_t first_of(const struct handover *handover, size_t number) {
    for (uint32_t chunk = HEAD_CHUNKS; chunk < chunk_count(handover); chunk++)
        if (is_first(handover, chunk) && number-- == 0)
            return chunk;
    return 0;
}

void handover_read(struct handover *handover, size_t number, struct handover_process *to) {
    read_process(handover, first_of(handover, number), to);
}

void handover_peek(struct handover *handover, size_t number, struct handover_process *to) {
    peek(process_at(handover_chunk(handover, first_of(handover, number))), to);
}

size_t handover_users(const struct handover *handover) {
    struct shmid_ds info;
    return shmctl(handover->head->segments[0], IPC_STAT, &info) == 0 && info.shm_nattch > 1
               ? info.shm_nattch - 1
               : 0;
}

bool handover_is_alive(pid_t pid) {
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

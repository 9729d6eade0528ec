// What a process writes.
#define _GNU_SOURCE // syscall
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "handover/memory.h"

struct handover_writer {
    struct handover memory;
    struct process_head *process; // NULL: nothing was written yet
    uint32_t first;               // its chunk
    char *at, *end;               // what is left of the last chunk
    uint64_t written;             // bytes of the stream, committed or not
    uint64_t landed;              // launches of it
    pid_t pid;                    // whose stream it is
};

bool handover_is_wanted(void) {
    const char *name = getenv(HANDOVER_VARIABLE);
    return name && *name;
}

static bool is_meant(int id, const struct handover_head *head, uint64_t key) {
    struct shmid_ds info;
    return shmctl(id, IPC_STAT, &info) == 0 &&
           info.shm_segsz == (size_t)FIRST_CHUNKS * CHUNK_BYTES && head->key == key;
}

static struct handover_writer *open_named(const char *name) {
    char *colon, *end;
    long id = name ? strtol(name, &colon, 10) : -1;
    errno = EINVAL;
    if (!name || *colon != ':' || id < 0 || id > INT32_MAX)
        return NULL;
    uint64_t key = strtoull(colon + 1, &end, 16);
    char *memory = shmat((int)id, NULL, 0);
    if (memory == (void *)-1)
        return NULL;
    struct handover attached = {.head = (struct handover_head *)(void *)memory,
                                .segments = {memory}};
    bool is_good = *end == '\0' && is_meant((int)id, attached.head, key);
    int32_t only = is_good ? atomic_load(&attached.head->only) : 0;
    if (!is_good || (only && only != getpid())) {
        handover_detach(&attached);
        errno = is_good ? 0 : EINVAL;
        return NULL;
    }
    struct handover_writer *writer = base_alloc(sizeof *writer);
    writer->memory = attached;
    return writer;
}

struct handover_writer *handover_open(void) {
    return open_named(getenv(HANDOVER_VARIABLE));
}

struct handover_writer *handover_open_presence(void) {
    return open_named(getenv(HANDOVER_PRESENCE));
}

bool handover_is_orphaned(const struct handover_writer *writer) {
    const struct handover_head *head = writer->memory.head;
    struct shmid_ds info;
    if (atomic_load(&head->only) || shmctl(head->segments[0], IPC_STAT, &info) != 0)
        return false;
    struct pollfd bankrun = {.events = POLLIN};
    bankrun.fd = (int)syscall(SYS_pidfd_open, info.shm_cpid, 0);
    bool has_ended = bankrun.fd < 0 && errno == ESRCH;
    if (bankrun.fd >= 0) {
        while (poll(&bankrun, 1, -1) < 0 && errno == EINTR)
            continue;
        has_ended = bankrun.revents & POLLIN;
        close(bankrun.fd);
    }
    return has_ended && !atomic_load(&head->is_over);
}

void handover_close(struct handover_writer *writer) {
    if (writer)
        handover_detach(&writer->memory);
    free(writer);
}

// False: there is none left.
static bool take_chunk(struct handover_writer *writer) {
    struct handover_head *head = writer->memory.head;
    uint32_t chunk = atomic_load(&head->next);
    while (chunk < MOST_CHUNKS && !atomic_compare_exchange_weak(&head->next, &chunk, chunk + 1))
        continue;
    char *memory = chunk < MOST_CHUNKS ? handover_chunk(&writer->memory, chunk) : NULL;
    if (!memory)
        return false;
    if (!writer->process) {
        writer->first = chunk;
        writer->process = process_at(memory);
        writer->process->pid = (int32_t)writer->pid;
    }
    writer->at = memory + (chunk == writer->first ? PROCESS_BYTES : 0);
    writer->end = memory + CHUNK_BYTES;
    atomic_store(&head->owner[chunk], writer->first);
    return true;
}

static bool append(struct handover_writer *writer, const void *data, size_t length) {
    const char *from = data;
    while (length > 0) {
        if (writer->at == writer->end && !take_chunk(writer))
            return false;
        size_t room = (size_t)(writer->end - writer->at), take = length < room ? length : room;
        memcpy(writer->at, from, take);
        writer->at += take;
        writer->written += take;
        from += take;
        length -= take;
    }
    return true;
}

// A fork has its parent's writer.
static bool begin(struct handover_writer *writer) {
    if (writer->pid != getpid())
        *writer = (struct handover_writer){.memory = writer->memory, .pid = getpid()};
    return writer->process || take_chunk(writer);
}

bool handover_write(struct handover_writer *writer, enum handover_kind kind, const void *data,
                    size_t length) {
    const uint32_t head[] = {(uint32_t)kind, (uint32_t)length};
    if (!begin(writer) || atomic_load(&writer->process->is_cut))
        return false;
    if (length > UINT32_MAX || !append(writer, head, sizeof head) ||
        !append(writer, data, length)) {
        atomic_store(&writer->process->is_cut, 1);
        return false;
    }
    writer->landed += handover_is_launch(kind);
    atomic_store(&writer->process->committed, writer->written);
    return true;
}

void handover_launching(struct handover_writer *writer, const struct handover_launch *launch,
                        const char *symbol) {
    if (!begin(writer))
        return;
    struct process_head *process = writer->process;
    size_t length = strnlen(symbol, sizeof process->symbol - 1);
    memcpy(process->symbol, symbol, length);
    process->symbol[length] = '\0';
    process->launch = *launch;
    process->landed = writer->landed;
    atomic_store(&process->is_launching, 1);
}

void handover_landed(struct handover_writer *writer) {
    if (writer->process)
        atomic_store(&writer->process->is_launching, 0);
}

void handover_ending(struct handover_writer *writer) {
    if (writer->process && writer->pid == getpid())
        atomic_store(&writer->process->end, HANDOVER_ENDING);
}

void handover_end(struct handover_writer *writer, int signal) {
    if (!writer->process || writer->pid != getpid())
        return;
    atomic_store(&writer->process->signal, signal);
    atomic_store(&writer->process->end, HANDOVER_ENDED);
}

void handover_replaced(struct handover_writer *writer) {
    struct handover_head *head = writer->memory.head;
    uint32_t next = atomic_load(&head->next);
    for (uint32_t chunk = HEAD_CHUNKS; chunk < next && chunk < MOST_CHUNKS; chunk++) {
        char *memory = NULL;
        if (atomic_load(&head->owner[chunk]) == chunk)
            memory = handover_chunk(&writer->memory, chunk);
        struct process_head *process = memory ? process_at(memory) : NULL;
        if (process && process->pid == getpid() && atomic_load(&process->end) < HANDOVER_ENDED)
            atomic_store(&process->end, HANDOVER_REPLACED);
    }
}

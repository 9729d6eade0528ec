#define _GNU_SOURCE // syscall
#include "ranks/channel.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"

enum { RING_BYTES = 16 << 20, PATIENCE_MICROSECONDS = 200000 };

struct ring {
    _Atomic uint64_t written, read; // bytes so far
    _Atomic uint32_t moves;         // of either
    _Atomic uint32_t sleepers;
    char padding[40];
    char bytes[RING_BYTES];
};

struct memory {
    uint64_t key;
    uint32_t ranks;
    _Atomic int32_t bankrun, program; // processes
    _Atomic uint32_t has_ended;
    struct ring rings[RANKS_WAYS];
};

struct ranks_channel {
    struct memory *memory;
    int id;
    bool is_program;
};

struct ranks_channel *ranks_channel_create(unsigned ranks) {
    const int id = shmget(IPC_PRIVATE, sizeof(struct memory), 0600);
    if (id < 0)
        return NULL;
    void *at = shmat(id, NULL, 0);
    const int error = errno;
    shmctl(id, IPC_RMID, NULL); // it goes with the last process that has it
    errno = error;
    if (at == (void *)-1)
        return NULL;
    struct ranks_channel *channel = base_alloc(sizeof *channel);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    channel->memory = at;
    channel->id = id;
    channel->memory->key = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid();
    channel->memory->ranks = ranks;
    atomic_store(&channel->memory->bankrun, (int32_t)getpid());
    return channel;
}

char *ranks_channel_name(const struct ranks_channel *channel) {
    struct strbuf name = {0};
    strbuf_printf(&name, "%d:%llx", channel->id, (unsigned long long)channel->memory->key);
    return strbuf_take(&name);
}

static bool is_meant(int id, const struct memory *memory, uint64_t key) {
    struct shmid_ds info;
    return shmctl(id, IPC_STAT, &info) == 0 && info.shm_segsz == sizeof *memory &&
           memory->key == key;
}

// One process has it, for good: what the others hold of memory is that one's.
static bool claim(struct memory *memory) {
    int32_t nobody = 0;
    return atomic_compare_exchange_strong(&memory->program, &nobody, (int32_t)getpid());
}

struct ranks_channel *ranks_channel_open(const char *name) {
    char *colon = NULL, *end = NULL;
    const long id = name ? strtol(name, &colon, 10) : -1;
    if (id < 0 || id > INT_MAX || colon == name || *colon != ':')
        return NULL;
    const uint64_t key = strtoull(colon + 1, &end, 16);
    void *at = shmat((int)id, NULL, 0);
    if (at == (void *)-1)
        return NULL;
    if (*end || !is_meant((int)id, at, key) || !claim(at)) {
        shmdt(at);
        return NULL;
    }
    struct ranks_channel *channel = base_alloc(sizeof *channel);
    *channel = (struct ranks_channel){at, (int)id, true};
    return channel;
}

unsigned ranks_channel_ranks(const struct ranks_channel *channel) {
    return channel->memory->ranks;
}

static void wake(struct ring *ring) {
    atomic_fetch_add(&ring->moves, 1);
    if (atomic_load(&ring->sleepers))
        syscall(SYS_futex, &ring->moves, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void ranks_channel_end(struct ranks_channel *channel) {
    atomic_store(&channel->memory->has_ended, 1);
    for (int way = 0; way < RANKS_WAYS; way++)
        wake(&channel->memory->rings[way]);
}

bool ranks_channel_has_ended(const struct ranks_channel *channel) {
    return atomic_load(&channel->memory->has_ended) != 0;
}

void ranks_channel_free(struct ranks_channel *channel) {
    if (!channel)
        return;
    ranks_channel_end(channel);
    shmdt(channel->memory);
    free(channel);
}

// ---- Rings ------------------------------------------------------------------------------------

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t ranks_channel_write(struct ranks_channel *channel, enum ranks_way way, const void *bytes,
                           size_t length) {
    struct ring *ring = &channel->memory->rings[way];
    const uint64_t written = atomic_load(&ring->written);
    const size_t room = RING_BYTES - (size_t)(written - atomic_load(&ring->read));
    const size_t count = least(length, room), at = (size_t)(written % RING_BYTES);
    const size_t first = least(count, RING_BYTES - at);
    if (!count || room > RING_BYTES)
        return 0;
    memcpy(ring->bytes + at, bytes, first);
    memcpy(ring->bytes, (const char *)bytes + first, count - first);
    atomic_store(&ring->written, written + count);
    wake(ring);
    return count;
}

size_t ranks_channel_read(struct ranks_channel *channel, enum ranks_way way, void *bytes,
                          size_t length) {
    struct ring *ring = &channel->memory->rings[way];
    const uint64_t read = atomic_load(&ring->read);
    const uint64_t there = atomic_load(&ring->written) - read;
    if (!there || there > RING_BYTES)
        return 0;
    const size_t count = least(length, (size_t)there), at = (size_t)(read % RING_BYTES);
    const size_t first = least(count, RING_BYTES - at);
    memcpy(bytes, ring->bytes + at, first);
    memcpy((char *)bytes + first, ring->bytes, count - first);
    atomic_store(&ring->read, read + count);
    wake(ring);
    return count;
}

size_t ranks_channel_waiting(const struct ranks_channel *channel, enum ranks_way way) {
    const struct ring *ring = &channel->memory->rings[way];
    const uint64_t read = atomic_load(&ring->read), there = atomic_load(&ring->written) - read;
    return there > RING_BYTES ? 0 : (size_t)there;
}

unsigned ranks_channel_moves(const struct ranks_channel *channel, enum ranks_way way) {
    return atomic_load(&channel->memory->rings[way].moves);
}

void ranks_channel_wait(struct ranks_channel *channel, enum ranks_way way, unsigned seen,
                        unsigned microseconds) {
    struct ring *ring = &channel->memory->rings[way];
    const struct timespec time = {.tv_sec = microseconds / 1000000,
                                  .tv_nsec = (long)(microseconds % 1000000) * 1000};
    atomic_fetch_add(&ring->sleepers, 1);
    syscall(SYS_futex, &ring->moves, FUTEX_WAIT, seen, &time, NULL, 0);
    atomic_fetch_sub(&ring->sleepers, 1);
}

static bool is_other_gone(const struct ranks_channel *channel) {
    const pid_t other = channel->is_program ? atomic_load(&channel->memory->bankrun)
                                            : atomic_load(&channel->memory->program);
    return other > 0 && kill(other, 0) != 0 && errno == ESRCH;
}

bool ranks_channel_send(struct ranks_channel *channel, enum ranks_way way, const void *bytes,
                        size_t length) {
    for (size_t done = 0; done < length;) {
        const unsigned seen = ranks_channel_moves(channel, way);
        if (ranks_channel_has_ended(channel))
            return false;
        const size_t count =
            ranks_channel_write(channel, way, (const char *)bytes + done, length - done);
        done += count;
        if (!count && is_other_gone(channel))
            return false;
        if (!count)
            ranks_channel_wait(channel, way, seen, PATIENCE_MICROSECONDS);
    }
    return true;
}

bool ranks_channel_receive(struct ranks_channel *channel, enum ranks_way way, void *bytes,
                           size_t length) {
    for (size_t done = 0; done < length;) {
        const unsigned seen = ranks_channel_moves(channel, way);
        const size_t count = ranks_channel_read(channel, way, (char *)bytes + done, length - done);
        done += count;
        if (!count && (ranks_channel_has_ended(channel) || is_other_gone(channel)))
            return false;
        if (!count)
            ranks_channel_wait(channel, way, seen, PATIENCE_MICROSECONDS);
    }
    return true;
}

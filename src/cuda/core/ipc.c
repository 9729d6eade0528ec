#define _GNU_SOURCE // getrandom
#include "cuda/core/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/unnamed.h"

enum { MOST_ENTRIES = 1 << 16 };

#define MAGIC "bankrun1"

struct table {
    char magic[sizeof MAGIC - 1];
    uint64_t token; // of the process, by chance: two processes have different ones
    struct cuda_ipc_entry entries[];
};

struct handle { // how a cuda_ipc_handle is laid out
    char magic[sizeof MAGIC - 1];
    uint64_t token, serial, inode;
    int32_t process, file; // whose descriptor `file` is the table's
    uint32_t kind, place;
    char padding[16];
};
_Static_assert(sizeof(struct handle) == sizeof(struct cuda_ipc_handle), "handles have a size");

struct offer {
    enum cuda_ipc_kind kind;
    uint64_t address;
    uint32_t place; // in the table
    unsigned device;
};

struct cuda_ipc {
    struct unnamed_file file;
    struct table *table; // mapped, as far as it may get
    uint64_t serials;    // that were given
    uint32_t places;     // of the table that were ever used
    VEC(uint32_t) free_places;
    VEC(struct offer) offers;
};

static size_t table_bytes(size_t entries) {
    return sizeof(struct table) + entries * sizeof(struct cuda_ipc_entry);
}

// ---- The own table ----------------------------------------------------------------------------

static bool make_token(uint64_t *token) {
    return getrandom(token, sizeof *token, 0) == sizeof *token;
}

static bool make_table(struct cuda_ipc *ipc) {
    uint64_t token;
    if (!make_token(&token) || !unnamed_file_make(&ipc->file, "bankrun IPC"))
        return false;
    void *at = unnamed_file_reach(&ipc->file, table_bytes(0))
                   ? mmap(NULL, table_bytes(MOST_ENTRIES), PROT_READ | PROT_WRITE, MAP_SHARED,
                          ipc->file.number - 1, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED) {
        const int why = errno;
        unnamed_file_close(&ipc->file);
        errno = why;
        return false;
    }
    ipc->table = at;
    memcpy(ipc->table->magic, MAGIC, sizeof ipc->table->magic);
    ipc->table->token = token;
    return true;
}

// A place that is free; UINT32_MAX: errno says why there is none.
static uint32_t take_place(struct cuda_ipc *ipc) {
    if (ipc->free_places.length)
        return ipc->free_places.data[--ipc->free_places.length];
    if (ipc->places == MOST_ENTRIES) {
        errno = ENOSPC;
        return UINT32_MAX;
    }
    return unnamed_file_reach(&ipc->file, table_bytes(ipc->places + 1)) ? ipc->places++
                                                                        : UINT32_MAX;
}

static const struct offer *find_offer(const struct cuda_ipc *ipc, enum cuda_ipc_kind kind,
                                      uint64_t address) {
    for (size_t i = 0; i < ipc->offers.length; i++)
        if (ipc->offers.data[i].kind == kind && ipc->offers.data[i].address == address)
            return &ipc->offers.data[i];
    return NULL;
}

static const struct offer *add_offer(struct cuda_ipc *ipc, const struct cuda_ipc_entry *entry) {
    const uint32_t place = take_place(ipc);
    if (place == UINT32_MAX)
        return NULL;
    struct cuda_ipc_entry *new = &ipc->table->entries[place];
    const struct offer offer = {(enum cuda_ipc_kind)entry->kind, entry->address, place,
                                entry->device};
    *new = *entry; // its serial is 0
    __atomic_store_n(&new->serial, ++ipc->serials, __ATOMIC_RELEASE);
    vec_push(&ipc->offers, offer);
    return &ipc->offers.data[ipc->offers.length - 1];
}

static void say_why_not(const struct cuda_state *state) {
    if (errno == EBADF)
        cuda_say("%s: the program closed the descriptor by which other processes find what it "
                 "shares",
                 state->call);
    else
        cuda_say("%s: nothing more can be shared with other processes: %s%s", state->call,
                 strerror(errno), errno == EFBIG ? " (RLIMIT_FSIZE, ulimit -f)" : "");
}

bool cuda_ipc_offer(struct cuda_state *state, const struct cuda_ipc_entry *entry,
                    struct cuda_ipc_handle *out) {
    if (!state->ipc)
        state->ipc = base_alloc(sizeof *state->ipc);
    struct cuda_ipc *ipc = state->ipc;
    const struct offer *offer = NULL;
    if (ipc->table || make_table(ipc))
        offer = find_offer(ipc, (enum cuda_ipc_kind)entry->kind, entry->address);
    if (ipc->table && !offer)
        offer = add_offer(ipc, entry);
    if (!offer) {
        say_why_not(state);
        return false;
    }
    struct handle handle = {
        .token = ipc->table->token,
        .serial = ipc->table->entries[offer->place].serial,
        .inode = ipc->file.inode,
        .process = getpid(),
        .file = ipc->file.number - 1,
        .kind = entry->kind,
        .place = offer->place,
    };
    memcpy(handle.magic, MAGIC, sizeof handle.magic);
    memcpy(out, &handle, sizeof handle);
    return true;
}

static void withdraw(struct cuda_ipc *ipc, size_t i) {
    const uint32_t place = ipc->offers.data[i].place;
    __atomic_store_n(&ipc->table->entries[place].serial, 0, __ATOMIC_RELEASE);
    vec_push(&ipc->free_places, place);
    ipc->offers.data[i] = ipc->offers.data[--ipc->offers.length];
}

void cuda_ipc_withdraw(struct cuda_state *state, enum cuda_ipc_kind kind, uint64_t address) {
    const struct offer *offer = state->ipc ? find_offer(state->ipc, kind, address) : NULL;
    if (offer)
        withdraw(state->ipc, (size_t)(offer - state->ipc->offers.data));
}

void cuda_ipc_drop(struct cuda_state *state) {
    struct cuda_ipc *ipc = state->ipc;
    for (size_t i = ipc ? ipc->offers.length : 0; i-- > 0;)
        if (ipc->offers.data[i].device == state->current->number)
            withdraw(ipc, i);
    cuda_ipc_close_all(state, state->current->number);
}

void cuda_ipc_free(struct cuda_state *state) {
    struct cuda_ipc *ipc = state->ipc;
    if (!ipc)
        return;
    if (ipc->table)
        munmap(ipc->table, table_bytes(MOST_ENTRIES));
    unnamed_file_close(&ipc->file);
    vec_free(&ipc->free_places);
    vec_free(&ipc->offers);
    free(ipc);
    state->ipc = NULL;
}

// ---- Tables of others -------------------------------------------------------------------------

// A file that a process has. -1: errno says why.
static int open_file(int32_t process, int32_t file, uint64_t inode, int access) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, (int)file);
    if (stat(path, &status) != 0)
        return -1;
    if (!S_ISREG(status.st_mode) || status.st_ino != inode) { // its number is another file's now
        errno = ENOENT;
        return -1;
    }
    return open(path, access | O_CLOEXEC);
}

// The entry is read as a whole before or after it was withdrawn: its serial is read last.
static bool read_entry(int file, const struct handle *handle, struct cuda_ipc_entry *entry) {
    struct stat status;
    const size_t bytes = table_bytes((size_t)handle->place + 1);
    if (handle->place >= MOST_ENTRIES || fstat(file, &status) != 0 ||
        (uint64_t)status.st_size < bytes)
        return false;
    const struct table *table = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    if (table == MAP_FAILED)
        return false;
    const struct cuda_ipc_entry *found = &table->entries[handle->place];
    *entry = *found;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const bool is_it = memcmp(table->magic, MAGIC, sizeof table->magic) == 0 &&
                       table->token == handle->token && entry->kind == handle->kind &&
                       __atomic_load_n(&found->serial, __ATOMIC_ACQUIRE) == handle->serial;
    munmap((void *)(uintptr_t)table, bytes);
    return is_it;
}

// The memory that an entry is of is all in the file.
static bool is_in_file(const struct cuda_ipc_entry *entry, int file) {
    struct stat status;
    return fstat(file, &status) == 0 && entry->address >= entry->begin &&
           entry->address - entry->begin + entry->bytes <= (uint64_t)status.st_size;
}

static const char *noun(enum cuda_ipc_kind kind) {
    return kind == CUDA_IPC_MEMORY ? "memory" : "an event";
}

static enum cuda_error not_opened(const struct cuda_state *state, const struct handle *handle) {
    const enum cuda_ipc_kind kind = (enum cuda_ipc_kind)handle->kind;
    const int process = handle->process;
    if (errno == EACCES || errno == EPERM) {
        cuda_say("%s: the handle is of %s of process %d, whose descriptors this process may not "
                 "see (/proc/%d/fd): they must belong to one user, or this one must be privileged",
                 state->call, noun(kind), process, process);
        return cudaErrorOperatingSystem;
    }
    if (errno != ENOENT && errno != ESRCH) {
        cuda_say("%s: %s of process %d cannot be opened: %s", state->call, noun(kind), process,
                 strerror(errno));
        return cudaErrorOperatingSystem;
    }
    if (kill(process, 0) != 0 && errno == ESRCH)
        cuda_say("%s: the handle is of %s of process %d, which has ended, or is in another "
                 "namespace of processes",
                 state->call, noun(kind), process);
    else
        cuda_say("%s: the handle is of %s of process %d, which has ended, or closed the "
                 "descriptor of it",
                 state->call, noun(kind), process);
    return cudaErrorInvalidResourceHandle;
}

static enum cuda_error look_up(const struct cuda_state *state, const struct handle *handle,
                               struct cuda_ipc_entry *entry, int *file) {
    int table = open_file(handle->process, handle->file, handle->inode, O_RDONLY);
    if (table < 0)
        return not_opened(state, handle);
    const bool is_there = read_entry(table, handle, entry);
    close(table);
    if (!is_there) {
        cuda_say("%s: the handle is of %s that process %d has %s since", state->call,
                 noun((enum cuda_ipc_kind)handle->kind), (int)handle->process,
                 handle->kind == CUDA_IPC_MEMORY ? "freed" : "destroyed");
        return handle->kind == CUDA_IPC_MEMORY ? cudaErrorInvalidValue
                                               : cudaErrorInvalidResourceHandle;
    }
    if (handle->kind != CUDA_IPC_MEMORY)
        return cudaSuccess;
    *file = open_file(handle->process, entry->file, entry->inode, O_RDWR);
    if (*file >= 0 && !is_in_file(entry, *file)) {
        close(*file);
        *file = -1;
        errno = ENOENT;
    }
    return *file < 0 ? not_opened(state, handle) : cudaSuccess;
}

enum cuda_error cuda_ipc_find(struct cuda_state *state, enum cuda_ipc_kind kind,
                              const struct cuda_ipc_handle *asked, struct cuda_ipc_entry *entry,
                              int *file) {
    struct handle handle;
    memcpy(&handle, asked, sizeof handle);
    *file = -1;
    if (memcmp(handle.magic, MAGIC, sizeof handle.magic) != 0 || handle.kind != (uint32_t)kind ||
        !handle.serial || handle.process <= 0)
        return cudaErrorInvalidValue;
    if (state->ipc && state->ipc->table && handle.token == state->ipc->table->token)
        return cudaErrorDeviceUninitialized;
    return look_up(state, &handle, entry, file);
}

struct cuda_ipc_origin cuda_ipc_origin_of(const struct cuda_ipc_handle *asked) {
    struct handle handle;
    memcpy(&handle, asked, sizeof handle);
    return (struct cuda_ipc_origin){handle.token, handle.serial};
}

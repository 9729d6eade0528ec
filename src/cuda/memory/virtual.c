// Virtual memory management: addresses and memory apart. Addresses are reserved ones of this
// process, memory is a file without a name, and mapping is what the system calls mapping; so memory
// that is mapped twice is the same memory. A kernel may touch what is mapped and was made
// accessible; neighbours within a reservation count as one allocation, since copies and kernels run
// across them.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unnamed.h"
#include "base/vec.h"
#include "cuda/core/gap.h"
#include "cuda/memory/virtual.h"

enum { GRANULE = 2 << 20 };
enum { PINNED = 1, DEVICE = 1, FILE_HANDLE = 1 }; // types of allocation, location, shared handle
enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };

static void *memory_at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

struct physical {
    struct cuda_handle handle;
    int file;
    size_t bytes;
    unsigned users; // its owners and its mappings
    unsigned owners;
    struct cuda_physical_properties properties;
};

struct range {
    uint64_t address, bytes;
};

struct mapping {
    struct range range;
    struct physical *physical;
    uint32_t readers, writers; // the devices whose kernels may touch it, a bit for each
};

struct cuda_virtual {
    VEC(struct range) reserved;
    VEC(struct mapping) mappings;     // by address
    VEC(uint64_t) registered;         // what the simulator was told of
    uint64_t used_bytes[SIM_DEVICES]; // of memory
};

static struct cuda_virtual *memory_of(struct cuda_state *state) {
    if (!state->driver.memory)
        state->driver.memory = base_alloc(sizeof *state->driver.memory);
    return state->driver.memory;
}

static bool holds(const struct range *range, uint64_t address, uint64_t bytes) {
    return address >= range->address && bytes <= range->bytes &&
           address - range->address <= range->bytes - bytes;
}

static const struct range *reservation_of(const struct cuda_virtual *memory, uint64_t address,
                                          uint64_t bytes) {
    for (size_t i = 0; i < memory->reserved.length; i++)
        if (holds(&memory->reserved.data[i], address, bytes))
            return &memory->reserved.data[i];
    return NULL;
}

static bool is_granular(uint64_t address, uint64_t bytes) {
    return bytes && address % GRANULE == 0 && bytes % GRANULE == 0;
}

static int device_of(const struct mapping *mapping) {
    return mapping->physical->properties.location.id;
}

// Whether two mappings are one piece to kernels.
static bool are_joined(const struct cuda_virtual *memory, const struct mapping *left,
                       const struct mapping *right) {
    uint64_t end = left->range.address + left->range.bytes;
    return right->range.address == end && left->readers == right->readers &&
           left->writers == right->writers && device_of(left) == device_of(right) &&
           reservation_of(memory, left->range.address, left->range.bytes + right->range.bytes) !=
               NULL;
}

// Tells the simulator anew what kernels may touch.
static void publish(struct cuda_state *state, struct cuda_virtual *memory) {
    for (size_t i = 0; i < memory->registered.length; i++)
        sim_unregister_device(cuda_any_sim(state), memory_at(memory->registered.data[i]));
    memory->registered.length = 0;
    for (size_t i = 0, next; i < memory->mappings.length; i = next) {
        const struct mapping *first = &memory->mappings.data[i];
        uint64_t bytes = first->range.bytes;
        for (next = i + 1;
             next < memory->mappings.length &&
             are_joined(memory, &memory->mappings.data[next - 1], &memory->mappings.data[next]);
             next++)
            bytes += memory->mappings.data[next].range.bytes;
        struct sim *sim = state->devices[device_of(first)].sim;
        if (sim && first->readers &&
            sim_register_device(sim, memory_at(first->range.address), bytes, first->readers,
                                first->writers))
            vec_push(&memory->registered, first->range.address);
    }
}

// ---- Addresses --------------------------------------------------------------------------------

// Address space of this size, aligned; 0: there is none.
static uint64_t reserve(uint64_t bytes, uint64_t alignment, uint64_t wish) {
    uint64_t all = bytes + alignment;
    if (all < bytes)
        return 0;
    void *area =
        mmap(memory_at(wish), all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        return 0;
    uint64_t begin = (uint64_t)(uintptr_t)area;
    uint64_t address = (begin + alignment - 1) / alignment * alignment;
    if (address > begin)
        munmap(area, address - begin);
    if (begin + all > address + bytes)
        munmap(memory_at(address + bytes), begin + all - address - bytes);
    return address;
}

enum cuda_error cuda_virtual_reserve(struct cuda_state *state, unsigned long long *pointer,
                                     size_t bytes, size_t alignment, uint64_t wish,
                                     uint64_t flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess &&
        (!pointer || flags || !is_granular(0, bytes) || (alignment & (alignment - 1))))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct range range = {
            reserve(bytes, alignment > GRANULE ? alignment : GRANULE, wish / GRANULE * GRANULE),
            bytes};
        if (range.address) {
            vec_push(&memory_of(state)->reserved, range);
            *pointer = range.address;
        } else {
            error = cudaErrorMemoryAllocation;
        }
    }
    return error;
}

static bool is_mapped(const struct cuda_virtual *memory, uint64_t address, uint64_t bytes) {
    for (size_t i = 0; i < memory->mappings.length; i++) {
        const struct range *range = &memory->mappings.data[i].range;
        if (address < range->address + range->bytes && range->address < address + bytes)
            return true;
    }
    return false;
}

enum cuda_error cuda_virtual_free(struct cuda_state *state, uint64_t pointer, size_t bytes) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_virtual *memory = memory_of(state);
    size_t at = 0;
    while (at < memory->reserved.length && (memory->reserved.data[at].address != pointer ||
                                            memory->reserved.data[at].bytes != bytes))
        at++;
    if (error == cudaSuccess &&
        (at == memory->reserved.length || is_mapped(memory, pointer, bytes)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        munmap(memory_at(pointer), bytes);
        memory->reserved.data[at] = memory->reserved.data[--memory->reserved.length];
    }
    return error;
}

// ---- Memory -----------------------------------------------------------------------------------

static struct physical *find(struct cuda_state *state, uint64_t handle) {
    struct physical *physical = cuda_handle_find(state, CUDA_PHYSICAL, memory_at(handle));
    return physical && physical->owners ? physical : NULL;
}

static uint64_t new_physical(struct cuda_state *state, int file, size_t bytes,
                             const struct cuda_physical_properties *properties) {
    struct physical *physical = cuda_handle_new(state, CUDA_PHYSICAL, sizeof *physical);
    physical->file = file;
    physical->bytes = bytes;
    physical->users = physical->owners = 1;
    physical->properties = *properties;
    memory_of(state)->used_bytes[properties->location.id] += bytes;
    return (uint64_t)(uintptr_t)physical;
}

static void drop_user(struct cuda_state *state, struct physical *physical) {
    if (--physical->users)
        return;
    close(physical->file);
    memory_of(state)->used_bytes[physical->properties.location.id] -= physical->bytes;
    cuda_handle_kill(state, &physical->handle);
}

static enum cuda_error check_properties(struct cuda_state *state,
                                        const struct cuda_physical_properties *properties) {
    if (!properties || properties->type != PINNED)
        return cudaErrorInvalidValue;
    if (properties->location.type != DEVICE) {
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                     "cuMemCreate: memory of the host is not supported yet");
        return cudaErrorNotSupported;
    }
    return cuda_is_device(state, properties->location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

// A descriptor; -1: the system gives none.
static int make_file(size_t bytes) {
    struct unnamed_file file = {0};
    if (unnamed_file_make(&file, "cuMemCreate") && unnamed_file_reach(&file, bytes))
        return file.number - 1;
    unnamed_file_close(&file);
    return -1;
}

enum cuda_error cuda_physical_create(struct cuda_state *state, uint64_t *handle, size_t bytes,
                                     const struct cuda_physical_properties *properties,
                                     uint64_t flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!handle || flags || !is_granular(0, bytes)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = check_properties(state, properties);
    if (error == cudaSuccess)
        error = cuda_visit(state, &state->devices[properties->location.id]);
    if (error != cudaSuccess)
        return error;
    uint64_t left, total;
    sim_memory_info(state->current->sim, &left, &total);
    uint64_t used = memory_of(state)->used_bytes[properties->location.id];
    const int file = used <= left && bytes <= left - used ? make_file(bytes) : -1;
    if (file < 0)
        return cudaErrorMemoryAllocation;
    *handle = new_physical(state, file, bytes, properties);
    return cudaSuccess;
}

enum cuda_error cuda_physical_release(struct cuda_state *state, uint64_t handle) {
    enum cuda_error error = cuda_enter(state);
    struct physical *physical = error == cudaSuccess ? find(state, handle) : NULL;
    if (error == cudaSuccess && !physical)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        physical->owners--;
        drop_user(state, physical);
    }
    return error;
}

enum cuda_error cuda_physical_granularity(struct cuda_state *state, size_t *bytes,
                                          const struct cuda_physical_properties *properties,
                                          int option) {
    if (!bytes || option < 0 || option > 1)
        return cudaErrorInvalidValue;
    enum cuda_error error = check_properties(state, properties);
    if (error == cudaSuccess)
        *bytes = GRANULE;
    return error;
}

enum cuda_error cuda_physical_tell(struct cuda_state *state,
                                   struct cuda_physical_properties *properties, uint64_t handle) {
    enum cuda_error error = cuda_enter(state);
    const struct physical *physical = error == cudaSuccess ? find(state, handle) : NULL;
    if (error == cudaSuccess && (!physical || !properties))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *properties = physical->properties;
    return error;
}

// ---- Memory in other processes: the file goes there -------------------------------------------

enum cuda_error cuda_physical_export(struct cuda_state *state, void *out, uint64_t handle, int type,
                                     uint64_t flags) {
    enum cuda_error error = cuda_enter(state);
    const struct physical *physical = error == cudaSuccess ? find(state, handle) : NULL;
    if (error == cudaSuccess && (!physical || !out || flags || type != FILE_HANDLE ||
                                 !(physical->properties.handle_types & FILE_HANDLE)))
        error = cudaErrorInvalidValue;
    int file = error == cudaSuccess ? fcntl(physical->file, F_DUPFD_CLOEXEC, 0) : -1;
    if (error == cudaSuccess && file < 0)
        error = cudaErrorOperatingSystem;
    if (error == cudaSuccess)
        *(int *)out = file;
    return error;
}

enum cuda_error cuda_physical_import(struct cuda_state *state, uint64_t *handle, int file,
                                     int type) {
    enum cuda_error error = cuda_enter(state);
    struct stat status;
    if (error == cudaSuccess && (!handle || type != FILE_HANDLE || fstat(file, &status) != 0 ||
                                 !is_granular(0, (uint64_t)status.st_size)))
        error = cudaErrorInvalidValue;
    int own = error == cudaSuccess ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
    if (error == cudaSuccess && own < 0)
        error = cudaErrorOperatingSystem;
    if (error == cudaSuccess) {
        struct cuda_physical_properties properties = {
            .type = PINNED,
            .handle_types = FILE_HANDLE,
            .location = {DEVICE, (int)state->current->number}};
        *handle = new_physical(state, own, (size_t)status.st_size, &properties);
    }
    return error;
}

// ---- Mapping ----------------------------------------------------------------------------------

static void insert(struct cuda_virtual *memory, struct mapping mapping) {
    size_t at = memory->mappings.length;
    vec_push(&memory->mappings, mapping);
    for (; at > 0 && memory->mappings.data[at - 1].range.address > mapping.range.address; at--)
        memory->mappings.data[at] = memory->mappings.data[at - 1];
    memory->mappings.data[at] = mapping;
}

enum cuda_error cuda_virtual_map(struct cuda_state *state, uint64_t pointer, size_t bytes,
                                 size_t offset, uint64_t handle, uint64_t flags) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_virtual *memory = memory_of(state);
    struct physical *physical = error == cudaSuccess ? find(state, handle) : NULL;
    if (error == cudaSuccess &&
        (!physical || flags || !is_granular(pointer, bytes) || offset % GRANULE ||
         offset > physical->bytes || bytes > physical->bytes - offset ||
         !reservation_of(memory, pointer, bytes) || is_mapped(memory, pointer, bytes)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess &&
        mmap(memory_at(pointer), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             physical->file, (off_t)offset) == MAP_FAILED)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        physical->users++;
        insert(memory, (struct mapping){{pointer, bytes}, physical, 0, 0});
    }
    return error;
}

// The mappings that fill a range wholly, from *first on; 0: some of it is not mapped, or a mapping
// goes beyond.
static size_t mappings_in(const struct cuda_virtual *memory, uint64_t address, uint64_t bytes,
                          size_t *first) {
    size_t count = 0;
    uint64_t at = address;
    for (size_t i = 0; i < memory->mappings.length && at < address + bytes; i++) {
        const struct range *range = &memory->mappings.data[i].range;
        if (range->address < address)
            continue;
        if (range->address != at)
            return 0;
        if (!count++)
            *first = i;
        at += range->bytes;
    }
    return at == address + bytes ? count : 0;
}

enum cuda_error cuda_virtual_unmap(struct cuda_state *state, uint64_t pointer, size_t bytes) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_virtual *memory = memory_of(state);
    size_t first = 0;
    size_t count = error == cudaSuccess ? mappings_in(memory, pointer, bytes, &first) : 0;
    if (error == cudaSuccess && !count)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < count; i++)
        drop_user(state, memory->mappings.data[first + i].physical);
    for (size_t i = first; i + count < memory->mappings.length; i++)
        memory->mappings.data[i] = memory->mappings.data[i + count];
    memory->mappings.length -= count;
    publish(state, memory);
    if (mmap(memory_at(pointer), bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        error = cudaErrorMemoryAllocation;
    return error;
}

// ---- Access -----------------------------------------------------------------------------------

static void grant(struct mapping *mapping, int device, int access) {
    uint32_t bit = 1u << device;
    mapping->readers = access == ACCESS_NONE ? mapping->readers & ~bit : mapping->readers | bit;
    mapping->writers =
        access == ACCESS_READ_WRITE ? mapping->writers | bit : mapping->writers & ~bit;
}

static int access_of(const struct mapping *mapping, int device) {
    return mapping->writers >> device & 1   ? ACCESS_READ_WRITE
           : mapping->readers >> device & 1 ? ACCESS_READ
                                            : ACCESS_NONE;
}

enum cuda_error cuda_virtual_set_access(struct cuda_state *state, uint64_t pointer, size_t bytes,
                                        const struct cuda_access *descriptions, size_t count) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_virtual *memory = memory_of(state);
    size_t first = 0;
    size_t mapped = error == cudaSuccess ? mappings_in(memory, pointer, bytes, &first) : 0;
    if (error == cudaSuccess && (!mapped || !descriptions || !count))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        int access = descriptions[i].flags;
        if (access != ACCESS_NONE && access != ACCESS_READ && access != ACCESS_READ_WRITE)
            error = cudaErrorInvalidValue;
        else if (descriptions[i].location.type == DEVICE &&
                 !cuda_is_device(state, descriptions[i].location.id))
            error = cudaErrorInvalidDevice;
        else if (descriptions[i].location.type == DEVICE)
            for (size_t m = 0; m < mapped; m++)
                grant(&memory->mappings.data[first + m], descriptions[i].location.id, access);
    }
    if (error == cudaSuccess)
        publish(state, memory);
    return error;
}

// The mapping that holds an address; NULL: none.
static struct mapping *mapping_at(struct cuda_virtual *memory, uint64_t address) {
    for (size_t i = 0; i < memory->mappings.length; i++)
        if (holds(&memory->mappings.data[i].range, address, 1))
            return &memory->mappings.data[i];
    return NULL;
}

enum cuda_error cuda_virtual_tell_access(struct cuda_state *state, unsigned long long *flags,
                                         const struct cuda_location *location, uint64_t pointer) {
    enum cuda_error error = cuda_enter(state);
    const struct mapping *mapping =
        error == cudaSuccess ? mapping_at(memory_of(state), pointer) : NULL;
    if (error == cudaSuccess && (!flags || !location || !mapping))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = location->type == DEVICE && cuda_is_device(state, location->id)
                     ? (unsigned long long)access_of(mapping, location->id)
                     : ACCESS_NONE;
    return error;
}

enum cuda_error cuda_physical_retain(struct cuda_state *state, uint64_t *handle, void *address) {
    enum cuda_error error = cuda_enter(state);
    struct mapping *mapping =
        error == cudaSuccess ? mapping_at(memory_of(state), (uint64_t)(uintptr_t)address) : NULL;
    if (error == cudaSuccess && (!handle || !mapping))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        mapping->physical->users++;
        mapping->physical->owners++;
        *handle = (uint64_t)(uintptr_t)mapping->physical;
    }
    return error;
}

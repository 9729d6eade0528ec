// Inside the simulator: which ranges of the address space kernels may touch.
//
// Device addresses are host addresses. Allocations are cut from one large reserved range whose
// untouched pages cost nothing; at least SIM_MEMORY_GUARD bytes behind each belong to nobody, so
// that an overrun is found. Those of more than 1 MiB begin at multiples of 2 MiB, as on a GPU. What
// the host may touch, too, has pages of the host's for itself: device memory beside it can become
// that of other processes (shared.h), and a checker can protect it.
// Freed ranges stay mapped (and read as zeros): a kernel that races with a free hurts nobody else.
// The range is handed out from front to back before any part of it is
// used again, so that a pointer to freed memory stays recognisable for long. All this but the range
// is otherwise where memory lies as on a GPU (pages.h).
//
// All functions may be called from several threads at once. Finding what holds an address
// takes no lock.
#ifndef BANKRUN_SIM_MEMORY_MEMORY_H
#define BANKRUN_SIM_MEMORY_MEMORY_H

#include <pthread.h>

#include "sim/access.h"
#include "sim/memory/fresh.h"
#include "sim/memory/shared.h"
#include "sim/memory/undefined.h"
#include "sim/sim.h"

enum { SIM_MEMORY_ALIGN = 512, SIM_MEMORY_GUARD = 256, SIM_MEMORY_FREED = 1024 };

struct sim_memory_table;
struct sim_pages;
struct sim_stand_ins;
struct sim_memory_node;

struct sim_memory_freed {
    uint64_t address, bytes;
};

// What devices with one address space share.
struct sim_space {
    uint64_t version; // of the table: odd while it is being changed; atomic
    struct sim_memory_table *table;
    pthread_mutex_t lock; // of writers
    void *mapped;         // NULL: nothing could be reserved
    uint64_t begin, end;  // the reserved range
    uint64_t rover;       // where the next allocation is tried
    struct sim_fresh fresh;
    struct pool *pool;              // of one of the devices, for the host; NULL: none
    struct sim_shared shared;       // with other processes
    struct sim_undefined undefined; // of the reserved range
    struct sim_pages *pages;   // NULL: allocations have guards. Else they lie as on a GPU (pages.h)
    uint64_t kept, kept_bytes; // memory of the caller's that is always there
    uint64_t host_count;       // of registered memory of the host; atomic
    struct sim_stand_ins *stand_ins; // for what of it goes away
    struct sim_memory_node *nodes, *free_nodes;
    struct sim_memory_table *retired;
    struct sim_memory_freed freed[SIM_MEMORY_FREED]; // a ring
    uint64_t freed_count;
    struct sim_memory *views[SIM_DEVICES]; // by number; NULL: no such device
};

// One device's view of a space, and what the device owns there.
struct sim_memory {
    uint64_t generation; // starts at 1, grows when access is lost; atomic
    // the rest belongs to memory.c and memory/devices.c
    struct sim_space *space;
    unsigned device;
    uint32_t guests; // the devices whose kernels may touch its memory, itself among them
    uint64_t device_bytes, used_bytes;
};

// Never NULL. When the system grants no address space at all, every allocation fails later.
// `devices`: how many will share it.
// `place`: where it is to lie, if the system has that; 0: anywhere.
struct sim_memory *sim_memory_create(uint64_t device_bytes, unsigned device, unsigned devices,
                                     uint64_t place);
// From now on allocations lie as on a GPU (pages.h). Before the first one.
void sim_memory_use_pages(struct sim_memory *memory);
// The host's large fills of memory are done by these threads, which are idle while the host
// allocates. NULL: no more.
void sim_memory_use_pool(struct sim_memory *memory, struct pool *pool);
// What is allocated from now on holds that. Before the first one.
void sim_memory_use_fill(struct sim_memory *memory, const struct sim_fill *fill);
// From now on it is tracked what of the memory is defined. Before the first allocation.
void sim_memory_track_undefined(struct sim_memory *memory);
// Whether it is: the system may not grant the address space for that.
bool sim_memory_tracks_undefined(const struct sim_memory *memory);
// A further device's view of a space. No other has its number.
struct sim_memory *sim_memory_join(struct sim_memory *other, unsigned device,
                                   uint64_t device_bytes);
// Frees what the device owns, and the space with the last device. NULL is allowed.
void sim_memory_destroy(struct sim_memory *memory);

// Implemented where struct sim is.
struct sim_memory *sim_memory_of(const struct sim *sim);

// NULL: the device is full. The caller may set name, is_read_only and owner of the result before
// a kernel runs. It lives until it is freed.
struct sim_allocation *sim_memory_alloc(struct sim_memory *memory, uint64_t bytes,
                                        enum sim_allocation_kind kind);
// The same of memory that the host may touch, whatever its kind.
struct sim_allocation *sim_memory_alloc_shown(struct sim_memory *memory, uint64_t bytes,
                                              enum sim_allocation_kind kind);
// Frees what starts at the address. False: nothing does, or it is host memory that was registered,
// or it is of the wrong heap: kernels free SIM_DEVICE_HEAP, the host everything else.
bool sim_memory_free(struct sim_memory *memory, uint64_t address, bool is_device_heap);

// Makes host memory known. NULL: it overlaps what is known already.
struct sim_allocation *sim_memory_register(struct sim_memory *memory, uint64_t address,
                                           uint64_t bytes, enum sim_allocation_kind kind);
bool sim_memory_unregister(struct sim_memory *memory, uint64_t address);

const struct sim_allocation *sim_memory_find(struct sim_memory *memory, uint64_t address,
                                             bool nearest);

// From now on the allocation belongs to this device.
void sim_memory_adopt(struct sim_memory *memory, uint64_t address);

// True when one allocation holds all of [address, address + bytes) and may be read, or written if
// `write`, by the device; *hit is that allocation then, and false leaves *hit alone.
bool sim_memory_lookup(const struct sim_memory *memory, uint64_t address, uint64_t bytes,
                       bool write, struct sim_site_cache *hit);

// The same for a thread of a kernel, and the host still has that memory: what was registered may
// have been unmapped since. That is looked at once for each allocation and launch.
bool sim_memory_touch(struct sim_worker *worker, uint64_t address, uint64_t bytes, bool write,
                      struct sim_site_cache *hit);

// Says in words where an address that may not be accessed lies, for the end of a message:
// "8 bytes past the end of the 4096-byte allocation at 0x7f0000001000".
enum { SIM_MEMORY_TEXT = 256 };
void sim_memory_describe(struct sim_memory *memory, uint64_t address, uint64_t bytes,
                         char text[SIM_MEMORY_TEXT]);

// ---- Between memory.c and memory/devices.c ----------------------------------------------------

// Somebody lost access: nothing that was looked up before holds any more.
void sim_space_forget(struct sim_space *space);
// bytes: address space that it should have
struct sim_space *sim_space_create(uint64_t bytes, uint64_t place);
void sim_space_destroy(struct sim_space *space);
// Frees all that a device owns.
void sim_space_drop_device(struct sim_space *space, unsigned device);
// Calls visit for each allocation, which may change who has access.
void sim_space_visit(struct sim_space *space,
                     void (*visit)(struct sim_allocation *allocation, void *context),
                     void *context);

#endif

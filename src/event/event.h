// What a kernel does while it runs, as observers hear of it: every access to shared and global
// memory, and what orders them. The room knows nothing of instructions, of the simulator, or of who
// listens.
//
// Pointers in an event are valid during the call only. Each thread of the host that runs blocks is
// a worker and passes what its own worker_begin returned, so that observers need no locks. What one
// block does is told by one worker, in the order in which it happens.
#ifndef BANKRUN_EVENT_EVENT_H
#define BANKRUN_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum { WARP_LANES = 32 };

#define EVENT_NONE UINT32_MAX // no site, no instruction

// The memories that sites access.
enum site_space { SITE_SHARED, SITE_GLOBAL, SITE_SPACES };

enum event_intent { EVENT_READ, EVENT_WRITE, EVENT_ATOMIC };

// How an access, or a fence, is ordered with others: the memory consistency model of the PTX ISA.
enum event_order {
    EVENT_WEAK,
    EVENT_VOLATILE, // as relaxed, of the whole system
    EVENT_RELAXED,
    EVENT_ACQUIRE,
    EVENT_RELEASE,
    EVENT_ACQ_REL,
    EVENT_SC,
};

// Among whose threads.
enum event_scope { EVENT_CTA, EVENT_CLUSTER, EVENT_GPU, EVENT_SYS };

// When an access is done, as far as the program may rely on it: with the instruction, or once one
// waits for the groups of copies that it is in, or for an mbarrier.
enum event_completion {
    EVENT_AT_ONCE,
    EVENT_BY_GROUP,       // cp.async: of cp.async.commit_group, or cp.async.mbarrier.arrive
    EVENT_BY_BULK_GROUP,  // of cp.async.bulk.commit_group
    EVENT_BY_MBARRIER,    // the one of which an EVENT_MBARRIER_COMPLETE_TX is told next
    EVENT_BY_WGMMA_GROUP, // of wgmma.commit_group
};

// The way that an access takes to memory. Accesses of different ways are in order only where a
// fence of the proxy is between them.
enum event_proxy {
    EVENT_NO_PROXY, // the generic one
    EVENT_ALIAS_PROXY,
    EVENT_ASYNC_PROXY, // bulk copies, of tensors too, and wgmma
    EVENT_TENSORMAP_PROXY,
    EVENT_SURFACE_PROXY,
};

enum { EVENT_PIECE = 16 };

// What was seen of a full warp's addresses on the way; observers may use it to be quick.
enum event_pattern {
    EVENT_ANY_PATTERN, // not looked at, or neither of the others
    EVENT_LINEAR,      // lane n accesses the n-th piece of the request's width behind lane 0's
    EVENT_UNIFORM,     // all 32 lanes access the same address
    EVENT_PATTERNS
};

// One warp-level request.
struct event_access {
    // Counted over the kernel's, then those of the functions that it calls in the order of
    // ir_reachable(). EVENT_NONE: of no site; see wants_unsited.
    uint32_t site;
    uint32_t instruction; // counted likewise
    enum site_space space;
    enum event_intent intent;
    enum event_order order;
    enum event_scope scope; // unless weak
    enum event_completion completion;
    enum event_proxy proxy;
    unsigned width;          // bytes of a lane
    uint32_t mask;           // lanes that access (bit n = lane n), never 0
    const uint32_t *offsets; // 32 byte offsets into a block's shared memory; SITE_SHARED. Inactive
                             // lanes hold arbitrary values.
    const uint64_t *addresses;  // 32 byte addresses; SITE_GLOBAL, and the source of cp.async
    const uint32_t *block;      // blockIdx x, y, z
    uint64_t block_number;      // x + gridDim.x * (y + gridDim.y * z)
    uint64_t owner;             // number of the block whose shared memory it is
    uint32_t warp;              // in the block
    enum event_pattern pattern; // of the offsets, or of the addresses
    // cp.async, SITE_SHARED with addresses: how many bytes each lane reads; the others that it
    // writes are zeros.
    const uint32_t *source_bytes;
    // What a store writes: lane n's bytes are the `width` ones from n * width on. NULL: no observer
    // wants them, or it is no plain store.
    const uint8_t *values;
    // Not 0: bytes that one lane copies in bulk, from offsets[0] or addresses[0] on. `continues`: a
    // further piece of the last such request. `pieces`: they do not lie side by side, but each
    // EVENT_PIECE bytes at one of these offsets (boxes of tensors with gaps between their rows).
    uint64_t bulk_bytes;
    bool bulk_continues;
    const uint32_t *pieces;
};

// What orders the accesses of different threads. Threads arrive, wait and leave in the order of the
// events. Of cooperative groups' grid.sync() there is no event of its own: it is made of barriers,
// fences and ordered accesses, which are told.
enum event_kind {
    // Block barrier `id`, of `expected` threads; 0: of all that have not left.
    EVENT_BARRIER_ARRIVE,   // the lanes arrive and go on
    EVENT_BARRIER_SYNC,     // they arrive and wait
    EVENT_BARRIER_COMPLETE, // all are there: those that wait go on. Of no warp
    // Lanes that are together now, all that named `members` and have not left. One event for each
    // mask that was named.
    EVENT_WARP_BARRIER,  // bar.warp.sync: orders their accesses
    EVENT_WARP_EXCHANGE, // shfl, vote, match, redux and elect .sync: does not
    // The cluster's barrier.
    EVENT_CLUSTER_ARRIVE,
    EVENT_CLUSTER_COMPLETE, // of no warp, told as the cluster's first block's
    EVENT_CLUSTER_WAIT,     // the lanes have waited
    // The mbarrier at `offset` in `owner`'s shared memory, one lane at a time. `phase` is the one
    // that it is in before the operation; `ends_phase`: the operation completes it.
    EVENT_MBARRIER_INIT, // to `count` arrivals
    EVENT_MBARRIER_INVALIDATE,
    EVENT_MBARRIER_EXPECT_TX,   // `count` bytes more, by an arrival that expects them, too
    EVENT_MBARRIER_COMPLETE_TX, // `count` bytes have come
    EVENT_MBARRIER_ARRIVE,      // `count` times
    EVENT_MBARRIER_COPIES,      // cp.async.mbarrier.arrive: once the lane's copies so far are done;
                                // `count` arrivals, 0: one that was added for it
    EVENT_MBARRIER_WAIT,        // a test, or a try, that found the lane's phase to be over
    EVENT_FENCE,                // `order`, `scope`, `proxy`
    // Groups of asynchronous operations of the lanes, of the kind that `completion` tells.
    EVENT_ASYNC_COMMIT, // those since the last one are a group
    EVENT_ASYNC_WAIT,   // until `count` groups are left; EVENT_NONE: those not in a group are done,
                        // too
    EVENT_ASYNC_FENCE,  // wgmma.fence
    EVENT_LANES_EXIT,
    EVENT_BLOCK_BEGIN,   // of `expected` threads; of no warp, as the next ones
    EVENT_BLOCK_END,     // all its threads have ended, without a fault
    EVENT_CLUSTER_BEGIN, // of `expected` blocks, where that is more than one; before theirs begin
    EVENT_CLUSTER_END,
    // Grids that were launched with a programmatic dependency.
    EVENT_GRID_RELEASE, // griddepcontrol.launch_dependents: one that depends on this one may begin
    EVENT_GRID_WAIT,    // griddepcontrol.wait: those that this one depends on have ended
    EVENT_KINDS
};

struct event_sync {
    enum event_kind kind;
    uint32_t instruction;  // EVENT_NONE: of none
    const uint32_t *block; // blockIdx x, y, z
    uint64_t block_number;
    uint32_t warp, mask; // mask 0: of no warp
    uint32_t id, expected, members;
    enum event_order order;
    enum event_scope scope;
    enum event_proxy proxy;
    enum event_completion completion;
    bool reads_only; // EVENT_ASYNC_WAIT: until the sources have been read (.read)
    uint64_t owner;
    uint32_t offset, count, phase;
    bool ends_phase, drops; // drops: one arrival fewer is expected from the next phase on
};

// What comes to nothing: nothing is ordered by it.
enum event_trouble_kind {
    EVENT_STRANGER, // the lanes name `members`, among which they are not: a fault
    EVENT_MISSED,   // they wait for `members`, of which `others` wait for them, before they execute
                    // the instruction `elsewhere`; each goes on without the other
    EVENT_STUCK, // they wait at a barrier, or for `members`, or spin, and nobody in the block can
                 // go on: a fault. One event for each place
    EVENT_ALL_STUCK,       // all of these were told. Of no warp
    EVENT_MBARRIER_EXCESS, // `count` arrivals, for which the phase does not wait: a fault
    EVENT_MBARRIER_TEST,   // a test, or a try, that found the lane's phase not to be over
};

struct event_trouble {
    enum event_trouble_kind kind;
    uint32_t instruction;
    const uint32_t *block;
    uint64_t block_number;
    uint32_t warp, mask;
    uint32_t members, others, elsewhere;
    uint64_t owner; // of the mbarrier at `offset`
    uint32_t offset, count;
};

// A value that nothing has defined decides something.
enum event_undefined_use {
    EVENT_UNDEFINED_BRANCH,
    EVENT_UNDEFINED_PREDICATE, // of a store, an atomic: whether it is executed
    EVENT_UNDEFINED_ADDRESS,
    EVENT_UNDEFINED_STORE,  // into global memory
    EVENT_UNDEFINED_ATOMIC, // its operand, or the memory that it changes
    EVENT_UNDEFINED_USES
};

struct event_undefined {
    enum event_undefined_use use;
    uint32_t instruction;
    const uint32_t *block;
    uint64_t block_number;
    uint32_t warp, mask;
    // For the first lane of the mask: the instruction that loaded the value, EVENT_NONE: it is not
    // known, and the generic address of the byte that nobody had written.
    uint32_t origin;
    uint64_t address;
};

struct event_memo;    // event/filter.h
struct event_journal; // event/journal.h

struct event_observer {
    void *context;
    // Called once on each worker before its first event of a launch. May be NULL, and so is the
    // state then.
    void *(*worker_begin)(void *context, unsigned worker);
    // May be NULL: it hears of no access.
    void (*access)(void *worker_state, const struct event_access *event);
    // May be NULL. Requests that are not done at once (event_completion), for observers that hear
    // of no others: these are told whatever filters there are. Not those of no site.
    void (*copy)(void *worker_state, const struct event_access *event);
    // May be NULL: it hears of no synchronisation.
    void (*sync)(void *worker_state, const struct event_sync *event);
    // May be NULL: it hears of no trouble.
    void (*trouble)(void *worker_state, const struct event_trouble *event);
    // May be NULL. Several warps of a block change the word at this offset of its shared memory by
    // atomics that are loops of compare-and-swap (ir_site.is_retried): how often these go round
    // depends on when which warp comes. Told once of each word of each block.
    void (*contention)(void *worker_state, uint32_t offset);
    // May be NULL. Told where the device tracks what is defined (sim_config.tracks_undefined).
    void (*undefined)(void *worker_state, const struct event_undefined *event);
    // May be NULL. A block has ended, or all blocks of a cluster: what was told since the last call
    // (or the beginning) is about it alone. Called where a launch is sampled.
    void (*piece_end)(void *worker_state);
    // May be NULL. The worker has no more events of the launch.
    void (*worker_end)(void *worker_state);
    // May be NULL: every request is told. What need not be told; see event/filter.h.
    struct event_memo **(*memos)(void *worker_state);
    // May be NULL: requests are told as they happen. Which may be written down; see
    // event/journal.h.
    struct event_journal *(*journal)(void *worker_state);
    // Its `sync` need not hear of an EVENT_WARP_EXCHANGE of lanes that all name each other and
    // nobody else.
    bool spares_exchanges;
    // Nor of a phase of a block's barrier to which all of its warps come whole, and wait, by one
    // instruction, while all of its threads live.
    bool spares_even_phases;
    // Tell it of accesses that no site makes, too: to mbarriers, of wgmma to its operands, to
    // surfaces, to tensor maps (all 128 bytes, also where one field is replaced), and those of
    // functions of the device library. Fetches from textures are not told: memory that they read
    // may not be written by the same grid, whatever is between. Nor are accesses to local memory,
    // and copies and fills that a kernel asks for: they are made when it has ended.
    bool wants_unsited;
    bool wants_values; // of stores
};

#endif

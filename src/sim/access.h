// Inside the simulator: memory operations, and the shared state that they touch.
#ifndef BANKRUN_SIM_ACCESS_H
#define BANKRUN_SIM_ACCESS_H

#include "base/vec.h"
#include "event/event.h"
#include "ir/address.h"
#include "sim/exec.h"
#include "sim/sim.h"

// What the decoder knows of a memory operand. Set before the select function is called, except
// for what is marked "select".
struct sim_access {
    enum ptx_space space; // CONST, GLOBAL, LOCAL, PARAM, SHARED, or GENERIC
    sim_ref base;         // lanes' base addresses (64 or 32 bits), when has_base
    bool has_base, base_is_32;
    uint64_t offset;   // added to the base; without a base the whole address: a byte offset in
                       // the space for SHARED, LOCAL and PARAM, a host address otherwise
    unsigned bytes;    // of one element
    unsigned count;    // elements of a vector access, 1 for a scalar
    bool is_signed;    // sign-extend into a wider register
    bool is_by_window; // GENERIC, but an address of shared::cluster without the window is wild
    unsigned element_bytes[8]; // lane width of each register: 4 or 8
    sim_ref element[8];        // registers (or immediates) that are loaded or stored; `_`: scratch
    uint32_t site;             // IR_NONE: not observed (local, param, const)
    uint32_t used_bytes;       // of a lane's bytes those that a load uses, a bit each; 0: all
    // For observers.
    enum event_order order;
    enum event_scope scope;
    enum event_completion completion;
    enum event_proxy proxy;
    // second memory operand (cp.async: the global source)
    sim_ref base2;
    bool has_base2;
    uint64_t offset2;
    bool base2_is_32;
    // third one (bulk copies: the mbarrier, where the second is the source)
    sim_ref base3;
    bool has_base3, base3_is_32;
    uint64_t offset3;
    uint32_t op;    // select: enum ptx_modifier of an atomic, ...
    uint32_t flags; // select
    bool is_store;  // select: a plain one, of element[]
};

// Per worker and site: the last allocation that an access hit. Zeroed: none. Only memory.h's
// functions fill it; the generation tells whether something was freed since.
struct sim_site_cache {
    uint64_t address, bytes, generation;
};
enum { SIM_UNSITED_CACHES = 16, SIM_MAPPED_CACHES = 64 };

// Of blocks that begin where others ended (sim_take_follower): clusters that the worker has
// claimed. Of all: what those that ended have done, until the launch is told.
struct sim_followed {
    uint64_t next, end;
    uint64_t blocks, instructions;
};

struct sim_worker {
    struct sim *sim;
    const struct sim_kernel *kernel;
    const struct sim_launch *launch;
    struct sim_run *run; // see launch_run.h
    unsigned index;
    struct sim_turns *turns;     // NULL: blocks run in any order
    struct sim_shuffle *shuffle; // NULL: in the usual one
    uint64_t turn;               // number of the cluster that it runs, as they are handed out
    uint64_t first_order;        // of that cluster's blocks
    bool has_turn;               // all clusters before that one have ended
    bool may_follow;             // the next block may begin where this one ends
    struct sim_followed followed;
    uint8_t *constants, *warp_vectors; // behind SIM_BASE_CONSTANTS and SIM_BASE_WARP
    struct sim_memory *memory;         // sim_memory_of(sim); see sim/memory.h
    struct sim_site_cache *cache;      // one for each site of the kernel and its callees
    // The same for loads without a site (const memory), by instruction number. Starts zeroed.
    struct sim_site_cache unsited[SIM_UNSITED_CACHES];
    // Registered memory that was found mapped, for reads and for writes.
    struct sim_site_cache mapped[2][SIM_MAPPED_CACHES];
    const struct event_observer *observer; // NULL: nobody listens. Set by sim_listen
    void *observer_state;
    bool hears_access, hears_unsited, hears_values, hears_copies, hears_sync, hears_trouble;
    bool hears_exchanges, hears_phases; // all of them
    // By site * SITE_SPACES + space, NULL where nothing is known yet; they may change with every
    // event. NULL: the observer wants to hear of every request.
    struct event_memo **memos;
    struct event_journal *journal; // NULL: the observer has none
    uint64_t max_instructions;     // of the launch; 0: no limit
    uint64_t instructions;
    uint64_t barriers, counted_barriers; // at which warps waited; of blocks that have ended
    // Not beside `instructions`: GCC would add to both at once, by way of memory, and wait for it.
    uint64_t thread_instructions;
    uint64_t blocks;                  // for which the one that runs was picked; 0: it was not
    struct sim_lost *lost;            // NULL: nobody asks about host memory that goes away
    struct sim_native_worker *native; // NULL: the interpreter runs all
    void *scratch;                    // of matrix instructions; NULL until one needs it
    VEC(struct sim_passed) passed;    // by instruction
    uint64_t passed_number;
};

enum { SIM_BANK_ROW = 128 }; // bytes
// So many bytes before and behind a block's shared memory are nobody's: native code reads words
// side by side also for lanes that are off, and writes theirs back, as far as 32 lanes of 8 bytes
// go.
enum { SIM_SHARED_MARGIN = 256 };

struct sim_block {
    struct sim_worker *worker;
    uint32_t index[3];
    uint64_t linear; // x + y * grid.x + z * grid.x * grid.y
    uint64_t order;  // in which blocks are handed out: by cluster, then by rank
    struct sim_cluster *cluster;
    uint32_t rank;         // in the cluster
    uint8_t *shared;       // begins with a row of the banks; room for one lies behind it
    uint32_t shared_bytes; // static + dynamic
    uint8_t *changers;     // of each word of it; see contention.c. NULL: nobody wants to know
    // Local memory: lane l of warp w has the local_bytes bytes at
    // local + (w * 32 + l) * local_bytes. NULL until a kernel that needs it runs.
    uint8_t *local;
    uint64_t local_bytes;
    uint8_t *undefined_shared, *undefined_local; // as these; NULL: it is not tracked
    uint64_t *shared_origins; // of undefined values stored in it, by word; 0 or NULL: none
    uint64_t salt;            // of random bytes that fill its memory
    // the rest belongs to block.c and is declared in sim/block.h
    struct sim_block_flow *flow;
};

// A lane's .param variables of the current frame (kernel parameters are no part of it: they are a
// host address, the same for all lanes): lane l has frame->bytes bytes at data + l * bytes.
struct sim_frame_memory {
    uint8_t *data;
    uint64_t bytes;
};
struct sim_frame_memory sim_frame_parameters(struct sim_warp *warp);

// Local address 0 of the current frame in the thread's local memory (grows with calls).
uint64_t sim_frame_local(const struct sim_warp *warp);

// Fills these bytes of the lanes' local memory, which nobody has written: a frame's, or alloca's.
void sim_fill_local(struct sim_warp *warp, uint64_t at, uint64_t bytes, uint32_t mask);

// Makes lanes wait for each other. True: all lanes of `members` that have not ended are in
// warp->mask now (or never will be: they ended), go on. False: leave the loop (return NULL).
// Lanes that wait at the same instruction are executed together.
bool sim_gather(struct sim_warp *warp, const struct sim_instr *instr, uint32_t members);

// A lane that is not among the members it names: an H200 raises an illegal instruction. Returns
// false.
bool sim_raise_stranger(struct sim_warp *warp, const struct sim_instr *instr,
                        const uint32_t *members, uint32_t strangers);

// Records a fault of this block with a message in words and returns NULL. `lane` < 32. Once the
// block has one, further calls for the same warp only add their lanes to those that fault: callers
// that look at one lane after the other raise the lowest first.
const struct sim_instr *sim_raise(struct sim_warp *warp, const struct sim_instr *instr,
                                  enum sim_fault fault, unsigned lane, uint64_t address,
                                  const char *format, ...) __attribute__((format(printf, 6, 7)));
// After sim_raise: so do these lanes.
void sim_raise_too(struct sim_warp *warp, uint32_t lanes);

// Counts an access that passes though it is beyond its allocation. True: it is the first of its
// instruction in block order, describe it.
bool sim_count_passed(const struct sim_warp *warp, const struct sim_instr *instr);
void sim_describe_passed(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                         uint64_t address, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif

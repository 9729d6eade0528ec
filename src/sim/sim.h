// The simulator: runs kernels of an ir_module on host threads. Knows no banks and no reports; it
// tells observers what happens (event/event.h).
#ifndef BANKRUN_SIM_SIM_H
#define BANKRUN_SIM_SIM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "event/event.h"
#include "ir/ir.h"
#include "sim/fill.h"
#include "sim/sample.h"

struct sim;        // one device: memory, loaded modules, threads
struct sim_module; // a module loaded onto a device: its variables have addresses
struct sim_kernel; // a kernel, decoded for the host machine

enum { SIM_DEVICES = 16 }; // that may share an address space
#define SIM_ALL_DEVICES 0xffffu
#define SIM_DEVICE_BYTES (16ull << 30) // the memory of a device that nobody gave another size

enum sim_engine {
    SIM_ENGINE_AUTO, // kernels that run for long are compiled meanwhile
    SIM_ENGINE_INTERPRET,
    SIM_ENGINE_COMPILE, // each kernel is before its first launch, where it can be
};
// Where the library of the compiler lies, before anybody asks for it: what BANKRUN_COMPILER says.
// NULL,
// "": beside bankrun's others.
void sim_compiler_at(const char *path);
// In which folder native code of kernels is kept from run to run, before anything is launched.
// NULL, "": nothing is.
void sim_compiled_code_at(const char *folder);
// Why kernels cannot be compiled, in words. NULL: they can.
const char *sim_compiler_missing(void);

struct sim_config {
    unsigned arch;             // 90 for 9.0: what %-registers, properties and limits say
    int threads;               // 0: one for each processor
    uint64_t max_instructions; // warp instructions a launch may execute; 0: no limit
    FILE *output;              // where device printf goes; NULL: nowhere
    uint64_t device_bytes;     // memory that the device pretends to have; 0: SIM_DEVICE_BYTES
    unsigned multiprocessors;  // what %nsmid says; 0: 132
    enum sim_engine engine;
    // Tests: blocks begin in the interpreter, and go on in native code once a warp has executed so
    // many instructions. 0: where there is native code they begin in it.
    uint32_t moves_after;
    struct sim_sample sample; // which part of a launch's blocks is run
    struct sim_fill fill;     // what memory holds before it is written
    bool tracks_undefined;    // which bits nothing has defined, and tells of uses of them
    bool lets_pass; // accesses beyond an allocation that a GPU would let pass go on and are noted
    uint64_t place; // where memory is wanted to lie; 0: anywhere
    struct sim *neighbour;    // whose address space this device shares; NULL: it has its own
    unsigned device, devices; // its number among those that share one, and how many do: up to
                              // SIM_DEVICES
};

struct sim *sim_create(const struct sim_config *config);
void sim_destroy(struct sim *sim);
// Which lane code runs on this machine: "base", "avx2", "avx512". *widest: which one the machine
// could run, had it been compiled.
const char *sim_lanes(const char **widest);
// No wider lanes than these from now on, to see what a plainer machine does: "base" or "avx2",
// which is kept; anything else: as wide as there are. Before other threads use the simulator.
void sim_limit_lanes(const char *lanes);
// Those that it is limited to; NULL: it has its widest.
const char *sim_lanes_most(void);
int sim_threads(const struct sim *sim);  // upper bound of observers' worker numbers
bool sim_samples(const struct sim *sim); // launches may leave out blocks

// ---- Memory: device addresses are host addresses ------------------------------------------

enum sim_allocation_kind {
    SIM_DEVICE,
    SIM_HOST,
    SIM_MANAGED,
    SIM_VARIABLE,
    SIM_DEVICE_HEAP,
    SIM_INTERNAL, // of the simulator: kernels may use it, messages never name it
};

struct sim_allocation {
    uint64_t address, bytes;
    enum sim_allocation_kind kind;
    const char *name;          // variable; NULL for allocations
    bool is_read_only;         // const memory
    void *owner;               // free for the caller's use
    unsigned device;           // whose memory it is
    uint32_t readers, writers; // the devices whose kernels may touch it, a bit for each
    bool has_own_access;       // these do not follow what is allowed between devices
    bool is_shared;            // with other processes, which may write it at any time (share.h)
};

// 512-byte aligned memory, filled as the configuration says; zeros for SIM_VARIABLE and
// SIM_INTERNAL. NULL: the device is full. bytes may be 0 (then the address is unique and no byte
// may be accessed).
void *sim_alloc(struct sim *sim, size_t bytes, enum sim_allocation_kind kind);
bool sim_free(struct sim *sim, void *address); // false: not the start of an allocation
// Host memory that kernels may use too (cudaHostRegister). The memory stays the caller's.
bool sim_register_host(struct sim *sim, void *address, size_t bytes);
bool sim_unregister_host(struct sim *sim, void *address);
bool sim_has_registered_host(const struct sim *sim);
// For a handler of SIGSEGV and SIGBUS. True: a kernel's instruction met host memory that was
// registered and has gone away since the launch began. That is its fault, the handler returns.
// Only of launches that are guarded. Async-signal-safe.
bool sim_host_memory_lost(const siginfo_t *info);
// The same for memory of the device that the caller has mapped itself; the devices whose kernels
// may read and write it, a bit for each.
bool sim_register_device(struct sim *sim, void *address, size_t bytes, uint32_t readers,
                         uint32_t writers);
// What the caller registers there never goes away: nobody asks the system. One range of addresses,
// before kernels run.
void sim_keep(struct sim *sim, uint64_t address, uint64_t bytes);
bool sim_unregister_device(struct sim *sim, void *address);
// Fills zeros of a private mapping that the caller made, as fresh memory.
void sim_fill_fresh(struct sim *sim, void *address, size_t bytes);
// What the host copies and fills, as memmove and memset do, while no kernel runs; large ones on all
// threads. `element`: how many bytes of the value are repeated, 1, 2 or 4; `bytes` is a multiple.
void sim_copy(struct sim *sim, void *to, const void *from, size_t bytes);
void sim_set(struct sim *sim, void *to, size_t bytes, uint32_t value, unsigned element);
// What the host writes into the device's memory is defined; what it copies there from such memory
// is as far as that is. Where that is tracked.
void sim_define(struct sim *sim, const void *address, size_t bytes);
void sim_define_copy(struct sim *sim, const void *to, const void *from, size_t bytes);
// The allocation that holds the address, or the nearest one below or above it when `nearest`.
const struct sim_allocation *sim_find(const struct sim *sim, uint64_t address, bool nearest);
void sim_memory_info(const struct sim *sim, uint64_t *free_bytes, uint64_t *total_bytes);

// ---- Devices that share an address space: each finds and frees what any of them allocated
// --------

// Whether kernels of the device `guest` may touch what is allocated on `owner`.
void sim_set_peer(struct sim *owner, unsigned guest, bool may_access);
// The same for one allocation alone. False: none starts there.
bool sim_set_access(struct sim *sim, const void *address, uint32_t readers, uint32_t writers);
// For all allocations that have this owner.
void sim_set_owner_access(struct sim *sim, const void *owner, uint32_t readers, uint32_t writers);

// ---- Launches of which other processes run a part (apart.c) -----------------------------------

// The address space that allocations come from.
void sim_space_of(const struct sim *sim, uint64_t *address, uint64_t *bytes);
struct sim_part {
    uint64_t address, bytes;
    bool may_write;
};
// Until sim_apart_end kernels of the device may touch only its own memory, which nobody else
// changes meanwhile: `parts`, ascending. `others`: what else lies in the same address space. Memory
// that the host sees is a fault. The next allocation will lie where it would have lain.
struct sim_apart {
    struct sim_part *parts, *others;
    size_t part_count, other_count;
    struct sim_apart_access *accesses;
    size_t access_count;
    uint64_t rover, timer, launches; // when it began
};
void sim_apart_begin(struct sim *sim, struct sim_apart *apart);
void sim_apart_end(struct sim *sim, struct sim_apart *apart, bool undoes);
const struct sim_config *sim_config_of(const struct sim *sim);
// Why the blocks of the kernel must be run in one process; NULL: they need not.
const char *sim_kernel_needs_one_process(const struct sim_kernel *kernel);
// Other processes ran so many warp instructions of a launch, of `all` in so many blocks.
void sim_ran_elsewhere(struct sim_kernel *kernel, uint64_t instructions, uint64_t all,
                       uint64_t blocks);
// Of a block of its last launch; UINT64_MAX: there was none.
uint64_t sim_kernel_block_instructions(const struct sim_kernel *kernel);

// ---- Modules ------------------------------------------------------------------------------

// Gives the module's variables memory and initial values. `ir` must outlive the result. `twin`: the
// same code on another device that shares the address space, with which it has the managed
// variables in common; NULL: none.
struct sim_module *sim_module_load(struct sim *sim, const struct ir_module *ir,
                                   const struct sim_module *twin, struct diag_list *diags);
// The same in a process that has the memory of another one, where its variables are, in the order
// of sim_module_addresses: they get neither memory nor initial values.
struct sim_module *sim_module_load_at(struct sim *sim, const struct ir_module *ir,
                                      const uint64_t *addresses, size_t count);
// Caller frees. The second one: of the kernel's module.
uint64_t *sim_kernel_variables(const struct sim_kernel *kernel, size_t *count);
uint64_t *sim_module_addresses(const struct sim_module *module, size_t *count);
// `heir`: a twin, which keeps the managed variables; NULL: none.
void sim_module_unload(struct sim_module *module, struct sim_module *heir);
// Address and size of a module-scope variable; NULL: none of that name.
void *sim_module_variable(const struct sim_module *module, const char *name, size_t *bytes);
// Decodes (once). NULL: no such kernel, or it holds a refused instruction (see diags).
struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name,
                                     struct diag_list *diags);
const struct ir_function *sim_kernel_function(const struct sim_kernel *kernel);
const struct ir_shared_layout *sim_kernel_layout(const struct sim_kernel *kernel);
// What it does depends on more than memory and the order of its threads: it reads a clock, or
// allocates memory. NULL: neither; else what it does in words: "reads a clock".
const char *sim_kernel_varies(const struct sim_kernel *kernel);
const struct sim *sim_kernel_device(const struct sim_kernel *kernel);
// Why all of its blocks must run, whatever is known of them: they wait for each other, or launch
// kernels. NULL: they need not.
const char *sim_kernel_needs_all_blocks(const struct sim_kernel *kernel);
// Whether its blocks may see how far others are (ir_block_ordered).
bool sim_kernel_is_ordered(const struct sim_kernel *kernel);
// Whether it is known what of the device's memory nothing has defined.
bool sim_tracks_undefined(const struct sim *sim);

// ---- Launches -----------------------------------------------------------------------------

// In which order warps and blocks go on.
struct sim_order {
    bool is_shuffled; // another one than usual that the programming model allows, the same for the
                      // same seed; on one worker
    bool is_silent;   // it was run before: device printf prints nothing
    uint64_t seed;
    uint64_t max_instructions; // of this launch, where not 0
};

struct sim_pick {    // a block that is run
    uint64_t block;  // its linear index
    uint64_t blocks; // for which it stands
};

struct sim_launch {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // of which the grid is a multiple; 0: each block is a cluster of its own
    bool has_cluster;    // set by sim_launch: a size was given
    uint32_t dynamic_shared_bytes;
    uint64_t stack_bytes;     // of a thread, for recursive and indirect calls and alloca; 0: 16 KiB
    const void *parameters;   // ir_function.parameter_bytes bytes, laid out as the kernel declares
    bool is_cooperative;      // all blocks are resident, grid sync works
    bool on_one_worker;       // no two blocks run at the same time
    bool may_launch;          // the caller runs the result's children
    uint64_t resident_blocks; // at once on the device: those that may wait for each other; 0: 1024
    bool is_guarded;          // a handler asks sim_host_memory_lost
    struct sim_order order;   // zeroed: any, on all threads
    uint64_t first_block, block_count; // run only these (linear index, or whole clusters one
                                       // after the other); count 0: all
    // Run only these, one after the other on one worker. Not all, and not of clusters. NULL: all.
    const struct sim_pick *picks;
    size_t pick_count;
    // Which cluster comes next, from any thread, in place of all of them in order; its number.
    // False: there are no more. Not for kernels whose blocks have an order. NULL: all.
    bool (*take)(void *context, uint64_t *cluster);
    void *take_context;
    const struct event_observer *const *observers; // NULL among them: nobody
    unsigned observer_count;
    // Called from one thread now and then; return false to stop the launch. May be NULL.
    bool (*progress)(void *context, uint64_t blocks_done, uint64_t blocks, uint64_t instructions);
    void *progress_context;
    // Sets the condition of a graph, from any thread. False: there is none of that handle. May be
    // NULL: there are none.
    bool (*set_condition)(void *context, uint64_t handle, uint32_t value);
    void *condition_context;
};

enum sim_fault {
    SIM_OK,
    SIM_FAULT_ILLEGAL_ADDRESS,
    SIM_FAULT_MISALIGNED,
    SIM_FAULT_INVALID_SPACE, // a generic address that does not fit the instruction
    SIM_FAULT_ASSERT,
    SIM_FAULT_TRAP,
    SIM_FAULT_DEADLOCK,          // all warps wait and nothing can release them
    SIM_FAULT_INSTRUCTION_LIMIT, // max_instructions
    SIM_FAULT_STOPPED,           // progress() said so, or sim_interrupt
    SIM_FAULT_STACK,             // calls too deep, or too much local memory
    SIM_FAULT_ILLEGAL_INSTRUCTION,
    SIM_FAULT_NO_BLOCK, // of a cluster: it has ended, or there is none of that rank
};

// What a kernel asked for: a launch, or where `kernel` is NULL a copy of memory. All begins when
// the kernel's own launch has ended, which the programming model allows: no kernel can wait for
// what it launched.
struct sim_child {
    const struct ir_function *kernel;
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    void *parameters;         // parameter_bytes bytes, malloc'd
    uint64_t to, from, bytes; // a copy; from nowhere: bytes of `value`
    uint8_t value;
    bool is_tail;    // begins when all else that came of the launch has ended
    uint64_t parent; // linear index of the block that asked
    uint64_t order;  // among those of the same block
};

struct sim_result {
    enum sim_fault fault;
    uint64_t blocks_run;
    bool may_differ;       // from what another number of threads counts: it ended in a fault,
                           // or a block ran so long that those behind it, whose order
                           // matters, were not kept waiting
    bool is_sample;        // as the configuration says: not all blocks were to run
    uint64_t instructions; // warp instructions executed
    uint64_t thread_instructions; // the same times active lanes
    uint64_t barriers;            // of a block, at which a warp waited
    // The same of all blocks for which some were picked, if these do the same; else 0.
    uint64_t all_instructions, all_thread_instructions, all_barriers;
    // About a fault: block, thread, location (index into the function's locations), instruction
    // (`at`, its index) and the function that they belong to, address, and a whole message in words
    // (malloc'd, may be several lines, no trailing newline). Free with sim_result_free.
    uint32_t block[3], thread[3];
    uint32_t location, at;
    const struct ir_function *function;
    const char *instruction; // its mnemonic; NULL: the fault is no instruction's, and no thread's
    uint64_t address;
    char *message;
    // What the kernel launched, by block; none after a fault. Freed with the result.
    struct sim_child *children;
    size_t child_count;
    // In the order of their first accesses; none unless the configuration lets them pass.
    struct sim_passed *passed;
    size_t passed_count;
};

// Accesses of one source line that were beyond their allocation, where a GPU would let them pass.
struct sim_passed {
    struct sim_result first; // what a fault of the first one would say
    uint64_t count;          // of lanes
    const void *instr;       // the rest belongs to passed.c
    uint64_t order, number;
};

// Runs to the end. The caller has checked the launch against the device's limits.
void sim_launch(struct sim_kernel *kernel, const struct sim_launch *launch,
                struct sim_result *result);
void sim_result_free(struct sim_result *result);

// Makes a running launch stop soon with SIM_FAULT_STOPPED. Async-signal-safe.
void sim_interrupt(struct sim *sim);

#endif

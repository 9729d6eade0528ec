// Inside the simulator: the device, loaded modules, decoded kernels.
#ifndef BANKRUN_SIM_SIM_INTERNAL_H
#define BANKRUN_SIM_SIM_INTERNAL_H

#include <pthread.h>
#include <signal.h>

#include "base/pool.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "sim/access.h"
#include "sim/device/calls.h"
#include "sim/exec.h"
#include "sim/memory/memory.h"
#include "sim/sim.h"
#include "sim/texture/object.h"

// The lane code of one target machine: a select function for each row of isa.def, and the handlers
// that the decoder itself places.
struct sim_shadow;
struct sim_target {
    const char *name;
    sim_select_function select[PTX_ISA_COUNT];
    sim_handler guard;
    sim_handler copy32[2], copy64[2]; // operand 0 = operand 1; [0] masked, [1] full
    sim_handler store_sreg;           // operand 0 = a special register that changes (clock)
    // Handlers in front of a load or a store that are quicker than those of sim/shadow/access.c;
    // operands as for sim_shadow_run_value. False: there are none.
    bool (*shadow_quick)(const struct sim_shadow *shadow, bool is_store, struct sim_instr *out);
};
const struct sim_target *sim_target_pick(void);
const struct sim_target *sim_target_base(void);
const struct sim_target *sim_target_avx2(void);   // there with SIM_AVX2
const struct sim_target *sim_target_avx512(void); // there with SIM_AVX512

// A warp instruction takes that long by %globaltimer, which is about as long as it takes to
// simulate: programs that wait for a time do so for that time.
enum { SIM_NANOSECONDS = 8 };

struct sim {
    struct sim_config config;
    struct sim_memory *memory;
    struct sim_objects *objects; // textures and surfaces
    const struct sim_target *target;
    struct pool *pool;
    volatile sig_atomic_t interrupted;
    uint64_t launches; // so far
    uint64_t timer;    // what %globaltimer says when a launch begins
};

struct sim_variable {
    const struct ir_variable *ir;
    void *address;
    bool is_borrowed; // a twin's
};

struct sim_module {
    struct sim *sim;
    const struct ir_module *ir;
    VEC(struct sim_variable) variables;
    VEC(struct sim_kernel *) kernels;
};

// The broadcast vectors behind SIM_BASE_CONSTANTS. Immediates are known when a kernel is decoded,
// the rest when it is launched.
enum sim_constant_kind {
    SIM_CONSTANT_VALUE,     // value
    SIM_CONSTANT_PARAMETER, // `bytes` bytes at offset `value` of the parameter block
    SIM_CONSTANT_ADDRESS,   // address of offset `value` of the parameter block
    SIM_CONSTANT_SREG,      // sreg
};

struct sim_constant {
    enum sim_constant_kind kind;
    unsigned width;  // lane width: 4 or 8
    unsigned bytes;  // PARAMETER
    unsigned held;   // PARAMETER: bytes of the register; a narrower lane is zero-extended
    bool is_signed;  // PARAMETER: sign-extend
    bool is_address; // VALUE: of a variable or function, another one in each process
    uint64_t value;
    enum ptx_sreg sreg;
    uint32_t offset; // in the constant block
};

struct sim_code { // one function of a kernel
    const struct sim_kernel *kernel;
    const struct ir_function *ir;
    struct sim_instr *instrs;
    uint32_t instr_count;
    uint32_t *block_start;    // block -> index of its first decoded instruction
    uint32_t site_base;       // number of the function's first site in the kernel
    uint32_t number_base;     // and of its first instruction
    uint32_t predicate_bytes; // layout of the register frame
    uint32_t frame_bytes;     // whole, a multiple of 64
    uint32_t scratch;         // offset of 256 bytes for results that nobody wants
    uint64_t local_bytes;     // of this function alone
};

struct sim_kernel {
    struct sim_module *module;
    const struct ir_function *ir;
    const struct ir_shared_layout *layout;
    struct arena *arena;
    struct sim_code *codes; // codes[0] is the kernel's own
    uint32_t code_count;
    uint32_t site_count;
    VEC(struct sim_constant) constants;
    uint32_t constant_bytes;
    uint64_t local_bytes; // of a thread, calls included
    bool uses_stack;      // takes more than that: recursive and indirect calls, alloca
    bool uses_tid, uses_ctaid;
    uint64_t block_instructions;       // of the last launch; UINT64_MAX: none yet
    bool uses_cluster;                 // reads registers of the block's place in its cluster
    bool launches;                     // other kernels
    bool reads_clock, allocates;       // allocates: or frees
    uint64_t instructions;             // of its launches that have ended
    struct sim_native *native;         // atomic. NULL: it is not compiled
    struct sim_native_job *native_job; // NULL: it was not compiled beside its launches
    bool native_is_claimed;            // atomic: somebody compiles it, or did
    uint64_t native_after; // atomic: instructions after which it is compiled; 0: not known yet
    bool kept_is_asked;    // atomic: whether an earlier run kept native code of it
    bool names_addresses;  // has accesses at the places of variables of the device
    bool retries;          // has loops of compare-and-swap on shared memory
    bool is_ordered;       // has accesses that wait until the blocks before have ended
    bool waits_for_blocks; // has a loop that polls memory which other blocks may write
};

struct sim_kernel *sim_decode(struct sim_module *module, const struct ir_function *kernel,
                              struct diag_list *diags);
void sim_kernel_free(struct sim_kernel *kernel);
const struct sim_code *sim_find_code(const struct sim_kernel *kernel, const void *function);

// Vectors behind SIM_BASE_WARP and SIM_BASE_BLOCK: byte offsets.
enum {
    SIM_VECTOR_BYTES = 128,
    SIM_WARP_TID_X = 0,
    SIM_WARP_TID_Y = 128,
    SIM_WARP_TID_Z = 256,
    SIM_WARP_INDEX = 384,
    SIM_WARP_BYTES = 512,
    SIM_BLOCK_CTAID_X = 0,
    SIM_BLOCK_CTAID_Y = 128,
    SIM_BLOCK_CTAID_Z = 256,
    SIM_BLOCK_SMID = 384,
    SIM_BLOCK_CLUSTER_X = 512, // index of the cluster in the grid
    SIM_BLOCK_CLUSTER_Y = 640,
    SIM_BLOCK_CLUSTER_Z = 768,
    SIM_BLOCK_INSIDE_X = 896, // index of the block in its cluster
    SIM_BLOCK_INSIDE_Y = 1024,
    SIM_BLOCK_INSIDE_Z = 1152,
    SIM_BLOCK_RANK = 1280,
    SIM_BLOCK_BYTES = 1408,
};

void *sim_variable_address(const struct sim_module *module, const struct ir_variable *variable);

#endif

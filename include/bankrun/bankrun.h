/* bankrun/bankrun.h: run CUDA kernels on the CPU, hear of every access that they make, and count
 * what shared memory has to do for them.
 *
 *     struct bankrun_device *device = bankrun_open(NULL, NULL);
 *     struct bankrun_module *module;
 *     bankrun_load_file(device, "kernel.ptx", &module, &message);
 *     float *out = bankrun_alloc(device, 1024 * sizeof *out);
 *     struct bankrun_argument arguments[] = {bankrun_memory(out), bankrun_s32(1024)};
 *     struct bankrun_profile *profile = bankrun_profile_create(90, "my test");
 *     bankrun_launch(module, &(struct bankrun_launch){.kernel = "transpose", .grid = {4},
 *         .block = {256}, .arguments = arguments, .argument_count = 2, .profile = profile},
 *         NULL, &message);
 *     bankrun_profile_print(profile, BANKRUN_TEXT, NULL, stdout, &message);
 *
 * Usable from C11 and C++. `pkg-config --cflags --libs bankrun` says how to build; docs/api.md goes
 * through all of it, examples/ has whole programs.
 *
 * Words: a kernel runs as a grid of blocks of threads; 32 threads are a warp, its threads are lanes
 * 0 to 31. A request is one warp-level access. Shared memory serves it in wavefronts, each of which
 * reads or writes at most one 4-byte word in each bank; the ideal is what the same lanes would take
 * with the best addresses, and the excess is the difference: bank conflicts (bankrun/banks.h).
 * Global memory is counted in sectors of 32 bytes. Sizes, offsets and addresses are in bytes; sizes
 * of grids are in blocks, of blocks in threads. Files and lines are those of the CUDA source, where
 * the PTX was made with -lineinfo.
 *
 * Ownership: who gets a `struct bankrun_device *` or `struct bankrun_profile *` closes or frees it;
 * closing a device frees its modules and its memory. Strings and pointers in structures that
 * functions fill in stay the library's, and live as long as each function says. Structures that are
 * passed in are read during the call only. NULL is allowed only where it is said.
 *
 * Errors: a function that can fail returns an enum bankrun_error, or NULL. `message` takes the
 * reason in words: several lines where PTX is wrong, each error with its place and a caret below
 * it; no newline at the end. It is the caller's, to be released with free(), and NULL after
 * success. `message` itself may be NULL. Nothing else remembers errors.
 *
 * Threads: different devices, and different profiles, may be used from different threads at the
 * same time. Calls that name the same device (also by its modules), or the same profile, must not
 * overlap, but for bankrun_interrupt. A launch runs on threads of its own and returns when it has
 * ended; observers are called on these threads.
 *
 * The library keeps no global state, prints nothing, ends no process, installs no signal handlers
 * and reads no environment variables. One exception: where the host has no memory left for the
 * library's own tables it writes a line to stderr and aborts; memory that kernels use
 * (bankrun_alloc) fails with NULL. Kernels reach device memory alone: any other address is a fault,
 * which ends the launch and not the process.
 *
 * Later versions add fields at the ends of structures and values at the ends of enumerations.
 * Structures that are passed in mean the default where they are zero, so initialize all of them
 * ({0}, or designated initializers). */
#ifndef BANKRUN_BANKRUN_H
#define BANKRUN_BANKRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bankrun/banks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0": of the library, which may be newer than this header. Static. */
const char *bankrun_version(void);

/* ---- Errors ------------------------------------------------------------------------------- */

enum bankrun_error {
    BANKRUN_SUCCESS,
    BANKRUN_BAD_CALL,      /* an argument of the call itself: an unknown architecture, a NULL */
    BANKRUN_BAD_FILE,      /* cannot be read or written: no such file, disk full */
    BANKRUN_BAD_PTX,       /* does not parse, or breaks a rule of PTX */
    BANKRUN_NO_KERNEL,     /* the module has none of that name, or several */
    BANKRUN_BAD_ARGUMENTS, /* not what the kernel's parameters are */
    BANKRUN_NOT_SIMULATED, /* the kernel holds an instruction that bankrun cannot do */
    BANKRUN_REFUSED,     /* beyond a limit of the device: block too large, too much shared memory */
    BANKRUN_NO_MEMORY,   /* the device has no room for the module's variables */
    BANKRUN_FAULTED,     /* the launch ended early: see struct bankrun_result */
    BANKRUN_STOPPED,     /* bankrun_interrupt, or max_instructions */
    BANKRUN_BAD_PROFILE, /* no saved profile, or one that contradicts itself */
};

/* "the kernel's arguments do not fit": a phrase for each, static. */
const char *bankrun_error_text(enum bankrun_error error);

/* ---- Devices ------------------------------------------------------------------------------ */

struct bankrun_device; /* a simulated GPU: memory, modules, the threads that run its blocks */

struct bankrun_config {
    unsigned arch;    /* compute capability, 90 for 9.0; also 35 | BANKRUN_EIGHT_BYTE_BANKS,
                         see banks.h. 0: 90 */
    unsigned threads; /* that run blocks. Counts do not depend on it. 0: one for each
                         processor that the process may use; at most 1024 */
    uint64_t max_instructions; /* that the warps of one launch may execute together; 0: no limit */
    uint64_t memory_bytes;  /* of the device; what is not used takes none of the host. 0: 16 GiB */
    uint64_t sample_blocks; /* run only about so many blocks of each launch, and scale their
                               counts; memory then holds what these blocks wrote. 0: all */
    FILE *output;           /* where printf in kernels writes, when the launch has ended; stays
                               the caller's. NULL: nowhere */
    bool lets_pass; /* accesses beyond an allocation that a GPU would let pass go on, and are in the
                       profile (bankrun_profile_passed); memory then lies as on a GPU. Else each is
                       a fault */
    bool tracks_undefined; /* which bits nothing has written, for BANKRUN_CHECK_INIT; slower. What
                              the host writes to bankrun_alloc's memory it cannot see: that counts
                              as written */
};

/* NULL: the architecture is unknown, or there are too many threads. `config` NULL: all defaults. */
struct bankrun_device *bankrun_open(const struct bankrun_config *config, char **message);

/* Frees its modules, too, and its memory. NULL is allowed. Not while a launch runs. */
void bankrun_close(struct bankrun_device *device);

/* How many threads run blocks: the events' `worker` is below it. */
unsigned bankrun_threads(const struct bankrun_device *device);

/* Makes the launch that is running, or else the next one, end soon with BANKRUN_STOPPED. Safe from
 * any thread, and in signal handlers, until the device is closed. */
void bankrun_interrupt(struct bankrun_device *device);

/* ---- Memory: device memory is host memory -------------------------------------------------- */

/* Memory that kernels may use, and the host, between launches, through the same pointer. 512-byte
 * aligned, all zeros. Lives until bankrun_free or bankrun_close. NULL: the device is full. With 0
 * bytes an address that nobody may access. Shared and local memory of kernels is not zeros as they
 * begin, but bytes of 0x7f. */
void *bankrun_alloc(struct bankrun_device *device, size_t bytes);

/* False: no bankrun_alloc of this device returned it, or it is free already. */
bool bankrun_free(struct bankrun_device *device, void *memory);

/* Lets kernels use memory of the caller's: `bytes` from `memory` on, which must stay valid until
 * bankrun_unregister or bankrun_close. False: it overlaps other memory of the device, or not all of
 * it is mapped. */
bool bankrun_register(struct bankrun_device *device, void *memory, size_t bytes);
bool bankrun_unregister(struct bankrun_device *device, void *memory);

/* ---- Modules: PTX on a device -------------------------------------------------------------- */

struct bankrun_module; /* parsed, checked, its variables in the device's memory */

/* `name` stands for the text in messages; `length` bytes of `text` are copied. *module is set to
 * NULL where there is an error. BANKRUN_BAD_PTX, BANKRUN_NO_MEMORY. */
enum bankrun_error bankrun_load(struct bankrun_device *device, const char *name, const char *text,
                                size_t length, struct bankrun_module **module, char **message);
/* The same of a file; also BANKRUN_BAD_FILE. */
enum bankrun_error bankrun_load_file(struct bankrun_device *device, const char *path,
                                     struct bankrun_module **module, char **message);

/* Before the device is closed, or never: bankrun_close does it. NULL is allowed. */
void bankrun_unload(struct bankrun_module *module);

struct bankrun_kernel {
    const char *symbol;   /* as in the PTX; until the module is unloaded */
    size_t parameters;    /* how many it takes */
    uint32_t max_threads; /* most that a block of it may have */
};

/* The n-th kernel of the module, in the order of its text. False: there are not so many. */
bool bankrun_kernel(const struct bankrun_module *module, size_t n, struct bankrun_kernel *kernel);

/* A __device__ or __constant__ variable by its symbol: its address, which kernels and the host
 * share, and its size. Until the module is unloaded. NULL: there is none. `bytes` may be NULL. */
void *bankrun_variable(const struct bankrun_module *module, const char *symbol, size_t *bytes);

/* Launches of the module are counted by what its machine code accesses from now on, not by what
 * the PTX does: the code generator joins, widens and leaves out accesses. `listing` is what
 * `nvdisasm -gi -c` prints of the cubin that ptxas makes of this PTX; it is copied. NULL: by the
 * PTX again. Observers hear of accesses as the PTX has them in any case. */
void bankrun_count_compiled(struct bankrun_module *module, const char *listing);

/* ---- Arguments of a kernel ------------------------------------------------------------------ */

enum bankrun_argument_kind {
    BANKRUN_ARGUMENT_MEMORY,
    BANKRUN_ARGUMENT_S32,
    BANKRUN_ARGUMENT_U32,
    BANKRUN_ARGUMENT_S64,
    BANKRUN_ARGUMENT_U64,
    BANKRUN_ARGUMENT_F32,
    BANKRUN_ARGUMENT_F64,
    BANKRUN_ARGUMENT_BYTES,
};

/* Made by the functions below. Held against the kernel's parameter: integers fit integers of the
 * same size, floats floats, memory and 64-bit integers each other; PTX's bit types (.b32) fit all
 * of their size; bytes fit whatever has as many of them. */
struct bankrun_argument {
    enum bankrun_argument_kind kind;
    union {
        const void *memory;
        int32_t s32;
        uint32_t u32;
        int64_t s64;
        uint64_t u64;
        float f32;
        double f64;
        struct {
            const void *data;
            size_t count;
        } bytes;
    } value;
};

/* A pointer: what bankrun_alloc returned, or an address inside it. */
static inline struct bankrun_argument bankrun_memory(const void *memory) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_MEMORY;
    argument.value.memory = memory;
    return argument;
}

static inline struct bankrun_argument bankrun_s32(int32_t value) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_S32;
    argument.value.s32 = value;
    return argument;
}

static inline struct bankrun_argument bankrun_u32(uint32_t value) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_U32;
    argument.value.u32 = value;
    return argument;
}

static inline struct bankrun_argument bankrun_s64(int64_t value) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_S64;
    argument.value.s64 = value;
    return argument;
}

static inline struct bankrun_argument bankrun_u64(uint64_t value) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_U64;
    argument.value.u64 = value;
    return argument;
}

static inline struct bankrun_argument bankrun_f32(float value) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_F32;
    argument.value.f32 = value;
    return argument;
}

static inline struct bankrun_argument bankrun_f64(double value) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_F64;
    argument.value.f64 = value;
    return argument;
}

/* Structures and all that has no function of its own; `data` is read by the launch. */
static inline struct bankrun_argument bankrun_bytes(const void *data, size_t count) {
    struct bankrun_argument argument;
    argument.kind = BANKRUN_ARGUMENT_BYTES;
    argument.value.bytes.data = data;
    argument.value.bytes.count = count;
    return argument;
}

/* ---- Observers: every request, as it happens ------------------------------------------------ */

enum bankrun_space { BANKRUN_SHARED, BANKRUN_GLOBAL };

enum bankrun_intent { BANKRUN_READS, BANKRUN_WRITES, BANKRUN_UPDATES /* an atomic */ };

/* How an access is ordered with others: the memory consistency model of the PTX ISA. */
enum bankrun_order {
    BANKRUN_WEAK,
    BANKRUN_VOLATILE, /* as relaxed, of the whole system */
    BANKRUN_RELAXED,
    BANKRUN_ACQUIRE,
    BANKRUN_RELEASE,
    BANKRUN_ACQ_REL,
    BANKRUN_SC,
};

/* Among whose threads. */
enum bankrun_scope {
    BANKRUN_OF_BLOCK,
    BANKRUN_OF_CLUSTER,
    BANKRUN_OF_DEVICE,
    BANKRUN_OF_SYSTEM,
};

/* When an access is done, as far as the program may rely on it: with the instruction, or once it
 * waits for the groups of copies that it is in, or for an mbarrier. */
enum bankrun_completion {
    BANKRUN_AT_ONCE,
    BANKRUN_BY_GROUP,      /* cp.async */
    BANKRUN_BY_BULK_GROUP, /* cp.async.bulk.commit_group */
    BANKRUN_BY_MBARRIER,
    BANKRUN_BY_WGMMA_GROUP,
};

/* The way that an access takes to memory. Accesses of different ways are in order only where a
 * fence of the proxy is between them. */
enum bankrun_proxy {
    BANKRUN_NO_PROXY, /* the generic one */
    BANKRUN_ALIAS_PROXY,
    BANKRUN_ASYNC_PROXY, /* bulk copies, of tensors too, and wgmma */
    BANKRUN_TENSORMAP_PROXY,
    BANKRUN_SURFACE_PROXY,
};

/* An instruction of a kernel, at its place in the source. Until the module is unloaded. */
struct bankrun_site {
    uint32_t number;         /* in the kernel and the functions that it calls, from 0 on */
    const char *instruction; /* "ld.shared.v4.f32" */
    const char *file;        /* NULL: the PTX has no line information */
    uint32_t line, column;   /* from 1 on; 0: unknown */
    const char *function;    /* whose source the line is in, demangled */
    unsigned width;          /* bytes of a lane that it accesses; 0: none */
};

/* One request. Valid during the call, but for `site`: always the same pointer for a kernel's same
 * instruction, as long as the module is there. */
struct bankrun_event {
    const struct bankrun_site *site;
    unsigned worker; /* the thread that tells it, below bankrun_threads: an observer that keeps
                        something for each needs no locks */
    enum bankrun_space space;
    enum bankrun_intent intent;
    enum bankrun_order order;
    enum bankrun_scope scope; /* unless weak */
    enum bankrun_completion completion;
    unsigned width; /* bytes a lane */
    uint32_t mask;  /* the lanes that access, bit n = lane n; never 0 */
    /* 32 of each, those of inactive lanes are arbitrary. Shared: byte offsets into the shared
     * memory of the block `owner`; cp.async also has the global addresses that it reads. Global:
     * addresses. NULL: the request has none. */
    const uint32_t *offsets;
    const uint64_t *addresses;
    uint32_t block[3];     /* blockIdx */
    uint64_t block_number; /* x + gridDim.x * (y + gridDim.y * z) */
    uint64_t owner;        /* number of the block whose shared memory it is: another one of the
                              cluster, or block_number */
    uint32_t warp;         /* in the block */
    uint64_t bulk_bytes;   /* not 0: the one active lane copies so many bytes in bulk, from its
                              offset or address on */
    /* cp.async: how many bytes each lane reads; the others that it writes are zeros. NULL: all. */
    const uint32_t *source_bytes;
    /* For bankrun_count: what the bank model is asked about it. NULL: global memory, bulk copies,
     * memory of another block, and accesses that the architecture has no rule for. */
    const struct bankrun_request *request;
    enum bankrun_proxy proxy;
    /* Not NULL: the bulk_bytes do not lie side by side, but each 16 of them at one of these
     * offsets (boxes of tensors with gaps between their rows). */
    const uint32_t *pieces;
};

/* What orders the accesses of different threads. Threads arrive, wait and leave in the order of the
 * events. A grid's synchronization has no event of its own: it is made of barriers, fences and
 * ordered accesses. */
enum bankrun_sync_kind {
    /* Block barrier `id`, of `expected` threads; 0: of all that have not left. */
    BANKRUN_BARRIER_ARRIVE,   /* the lanes arrive and go on */
    BANKRUN_BARRIER_SYNC,     /* they arrive and wait */
    BANKRUN_BARRIER_COMPLETE, /* all are there: those that wait go on. Of no warp */
    /* Lanes that are together now, all that named `members` and have not left; one event for each
     * mask that was named. */
    BANKRUN_WARP_BARRIER,  /* bar.warp.sync: orders their accesses */
    BANKRUN_WARP_EXCHANGE, /* shfl, vote, match, redux and elect .sync: does not */
    /* The cluster's barrier. */
    BANKRUN_CLUSTER_ARRIVE,
    BANKRUN_CLUSTER_COMPLETE, /* of no warp, told as the cluster's first block's */
    BANKRUN_CLUSTER_WAIT,     /* the lanes have waited */
    /* The mbarrier at `offset` in the shared memory of the block `owner`, one lane at a time.
     * `phase` is the one that it is in before the operation; `ends_phase`: the operation completes
     * it. */
    BANKRUN_MBARRIER_INIT, /* to `count` arrivals */
    BANKRUN_MBARRIER_INVALIDATE,
    BANKRUN_MBARRIER_EXPECT_TX,   /* `count` bytes more, by an arrival that expects them, too */
    BANKRUN_MBARRIER_COMPLETE_TX, /* `count` bytes have come */
    BANKRUN_MBARRIER_ARRIVE,      /* `count` times */
    BANKRUN_MBARRIER_COPIES, /* cp.async.mbarrier.arrive: once the lane's copies so far are done;
                                `count` arrivals, 0: one that was added for it */
    BANKRUN_MBARRIER_WAIT,   /* a test, or a try, that found the lane's phase to be over */
    BANKRUN_FENCE,           /* `order`, `scope`, `proxy` */
    /* Groups of asynchronous operations of the lanes, of the kind that `completion` tells. */
    BANKRUN_ASYNC_COMMIT, /* those since the last one are a group */
    BANKRUN_ASYNC_WAIT, /* until `count` groups are left; UINT32_MAX: those not in a group are done,
                           too */
    BANKRUN_ASYNC_FENCE, /* wgmma.fence */
    BANKRUN_LANES_EXIT,
    BANKRUN_BLOCK_BEGIN,   /* of `expected` threads; of no warp, as the next ones */
    BANKRUN_BLOCK_END,     /* all its threads have ended, without a fault */
    BANKRUN_CLUSTER_BEGIN, /* of `expected` blocks, where that is more than one; before theirs begin
                            */
    BANKRUN_CLUSTER_END,
    /* Grids that were launched with a programmatic dependency. */
    BANKRUN_GRID_RELEASE, /* griddepcontrol.launch_dependents: one that depends on this one may
                             begin */
    BANKRUN_GRID_WAIT,    /* griddepcontrol.wait: those that this one depends on have ended */
};

/* Valid during the call, but for `site`. What a kind does not name is 0. */
struct bankrun_sync {
    enum bankrun_sync_kind kind;
    const struct bankrun_site *site; /* NULL: no instruction's */
    unsigned worker;
    uint32_t block[3]; /* blockIdx */
    uint64_t block_number;
    uint32_t warp, mask; /* mask 0: of no warp */
    uint32_t id, expected, members;
    enum bankrun_order order;
    enum bankrun_scope scope;
    enum bankrun_proxy proxy;
    enum bankrun_completion completion;
    bool reads_only; /* BANKRUN_ASYNC_WAIT: until the sources have been read (.read) */
    uint64_t owner;
    uint32_t offset, count, phase;
    bool ends_phase;
    bool drops; /* one arrival fewer is expected from the next phase on */
};

/* What one block does is told by one thread, in the order in which it happens; blocks may be told
 * at the same time by different threads, and in any order. The functions must not call the library
 * with the device, but for bankrun_interrupt, and must return: no longjmp, no exceptions. */
struct bankrun_observer {
    void *context; /* the first argument of its functions */
    /* NULL: not called. */
    void (*access)(void *context, const struct bankrun_event *event);
    void (*sync)(void *context, const struct bankrun_sync *event);
    /* Hear also of accesses that are not counted: to mbarriers, of wgmma to its operands, to
     * surfaces, to tensor maps (all 128 bytes, also where one field is replaced), and those of
     * functions of the device library. Not of fetches from textures, of accesses to local memory,
     * and of copies and fills that a kernel asks for, which are made when it has ended. */
    bool wants_uncounted;
};

/* ---- Launches ------------------------------------------------------------------------------ */

struct bankrun_profile;

struct bankrun_launch {
    const char *kernel;  /* its symbol, or the name of a C++ function when one kernel alone has
                            it: "scan" is _Z4scanPyi */
    uint32_t grid[3];    /* blocks in x, y, z; y and z: 0 is 1 */
    uint32_t block[3];   /* threads, likewise */
    uint32_t cluster[3]; /* blocks; all 0: as the kernel asks for, else none */
    uint32_t
        shared_bytes;     /* dynamic shared memory of a block, up to what a program can opt in to */
    bool is_cooperative;  /* all blocks are resident and may wait for each other */
    uint64_t stack_bytes; /* a thread's, for recursion and alloca; 0: 16 KiB */
    const struct bankrun_argument *arguments; /* one for each parameter, in order */
    size_t argument_count;
    const struct bankrun_observer *observers; /* each hears every request */
    size_t observer_count;
    struct bankrun_profile *profile; /* to which the launch is added; NULL: it is not counted */
};

enum bankrun_fault {
    BANKRUN_NO_FAULT,
    BANKRUN_ILLEGAL_ADDRESS, /* outside of every allocation */
    BANKRUN_MISALIGNED_ADDRESS,
    BANKRUN_INVALID_SPACE, /* a generic address that does not fit the instruction */
    BANKRUN_ASSERTION,     /* assert() in the kernel */
    BANKRUN_TRAP,
    BANKRUN_DEADLOCK,          /* all warps wait, and nothing can release them */
    BANKRUN_INSTRUCTION_LIMIT, /* max_instructions */
    BANKRUN_INTERRUPTED,
    BANKRUN_STACK_OVERFLOW,
    BANKRUN_ILLEGAL_INSTRUCTION,
    BANKRUN_NO_BLOCK, /* of the cluster: it has ended, or there is none of that rank */
};

struct bankrun_result {
    uint64_t blocks_run;
    uint64_t instructions;        /* that warps executed */
    uint64_t thread_instructions; /* the same times active lanes */
    enum bankrun_fault fault;     /* of the first block that had one; what follows is about it, and
                                     0 where it is about no thread */
    uint32_t block[3], thread[3]; /* blockIdx, threadIdx */
    uint64_t address;             /* that was accessed */
    const char *file;             /* until the module is unloaded; NULL: unknown */
    uint32_t line;
    uint64_t passed; /* accesses of lanes that bankrun_config.lets_pass let pass */
};

/* Runs a kernel to its end. `result` may be NULL; it is filled in, in any case. Device memory then
 * holds what the kernel wrote. Launches that faulted or were stopped are in the profile with what
 * they did until then; one that the device refuses is among those that did not begin
 * (bankrun_profile_refused). Kernels cannot launch kernels here.
 * BANKRUN_BAD_CALL, BANKRUN_NO_KERNEL, BANKRUN_BAD_ARGUMENTS, BANKRUN_NOT_SIMULATED,
 * BANKRUN_REFUSED, BANKRUN_FAULTED, BANKRUN_STOPPED. */
enum bankrun_error bankrun_launch(struct bankrun_module *module,
                                  const struct bankrun_launch *launch,
                                  struct bankrun_result *result, char **message);

/* ---- Profiles: what was counted ------------------------------------------------------------- */

/* Launches of any devices of one architecture may go into one profile, one after the other; it
 * needs none of them later. `title` stands at the head of reports; it is copied. NULL: the
 * architecture is unknown. */
struct bankrun_profile *bankrun_profile_create(unsigned arch, const char *title);

/* One that was saved, by bankrun_profile_save or by `bankrun --format json -o`. NULL: BANKRUN_BAD_
 * FILE or BANKRUN_BAD_PROFILE, as `message` says. */
struct bankrun_profile *bankrun_profile_load(const char *path, char **message);
void bankrun_profile_free(struct bankrun_profile *profile); /* NULL is allowed */

/* Wavefronts beyond the ideal ones, of all accesses to shared memory in all launches. 0: no bank
 * conflicts. */
uint64_t bankrun_profile_excess(const struct bankrun_profile *profile);

struct bankrun_counts {
    uint64_t requests;
    uint64_t units; /* wavefronts of shared memory, 32-byte sectors of global memory */
    uint64_t ideal; /* of the same unit */
};

/* What follows is filled in by two functions; its strings live until the profile is freed or a
 * launch is added to it. */
struct bankrun_recorded_launch {
    uint32_t index;     /* from 0 on, in the order of the launches */
    uint64_t repeats;   /* launches that counted just the same are kept once: how many they are */
    const char *kernel; /* demangled, with parameters */
    const char *symbol;
    uint32_t grid[3], block[3];
    uint64_t shared_bytes; /* of a block, static and dynamic */
    uint64_t blocks_run, instructions, thread_instructions;
    const char *fault;                    /* how it ended; NULL: without a fault */
    bool is_sample;                       /* scaled from the blocks that ran */
    struct bankrun_counts shared, global; /* of all its sites */
    size_t sites;
    size_t findings; /* of checkers */
};

struct bankrun_frame { /* where an inlined access was called from */
    const char *file;
    uint32_t line;
    const char *function; /* demangled; NULL: unknown */
};

enum { BANKRUN_DEGREES = 65 };

struct bankrun_recorded_site {
    enum bankrun_space space;
    const char *operation;   /* "load", "store", "atomic", ...: docs/profile.md */
    const char *instruction; /* "ld.shared.f32" */
    const char *file;        /* NULL: unknown */
    uint32_t line, column;   /* 0: unknown */
    const char *function;    /* whose source the line is in, demangled; NULL: unknown */
    const struct bankrun_frame *inlined_at; /* inlined_count of them, the innermost call first */
    size_t inlined_count;
    const char *array; /* the shared array; NULL: unknown, or global */
    unsigned width;    /* bytes a lane */
    struct bankrun_counts counts;
    /* Shared memory only. */
    bool is_estimate;              /* no exact rule is known for it */
    const uint64_t *degrees;       /* BANKRUN_DEGREES: [n]: requests whose worst phase took n
                                      wavefronts */
    uint32_t worst_degree;         /* the highest of them; 0: none */
    uint32_t worst_block[3];       /* of such a request: blockIdx, */
    uint32_t worst_warp;           /* warp of the block, */
    uint32_t worst_mask;           /* active lanes, */
    const uint32_t *worst_offsets; /* 32 byte offsets */
    const char *why;               /* it conflicts, in words; NULL: nothing does */
    /* Either space. */
    const char *help;  /* what takes the excess away, in lines of words; NULL: nothing is known */
    const char *proof; /* what holds for every block, or why that is not known; NULL: not tried */
};

/* The n-th launch that is kept. False: there are not so many. */
bool bankrun_profile_launch(const struct bankrun_profile *profile, size_t n,
                            struct bankrun_recorded_launch *launch);
/* The m-th access of the n-th launch: shared memory first, then by file, line and column. */
bool bankrun_profile_site(const struct bankrun_profile *profile, size_t n, size_t m,
                          struct bankrun_recorded_site *site);

/* Whether something went wrong that --fail-on looks for: a launch ended in a fault, was cut short
 * or refused, accessed memory beyond its allocations, or the profile is incomplete. */
bool bankrun_profile_has_failed(const struct bankrun_profile *profile);

/* A launch that did not begin. What this and the next functions fill in lives as long as the rest
 * does. */
struct bankrun_refused_launch {
    uint64_t after;   /* so many launches had begun before it */
    uint64_t repeats; /* how often the same was asked for */
    const char *kernel, *symbol;
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 0: none */
    uint64_t shared_bytes;                  /* dynamic, that it asked for */
    const char *error; /* of the call, by its CUDA name; NULL: it was none of CUDA's */
    size_t reasons;    /* at least one */
};

struct bankrun_refusal_reason {
    const char *limit; /* that it breaks, in a word: docs/profile.md */
    uint64_t asked, most;
    const char *text; /* the same for people */
    const char *cure; /* what to write instead; NULL: nothing is known */
};

/* The n-th of them, and its m-th reason. False: there are not so many. */
bool bankrun_profile_refused(const struct bankrun_profile *profile, size_t n,
                             struct bankrun_refused_launch *refused);
bool bankrun_profile_reason(const struct bankrun_profile *profile, size_t n, size_t m,
                            struct bankrun_refusal_reason *reason);

/* Accesses of one source line that were let pass, with the first of them. */
struct bankrun_passed {
    uint64_t count;      /* of lanes */
    const char *message; /* what a fault would say */
    const char *file;    /* NULL: unknown */
    uint32_t line, column;
    const char *function, *instruction;
    uint64_t address;
    uint32_t block[3], thread[3]; /* blockIdx, threadIdx */
};

/* The m-th such line of the n-th launch. */
bool bankrun_profile_passed(const struct bankrun_profile *profile, size_t n, size_t m,
                            struct bankrun_passed *passed);

enum bankrun_gap_kind {
    BANKRUN_GAP_UNSUPPORTED, /* a call of something that bankrun does not have */
    BANKRUN_GAP_MODULE,      /* a module or a kernel that could not be loaded */
    BANKRUN_GAP_FAULT,       /* of work that is in no launch of the profile */
    BANKRUN_GAP_LOST,        /* a process left no profile, or not all of it */
    BANKRUN_GAP_UNSEEN,      /* a process uses CUDA in a way that bankrun cannot see */
    BANKRUN_GAP_LIBRARY, /* a library's call that the user had computed on the CPU: no failure */
};

/* Why a saved profile is not of all that its program did. */
struct bankrun_gap {
    enum bankrun_gap_kind kind;
    const char *text;
    uint64_t count; /* how often that happened */
};
bool bankrun_profile_gap(const struct bankrun_profile *profile, size_t n, struct bankrun_gap *gap);

/* ---- Checks: defects that a launch shows whatever its results are --------------------------- */

enum {                         /* bits */
       BANKRUN_CHECK_RACE = 1, /* accesses that nothing orders */
       BANKRUN_CHECK_INIT = 2, /* values that nothing has initialised, where they decide something;
                                  of devices with tracks_undefined alone */
       BANKRUN_CHECK_SYNC = 4, /* barriers, masks, copies that are not waited for */
       BANKRUN_CHECK_MEMORY = 8, /* accesses that run from one shared array into the next */
};

/* Launches that go into the profile from now on are checked, too. `counts` false: and not counted,
 * so that they have no sites. False: a bit of `checks` is none of the above, nothing changes. */
bool bankrun_profile_check(struct bankrun_profile *profile, unsigned checks, bool counts);

struct bankrun_place { /* one side of a finding */
    const char *role;  /* what happens there: "writes", "waits" */
    const char *file;  /* NULL: unknown */
    uint32_t line, column;
    const char *function, *instruction; /* or NULL */
    bool has_thread;
    uint32_t block[3], thread[3]; /* blockIdx, threadIdx */
};

enum { BANKRUN_PLACES = 3 };

struct bankrun_finding {
    const char *check, *kind; /* "race", "write-write": docs/checks has a page for each kind */
    const char *message;      /* what is wrong, in words */
    const char *object;       /* the memory that it is about, "bins[5]"; NULL: none */
    const char *help;         /* what mends it; NULL: nothing is known */
    bool is_note;             /* worth knowing, and no defect */
    uint64_t count;           /* how often it happened in the launch */
    struct bankrun_place places[BANKRUN_PLACES]; /* place_count of them, of the first one */
    size_t place_count;
};

/* The m-th finding of the n-th launch, by place in the source. False: there are not so many. */
bool bankrun_profile_finding(const struct bankrun_profile *profile, size_t n, size_t m,
                             struct bankrun_finding *finding);

/* ---- Profiles for files and people ---------------------------------------------------------- */

/* As JSON of the schema docs/profile.schema.json, which `bankrun report` reads. The file is there
 * whole or as it was before, but for pipes and devices. BANKRUN_BAD_FILE. */
enum bankrun_error bankrun_profile_save(const struct bankrun_profile *profile, const char *path,
                                        char **message);

enum bankrun_format {
    BANKRUN_TEXT,    /* the report for reading, with the source lines that it can find */
    BANKRUN_METRICS, /* the figures that profilers have names for */
    BANKRUN_CSV,     /* one row for each access of each launch */
    BANKRUN_JSON,    /* what bankrun_profile_save writes */
};

struct bankrun_print_options { /* of BANKRUN_TEXT */
    bool color;                /* ANSI colours */
    unsigned width;            /* columns; 0: 100 */
    bool verbose;              /* every line and launch, and each lane of the worst requests */
    const char
        *source_root; /* where relative paths of sources start; NULL: the working directory */
};

/* Writes to `out`, and flushes it. `options` may be NULL. BANKRUN_BAD_FILE: not all was written. */
enum bankrun_error bankrun_profile_print(const struct bankrun_profile *profile,
                                         enum bankrun_format format,
                                         const struct bankrun_print_options *options, FILE *out,
                                         char **message);

#ifdef __cplusplus
}
#endif

#endif

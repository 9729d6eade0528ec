// Makes native code of a decoded kernel, by LLVM. A library of its own (libbankrun-compile.so),
// which the simulator loads where it is there.
//
// A compiled kernel is a function that runs one warp, all of whose lanes are on, from an entry -
// where the kernel begins, or behind an instruction that is left to the interpreter - to the next
// instruction that is left to the interpreter, which it returns; all state is the interpreter's
// there. Other warps may follow (struct compiled_turns). Values that are the same in all lanes, or
// differ by one distance from lane to lane, are scalars in between. What lanes compute comes from
// value.def (rows.c); what is not there is done by the interpreter's handler.
#ifndef BANKRUN_SIM_NATIVE_COMPILER_H
#define BANKRUN_SIM_NATIVE_COMPILER_H

#include "sim/native/cell.h"
#include "sim/sim_internal.h"

// Grows with each change of what follows, or of anything that compiled code knows of the simulator.
enum { COMPILE_VERSION = 27 };

// What compiled code finds where it runs: it holds no address itself, so that it can be kept.
struct compiled_links {
    const struct sim_instr *instrs; // of the kernel
    const sim_handler *handlers;    // by decoded instruction: what the interpreter runs
    // Runs a segment, by number, as the interpreter does, for the lanes of a mask. As a handler
    // returns the instruction behind it.
    const struct sim_instr *(*run_segment)(struct sim_warp *warp, uint32_t segment, uint32_t mask);
    // Runs decoded instructions by the interpreter's handlers, for the lanes of a mask.
    const struct sim_instr *(*run_some)(struct sim_warp *warp, uint32_t first, uint32_t end,
                                        uint32_t mask);
    // A request of shared memory by all lanes, of words that are there: not 0 where its observer
    // need not be told, since it was counted.
    uint32_t (*count_lanes)(struct sim_warp *warp, uint32_t site, const uint32_t offsets[LANES]);
    // Load or store the lanes of a mask, wherever they are, in bounds and aligned: so many bytes
    // from a place on (int32_t distances[LANES]). All lanes' first elements come first in `values`.
    // elements: NATIVE_ELEMENTS. windows: enum native_windows; where any is said, distances is a
    // struct native_shape, and all lanes have one word. What lanes that are off get is not said.
    void (*load_lanes)(const uint8_t *from, const void *distances, uint8_t *values,
                       uint32_t elements, uint32_t mask, uint64_t windows);
    void (*store_lanes)(uint8_t *from, const void *distances, const uint8_t *values,
                        uint32_t elements, uint32_t mask, uint64_t windows);
};
#define NATIVE_ELEMENTS(bytes, count) ((uint32_t)(bytes) << 8 | (uint32_t)(count))

// Where native code may begin. It is not worth its while where it soon ends, as it does where lanes
// part, or where the interpreter runs most of it, as accesses are never known. It is tried again
// later: the first blocks may be those at an edge.
struct native_entry {
    bool is_open;
    uint32_t visits;
    uint64_t done, slow; // instructions, and those of them that the interpreter ran
    uint64_t least;      // as many make it worth its while
    uint64_t rounds;     // of all warps from here to the next entry, which the visits leave out
    uint64_t passed, patience; // since it is not open: warps that have come by, and may
};

// Where warps come together: at a barrier of the block whose number is written, or where threads
// end.
enum native_meeting { NATIVE_NOWHERE, NATIVE_BARRIER, NATIVE_END };

// The warps of a block take turns: each runs from one entry to where it meets the others, in a
// round that begins with one of them and goes around. When all are there, the last one begins a
// round behind the barrier, and where threads end the first one of the next block does, from where
// the kernel begins. Warps are left alone where one does something else, or where the
// scheduler has to look at it. Instructions are named by their numbers in the decoded kernel.
struct compiled_turns {
    uint32_t stops;         // not 0: nobody follows the warp that runs
    uint32_t may_end;       // threads may end where they meet
    struct sim_warp *begin; // all, one after the other in memory; NULL: nobody follows the last
    struct sim_warp *end;
    struct native_entry *entries; // by instruction
    const enum native_meeting *meetings;
    struct sim_warp *first; // with whom the round began
    uint64_t at, to;        // its entry; where they meet, COMPILED_NOWHERE: nobody has come
    uint32_t ordinal;       // of its entry
    uint64_t rounds;        // that were begun in native code
    struct sim_warp *now;   // who runs, and its flow's `instructions` and `run_start` before
    uint64_t instructions;
    uint32_t run_start;
    // All warps have ended, the last of them being `now`: the next block begins in their place, all
    // of `first`, `at`, `to` and `ordinal` are of it, and NULL is returned, or where the
    // interpreter goes on. NULL: blocks do not follow each other here.
    const struct sim_instr *(*next_block)(struct compiled_turns *turns);
    uint64_t blocks; // that were begun so
    uint64_t slow;   // sim_native_worker's, when the last of them began, or the first round here
};
#define COMPILED_NOWHERE UINT64_MAX

// Returns where the interpreter goes on; `instr` itself where nothing was done. NULL: a fault.
// Registers must be as the code left them, but for what the instruction before has written, or hold
// what the entry takes for granted (struct compiled_way).
typedef const struct sim_instr *(*compiled_body)(struct sim_warp *warp,
                                                 const struct sim_instr *instr,
                                                 struct native_cell *cells,
                                                 const struct compiled_links *links,
                                                 struct compiled_turns *turns);

struct compile_request {
    const struct sim_code *code;       // a kernel's own
    bool has_whole_rows;               // blocks are a multiple of 32 threads wide
    sim_handler guard, copy32, copy64; // of the lane code that is used, for full warps
    sim_handler reconverge, join;
    const char *lanes; // narrower ones than the machine has; NULL: its own
    uint64_t most;     // of struct compiled.weight
};

// A register that code takes for a scalar: the value of lane n is that of lane 0 and
// ((n ^ flip) - flip) * stride more, in the register's width.
struct compiled_ramp {
    uint32_t place;      // in the interpreter's frame, in bytes
    uint8_t bytes, flip; // 4 or 8; 0: a predicate, which holds in all lanes or in none
    int64_t stride;
};

// Where code is entered, and what it takes for granted then of registers that may hold something
// else, as lanes have parted on the way there; or where it is left by what it returns, and of which
// registers it has written lane 0 alone.
struct compiled_way {
    uint32_t instr;       // decoded
    uint32_t ramp, ramps; // the first, and how many
};

// What is made: all malloc'd, and the caller's also where it failed.
struct compiled {
    uint8_t *image; // its function is a compiled_body (image.h)
    size_t image_bytes;
    struct compiled_way *entries, *exits;
    uint32_t entry_count, exit_count;
    struct compiled_ramp *ramps; // of ways and segments
    uint32_t ramp_count;
    struct native_segment *segments;
    uint32_t segment_count;
    struct native_member *members;
    uint32_t member_count;
    uint32_t group_count; // each has NATIVE_WAYS cells, side by side
    uint64_t weight;      // how many instructions LLVM was given, or would have been
};

// False: it cannot be, or weighs too much.
typedef bool (*compile_function)(const struct compile_request *request, struct compiled *result);

struct compile_library {
    unsigned version;
    void (*open)(void); // once, before anything else; the process must not end meanwhile
    compile_function compile;
};

#endif

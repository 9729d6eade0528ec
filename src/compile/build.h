// LLVM's code of a kernel, while it is made: registers, and where they are at the place that is
// being made.
#ifndef BANKRUN_COMPILE_BUILD_H
#define BANKRUN_COMPILE_BUILD_H

#include "base/vec.h"
#include "compile/forms.h"
#include "compile/rows.h"
#include "sim/native/compiler.h"

// What a register holds: lane 0's value where its form is a ramp, else all lanes'. Predicates are
// bits.
struct held {
    struct form form;
    LLVMValueRef value; // NULL: nobody needs it
    LLVMValueRef raw;   // the same but for which NaN it is; NULL: nothing shorter is known
    bool is_saved;      // the interpreter's frame has it, too
};

// The lanes that are on, where they are not all.
struct mask {
    LLVMValueRef bits, lanes, count; // i32; <32 x i1>; how many, i64
    LLVMValueRef is_some;            // i64: 1 where they are not all after all
    const uint64_t *keeps;           // registers that other lanes still need, a bit each
};

// What is asked of values before anything else than a value is made: whether no ramp wraps since an
// op, which is left from otherwise.
struct asked {
    LLVMValueRef good; // NULL: nothing
    uint32_t op;
    struct held *held; // what registers held there, by register
};

// What the segment that is being made fetches ahead: bases as the first lane has them, and bytes.
// predicted: accesses of the whole kernel of which warps remember where they were.
enum { MOST_FETCHED = 8 };
struct fetched {
    struct fetched_place {
        LLVMValueRef base;
        int64_t offset;
    } all[MOST_FETCHED];
    unsigned count, predicted;
};

// build->base is so many bytes before a warp's bases.
enum { BUILD_BEFORE_BASE = 64 };
enum { BUILD_VALUES_BYTES = 16 * LANES };

// What accesses of a group of a segment share whose lanes lie anywhere, found when it is first
// wanted. Whether they are made by windows is asked of each by C code, or before all of them.
enum { BUILD_WINDOWS = LANES / NATIVE_WINDOW };
enum window_use { WINDOWS_ASKED, WINDOWS_ALWAYS, WINDOWS_NEVER };
struct windows {
    LLVMBasicBlockRef before; // the accesses: where it is found
    LLVMValueRef first, cell; // the offset or address of the lane that lanes are told from, without
                              // those of accesses, as a number with a sign
    LLVMValueRef shape, good; // of the cell
    uint64_t wanted;          // of `good`: enum native_windows
    LLVMValueRef places[BUILD_WINDOWS];    // i8*
    LLVMValueRef orders[2][BUILD_WINDOWS]; // for loads and stores
};

struct build {
    const struct compile_request *request;
    struct plan *plan;
    const struct rows *rows;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function;
    LLVMTypeRef i1, i8, i32, i64, bytes; // bytes: i8*
    LLVMValueRef warp, flow, base[4], cells, shared;
    LLVMValueRef links;        // struct compiled_links
    LLVMBasicBlockRef step;    // behind a warp that has left: perhaps the next one begins
    LLVMBasicBlockRef turn;    // it does, by phis: `warp`, `flow`, `at`, `start`
    LLVMBasicBlockRef leaving; // the interpreter goes on at what left_for holds
    LLVMValueRef left_for;
    LLVMValueRef left_at;      // where it left, by number: a phi of that block
    LLVMValueRef left_ordinal; // that of the instruction behind it: another one
    LLVMValueRef at;           // where the warp begins, by number
    LLVMValueRef start;        // its flow's run_start
    LLVMValueRef count, run_start,
        left;                 // places of what is counted; instructions until a look is due
    LLVMValueRef lane_values; // memory for what compiled_links.load_lanes loads, and for helpers:
                              // BUILD_VALUES_BYTES
    LLVMValueRef some_count, some_threads; // places of what was counted while some lanes were off
    const struct mask *mask;               // NULL: all lanes are on
    struct held *held;                     // by register, at the place that is being made
    struct asked asked;
    struct form *forms;            // of registers, once the instruction that is being made is done
    LLVMBasicBlockRef *blocks;     // of the function's blocks; NULL: not reached
    LLVMValueRef **phis;           // block -> register -> phi; NULL: not live
    LLVMValueRef dispatch;         // the switch over entries
    LLVMBasicBlockRef first_block; // the first that entries do not share
    struct segments {
        VEC(struct native_segment) list;
        VEC(struct native_member) members;
        uint32_t groups;
    } segments;
    struct ways {
        VEC(struct compiled_way) entries, exits;
        VEC(struct compiled_ramp) ramps;
    } ways;
    struct fetched fetched;
    unsigned quotients; // divisions of the whole kernel of which warps remember the result
    enum window_use window_use;
    bool is_open;            // code can be appended: the place is reached
    bool has_mask_registers; // the processor takes bits for lanes (AVX-512)
    bool has_permutations;   // of eight words, and their signs as a number's bits (AVX2)
};

// ---- values.c: registers and operands --------------------------------------------------------

LLVMTypeRef build_lane_type(const struct build *build, unsigned bytes);
LLVMValueRef build_pointer(struct build *build, LLVMValueRef base, uint64_t offset,
                           LLVMTypeRef type);
LLVMValueRef build_pointer_by(struct build *build, LLVMValueRef base, LLVMValueRef offset,
                              LLVMTypeRef type);
// What a record holds at an offset.
LLVMValueRef build_field(struct build *build, LLVMValueRef record, size_t offset, LLVMTypeRef type);
LLVMValueRef build_number(const struct build *build, uint64_t value); // an i64
LLVMValueRef build_constant(const struct build *build, unsigned bytes, uint64_t value);
// All 32 lanes; `first` is lane 0's of such a form.
LLVMValueRef build_spread(struct build *build, struct form form, LLVMValueRef first,
                          unsigned bytes);
LLVMValueRef build_register_lanes(struct build *build, uint32_t reg);
// An operand as lane 0 has it (its form must be a ramp), or as all lanes have it.
LLVMValueRef build_source_first(struct build *build, const struct op_source *source);
LLVMValueRef build_source_lanes(struct build *build, const struct op_source *source);
struct form build_source_form(const struct build *build, const struct op_source *source);
bool build_is_same_in_all(const struct build *build, const struct op_source *source);
unsigned build_register_bytes(const struct build *build, uint32_t reg);
// What an op makes of forms; no ramp has to be asked whether it wraps where lanes are off.
void build_step(const struct build *build, struct op *op, struct form *forms);
// Whether lanes that are off need what the register holds.
bool build_keeps(const struct build *build, uint32_t reg);
// What an op has computed, which lanes that are off do not get; `value` is of the register's form.
void build_assign(struct build *build, uint32_t reg, LLVMValueRef value);
// So many lanes of all, from one on; parts of so many lanes, side by side, which are lost then.
LLVMValueRef build_part(struct build *build, LLVMValueRef all, unsigned first, unsigned count);
LLVMValueRef build_join(struct build *build, LLVMValueRef *parts, unsigned count);
// A call of a function of LLVM's own that is there for these types.
LLVMValueRef build_intrinsic(struct build *build, const char *name, LLVMTypeRef types[],
                             unsigned type_count, LLVMValueRef arguments[], unsigned count);
// llvm.cttz or llvm.ctlz of bits that are not all 0.
LLVMValueRef build_count_zeros(struct build *build, const char *name, LLVMValueRef bits);
// The interpreter's frame.
uint64_t build_place_of_register(const struct build *build, uint32_t reg); // in bytes
void build_save(struct build *build, uint32_t reg);
void build_note_ramp(struct build *build, uint32_t reg, struct form form); // in build->ways.ramps
// Where C code reads the frame next, and spreads ramps before (build->ways.ramps): of those lane 0
// alone is written.
void build_save_short(struct build *build, uint32_t reg);
struct held build_load(struct build *build, uint32_t reg, struct form form);
void build_set(struct build *build, uint32_t reg, struct form form, LLVMValueRef value);
LLVMBasicBlockRef build_block(struct build *build, const char *name);
// To `usual` where the condition holds, as is expected.
void build_branch(struct build *build, LLVMValueRef condition, LLVMBasicBlockRef usual,
                  LLVMBasicBlockRef rare);
// Jumps to a new block where the condition does not hold, which is not expected; goes on in another
// one.
LLVMBasicBlockRef build_unless(struct build *build, LLVMValueRef condition);

// ---- bits.c -----------------------------------------------------------------------------------

LLVMValueRef build_bits(struct build *build, LLVMValueRef predicate); // of <32 x i1>, as i32
LLVMValueRef build_predicate(struct build *build, LLVMValueRef bits); // the other way round
// Of <32 x i1>, as i1: whether it holds in none of the lanes, or in all of them.
LLVMValueRef build_is_none(struct build *build, LLVMValueRef predicate);
LLVMValueRef build_is_all(struct build *build, LLVMValueRef predicate);

// ---- counts.c -----------------------------------------------------------------------------------

// As sim_account() of the lanes that are on, and what is counted next begins there. `condition`
// NULL: always.
void build_account(struct build *build, uint32_t ordinal, LLVMValueRef condition);
// What is counted next begins at an instruction.
void build_begin_count(struct build *build, uint32_t ordinal, LLVMValueRef condition);
// All that was counted here so far.
LLVMValueRef build_counted(const struct build *build);
// Where the condition holds a turn begins: none of that counts as done in it.
void build_begin_spin(struct build *build, LLVMValueRef condition);
uint32_t build_block_ordinal(const struct build *build, uint32_t block);
// As the interpreter's jump() counts.
void build_count_jump(struct build *build, const struct op *op);

// ---- leave.c: to and from the interpreter ----------------------------------------------------

LLVMValueRef build_instrs(struct build *build); // the kernel's, where it is needed: read anew
void build_leaving(struct build *build);        // build->leaving
void build_leave(struct build *build, uint32_t op);
// The interpreter runs a segment, behind which decoded instruction `next` comes.
void build_run_segment(struct build *build, uint32_t segment, uint32_t next);
void build_entry(struct build *build, uint32_t op, LLVMBasicBlockRef to, bool is_block);
void build_interpreted(struct build *build, uint32_t op); // by its handler

// ---- turns.c: warps that take turns ------------------------------------------------------------

// Where a warp begins: the function's own, at instruction number `at`, or another one. Sets
// build->warp and build->at.
void build_turn(struct build *build, LLVMValueRef at);
// What is behind build_meet(), once build->flow is known.
void build_turn_end(struct build *build);
// A warp has left at an instruction where warps may meet; all is saved.
void build_meet(struct build *build, uint32_t instr);

// ---- masked.c: some lanes --------------------------------------------------------------------

// Lanes part at a jump (see plan.may_part), and meet again: the way there.
void build_parted(struct build *build, uint32_t op);

// ---- memory.c ---------------------------------------------------------------------------------

// Whether native code makes the access, its base having that form.
bool build_can_access(const struct build *build, const struct op *op, struct form base);
// Where lanes lie anywhere, else by the first lane's place.
bool build_is_anywhere(const struct op *op, struct form base);
LLVMTypeRef build_element_type(const struct build *build, const struct op *op); // in memory
// Where an access's offset or address is, as a pointer to a type.
LLVMValueRef build_place(struct build *build, const struct op *op, LLVMValueRef at,
                         LLVMTypeRef type);
// Elements side by side, from a place on: those of lanes that are on, by the order of their places.
// `on` NULL: all are.
LLVMValueRef build_load_on(struct build *build, const struct op *op, LLVMValueRef at,
                           LLVMValueRef on);
struct piece {
    LLVMValueRef all, at, on;
};
void build_store_piece(struct build *build, const struct op *op, const struct piece *piece);
// Whether what lanes that are off would have of words side by side must be left alone.
bool build_touches_some(const struct build *build, const struct op *op);
// What is loaded becomes what registers hold.
void build_access(struct build *build, const struct op *op, struct windows *windows);

// ---- exchange.c ---------------------------------------------------------------------------------

// Whether lanes that have been exchanged are loaded and stored by these.
bool build_has_exchange(const struct build *build, const struct op *op);
LLVMValueRef build_load_exchanged(struct build *build, const struct op *op, LLVMValueRef first,
                                  unsigned flip);
void build_store_exchanged(struct build *build, const struct op *op, LLVMValueRef first,
                           unsigned flip, LLVMValueRef all);
// Of bits, one for each lane: lane n's becomes that of lane n ^ flip.
LLVMValueRef build_exchange_bits(struct build *build, LLVMValueRef bits, unsigned flip);

// ---- lanes.c ----------------------------------------------------------------------------------

// So many bytes from a place on, each lane.
struct lanes {
    LLVMValueRef from, distances; // i8*; where 32 numbers of 32 bits are, an i8*
    LLVMValueRef windows;         // as compiled_links.load_lanes has them
};
// Loads or stores lanes that lie anywhere: all lanes' elements are in values, or become them.
void build_access_lanes(struct build *build, const struct op *op, const struct lanes *lanes,
                        LLVMValueRef values[4]);
// Lanes at equal distances.
LLVMValueRef build_even_distances(struct build *build, int64_t stride);

// ---- atomics.c --------------------------------------------------------------------------------

void build_atomic(struct build *build, uint32_t op);

// ---- windows.c --------------------------------------------------------------------------------

// Of the cell of accesses whose lanes lie anywhere, which says how far: a struct native_shape.
LLVMValueRef build_shape(struct build *build, struct windows *windows);
// Whether an access of lanes anywhere may be made window by window.
bool build_has_windows(const struct build *build, const struct op *op);
// Makes it, and returns what was loaded; whether the cell says that it may, and all others of the
// group. NULL: there is none.
LLVMValueRef build_window_access(struct build *build, const struct op *op, struct windows *windows);
LLVMValueRef build_windows_are_good(struct build *build, const struct windows *windows);

// ---- quads.c ----------------------------------------------------------------------------------

// Four words of each lane, one lane's behind the other's from a place (i8*) on, by AVX2.
void build_load_quads(struct build *build, LLVMValueRef at, LLVMValueRef values[4]);
void build_store_quads(struct build *build, LLVMValueRef at, LLVMValueRef values[4]);

// ---- fetch.c ----------------------------------------------------------------------------------

// Lanes side by side access global memory, the first of them at an address.
void build_fetch_ahead(struct build *build, const struct op *op, LLVMValueRef first);

// ---- segment.c --------------------------------------------------------------------------------

// Straight code from `op` on that has accesses, whose addresses are known before it begins. Returns
// the op behind it; `op`: there is none.
uint32_t build_segment(struct build *build, uint32_t op, uint32_t end);

// ---- helpers.c --------------------------------------------------------------------------------

// A function of that name, which is made when it is first wanted: `make` begins in its first block,
// and its parameters are build->function's.
LLVMValueRef build_helper(struct build *build, const char *name, LLVMTypeRef type,
                          void (*make)(struct build *build, const void *context),
                          const void *context);

// ---- build.c ----------------------------------------------------------------------------------

// The processor that a function is for.
void build_name_processor(struct build *build);
// One op that is no jump; whoever calls it has no segment there.
void build_op(struct build *build, uint32_t op);
// From what is being made to the beginning of a block.
void build_edge(struct build *build, uint32_t block);

// ---- repeats.c --------------------------------------------------------------------------------

// What is the same between barriers but for numbers is made once. Returns how many instructions
// nobody comes to then; they are still there.
uint64_t build_merge_repeats(struct build *build);

// ---- quotient.c -------------------------------------------------------------------------------

// All lanes' results of a division, where they may have one quotient. NULL: it is no division of
// such numbers. Goes on in another block.
LLVMValueRef build_quotient(struct build *build, const struct op *op);

// ---- value.c ----------------------------------------------------------------------------------

bool build_is_native(const struct build *build, const struct op *op);
// What the row computes of the op's sources, of so many lanes: 1 or 32.
LLVMValueRef build_row(struct build *build, const struct op *op, unsigned lanes);
void build_value(struct build *build, uint32_t op);
// Leaves where a value that was made wraps. Before all that cannot be done again, and before a
// block ends.
void build_settle(struct build *build);
// The same once it is known to be native and that no ramp wraps.
void build_native_value(struct build *build, const struct op *op);
// Whether no ramp wraps; NULL: there is nothing to ask.
LLVMValueRef build_range(struct build *build, const struct op *op);
LLVMTypeRef build_register_type(const struct build *build, uint32_t reg, unsigned lanes);

#endif

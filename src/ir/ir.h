// The decoded kernel: registers are numbers, labels are blocks, symbols are resolved to
// variables, guarded control flow is made explicit. Built from PTX, validated, then read-only.
#ifndef BANKRUN_IR_IR_H
#define BANKRUN_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "ir/site.h"
#include "ptx/ptx.h"

#define IR_NONE UINT32_MAX // "no register", "no block", "no site"

enum { IR_MAX_KERNEL_PARAMETER_BYTES = 32764 }; // since PTX 8.1

enum ir_class {
    IR_CLASS_PREDICATE, // one bit a lane
    IR_CLASS_32,        // 8-, 16- and 32-bit types: 4 bytes a lane, narrower values zero-extended
    IR_CLASS_64,        // 8 bytes a lane
};

struct ir_register {
    const char *name;
    enum ptx_type type;
    enum ir_class class;
    // Where the value lives: the n-th slot of its class. Registers that are never live at the
    // same time share a slot. Slots of different classes never overlap.
    uint32_t slot;
};

struct ir_variable {
    const struct ptx_variable *ptx;
    const char *name; // mangled
    enum ptx_space space;
    uint64_t offset; // SHARED: in the kernel's block memory; LOCAL, PARAM: in the frame
    bool is_formal;  // a parameter of the kernel or function, not of a call that it makes
    // A function's parameter whose address is taken is copied to the function's local memory.
    bool is_copied;
    uint64_t local_offset;
};

enum ir_operand_kind {
    IR_OPERAND_NONE,
    IR_OPERAND_REGISTER,  // reg
    IR_OPERAND_IMMEDIATE, // value: bits, already converted to the instruction's type
    IR_OPERAND_SREG,      // sreg
    IR_OPERAND_SYMBOL,    // variable + value (addend): the variable's address in its space
    IR_OPERAND_FUNCTION,  // function: its address
    IR_OPERAND_ADDRESS,   // memory at register (or variable, or absolute 0) + value
    IR_OPERAND_VECTOR,    // elements
    IR_OPERAND_SINK,
};

struct ir_operand {
    enum ir_operand_kind kind;
    bool is_negated; // predicates
    uint32_t reg;    // REGISTER; ADDRESS with a register base, else IR_NONE
    uint32_t pair;   // second destination `d|p`, else IR_NONE
    enum ptx_sreg sreg;
    uint64_t value;
    unsigned bytes;                     // IMMEDIATE, SREG: 4 or 8, the lane width that the
                                        // instruction reads at this place; 0: a predicate
    const struct ir_variable *variable; // SYMBOL; ADDRESS with a symbol base
    const struct ptx_function *function;
    struct ir_operand *elements; // VECTOR; of an ADDRESS: what is written behind its base
    uint32_t element_count;
};

struct ir_call {
    const struct ptx_function *callee; // NULL: indirect through `target`
    struct ir_operand target;
    const struct ptx_function *prototype;
    struct ir_operand *arguments, *results; // SYMBOLs in PARAM space, REGISTERs or IMMEDIATEs
    uint32_t argument_count, result_count;
};

struct ir_instruction {
    const struct ptx_instruction *ptx; // modifiers, types, row of isa.def
    struct ir_operand operands[10];    // as written
    uint32_t operand_count;
    uint32_t guard; // predicate register or IR_NONE
    bool guard_negated;
    // An addition or subtraction that became d = a * b + c, rounded once: operands d, a, b, c.
    bool is_contracted, negates_product, negates_addend;
    uint32_t location;       // index into the function's locations
    uint32_t site;           // index into the function's sites, or IR_NONE
    uint32_t target;         // bra: block
    const uint32_t *targets; // brx: blocks
    uint32_t target_count;
    const struct ir_call *call;
};

struct ir_block {
    uint32_t first, count;  // instructions
    uint32_t successors[2]; // fall-through last; IR_NONE when absent (brx: see its targets)
    uint32_t successor_count;
    uint32_t post_dominator; // immediate; IR_NONE: the function's exit
    bool is_reconvergence;   // some conditional branch reconverges at its start
    bool is_join;      // paths join here before they do at the post-dominator of where they parted
    uint32_t order;    // in reverse post-order from the entry; IR_NONE: never reached
    uint32_t loop_end; // of a loop with several ways back to here: the order of the last; else 0
};

struct ir_function {
    const struct ptx_function *ptx;
    const char *name; // mangled
    const struct ir_module *module;
    struct ir_register *registers;
    uint32_t register_count;
    uint32_t slots[3]; // number of slots of each ir_class
    struct ir_instruction *instructions;
    uint32_t instruction_count;
    struct ir_block *blocks; // blocks[0] is the entry
    uint32_t block_count;
    struct ir_site *sites;
    uint32_t site_count;
    const struct ptx_location *locations; // of the PTX function
    uint32_t location_count;
    struct ir_variable **variables; // declared in the function, and its formal parameters
    uint32_t variable_count;
    uint32_t parameter_bytes;       // kernel: of the parameter block
    uint64_t local_bytes;           // a lane's frame in local memory
    uint64_t frame_parameter_bytes; // a lane's .param variables (calls) in a frame
    bool reads_unset;               // some path reads a register that nothing has set
    bool has_refused;               // holds an instruction that bankrun refuses; see ir_refusals
};

// A kernel's shared memory, as its launch sees it: its own variables, those of the functions that
// it calls and the module's that any of them uses.
struct ir_shared_layout {
    const struct ir_variable **variables; // copies with `offset` set: its own first
    uint32_t variable_count;
    uint64_t static_bytes;
    uint64_t dynamic_offset; // where `extern __shared__` arrays start
};

struct ir_module {
    const struct ptx_module *ptx; // borrowed
    uint64_t serial;              // no other module of the process has or had it
    struct arena *arena;
    struct ir_variable *variables; // module scope: global, const, shared
    uint32_t variable_count;
    struct ir_function **functions; // those with a body
    uint32_t function_count;
    struct map function_map, variable_map;
};

// Builds and validates. NULL when diags->errors grew. The PTX module must outlive the result.
// Instructions of `refuse` rows are reported only when a kernel that reaches them is launched.
struct ir_module *ir_build(const struct ptx_module *ptx, struct diag_list *diags);
void ir_free(struct ir_module *module); // NULL is allowed

struct ir_function *ir_find_function(const struct ir_module *module, const char *name);
struct ir_variable *ir_find_variable(const struct ir_module *module, const char *name);

// The layout for one kernel. Owned by the module.
const struct ir_shared_layout *ir_shared_layout(const struct ir_function *kernel);

// Of a block, with what the launch asked for.
static inline uint64_t ir_shared_bytes(const struct ir_shared_layout *layout, uint64_t dynamic) {
    return dynamic > 0 ? layout->dynamic_offset + dynamic : layout->static_bytes;
}

// Where the layout put a variable. False: the kernel does not use it.
bool ir_shared_offset(const struct ir_shared_layout *layout, const struct ir_variable *variable,
                      uint64_t *offset);

// The kernel and every function that it may call, each once, the kernel first. Caller frees.
const struct ir_function **ir_reachable(const struct ir_function *kernel, uint32_t *count);

// The same, for finding instructions by the numbers that events give them: those of the first
// function, then those of the next one, and so on.
struct ir_code {
    const struct ir_function **functions;
    uint32_t count;
};
struct ir_code ir_code_of(const struct ir_function *kernel);
void ir_code_free(struct ir_code *code);
// The function that the instruction is in, in which it has the number that *number becomes. NULL:
// there is none of that number.
const struct ir_function *ir_code_function(const struct ir_code *code, uint32_t *number);
const struct ir_instruction *ir_code_instruction(const struct ir_code *code, uint32_t number);

// Number of the block that an instruction of the function is in.
uint32_t ir_block_of(const struct ir_function *function, uint32_t instruction);

// The accesses that must wait until all blocks before their own have ended, so that the kernel
// comes to the same on any number of threads: a flag for each instruction, numbered as events
// number them. NULL: none, its blocks may run in any order. Caller frees.
bool *ir_block_ordered(const struct ir_function *kernel);

// What is to be known of a kernel whose blocks several processes run, each with memory as it was
// when the launch began. Only of one whose blocks may run in any order.
struct ir_apart {
    const char *why;     // they cannot, in words; NULL: they can
    bool has_stores;     // to memory that other blocks see
    bool has_reductions; // of such memory: all by one operation, whose results nobody reads:
    enum ptx_modifier op;
    unsigned bytes; // of a word
    bool is_signed; // min and max
};
struct ir_apart ir_apart(const struct ir_function *kernel);

// Whether what the kernel reads of memory that other blocks may write decides which memory it
// accesses, or which way it goes. False: it makes the same accesses in any order of blocks.
bool ir_is_steered(const struct ir_function *kernel);

// Is it a form of the same instruction?
bool ir_is_like(const struct ir_instruction *instruction, enum ptx_isa isa);
// wgmma and tcgen05, whose matrices lie in shared memory in one of the few layouts that they know:
// is it a part of one; does the function itself have some?
bool ir_is_async_product(const struct ir_instruction *instruction);
bool ir_has_async_products(const struct ir_function *function);

// How an atomic of this operation and type is served in shared memory, whatever its operands are:
// SITE_ATOMIC_NATIVE also where it is summed or scanned.
enum site_atomic ir_atomic_service(enum ptx_modifier op, enum ptx_type type, bool is_generic);

// May one access with the sum of the lanes' values (or what the operation is) stand for all?
bool ir_atomic_is_reduced(enum ptx_modifier op);

// The sites of the kernel and of those functions, numbered as events number them. Caller frees.
struct ir_kernel_site {
    const struct ir_function *function;
    const struct ir_site *site;
    bool is_wider; // than any that was written: see compiled/stream.h
};
struct ir_kernel_site *ir_kernel_sites(const struct ir_function *kernel, uint32_t *count);
// Of shared memory, or of a generic address; not of what says .global.
bool ir_may_be_shared(const struct ir_function *function, const struct ir_site *site);
bool ir_may_touch_shared(const struct ir_function *kernel); // has it such a site?

// Which variable holds this byte of a block's shared memory; NULL: none.
const struct ir_variable *ir_shared_variable_at(const struct ir_shared_layout *layout,
                                                uint64_t offset, uint64_t dynamic_bytes);

// Of each site of the kernel, numbered as events number them: the shared variable whose address,
// with a number added, the lanes access. NULL: another memory, or it is not known. Caller frees.
const struct ir_variable **ir_shared_origins(const struct ir_function *kernel);

// Instructions that touch a register of an asynchronous product (wgmma) which nobody has waited for
// on any way there; and products that no wgmma.fence orders behind what wrote a register of theirs
// (`touch`; IR_NONE: there was no fence at all), on any way there. Caller frees.
struct ir_early_touch {
    uint32_t product, touch; // instructions
    bool is_written;
    bool is_unfenced; // the product comes later than `touch`
};
struct ir_early_touch *ir_early_touches(const struct ir_function *function, uint32_t *count);
// Whether whoever executes the one instruction executes the other one later: false
// also where that is not known.
bool ir_follows_surely(const struct ir_function *function, uint32_t first, uint32_t later);

// First instruction of a `refuse` row that the kernel (or what it calls) holds, or NULL.
const struct ptx_instruction *ir_first_refused(const struct ir_function *kernel);

// Whether the operand at this place is written.
bool ir_is_destination(const struct ir_instruction *instruction, unsigned position);
// Calls `visit` for each register that the instruction reads or writes.
typedef void (*ir_register_visitor)(void *context, uint32_t reg, bool is_written);
void ir_visit_registers(const struct ir_instruction *instruction, ir_register_visitor visit,
                        void *context);

// ---- Places in the source (source.c) -------------------------------------------------------

// NULL: the index is 0 (unknown) or past the function's locations.
const struct ptx_location *ir_location(const struct ir_function *function, uint32_t index);
// Path of a `.file`; NULL: there is none of that number.
const char *ir_location_file(const struct ir_function *function, uint32_t number);
// The function whose source a location is in, mangled: the inlined one, or the compiled one itself.
// NULL is allowed: the latter.
const char *ir_location_function(const struct ir_function *function,
                                 const struct ptx_location *location);
// The line to show for a location: atomicAdd() is a function of a toolkit header, so the line is
// the one that calls it. The location itself when every caller is in such a header.
const struct ptx_location *ir_program_location(const struct ir_function *function,
                                               const struct ptx_location *at);
// The same in words, of an instruction's or a fault's location. The file is NULL and the numbers
// are 0 where they are not known; the function is mangled.
struct ir_source_place {
    const char *file, *function;
    uint32_t line, column;
};
struct ir_source_place ir_source_place(const struct ir_function *function, uint32_t location);
// The same of an instruction: where the PTX names no file, but lies in one itself, its own line.
struct ir_source_place ir_instruction_place(const struct ir_function *function,
                                            uint32_t instruction);

// Collects every broken invariant as an error on the PTX range concerned. True when none.
bool ir_validate(const struct ir_function *function, struct diag_list *diags);

#endif

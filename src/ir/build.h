// Inside the IR: steps of building a function.
#ifndef BANKRUN_IR_BUILD_H
#define BANKRUN_IR_BUILD_H

#include "base/vec.h"
#include "ir/ir.h"
#include "ptx/facts.h"

// A scope `{ }` of a function body: names of registers and variables.
struct ir_scope {
    struct ir_scope *outer;
    uint32_t number;         // the function's own scope is 0
    struct map registers;    // name -> struct ir_name
    struct map families;     // the same of families: `%r` and `%r<4>` may stand side by side
    struct map variables;    // name -> struct ir_variable
    uint64_t parameter_mark; // frame_parameter_bytes when the scope began
};

struct ir_name {     // a register or a family of them
    uint32_t first;  // index of the first register
    uint32_t count;  // of a family, else 0
    unsigned vector; // elements of a vector register, 2 of a 128-bit one, else 1
};

struct ir_register_parameter {
    const struct ir_variable *variable;
    uint32_t reg;
    bool is_result;
};

struct ir_builder {
    struct ir_module *module;
    struct ir_function *function;
    const struct source *source;
    struct diag_list *diags;
    struct ir_scope *scope;
    // Labels belong to scopes: "number of the scope:name" -> index of the instruction that follows
    // + 1 (as a pointer).
    struct map labels;
    VEC(uint32_t) outer_scopes;       // by number of a scope
    VEC(uint32_t) instruction_scopes; // by number of an instruction
    VEC(struct ir_register) registers;
    VEC(struct ir_instruction) instructions;
    VEC(struct ir_variable *) variables;
    VEC(struct ir_register_parameter) register_parameters;
    VEC(const struct ptx_statement *) branch_targets;
    VEC(const struct ptx_statement *) prototypes;
    uint64_t parameter_bytes; // in use in the frame now
};

void ir_error(struct ir_builder *builder, struct source_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// names.c
enum ir_class ir_class_of(enum ptx_type type);
void ir_scope_push(struct ir_builder *builder);
void ir_scope_pop(struct ir_builder *builder);
void ir_declare_label(struct ir_builder *builder, const char *name, uint32_t instruction);
// The instruction behind a label that an instruction names. False: there is none.
bool ir_lookup_label(struct ir_builder *builder, const char *name, uint32_t from,
                     uint32_t *instruction);
void ir_declare_register(struct ir_builder *builder, const struct ptx_variable *variable);
const struct ir_name *ir_lookup_register(struct ir_builder *builder, const char *name,
                                         uint32_t *index);
struct ir_variable *ir_lookup_variable(struct ir_builder *builder, const char *name);

// operands.c
void ir_translate_operands(struct ir_builder *builder, const struct ptx_instruction *ptx,
                           struct ir_instruction *out);
// `type`: what an immediate is converted to.
struct ir_operand ir_translate_operand(struct ir_builder *builder,
                                       const struct ptx_instruction *ptx,
                                       const struct ptx_operand *operand, enum ptx_type type);
// The operand at a place of the instruction, as its row of isa.def has it.
struct ir_operand ir_translate_place(struct ir_builder *builder, const struct ptx_instruction *ptx,
                                     unsigned position);

// lower_call.c
void ir_declare_register_parameter(struct ir_builder *builder, const struct ptx_variable *ptx,
                                   bool is_result);
void ir_load_register_arguments(struct ir_builder *builder);
void ir_store_register_results(struct ir_builder *builder, uint32_t location);
// Before and behind a call: registers among its parameters become .param variables.
void ir_pass_register_arguments(struct ir_builder *builder, const struct ptx_instruction *ptx,
                                struct ir_call *call);
void ir_take_register_results(struct ir_builder *builder, const struct ptx_instruction *ptx,
                              struct ir_call *call);
void ir_copy_addressed_parameters(struct ir_builder *builder);

// function.c
// The copy is valid until the next one is appended.
struct ir_instruction *ir_append(struct ir_builder *builder,
                                 const struct ir_instruction *instruction);
struct ir_function *ir_build_function(struct ir_module *module, const struct ptx_function *ptx,
                                      struct diag_list *diags);

// Passes, in this order.
void ir_build_cfg(struct ir_builder *builder);                         // cfg.c
void ir_compute_post_dominators(struct ir_function *function);         // postdom.c
void ir_find_joins(struct ir_function *function);                      // joins.c
void ir_contract(struct ir_function *function);                        // contract.c
void ir_assign_slots(struct ir_function *function);                    // slots.c
void ir_find_sites(struct ir_function *function, struct arena *arena); // sites.c

// What a pass wants to know of an instruction.
// The letter of isa.def's operand pattern for a position, 0 past its end, '*' for "anything".
char ir_operand_letter(const struct ptx_instruction *ptx, unsigned position);
bool ir_ends_block(const struct ir_instruction *instruction);
bool ir_is_guarded_by_branch(const struct ptx_instruction *ptx);

#endif

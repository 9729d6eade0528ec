// Whether blocks of a kernel may be run by several processes, each of which has the memory as it
// was when the launch began, and what becomes of words that several of them change.
#include <stdlib.h>
#include <string.h>

#include "ir/address.h"
#include "ir/build.h"

static bool is_beyond_block(const struct ir_instruction *instruction) {
    const enum ptx_space space = ir_access_space(instruction);
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

static bool has_function(const struct ir_operand *operand) {
    for (uint32_t e = 0; e < operand->element_count; e++)
        if (has_function(&operand->elements[e]))
            return true;
    return operand->kind == IR_OPERAND_FUNCTION;
}

// What it does that other processes cannot, or would do otherwise.
static const char *of_call(const struct ir_call *call) {
    const char *name = call->callee ? call->callee->name : NULL;
    if (!name)
        return "it calls functions by their addresses";
    if (call->callee->has_body || strcmp(name, "__assertfail") == 0)
        return NULL;
    if (strcmp(name, "vprintf") == 0)
        return "it prints";
    if (strcmp(name, "malloc") == 0 || strcmp(name, "free") == 0)
        return "it allocates memory";
    return "it launches kernels, or calls the device's library";
}

static void add_reduction(struct ir_apart *apart, const struct ir_instruction *instruction) {
    const struct ptx_instruction *ptx = instruction->ptx;
    const enum ptx_modifier op = ptx_modifier_of(ptx, PTX_GROUP_op);
    const enum ptx_type type = (enum ptx_type)ptx->types[0];
    const unsigned bytes = ptx_type_bytes(type);
    const bool is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    const bool has_sign = is_signed && (op == PTX_MOD_min || op == PTX_MOD_max);
    if (apart->has_reductions &&
        (apart->op != op || apart->bytes != bytes || apart->is_signed != has_sign))
        apart->why = "it changes memory by several kinds of atomics";
    apart->has_reductions = true;
    apart->op = op;
    apart->bytes = bytes;
    apart->is_signed = has_sign;
}

static const char *of_access(struct ir_apart *apart, const struct ir_instruction *instruction) {
    const bool is_beyond = is_beyond_block(instruction);
    switch (ptx_access_of(instruction->ptx)) {
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
        if (is_beyond)
            add_reduction(apart, instruction);
        return NULL;
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_MATRIX_STORE:
    case PTX_ACCESS_FRAGMENT_STORE:
    case PTX_ACCESS_ASYNC_STORE:
        apart->has_stores |= is_beyond;
        return NULL;
    case PTX_ACCESS_BULK_COPY:
        apart->has_stores = true;
        return PTX_HAS(instruction->ptx, red) ? "it adds to memory by bulk copies" : NULL;
    case PTX_ACCESS_TEXTURE:
    case PTX_ACCESS_TEXTURE_GATHER:
    case PTX_ACCESS_TEXTURE_QUERY:
        return "it reads textures";
    case PTX_ACCESS_SURFACE_LOAD:
    case PTX_ACCESS_SURFACE_STORE:
    case PTX_ACCESS_SURFACE_REDUCTION:
    case PTX_ACCESS_SURFACE_QUERY:
        return "it accesses surfaces";
    default:
        return NULL;
    }
}

static const char *of_instruction(struct ir_apart *apart,
                                  const struct ir_instruction *instruction) {
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        const struct ir_operand *operand = &instruction->operands[o];
        if (has_function(operand))
            return "it takes addresses of functions";
        if (operand->kind == IR_OPERAND_SREG && operand->sreg == PTX_SREG_gridid)
            return "it reads the number of its launch";
    }
    if (instruction->call)
        return of_call(instruction->call);
    return of_access(apart, instruction);
}

struct ir_apart ir_apart(const struct ir_function *kernel) {
    struct ir_apart apart = {0};
    uint32_t count;
    const struct ir_function **functions = ir_reachable(kernel, &count);
    for (uint32_t f = 0; f < count && !apart.why; f++)
        for (uint32_t i = 0; i < functions[f]->instruction_count && !apart.why; i++) {
            const char *why = of_instruction(&apart, &functions[f]->instructions[i]);
            if (why)
                apart.why = why;
        }
    free(functions);
    if (!apart.why && apart.has_reductions && apart.bytes != 4 && apart.bytes != 8)
        apart.why = "it changes memory by atomics of an unusual width";
    return apart;
}

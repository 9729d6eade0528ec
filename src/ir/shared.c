// A kernel's block memory: which shared variables it has, and where they lie.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"

// The programming guide promises 16 bytes for `extern __shared__` arrays.
enum { DYNAMIC_ALIGNMENT = 16 };

typedef VEC(const struct ir_variable *) variable_list;

static void add_operand(variable_list *list, const struct ir_operand *operand) {
    for (uint32_t i = 0; i < operand->element_count; i++)
        add_operand(list, &operand->elements[i]);
    const struct ir_variable *variable = operand->variable;
    if (!variable || variable->space != PTX_SPACE_SHARED)
        return;
    for (size_t i = 0; i < list->length; i++)
        if (list->data[i] == variable)
            return;
    vec_push(list, variable);
}

static variable_list collect_shared(const struct ir_function *kernel) {
    variable_list list = {0};
    uint32_t count = 0;
    const struct ir_function **functions = ir_reachable(kernel, &count);
    for (uint32_t f = 0; f < count; f++) {
        const struct ir_function *function = functions[f];
        for (uint32_t i = 0; i < function->instruction_count; i++) {
            const struct ir_instruction *instruction = &function->instructions[i];
            for (uint32_t o = 0; o < instruction->operand_count; o++)
                add_operand(&list, &instruction->operands[o]);
            for (uint32_t a = 0; instruction->call && a < instruction->call->argument_count; a++)
                add_operand(&list, &instruction->call->arguments[a]);
        }
    }
    free(functions);
    return list;
}

static uint64_t alignment_of(const struct ir_variable *variable) {
    uint64_t natural = ptx_type_bytes(variable->ptx->type);
    return variable->ptx->align ? variable->ptx->align : natural ? natural : 1;
}

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

// Sized variables in the order of their declaration in the PTX text, so that the layout does not
// depend on the order of uses.
static int by_position(const void *a, const void *b) {
    const struct ir_variable *x = *(const struct ir_variable *const *)a;
    const struct ir_variable *y = *(const struct ir_variable *const *)b;
    if (x->ptx->is_unsized != y->ptx->is_unsized)
        return x->ptx->is_unsized ? 1 : -1;
    uint32_t p = x->ptx->range.begin, q = y->ptx->range.begin;
    return p < q ? -1 : p > q;
}

static bool is_own(const struct ir_function *kernel, const struct ir_variable *variable) {
    for (uint32_t i = 0; i < kernel->variable_count; i++)
        if (kernel->variables[i] == variable)
            return true;
    return false;
}

// ptxas puts the kernel's own variables first, then those of the module, each in their order.
static void sort_variables(const struct ir_function *kernel, variable_list *list) {
    size_t own = 0;
    for (size_t i = 0; i < list->length; i++)
        if (is_own(kernel, list->data[i])) {
            const struct ir_variable *variable = list->data[i];
            list->data[i] = list->data[own];
            list->data[own++] = variable;
        }
    if (own > 1)
        qsort(list->data, own, sizeof *list->data, by_position);
    if (list->length - own > 1)
        qsort(list->data + own, list->length - own, sizeof *list->data, by_position);
}

const struct ir_shared_layout *ir_shared_layout(const struct ir_function *kernel) {
    assert(kernel->ptx->is_entry);
    struct arena *arena = kernel->module->arena;
    variable_list list = collect_shared(kernel);
    sort_variables(kernel, &list);
    struct ir_shared_layout *layout = ARENA_NEW(arena, struct ir_shared_layout);
    layout->variables = ARENA_ARRAY(arena, const struct ir_variable *, list.length + 1);
    layout->variable_count = (uint32_t)list.length;
    uint64_t offset = 0, dynamic_alignment = DYNAMIC_ALIGNMENT;
    for (size_t i = 0; i < list.length; i++) {
        struct ir_variable *copy = ARENA_NEW(arena, struct ir_variable);
        *copy = *list.data[i];
        layout->variables[i] = copy;
        if (copy->ptx->is_unsized) {
            if (alignment_of(copy) > dynamic_alignment)
                dynamic_alignment = alignment_of(copy);
            continue;
        }
        copy->offset = align_up(offset, alignment_of(copy));
        offset = copy->offset + copy->ptx->bytes;
    }
    layout->static_bytes = offset;
    layout->dynamic_offset = align_up(offset, dynamic_alignment);
    for (uint32_t i = 0; i < layout->variable_count; i++)
        if (layout->variables[i]->ptx->is_unsized)
            ((struct ir_variable *)layout->variables[i])->offset = layout->dynamic_offset;
    vec_free(&list);
    return layout;
}

bool ir_shared_offset(const struct ir_shared_layout *layout, const struct ir_variable *variable,
                      uint64_t *offset) {
    assert(variable->space == PTX_SPACE_SHARED);
    for (uint32_t i = 0; i < layout->variable_count; i++)
        if (layout->variables[i]->ptx == variable->ptx) {
            *offset = layout->variables[i]->offset;
            return true;
        }
    return false;
}

const struct ir_variable *ir_shared_variable_at(const struct ir_shared_layout *layout,
                                                uint64_t offset, uint64_t dynamic_bytes) {
    for (uint32_t i = 0; i < layout->variable_count; i++) {
        const struct ir_variable *variable = layout->variables[i];
        uint64_t bytes = variable->ptx->is_unsized ? dynamic_bytes : variable->ptx->bytes;
        if (offset >= variable->offset && offset - variable->offset < bytes)
            return variable;
    }
    return NULL;
}

// Registers of asynchronous products (wgmma) that other instructions touch before the product has
// been waited for: the accumulator, and a factor that is held in registers; and products that no
// wgmma.fence orders behind what wrote these registers, or whose kernel had none before. Told is
// what happens on every way to the instruction. Moves of a register only change its name, as they
// do in machine code, and constants come whenever the compiler likes.
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"
#include "ir/dominance.h"

// AGES: how many groups may have been committed since, at most; wait_group takes no more.
enum { NOT_PENDING = 0xffff, AGES = 16 };
#define FENCED (UINT32_MAX - 1) // a writer: none since the last fence

struct pending { // what a register waits for
    uint32_t product;
    uint16_t age; // groups that were committed since the product began
    bool is_factor;
    uint32_t writer; // the instruction that wrote it since the last fence, or FENCED
};

struct flow {
    const struct ir_function *function;
    struct pending *at;      // of each register, where the walk is; the writer of one more is
                             // IR_NONE while there was no fence at all
    struct pending **before; // of each block, NULL: not reached yet
    bool tells;
    uint32_t index; // of the instruction
    VEC(struct ir_early_touch) touches;
};

static bool is_product(const struct ir_instruction *instruction) {
    switch (instruction->ptx->isa) {
    case PTX_ISA_wgmma_half:
    case PTX_ISA_wgmma_float:
    case PTX_ISA_wgmma_int:
    case PTX_ISA_wgmma_bits:
    case PTX_ISA_wgmma_sparse_half:
    case PTX_ISA_wgmma_sparse_float:
    case PTX_ISA_wgmma_sparse_int:
        return true;
    default:
        return false;
    }
}

// ---- One instruction --------------------------------------------------------------------------

static void tell(struct flow *flow, uint32_t reg, bool is_written) {
    const struct ir_early_touch touch = {flow->at[reg].product, flow->index, is_written, false};
    if (flow->tells && flow->function->instructions[flow->index].guard == IR_NONE)
        vec_push(&flow->touches, touch);
}

static void touch(void *context, uint32_t reg, bool is_written) {
    struct flow *flow = context;
    struct pending *pending = &flow->at[reg];
    if (is_written && flow->function->instructions[flow->index].guard == IR_NONE)
        pending->writer = flow->index;
    if (pending->age == NOT_PENDING || (pending->is_factor && !is_written))
        return;
    tell(flow, reg, is_written);
    pending->age = NOT_PENDING; // told once
}

static void begin_all(struct flow *flow, const struct ir_operand *registers, bool is_factor) {
    for (uint32_t e = 0; e < registers->element_count; e++) {
        const struct ir_operand *element = &registers->elements[e];
        if (element->kind == IR_OPERAND_REGISTER)
            flow->at[element->reg] = (struct pending){flow->index, 0, is_factor, FENCED};
    }
}

static void fence_all(struct flow *flow) {
    for (uint32_t r = 0; r <= flow->function->register_count; r++)
        flow->at[r].writer = FENCED;
}

static uint32_t writer_of(const struct flow *flow, const struct ir_operand *registers) {
    for (uint32_t e = 0; e < registers->element_count; e++) {
        const struct ir_operand *element = &registers->elements[e];
        if (element->kind == IR_OPERAND_REGISTER && flow->at[element->reg].writer != FENCED)
            return flow->at[element->reg].writer;
    }
    return FENCED;
}

static void tell_unfenced(struct flow *flow, const struct ir_instruction *instruction) {
    uint32_t *any = &flow->at[flow->function->register_count].writer;
    uint32_t writer = writer_of(flow, &instruction->operands[0]);
    if (writer == FENCED)
        writer = writer_of(flow, &instruction->operands[1]);
    if (writer == FENCED)
        writer = *any;
    if (writer != FENCED && flow->tells)
        vec_push(&flow->touches, ((struct ir_early_touch){flow->index, writer, true, true}));
    *any = FENCED; // told once
}

// Products may follow each other in one accumulator; a factor may be no pending accumulator.
static void multiply(struct flow *flow, const struct ir_instruction *instruction) {
    const struct ir_operand *factor = &instruction->operands[1];
    for (uint32_t e = 0; e < factor->element_count; e++)
        if (factor->elements[e].kind == IR_OPERAND_REGISTER)
            touch(flow, factor->elements[e].reg, false);
    if (instruction->guard != IR_NONE)
        return; // it may not be there
    tell_unfenced(flow, instruction);
    begin_all(flow, factor, true);
    begin_all(flow, &instruction->operands[0], false);
}

static void age_all(struct flow *flow, bool is_commit, uint64_t keep) {
    for (uint32_t r = 0; r < flow->function->register_count; r++) {
        struct pending *pending = &flow->at[r];
        if (pending->age == NOT_PENDING)
            continue;
        if (is_commit ? ++pending->age > AGES : pending->age > keep)
            pending->age = NOT_PENDING;
    }
}

static bool is_move(const struct ir_instruction *instruction) {
    return ptx_is(instruction->ptx, PTX_FACT_COPY) && !ptx_is(instruction->ptx, PTX_FACT_NEGATES) &&
           instruction->operands[0].kind == IR_OPERAND_REGISTER && instruction->guard == IR_NONE;
}

static void run(struct flow *flow, const struct ir_instruction *instruction) {
    const struct ptx_instruction *ptx = instruction->ptx;
    if (is_product(instruction)) {
        multiply(flow, instruction);
    } else if (ptx->isa == PTX_ISA_wgmma_group) {
        if (ptx_modifier_of(ptx, PTX_GROUP_op) == PTX_MOD_commit_group)
            age_all(flow, true, 0);
        else if (ptx_modifier_of(ptx, PTX_GROUP_op) == PTX_MOD_fence)
            fence_all(flow);
    } else if (instruction->call) { // there may be one
        ir_visit_registers(instruction, touch, flow);
        fence_all(flow);
    } else if (ptx->isa == PTX_ISA_wgmma_wait) {
        age_all(flow, false, instruction->operands[0].value);
    } else if (is_move(instruction)) {
        const struct ir_operand *from = &instruction->operands[1];
        flow->at[instruction->operands[0].reg] =
            from->kind == IR_OPERAND_REGISTER
                ? flow->at[from->reg]
                : (struct pending){.age = NOT_PENDING, .writer = FENCED};
    } else {
        ir_visit_registers(instruction, touch, flow);
    }
}

// ---- All ways -----------------------------------------------------------------------------------

// Who has written on both ways has; of two the first is named.
static bool join_writer(struct pending *before, const struct pending *now) {
    const uint32_t was = before->writer;
    if (was != FENCED && (now->writer == FENCED || now->writer < was))
        before->writer = now->writer;
    return before->writer != was;
}

// What is pending on both ways stays so; of the groups since then the larger number counts.
static bool join(struct flow *flow, uint32_t block) {
    const uint32_t count = flow->function->register_count;
    struct pending *before = flow->before[block];
    if (!before) {
        before = flow->before[block] = base_alloc((count + 1) * sizeof *before);
        memcpy(before, flow->at, (count + 1) * sizeof *before);
        return true;
    }
    bool changes = join_writer(&before[count], &flow->at[count]);
    for (uint32_t r = 0; r < count; r++) {
        const struct pending *now = &flow->at[r];
        changes |= join_writer(&before[r], now);
        if (before[r].age == NOT_PENDING)
            continue;
        const bool differs = now->age == NOT_PENDING || now->is_factor != before[r].is_factor;
        const uint16_t age = differs ? NOT_PENDING : now->age;
        if (age > before[r].age) {
            before[r].age = age;
            changes = true;
        }
        if (age != NOT_PENDING && now->product < before[r].product) {
            before[r].product = now->product;
            changes = true;
        }
    }
    return changes;
}

static void walk_block(struct flow *flow, uint32_t b) {
    const struct ir_block *block = &flow->function->blocks[b];
    memcpy(flow->at, flow->before[b], (flow->function->register_count + 1) * sizeof *flow->at);
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        flow->index = i;
        run(flow, &flow->function->instructions[i]);
    }
}

static void walk(struct flow *flow) {
    const struct ir_edges out = ir_flow(flow->function, IR_NONE);
    const uint32_t count = flow->function->block_count;
    for (uint32_t r = 0; r <= flow->function->register_count; r++)
        flow->at[r] = (struct pending){.age = NOT_PENDING, .writer = FENCED};
    if (flow->function->ptx->is_entry) // others may be called behind a fence
        flow->at[flow->function->register_count].writer = IR_NONE;
    join(flow, 0);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t b = 0; b < count; b++) {
            if (!flow->before[b])
                continue;
            walk_block(flow, b);
            for (uint32_t e = out.first[b]; e < out.first[b + 1]; e++)
                changes |= out.to[e] < count && join(flow, out.to[e]);
        }
    }
    flow->tells = true;
    for (uint32_t b = 0; b < count; b++)
        if (flow->before[b])
            walk_block(flow, b);
    ir_edges_free((struct ir_edges *)&out);
}

struct ir_early_touch *ir_early_touches(const struct ir_function *function, uint32_t *count) {
    struct flow flow = {.function = function};
    bool multiplies = false;
    for (uint32_t i = 0; i < function->instruction_count && !multiplies; i++)
        multiplies = is_product(&function->instructions[i]);
    if (multiplies) {
        flow.at = base_alloc((function->register_count + 1) * sizeof *flow.at);
        flow.before = base_alloc((function->block_count + 1) * sizeof *flow.before);
        walk(&flow);
        for (uint32_t b = 0; b < function->block_count; b++)
            free(flow.before[b]);
        free(flow.before);
        free(flow.at);
    }
    *count = (uint32_t)flow.touches.length;
    return flow.touches.data;
}

// ---- Who is sure to come there ------------------------------------------------------------------

// Post-dominators leave out those who end early where there is more than one end.
static bool has_one_end(const struct ir_function *function) {
    const struct ir_edges out = ir_flow(function, IR_NONE);
    uint32_t ends = 0;
    for (uint32_t b = 0; b < function->block_count; b++)
        ends +=
            function->blocks[b].order != IR_NONE && out.to[out.first[b]] == function->block_count;
    ir_edges_free((struct ir_edges *)&out);
    return ends == 1;
}

bool ir_follows_surely(const struct ir_function *function, uint32_t first, uint32_t later) {
    const uint32_t goal = ir_block_of(function, later);
    uint32_t b = ir_block_of(function, first);
    if (b == goal)
        return first < later;
    if (!has_one_end(function))
        return false;
    while (b != IR_NONE && b != goal)
        b = function->blocks[b].post_dominator;
    return b == goal;
}

// Calls of device functions: frames, parameters, results.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/flow/block.h"
#include "sim/flow/control.h"
#include "sim/shadow_frame.h"

static struct sim_split *current(struct sim_warp *warp) {
    return &warp->flow->splits[warp->flow->current];
}

struct sim_frame_memory sim_frame_parameters(struct sim_warp *warp) {
    const struct sim_frame *frame = current(warp)->frame;
    return (struct sim_frame_memory){frame->parameters, frame->code->ir->frame_parameter_bytes};
}

uint64_t sim_frame_local(const struct sim_warp *warp) {
    return warp->flow->splits[warp->flow->current].frame->local_base;
}

void sim_frame_leave(struct sim_warp_flow *flow, struct sim_frame *frame, uint32_t lanes) {
    assert(!(lanes & ~frame->lanes));
    frame->lanes &= ~lanes;
    if (frame->lanes || !frame->caller)
        return;
    size_t at = 0;
    while (at < flow->frames.length && flow->frames.data[at] != frame)
        at++;
    assert(at < flow->frames.length);
    flow->frames.data[at] = flow->frames.data[--flow->frames.length];
    free(frame); // registers and parameters lie behind it
}

static struct sim_frame *new_frame(const struct sim_code *code, bool is_tracked) {
    size_t head = (sizeof(struct sim_frame) + 63) / 64 * 64;
    size_t parameters = (size_t)code->ir->frame_parameter_bytes * LANES;
    const size_t registers = sim_shadow_frame_bytes(code, is_tracked);
    uint8_t *memory = base_alloc_aligned(64, head + registers + parameters);
    struct sim_frame *frame = (struct sim_frame *)(void *)memory;
    frame->registers = memory + head;
    frame->parameters = memory + head + registers;
    frame->code = code;
    return frame;
}

static void copy_lanes(uint8_t *to, uint64_t to_stride, const uint8_t *from, uint64_t from_stride,
                       uint64_t bytes, uint32_t mask) {
    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            memcpy(to + l * to_stride, from + l * from_stride, bytes);
}

// The callee's formal parameters come first among its variables: results, then arguments.
static const struct ir_variable *formal(const struct sim_code *callee, size_t index) {
    return callee->ir->variables[index];
}

static void pass_arguments(struct sim_warp *warp, const struct sim_call *call,
                           struct sim_frame *callee) {
    const struct sim_frame *caller = callee->caller;
    size_t returns = callee->code->ir->ptx->return_count;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ir_variable *variable = formal(callee->code, returns + i);
        assert(variable->space == PTX_SPACE_PARAM);
        uint64_t bytes = call->arguments[i].bytes;
        if (bytes > variable->ptx->bytes)
            bytes = variable->ptx->bytes;
        copy_lanes(callee->parameters + variable->offset, callee->code->ir->frame_parameter_bytes,
                   caller->parameters + call->arguments[i].offset,
                   caller->code->ir->frame_parameter_bytes, bytes, warp->mask);
    }
}

static void define_parameter(const struct sim_warp *warp, uint64_t at, uint64_t bytes) {
    const struct sim_block *block = warp->block;
    uint8_t *to = block->undefined_local + warp->index * LANES * block->local_bytes + at;
    EACH_LANE(l, warp->mask)
        memset(to + l * block->local_bytes, 0, bytes);
}

// Parameters whose address is taken lie in local memory, too.
static void copy_addressed(struct sim_warp *warp, const struct sim_frame *callee) {
    const struct sim_block *block = warp->block;
    const struct ir_function *ir = callee->code->ir;
    for (uint32_t i = 0; i < ir->variable_count; i++) {
        const struct ir_variable *variable = ir->variables[i];
        if (!variable->is_copied || !variable->ptx->bytes)
            continue;
        uint8_t *to = block->local + warp->index * LANES * block->local_bytes + callee->local_base +
                      variable->local_offset;
        copy_lanes(to, block->local_bytes, callee->parameters + variable->offset,
                   ir->frame_parameter_bytes, variable->ptx->bytes, warp->mask);
        if (block->undefined_local)
            define_parameter(warp, callee->local_base + variable->local_offset,
                             variable->ptx->bytes);
    }
}

static void pass_results(struct sim_warp *warp, const struct sim_frame *callee) {
    const struct sim_call *call = callee->call->call;
    struct sim_frame *caller = callee->caller;
    for (uint32_t i = 0; i < call->result_count && i < callee->code->ir->ptx->return_count; i++) {
        const struct ir_variable *variable = formal(callee->code, i);
        uint64_t bytes = call->results[i].bytes;
        if (bytes > variable->ptx->bytes)
            bytes = variable->ptx->bytes;
        copy_lanes(caller->parameters + call->results[i].offset,
                   caller->code->ir->frame_parameter_bytes, callee->parameters + variable->offset,
                   callee->code->ir->frame_parameter_bytes, bytes, warp->mask);
    }
}

// Results may be wanted of a function that returns none, as linkers have it: numba declares
// functions of C so. What they are nobody says.
static bool fits(const struct sim_call *call, const struct sim_code *callee) {
    const size_t returned = callee->ir->ptx->return_count;
    return call->argument_count == callee->ir->ptx->parameter_count &&
           (!returned || call->result_count <= returned);
}

const struct sim_instr *sim_enter(struct sim_warp *warp, const struct sim_instr *instr,
                                  const struct sim_code *callee) {
    struct sim_split *split = current(warp);
    struct sim_frame *caller = split->frame;
    unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    if (!fits(instr->call, callee))
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
                         "call of %s with other parameters than it declares", callee->ir->name);
    uint64_t local = caller->local_base + caller->code->ir->local_bytes;
    if (caller->depth + 1 >= SIM_MAX_CALL_DEPTH ||
        local + callee->ir->local_bytes > sim_stack_limit(warp))
        return sim_raise(warp, instr, SIM_FAULT_STACK, lane, 0,
                         "stack overflow: calls are %u deep, and %llu bytes of local memory are "
                         "in use",
                         caller->depth + 1, (unsigned long long)local);
    struct sim_frame *frame = new_frame(callee, warp->block->worker->sim->config.tracks_undefined);
    vec_push(&warp->flow->frames, frame);
    frame->caller = caller;
    frame->call = instr;
    frame->return_to = instr + 1;
    frame->lanes = warp->mask;
    frame->depth = caller->depth + 1;
    frame->local_base = local;
    memcpy(frame->stack, warp->flow->stack, sizeof frame->stack);
    if (callee->ir->local_bytes)
        sim_fill_local(warp, local, callee->ir->local_bytes, warp->mask);
    pass_arguments(warp, instr->call, frame);
    copy_addressed(warp, frame);
    sim_account(warp, instr->ordinal + 1);
    split->token = sim_push_token(warp, instr + 1, caller, warp->mask, split->token);
    split->frame = frame;
    warp->flow->run_start = callee->instrs->ordinal;
    warp->base[SIM_BASE_REGISTERS] = frame->registers;
    return sim_let_look(warp, callee->instrs);
}

const struct sim_instr *sim_return(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_split *split = current(warp);
    struct sim_frame *frame = split->frame;
    const struct sim_instr *next = frame->return_to;
    assert(frame->caller && split->mask == warp->mask);
    pass_results(warp, frame);
    EACH_LANE(l, warp->mask)
        warp->flow->stack[l] = frame->stack[l];
    sim_account(warp, instr->ordinal + 1);
    sim_leave_frame_tokens(warp, frame);
    split->frame = frame->caller;
    sim_frame_leave(warp->flow, frame, warp->mask);
    warp->base[SIM_BASE_REGISTERS] = split->frame->registers;
    warp->flow->run_start = next->ordinal;
    // The caller's lanes meet behind the call, where sim_enter put a token.
    return sim_reconverge(warp, next, next);
}

// ---- The call instruction -----------------------------------------------------------------

static const struct sim_instr *run_call(struct sim_warp *warp, const struct sim_instr *instr) {
    return sim_enter(warp, instr, instr->call->callee);
}

// Lanes that call the first active lane's function go; the others execute the call again.
static const struct sim_instr *run_call_indirect(struct sim_warp *warp,
                                                 const struct sim_instr *instr) {
    const uint64_t *targets = sim_at(warp, instr->call->target);
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    uint64_t target = targets[first];
    const struct sim_code *callee =
        sim_find_code(warp->block->worker->kernel, (const void *)(uintptr_t)target);
    if (!callee)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, first, target,
                         "call through 0x%llx, which is no function of this module",
                         (unsigned long long)target);
    if (callee->ir->ptx->is_entry)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, first, target,
                         "call through 0x%llx, which is the kernel %s: only a .func can be called",
                         (unsigned long long)target, callee->ir->name);
    uint32_t same = 0;
    for (int l = 0; l < LANES; l++)
        if ((warp->mask >> l & 1) && targets[l] == target)
            same |= 1u << l;
    if (same != warp->mask) {
        // Both parts wait for each other behind the call.
        sim_account(warp, instr->ordinal);
        return sim_diverge(warp, instr, same, instr, instr + 1);
    }
    return sim_enter(warp, instr, callee);
}

static const struct sim_instr *run_call_device(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct sim_call *call = instr->call;
    const struct sim_frame *frame = current(warp)->frame;
    _Alignas(64) uint8_t values[SIM_DEVICE_MAX_ARGUMENTS][SIM_DEVICE_MAX_BYTES * LANES];
    _Alignas(64) uint64_t result[LANES] = {0};
    const void *arguments[SIM_DEVICE_MAX_ARGUMENTS];
    uint64_t stride = frame->code->ir->frame_parameter_bytes;
    assert(call->argument_count <= SIM_DEVICE_MAX_ARGUMENTS);
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct sim_call_value *argument = &call->arguments[i];
        assert(argument->bytes <= SIM_DEVICE_MAX_BYTES);
        arguments[i] = values[i];
        uint8_t *to = values[i];
        for (unsigned l = 0; l < LANES; l++)
            memcpy(to + l * argument->bytes, frame->parameters + l * stride + argument->offset,
                   argument->bytes);
    }
    if (call->device->launches && !warp->block->worker->launch->may_launch)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION,
                         (unsigned)__builtin_ctz(warp->mask), 0,
                         "%s: only kernels of programs can launch kernels, not one that was "
                         "launched by hand",
                         call->device->name);
    if (!call->device->call(warp, instr, arguments, result))
        return NULL;
    for (uint32_t i = 0; i < call->result_count; i++)
        copy_lanes(frame->parameters + call->results[i].offset, stride, (uint8_t *)result,
                   call->results[i].bytes, call->results[i].bytes, warp->mask);
    return instr + 1;
}

FLOW_SELECT(call) {
    const struct sim_call *call = out->call;
    sim_handler handler = call->device   ? run_call_device
                          : call->callee ? run_call
                                         : run_call_indirect;
    out->run[0] = out->run[1] = handler;
    return true;
}

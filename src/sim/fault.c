// Faults: what happened, in words, with kernel, block, thread and source line.
#define _GNU_SOURCE // vasprintf
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "sim/flow/block.h"
#include "sim/launch.h"

// The compiler records whole paths; what lies below the working folder is known by less.
static const char *shortened(const char *path) {
    char folder[4096];
    if (!getcwd(folder, sizeof folder))
        return path;
    size_t length = strlen(folder);
    bool below = strncmp(path, folder, length) == 0 && path[length] == '/';
    return below ? path + length + 1 : path;
}

static void describe_line(const struct ir_function *function, uint32_t instruction,
                          struct strbuf *out) {
    const struct ir_source_place at = ir_instruction_place(function, instruction);
    if (at.file && at.line)
        strbuf_printf(out, "%s:%u: ", shortened(at.file), at.line);
}

struct sim_result sim_describe(struct sim_warp *warp, const struct sim_instr *instr,
                               enum sim_fault fault, unsigned lane, uint64_t address,
                               const char *format, va_list arguments) {
    const struct sim_block *block = warp->block;
    const struct sim_worker *worker = block->worker;
    const struct sim_frame *frame = warp->flow->splits[warp->flow->current].frame;
    const struct ir_function *function = frame->code->ir;
    const uint32_t *tid = (const uint32_t *)(const void *)warp->base[SIM_BASE_WARP];
    struct sim_result result = {.fault = fault, .function = function, .address = address};
    memcpy(result.block, block->index, sizeof result.block);
    for (int i = 0; i < 3; i++)
        result.thread[i] = tid[i * LANES + (int)lane];
    result.location = function->instructions[instr->ir].location;
    result.at = instr->ir;
    result.instruction = function->instructions[instr->ir].ptx->mnemonic;

    struct strbuf text = {0};
    if (fault != SIM_FAULT_ASSERT) // its text starts with the line
        describe_line(function, instr->ir, &text);
    char *words = NULL;
    if (vasprintf(&words, format, arguments) >= 0) {
        strbuf_puts(&text, words);
        free(words);
    }
    char *kernel = base_demangle(worker->kernel->ir->name);
    strbuf_printf(&text, "\n  in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)", kernel,
                  block->index[0], block->index[1], block->index[2], result.thread[0],
                  result.thread[1], result.thread[2]);
    free(kernel);
    result.message = strbuf_take(&text);
    return result;
}

const struct sim_instr *sim_raise(struct sim_warp *warp, const struct sim_instr *instr,
                                  enum sim_fault fault, unsigned lane, uint64_t address,
                                  const char *format, ...) {
    struct sim_block *block = warp->block;
    struct sim_block_fault *pending = &block->flow->fault;
    if (block->flow->has_fault) { // a further lane
        pending->lanes |= pending->warp == warp->index ? 1u << lane : 0;
        return NULL;
    }
    va_list arguments;
    va_start(arguments, format);
    const struct sim_result result =
        sim_describe(warp, instr, fault, lane, address, format, arguments);
    va_end(arguments);
    *pending = (struct sim_block_fault){result, instr, warp->index, 1u << lane};
    block->flow->has_fault = true;
    warp->stop = SIM_STOP_FAULT;
    return NULL;
}

void sim_raise_too(struct sim_warp *warp, uint32_t lanes) {
    EACH_LANE(l, lanes) {
        sim_raise(warp, NULL, SIM_OK, l, 0, "%s", "");
    }
}

void sim_report_fault(struct sim_block_flow *flow) {
    const struct sim_worker *worker = flow->block.worker;
    struct sim_result *result = &flow->fault.result;
    const unsigned others = sim_lane_count(flow->fault.lanes) - 1;
    struct strbuf text = {0};
    strbuf_puts(&text, result->message);
    if (others)
        strbuf_printf(&text, " and %u more lane%s of its warp", others, others == 1 ? "" : "s");
    if (result->function != worker->kernel->ir) {
        char *name = base_demangle(result->function->name);
        strbuf_printf(&text, ", in function %s", name);
        free(name);
    }
    free(result->message);
    result->message = strbuf_take(&text);
    sim_run_fault(flow->block.worker, flow->block.order, result);
    flow->fault = (struct sim_block_fault){0};
}

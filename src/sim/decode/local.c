// What a thread of a kernel takes of local memory: its frames, where calls are deepest. How much
// recursive and indirect calls and alloca take is up to the launch.
#include <stdlib.h>

#include "sim/decode/decode.h"
#include "sim/flow/warp.h"

enum call_state { NOT_SEEN, CALLED, KNOWN };

struct frames {
    struct sim_kernel *kernel;
    struct {
        enum call_state state;
        uint64_t bytes; // of the function and the deepest that it calls
    } * of;             // by number of code
    unsigned depth;
};

static uint64_t deepest(struct frames *frames, const struct sim_code *code);

static uint64_t callee_bytes(struct frames *frames, const struct sim_code *code,
                             const struct ir_instruction *instruction) {
    struct sim_kernel *kernel = frames->kernel;
    const struct ir_call *call = instruction->call;
    if (!call || !call->callee) {
        kernel->uses_stack |= call || instruction->ptx->isa == PTX_ISA_alloca_any;
        return 0;
    }
    const struct ir_function *callee = ir_find_function(code->ir->module, call->callee->name);
    const struct sim_code *found = callee ? sim_find_code(kernel, callee) : NULL;
    return found ? deepest(frames, found) : 0;
}

static uint64_t deepest(struct frames *frames, const struct sim_code *code) {
    const size_t number = (size_t)(code - frames->kernel->codes);
    if (frames->of[number].state == KNOWN)
        return frames->of[number].bytes;
    if (frames->of[number].state == CALLED) {
        frames->kernel->uses_stack = true;
        return 0;
    }
    if (frames->depth == SIM_MAX_CALL_DEPTH) // a deeper call is a fault
        return 0;
    frames->of[number].state = CALLED;
    frames->depth++;
    uint64_t most = 0;
    for (uint32_t i = 0; i < code->ir->instruction_count; i++) {
        const uint64_t bytes = callee_bytes(frames, code, &code->ir->instructions[i]);
        most = bytes > most ? bytes : most;
    }
    frames->depth--;
    frames->of[number].state = KNOWN;
    return frames->of[number].bytes = code->local_bytes + most;
}

// ---- The limit ----------------------------------------------------------------------------

// The largest of the functions' variables in a space; NULL: there is none.
static const struct ir_variable *largest(const struct sim_code *codes, uint32_t count,
                                         enum ptx_space space) {
    const struct ir_variable *found = NULL;
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < codes[c].ir->variable_count; i++) {
            const struct ir_variable *variable = codes[c].ir->variables[i];
            if (variable->space == space && (!found || variable->ptx->bytes > found->ptx->bytes))
                found = variable;
        }
    return found;
}

static bool refuse(const struct sim_kernel *kernel, const struct ir_variable *most,
                   const struct ir_function *of, uint64_t bytes, struct diag_list *diags) {
    const bool is_call = most && most->space == PTX_SPACE_PARAM;
    diag_add(diags, DIAG_ERROR, kernel->ir->module->ptx->source,
             most ? most->ptx->range : of->ptx->range,
             "'%s' takes %llu bytes of local memory for %s%s%s%s; a thread can have %u", of->name,
             (unsigned long long)bytes, is_call ? "the parameters of calls" : "each thread",
             most ? ", most for '" : "", most ? most->name : "", most ? "'" : "",
             SIM_MAX_LOCAL_BYTES);
    return false;
}

bool sim_decode_local(struct sim_kernel *kernel, struct diag_list *diags) {
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        const struct ir_function *ir = kernel->codes[i].ir;
        if (ir->frame_parameter_bytes > SIM_MAX_LOCAL_BYTES)
            return refuse(kernel, largest(&kernel->codes[i], 1, PTX_SPACE_PARAM), ir,
                          ir->frame_parameter_bytes, diags);
    }
    struct frames frames = {.kernel = kernel};
    frames.of = base_alloc((kernel->code_count + 1) * sizeof *frames.of);
    const uint64_t bytes = deepest(&frames, &kernel->codes[0]);
    free(frames.of);
    kernel->local_bytes = (bytes + 15) / 16 * 16;
    if (kernel->local_bytes <= SIM_MAX_LOCAL_BYTES)
        return true;
    return refuse(kernel, largest(kernel->codes, kernel->code_count, PTX_SPACE_LOCAL), kernel->ir,
                  kernel->local_bytes, diags);
}

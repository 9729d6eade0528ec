// Calls: where arguments and results lie in the caller's frame, and who is called.
#include <string.h>

#include "sim/decode/decode.h"

static bool decode_values(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          const struct ir_operand *operands, uint32_t count,
                          struct sim_call_value **out) {
    *out = ARENA_ARRAY(decoder->kernel->arena, struct sim_call_value, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_operand *operand = &operands[i];
        if (operand->kind != IR_OPERAND_SYMBOL || !operand->variable ||
            operand->variable->space != PTX_SPACE_PARAM) {
            sim_decode_error(decoder, ir,
                             "a call's parameters must be .param variables or registers");
            return false;
        }
        (*out)[i].offset = operand->variable->offset + operand->value;
        (*out)[i].bytes = operand->variable->ptx->bytes;
    }
    return true;
}

// Functions of the device runtime (libcudadevrt), by which kernels launch work.
static bool is_device_runtime(const char *name) {
    static const char *const beginnings[] = {"cudaLaunchDevice", "cudaGetParameterBuffer",
                                             "__cudaCDP", "cudaGraphLaunch"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void decode_device_function(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                   struct sim_call *call) {
    const char *name = ir->call->callee->name;
    call->device = sim_device_find(name);
    if (!call->device && is_device_runtime(name)) {
        sim_decode_error(decoder, ir,
                         "'%s' of the device runtime is not supported: of that there are launches, "
                         "streams, events and cudaMalloc",
                         name);
        return;
    }
    if (!call->device) {
        sim_decode_error(decoder, ir,
                         "the function '%s' has no body here, and bankrun's device "
                         "library does not have it",
                         name);
        return;
    }
    decoder->kernel->launches |= call->device->launches;
    decoder->kernel->allocates |= sim_device_allocates(call->device);
    if (call->argument_count != call->device->arguments) {
        sim_decode_error(decoder, ir, "'%s' takes %u parameters, not %u", name,
                         call->device->arguments, call->argument_count);
        return;
    }
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (call->arguments[i].bytes != call->device->argument_bytes[i])
            sim_decode_error(decoder, ir, "parameter %u of '%s' has %u bytes, not %llu", i + 1,
                             name, call->device->argument_bytes[i],
                             (unsigned long long)call->arguments[i].bytes);
    for (uint32_t i = 0; i < call->result_count; i++)
        if (call->results[i].bytes > call->device->result_bytes)
            sim_decode_error(decoder, ir, "'%s' gives %u bytes, not %llu", name,
                             call->device->result_bytes,
                             (unsigned long long)call->results[i].bytes);
}

const struct sim_call *sim_decode_call(struct sim_decoder *decoder,
                                       const struct ir_instruction *ir) {
    const struct ir_call *source = ir->call;
    struct sim_call *call = ARENA_NEW(decoder->kernel->arena, struct sim_call);
    call->argument_count = source->argument_count;
    call->result_count = source->result_count;
    if (!decode_values(decoder, ir, source->arguments, source->argument_count, &call->arguments) ||
        !decode_values(decoder, ir, source->results, source->result_count, &call->results))
        return call;
    if (!source->callee) {
        call->target = sim_operand_ref(decoder, ir, &source->target);
        if (sim_decoder_operand_bytes(decoder, &source->target) != 8)
            sim_decode_error(decoder, ir, "an indirect call needs a 64-bit register");
        return call;
    }
    const struct ir_function *callee =
        ir_find_function(decoder->function->module, source->callee->name);
    if (!callee) {
        decode_device_function(decoder, ir, call);
        return call;
    }
    call->callee = sim_find_code(decoder->kernel, callee);
    return call;
}

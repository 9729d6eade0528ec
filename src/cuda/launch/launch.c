#include "cuda/launch/launch.h"
#include "cuda/launch/calls.h"
#include "cuda/launch/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "cuda/checks/check.h"
#include "cuda/core/error.h"
#include "cuda/core/gap.h"
#include "cuda/core/hand_over.h"
#include "cuda/core/thread.h"
#include "cuda/graph/state.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"
#include "ir/ir.h"
#include "run/fault.h"
#include "run/launch.h"
#include "run/module.h"

// The kernel's parameter block, filled from the program's array of pointers or its packed copy. The
// caller frees it.
static uint8_t *pack_parameters(const struct ir_function *ir, const struct cuda_launch *launch,
                                void **arguments) {
    uint8_t *block = base_alloc(ir->parameter_bytes ? ir->parameter_bytes : 1);
    if (launch->packed) {
        memcpy(block, launch->packed,
               launch->packed_bytes < ir->parameter_bytes ? launch->packed_bytes
                                                          : ir->parameter_bytes);
        return block;
    }
    for (size_t i = 0; i < ir->ptx->parameter_count; i++)
        memcpy(block + run_parameter_offset(ir, i), arguments[i], ir->ptx->parameters[i].bytes);
    return block;
}

enum { EIGHT_BYTE_BANKS = 2 }; // cudaSharedMemBankSizeEightByte

// What was set for the kernel comes before what was set for the device.
static bool has_wide_banks(const struct cuda_state *state, const struct cuda_function *function) {
    int set = cuda_function_here(state, function)->shared_config;
    return (set ? set : state->current->shared_config) == EIGHT_BYTE_BANKS;
}

// Where the launch is to be recorded; NULL: nowhere.
static struct profile *profile_of(struct cuda_state *state) {
    if (!state->profile || !state->profiler.is_paused)
        return state->profile;
    state->profiler.left_out++;
    return NULL;
}

static void note_fault(struct cuda_state *state, const struct sim_result *result) {
    state->current->pending = cuda_fault_error(result->fault);
    if (result->fault == SIM_FAULT_STOPPED && state->dying)
        return;
    cuda_say("%s", result->message ? result->message : "a kernel failed");
}

// A fault in a launch that the program left out of the profile.
static void note_uncounted(struct cuda_state *state, const struct run_launch *launch,
                           const struct sim_result *result) {
    struct profile_launch_result end = {0};
    struct profile_fault where;
    run_describe_end(launch, result, &end, &where);
    if (end.where) {
        char *kernel = base_demangle(sim_kernel_function(launch->kernel)->name);
        char *text = profile_fault_summary(kernel, &where);
        cuda_gap(state, PROFILE_GAP_FAULT, "%s", text);
        free(text);
        free(kernel);
    }
    run_fault_free(&where);
}

// Once for each, in however many launches.
static void say_passed(struct cuda_state *state, const struct sim_passed *passed) {
    for (size_t i = 0; i < state->said_passed.length; i++)
        if (state->said_passed.data[i] == passed->instr)
            return;
    vec_push(&state->said_passed, passed->instr);
    cuda_say("let pass: %s", passed->first.message);
}

// What a thread may take for recursion and alloca. Without a larger limit it is generous: the
// frames of machine code are other ones than those of PTX.
static uint64_t stack_of(const struct cuda_state *state) {
    const size_t least = 16 * 1024, limit = state->current->limits[CUDA_LIMIT_STACK];
    return limit > least ? limit : least;
}

static struct sim_launch describe(const struct cuda_state *state,
                                  const struct cuda_function *function,
                                  const struct cuda_launch *launch) {
    struct sim_launch sim = cuda_launch_shape(launch);
    sim.stack_bytes = stack_of(state);
    sim.may_launch = true;
    sim.set_condition = cuda_condition_set;
    sim.condition_context = (void *)(uintptr_t)state;
    unsigned threads = launch->block.x * launch->block.y * launch->block.z;
    sim.resident_blocks =
        (uint64_t)cuda_occupancy(state, function, threads, launch->dynamic_shared) *
        state->device.limits.multiprocessors;
    return sim;
}

// The result's children are the caller's.
static struct sim_result run_alone(struct cuda_state *state, const struct cuda_kernel *kernel) {
    const struct cuda_function *function = kernel->function;
    struct run_launch launch = {
        .kernel = cuda_function_here(state, function)->kernel,
        .sim = describe(state, function, &kernel->launch),
        .profile = profile_of(state),
        .proves_blocks = state->config.sample.is_proved,
        .schedule = state->config.schedule,
        .arch =
            state->config.arch | (has_wide_banks(state, function) ? BANKRUN_EIGHT_BYTE_BANKS : 0),
        .device = state->current->number,
        .devices = state->device_count,
        .thread = cuda_thread_number(),
        .trace = state->trace.trace,
        .progress = state->config.shows_progress ? stderr : NULL,
        .stop = &state->dying,
    };
    launch.sim.parameters = kernel->parameters;
    const struct event_observer *checker =
        cuda_check_observer(state, sim_kernel_function(launch.kernel));
    launch.observers = &checker;
    launch.observer_count = checker != NULL;
    if (launch.profile)
        launch.compiled = cuda_module_compiled(state, function->module, function->ir);
    struct sim_result result;
    cuda_hand_over_launching(&launch);
    const bool spreads = spread_is_ready(state->spread);
    const bool is_guarded = cuda_guard_begin(state->current->sim, spreads);
    launch.sim.is_guarded = is_guarded && sim_has_registered_host(state->current->sim);
    if (is_guarded && spreads) {
        launch.spread = spread_face(state->spread);
        spread_listing(state->spread, launch.compiled ? function->module->code.listing : NULL);
    }
    run_launch(&launch, &result);
    if (is_guarded)
        cuda_guard_end();
    cuda_hand_over_landed();
    for (size_t i = 0; i < result.passed_count; i++)
        say_passed(state, &result.passed[i]);
    cuda_check_fault(state, &launch, &result);
    if (result.fault != SIM_OK)
        note_fault(state, &result);
    if (!launch.profile)
        note_uncounted(state, &launch, &result);
    return result;
}

// ---- Kernels that launch kernels ------------------------------------------------------------

enum { MOST_LEVELS = 24 };

static void run(struct cuda_state *state, const struct cuda_kernel *kernel, unsigned level);

static struct cuda_function *function_of(struct cuda_state *state, struct cuda_module *module,
                                         const struct ir_function *ir) {
    for (size_t i = 0; i < module->functions.length; i++)
        if (module->functions.data[i]->ir == ir)
            return module->functions.data[i];
    // The host never names it.
    struct cuda_function *function = cuda_function_add(state, module, NULL, ir->name);
    function->ir = ir;
    function->layout = ir_shared_layout(ir);
    return function;
}

// Whether all the bytes lie in one allocation.
static bool is_memory(const struct cuda_state *state, uint64_t address, uint64_t bytes) {
    const struct sim_allocation *found = sim_find(state->current->sim, address, false);
    return found && bytes <= found->address + found->bytes - address;
}

static void copy_for(struct cuda_state *state, const struct cuda_function *parent,
                     const struct sim_child *child) {
    if (!child->bytes)
        return;
    if (!is_memory(state, child->to, child->bytes) ||
        (child->from && !is_memory(state, child->from, child->bytes))) {
        cuda_say_gap(state, PROFILE_GAP_FAULT,
                     "%s, block %llu: a copy of %llu bytes from 0x%llx to 0x%llx leaves its memory",
                     parent->name, (unsigned long long)child->parent,
                     (unsigned long long)child->bytes, (unsigned long long)child->from,
                     (unsigned long long)child->to);
        state->current->pending = cudaErrorIllegalAddress;
        return;
    }
    cuda_check_kernel_copies(state, child->to, child->from, child->bytes);
    void *to = (void *)(uintptr_t)child->to;
    struct sim *sim = cuda_any_sim(state);
    if (child->from) {
        sim_define_copy(sim, to, (const void *)(uintptr_t)child->from, child->bytes);
        memmove(to, (const void *)(uintptr_t)child->from, child->bytes);
    } else {
        sim_define(sim, to, child->bytes);
        memset(to, child->value, child->bytes);
    }
}

static void run_child(struct cuda_state *state, struct cuda_function *parent,
                      const struct sim_child *child, unsigned level) {
    if (!child->kernel) {
        copy_for(state, parent, child);
        return;
    }
    struct cuda_function *function = function_of(state, parent->module, child->kernel);
    struct cuda_launch launch = {
        .grid = {child->grid[0], child->grid[1], child->grid[2]},
        .block = {child->block[0], child->block[1], child->block[2]},
        .dynamic_shared = child->dynamic_shared_bytes,
        .packed = child->parameters,
        .packed_bytes = child->kernel->parameter_bytes,
        .parent = parent->name,
    };
    struct cuda_operation operation = {.kind = CUDA_NODE_EMPTY};
    enum cuda_error error = cuda_kernel_of(state, function, &launch, NULL, &operation);
    if (error == cudaSuccess && level > MOST_LEVELS) {
        error = cudaErrorLaunchMaxDepthExceeded;
        cuda_note_refused(state, function, &launch, error);
    }
    if (error == cudaSuccess)
        run(state, &operation.u.kernel, level);
    cuda_operation_free(state, &operation);
    if (error == cudaSuccess)
        return;
    cuda_say("%s cannot launch %s with grid (%u,%u,%u) and block (%u,%u,%u): %s", parent->name,
             function->name, child->grid[0], child->grid[1], child->grid[2], child->block[0],
             child->block[1], child->block[2], cuda_error_text(error));
    state->current->pending = cudaErrorLaunchFailure;
}

// A child's own children belong to it: it has ended when they have.
static void run(struct cuda_state *state, const struct cuda_kernel *kernel, unsigned level) {
    struct sim_result result = run_alone(state, kernel);
    for (int tail = 0; tail <= 1; tail++)
        for (size_t i = 0; i < result.child_count; i++)
            if (result.children[i].is_tail == tail && state->current->pending == cudaSuccess &&
                !state->dying)
                run_child(state, kernel->function, &result.children[i], level + 1);
    sim_result_free(&result);
}

enum cuda_error cuda_kernel_run(struct cuda_state *state, const struct cuda_kernel *kernel) {
    struct cuda_device *caller = state->current;
    if (!kernel->function->handle.is_live)
        return cudaErrorInvalidResourceHandle;
    state->current = kernel->device;
    enum cuda_error error = cuda_make_device(state) ? cudaSuccess : cudaErrorInitializationError;
    if (error == cudaSuccess)
        error = cuda_module_load(state, kernel->function->module);
    if (error == cudaSuccess)
        error = cuda_function_decode(state, kernel->function);
    if (error == cudaSuccess)
        run(state, kernel, 0);
    state->current = caller;
    return error;
}

// The device that a launch goes to is the stream's: kernels are on all devices, but for those of a
// driver's module, and for a runtime before 12, which takes the current device's.
static enum cuda_error go_to_stream(struct cuda_state *state, const void *stub,
                                    cuda_stream stream) {
    const struct cuda_function *function = cuda_function_known(state, stub);
    const struct cuda_module *module = function ? function->module : NULL;
    if (!cuda_stream_is_good(state, stream))
        return cudaErrorInvalidResourceHandle;
    struct cuda_device *device = cuda_stream_device(state, stream);
    if (module && module->context && module->device != device->number)
        return cudaErrorInvalidResourceHandle;
    if (device == state->current)
        return cudaSuccess;
    return cuda_version() < 12000 ? cudaErrorInvalidResourceHandle : cuda_visit(state, device);
}

static enum cuda_error make_kernel(struct cuda_state *state, const void *stub,
                                   const struct cuda_launch *launch, void **arguments,
                                   struct cuda_operation *operation) {
    struct cuda_function *function;
    struct cuda_launch asked = *launch;
    enum cuda_error stream_error = go_to_stream(state, stub, launch->stream);
    enum cuda_error error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess)
        error = cuda_check_launch(state, function, launch);
    if (error == cudaSuccess)
        error = stream_error;
    if (error == cudaSuccess)
        error = cuda_function_decode(state, function);
    if (error == cudaSuccess && !arguments && !launch->packed && function->ir->ptx->parameter_count)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && launch->packed &&
        launch->packed_bytes > function->ir->parameter_bytes)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    const struct cuda_dim3 required = cuda_required_cluster(state, function);
    if (required.x)
        asked.cluster = required;
    uint8_t *parameters = pack_parameters(function->ir, launch, arguments);
    asked.packed = NULL;
    *operation = (struct cuda_operation){.kind = CUDA_NODE_KERNEL,
                                         .u.kernel = {.function = function,
                                                      .device = state->current,
                                                      .launch = asked,
                                                      .parameters = parameters}};
    return cudaSuccess;
}

enum cuda_error cuda_kernel_of(struct cuda_state *state, const void *stub,
                               const struct cuda_launch *launch, void **arguments,
                               struct cuda_operation *operation) {
    enum cuda_error error = make_kernel(state, stub, launch, arguments, operation);
    if (error != cudaSuccess)
        cuda_note_refused(state, stub, launch, error);
    return error;
}

// Lock held. A launch that fails in a capture spoils it.
static enum cuda_error queue(struct cuda_state *state, const void *stub,
                             const struct cuda_launch *launch, void **arguments, bool is_lost) {
    struct cuda_operation operation;
    enum cuda_error error = cuda_kernel_of(state, stub, launch, arguments, &operation);
    if (error != cudaSuccess) {
        if (cuda_stream_is_good(state, launch->stream))
            cuda_capture_spoil(state, launch->stream);
        return error;
    }
    if (state->dying && !is_lost) {
        cuda_operation_free(state, &operation);
        return cudaErrorLaunchFailure;
    }
    return cuda_enqueue(state, launch->stream, &operation, is_lost);
}

enum cuda_error cuda_launch_packed(void **extra, struct cuda_launch *launch) {
    enum { END, POINTER, BYTES }; // words of `extra`
    for (; extra && (uintptr_t)*extra != END; extra += 2) {
        if ((uintptr_t)*extra == POINTER)
            launch->packed = extra[1];
        else if ((uintptr_t)*extra == BYTES)
            launch->packed_bytes = *(const size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

enum cuda_error cuda_launch_kernel(struct cuda_state *state, const void *stub,
                                   struct cuda_launch *launch, void **arguments) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    // The function is looked at first, even on a broken device.
    if (!stub) {
        error = cudaErrorInvalidDeviceFunction;
        cuda_note_refused(state, stub, launch, error);
    }
    return error == cudaSuccess ? queue(state, stub, launch, arguments, is_lost) : error;
}

enum cuda_error cuda_launch_attributes(const struct cuda_launch_attribute *attributes,
                                       uint32_t count, struct cuda_launch *launch) {
    for (uint32_t i = 0; i < count; i++) {
        const struct cuda_launch_attribute *attribute = &attributes[i];
        if ((unsigned)attribute->id >= CUDA_LAUNCH_ATTRIBUTES)
            return cudaErrorInvalidValue;
        if (attribute->id == CUDA_LAUNCH_COOPERATIVE)
            launch->is_cooperative = attribute->value.cooperative != 0;
        if (attribute->id == CUDA_LAUNCH_CLUSTER) {
            const uint32_t *cluster = attribute->value.cluster;
            launch->cluster = (struct cuda_dim3){cluster[0], cluster[1], cluster[2]};
        }
    }
    return cudaSuccess;
}

enum cuda_error cuda_launch_kernel_ex_c(struct cuda_state *state,
                                        const struct cuda_launch_config *config, const void *stub,
                                        void **arguments) {
    if (!config)
        return cudaErrorInvalidValue;
    struct cuda_launch launch = {
        .grid = config->grid,
        .block = config->block,
        .dynamic_shared = config->dynamic_shared,
        .stream = config->stream,
    };
    enum cuda_error error =
        cuda_launch_attributes(config->attributes, config->attribute_count, &launch);
    return error == cudaSuccess ? cuda_launch_kernel(state, stub, &launch, arguments) : error;
}

// A launch, from the names that the caller gives to its result.
#include "run/launch.h"

#include <stdlib.h>
#include <string.h>

#include "run/api/api.h"
#include "run/refused.h"

#define SAME(fault, sim_fault) _Static_assert((int)(fault) == (int)(sim_fault), "")
SAME(BANKRUN_NO_FAULT, SIM_OK);
SAME(BANKRUN_ILLEGAL_ADDRESS, SIM_FAULT_ILLEGAL_ADDRESS);
SAME(BANKRUN_MISALIGNED_ADDRESS, SIM_FAULT_MISALIGNED);
SAME(BANKRUN_INVALID_SPACE, SIM_FAULT_INVALID_SPACE);
SAME(BANKRUN_ASSERTION, SIM_FAULT_ASSERT);
SAME(BANKRUN_TRAP, SIM_FAULT_TRAP);
SAME(BANKRUN_DEADLOCK, SIM_FAULT_DEADLOCK);
SAME(BANKRUN_INSTRUCTION_LIMIT, SIM_FAULT_INSTRUCTION_LIMIT);
SAME(BANKRUN_INTERRUPTED, SIM_FAULT_STOPPED);
SAME(BANKRUN_STACK_OVERFLOW, SIM_FAULT_STACK);
SAME(BANKRUN_ILLEGAL_INSTRUCTION, SIM_FAULT_ILLEGAL_INSTRUCTION);
SAME(BANKRUN_NO_BLOCK, SIM_FAULT_NO_BLOCK);

// NULL: the message says why, and *error.
static struct sim_kernel *find_kernel(struct bankrun_module *module, const char *name,
                                      enum bankrun_error *error, char **message) {
    size_t matches;
    const struct ptx_function *found = run_find_kernel(module->run.ptx, name, &matches);
    if (!found) {
        struct strbuf text = {0};
        run_describe_missing(module->run.ptx, name, matches, &text);
        *error = api_fail_text(message, BANKRUN_NO_KERNEL, &text);
        return NULL;
    }
    struct diag_list diags = {0};
    struct sim_kernel *kernel = sim_module_kernel(module->run.sim, found->name, &diags);
    if (!kernel)
        *error = api_fail_diags(message, BANKRUN_NOT_SIMULATED, &diags);
    diag_free(&diags);
    return kernel;
}

static void copy_size(uint32_t to[3], const uint32_t from[3]) {
    to[0] = from[0];
    for (int i = 1; i < 3; i++)
        to[i] = from[i] ? from[i] : 1;
}

static struct sim_launch describe(const struct bankrun_device *device,
                                  const struct bankrun_launch *launch,
                                  const struct ir_function *kernel) {
    struct sim_launch sim = {.dynamic_shared_bytes = launch->shared_bytes,
                             .stack_bytes = launch->stack_bytes,
                             .is_cooperative = launch->is_cooperative};
    copy_size(sim.grid, launch->grid);
    copy_size(sim.block, launch->block);
    const uint32_t *cluster = launch->cluster;
    if (cluster[0] || cluster[1] || cluster[2])
        copy_size(sim.cluster, cluster);
    else
        run_required_cluster(&device->limits, kernel, sim.cluster);
    return sim;
}

static void note_refused(const struct bankrun_device *device, const struct sim_launch *sim,
                         const struct sim_kernel *kernel, struct profile *profile) {
    const struct ir_function *function = sim_kernel_function(kernel);
    const struct run_refused refused = {.symbol = function->name,
                                        .kernel = function,
                                        .limits = &device->limits,
                                        .launch = sim,
                                        .dynamic_bytes = sim->dynamic_shared_bytes,
                                        .static_bytes = sim_kernel_layout(kernel)->static_bytes};
    run_add_refused(profile, &refused);
}

static enum bankrun_error check(const struct bankrun_device *device, const struct sim_launch *sim,
                                const struct sim_kernel *kernel,
                                const struct bankrun_profile *profile, char **message) {
    const struct ir_function *function = sim_kernel_function(kernel);
    struct run_refusal refusals[RUN_MOST_REFUSALS];
    struct strbuf text = {0};
    const size_t count = run_check(&device->limits, sim, function,
                                   sim_kernel_layout(kernel)->static_bytes, refusals);
    if (count && profile)
        note_refused(device, sim, kernel, profile->profile);
    for (size_t i = 0; i < count; i++) {
        char *line = run_refusal_text(&refusals[i], &device->limits, function->name);
        strbuf_printf(&text, "%s%s", i ? "\n" : "", line);
        free(line);
    }
    return count ? api_fail_text(message, BANKRUN_REFUSED, &text) : BANKRUN_SUCCESS;
}

// A profile holds launches of one architecture, counted one way.
static enum bankrun_error check_profile(const struct bankrun_module *module,
                                        const struct bankrun_profile *profile, char **message) {
    const unsigned arch = module->device->limits.chip->arch;
    if (!profile)
        return BANKRUN_SUCCESS;
    if (profile->profile->arch != arch)
        return api_fail(message, BANKRUN_BAD_CALL,
                        "the profile is of sm_%u, the device is an sm_%u", profile->profile->arch,
                        arch);
    if (profile->profile->checks & profile_check_bit(PROFILE_CHECK_INIT) &&
        !module->device->tracks_undefined)
        return api_fail(message, BANKRUN_BAD_CALL,
                        "BANKRUN_CHECK_INIT needs a device that was opened with tracks_undefined");
    if (profile->profile->launch_count &&
        profile->profile->is_as_compiled != (module->compiled != NULL))
        return api_fail(message, BANKRUN_BAD_CALL,
                        "the profile's launches are counted by the %s, this one by the %s",
                        module->compiled ? "PTX" : "machine code",
                        module->compiled ? "machine code" : "PTX");
    profile->profile->is_as_compiled = module->compiled != NULL;
    return BANKRUN_SUCCESS;
}

static void fill_result(const struct sim_result *sim, struct bankrun_result *result) {
    *result = (struct bankrun_result){.blocks_run = sim->blocks_run,
                                      .instructions = sim->instructions,
                                      .thread_instructions = sim->thread_instructions,
                                      .fault = (enum bankrun_fault)sim->fault,
                                      .address = sim->address};
    memcpy(result->block, sim->block, sizeof result->block);
    memcpy(result->thread, sim->thread, sizeof result->thread);
    for (size_t i = 0; i < sim->passed_count; i++)
        result->passed += sim->passed[i].count;
    if (!sim->function)
        return;
    const struct ir_source_place at = ir_instruction_place(sim->function, sim->at);
    result->file = at.file;
    result->line = at.line;
}

static enum bankrun_error report(const struct sim_result *result, char **message) {
    switch (result->fault) {
    case SIM_OK:
        return api_succeed(message);
    case SIM_FAULT_STOPPED:
    case SIM_FAULT_INSTRUCTION_LIMIT:
        return api_fail(message, BANKRUN_STOPPED, "%s",
                        result->message ? result->message : "the launch was interrupted");
    default:
        return api_fail(message, BANKRUN_FAULTED, "%s", result->message);
    }
}

static enum bankrun_error run(struct bankrun_module *module, struct sim_kernel *kernel,
                              const struct bankrun_launch *launch, const struct sim_launch *sim,
                              struct bankrun_result *result, char **message) {
    struct api_observers *observers =
        api_observers_create(module, sim_kernel_function(kernel), launch);
    struct run_launch whole = {.kernel = kernel,
                               .sim = *sim,
                               .profile = launch->profile ? launch->profile->profile : NULL,
                               .arch = module->device->arch,
                               .compiled = module->compiled,
                               .observers = api_observers_list(observers),
                               .observer_count = (unsigned)launch->observer_count};
    struct sim_result ended;
    run_launch(&whole, &ended);
    api_observers_free(observers);
    if (result)
        fill_result(&ended, result);
    const enum bankrun_error error = report(&ended, message);
    sim_result_free(&ended);
    return error;
}

enum bankrun_error bankrun_launch(struct bankrun_module *module,
                                  const struct bankrun_launch *launch,
                                  struct bankrun_result *result, char **message) {
    enum bankrun_error error = BANKRUN_SUCCESS;
    if (result)
        *result = (struct bankrun_result){0};
    if (!launch->kernel)
        return api_fail(message, BANKRUN_BAD_CALL, "the launch names no kernel");
    struct sim_kernel *kernel = find_kernel(module, launch->kernel, &error, message);
    if (!kernel)
        return error;
    const struct ir_function *function = sim_kernel_function(kernel);
    struct sim_launch sim = describe(module->device, launch, function);
    error = check_profile(module, launch->profile, message);
    if (error == BANKRUN_SUCCESS)
        error = check(module->device, &sim, kernel, launch->profile, message);
    if (error != BANKRUN_SUCCESS)
        return error;
    uint8_t *parameters = api_pack_arguments(function, launch, message);
    if (!parameters)
        return BANKRUN_BAD_ARGUMENTS;
    sim.parameters = parameters;
    error = run(module, kernel, launch, &sim, result, message);
    free(parameters);
    return error;
}

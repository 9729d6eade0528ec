#include "launch_all.h"

#include <stdlib.h>
#include <string.h>

#include "run/launch.h"
#include "run/limits.h"
#include "run/module.h"

enum {
    ARCH = 90,
    KERNELS = 4, // of a module that are launched
    THREADS = 64,
    BUFFERS = 4,
    BUFFER_BYTES = 4096,
    DYNAMIC_BYTES = 1024,
    MOST_INSTRUCTIONS = 20000,
};

struct fuzz {
    struct sim *sim;
    struct run_module module;
    struct diag_list diags;
    struct profile *profile;
    void *buffers[BUFFERS];
};

static void check_ranges(const struct diag_list *diags, size_t size) {
    for (size_t i = 0; i < diags->count; i++) {
        struct source_range range = diags->items[i].range;
        if (range.begin > range.end || range.end > size)
            abort();
    }
}

// What is as long as a pointer points to a buffer; other parameters are small numbers.
static void fill_parameters(const struct fuzz *fuzz, const struct ir_function *kernel,
                            uint8_t *parameters) {
    for (size_t i = 0; i < kernel->ptx->parameter_count; i++) {
        const struct ptx_variable *parameter = &kernel->ptx->parameters[i];
        uint8_t *place = parameters + run_parameter_offset(kernel, i);
        const uint64_t address = (uint64_t)(uintptr_t)fuzz->buffers[i % BUFFERS];
        if (parameter->bytes == sizeof address)
            memcpy(place, &address, sizeof address);
        else if (parameter->bytes)
            *place = (uint8_t)(4 * i + 4);
    }
}

static struct sim_launch shape_of(const struct run_limits *limits,
                                  const struct ir_function *kernel) {
    const uint32_t *required = kernel->ptx->required_threads;
    const unsigned most = run_block_threads(limits, kernel);
    struct sim_launch launch = {.grid = {2, 1, 1},
                                .block = {most < THREADS ? most : THREADS, 1, 1},
                                .dynamic_shared_bytes = DYNAMIC_BYTES};
    run_required_cluster(limits, kernel, launch.cluster);
    for (int i = 0; i < 3; i++) {
        if (required[0])
            launch.block[i] = required[i] ? required[i] : 1;
        if (launch.cluster[i])
            launch.grid[i] = launch.cluster[i];
    }
    return launch;
}

static void launch(struct fuzz *fuzz, const char *name) {
    struct sim_kernel *kernel = sim_module_kernel(fuzz->module.sim, name, &fuzz->diags);
    if (!kernel) {
        if (!fuzz->diags.errors)
            abort();
        return;
    }
    const struct ir_function *function = sim_kernel_function(kernel);
    const struct run_limits limits = run_limits_of(ARCH);
    const uint64_t shared = sim_kernel_layout(kernel)->static_bytes;
    struct run_refusal refusals[RUN_MOST_REFUSALS];
    uint8_t *parameters = calloc(1, function->parameter_bytes + 1);
    struct run_launch run = {.kernel = kernel,
                             .sim = shape_of(&limits, function),
                             .profile = fuzz->profile,
                             .schedule = {.seed = 1, .runs = fuzz->profile->checks ? 1 : 0},
                             .arch = ARCH};
    run.sim.parameters = parameters;
    if (parameters && run_check(&limits, &run.sim, function, shared, refusals) == 0) {
        struct sim_result result;
        fill_parameters(fuzz, function, parameters);
        run_launch(&run, &result);
        if (result.fault != SIM_OK && !result.message)
            abort();
        sim_result_free(&result);
    }
    free(parameters);
}

static void launch_all(struct fuzz *fuzz) {
    for (int i = 0; i < BUFFERS; i++) {
        fuzz->buffers[i] = sim_alloc(fuzz->sim, BUFFER_BYTES, SIM_DEVICE);
        if (!fuzz->buffers[i])
            return; // the module's variables fill the device
        memset(fuzz->buffers[i], i, BUFFER_BYTES);
    }
    unsigned launched = 0;
    for (uint32_t i = 0; i < fuzz->module.ir->function_count && launched < KERNELS; i++) {
        const struct ptx_function *function = fuzz->module.ir->functions[i]->ptx;
        if (!run_is_kernel(function))
            continue;
        launch(fuzz, function->name);
        launched++;
    }
}

bool fuzz_launch_all(const uint8_t *data, size_t size, bool is_checked) {
    const struct sim_config config = {.arch = ARCH,
                                      .threads = 1,
                                      .max_instructions = MOST_INSTRUCTIONS,
                                      .device_bytes = 64 << 20,
                                      .tracks_undefined = is_checked};
    const struct source source = {"fuzz.ptx", (const char *)data, size};
    struct fuzz fuzz = {.sim = sim_create(&config),
                        .profile = profile_create(ARCH, (char *[]){"fuzz.ptx"}, 1)};
    if (is_checked)
        fuzz.profile->checks = (1u << PROFILE_CHECKS) - 1;
    const bool is_taken = run_module_parse(&fuzz.module, &source, &fuzz.diags) &&
                          run_module_load(&fuzz.module, fuzz.sim, &fuzz.diags);
    if (is_taken)
        launch_all(&fuzz);
    check_ranges(&fuzz.diags, size);
    free(profile_to_json(fuzz.profile));
    profile_free(fuzz.profile);
    run_module_free(&fuzz.module);
    sim_destroy(fuzz.sim);
    diag_free(&fuzz.diags);
    return is_taken;
}

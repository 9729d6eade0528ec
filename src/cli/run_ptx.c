// Runs one launch of a PTX module: buffers in, kernel, profile and dumps out.
#define _GNU_SOURCE // CPU_COUNT
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "bankrun/banks.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/launch_spec.h"
#include "profile/compiled.h"
#include "sim/sim.h"
#include "toolchain/disassemble.h"

struct ptx_run {
    const struct cli_options *options;
    const struct source *source; // of the module
    struct source launch_source; // of the launch specification
    struct arena *arena;
    struct launch_spec spec;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct sim *sim;
    struct sim_module *module;
    struct sim_kernel *kernel;
    const struct ir_function *function;
    int threads;
    void **buffers; // one for each argument, NULL for scalars; owned by the sim
    uint8_t *parameters;
    struct profile_trace *trace; // NULL: nothing is traced
    FILE *trace_file;            // NULL: a standard stream
};

// An example of --launch for the first kernel.
static void suggest_launch(const char *path, const struct ptx_module *ptx) {
    const struct ptx_function *kernel = NULL;
    for (size_t i = 0; i < ptx->function_count && !kernel; i++)
        if (ptx->functions[i].is_entry && ptx->functions[i].has_body)
            kernel = &ptx->functions[i];
    if (!kernel) {
        cli_error("%s has no kernel", path);
        return;
    }
    cli_error("%s: --launch says what to run, for example:", path);
    fprintf(stderr, "    --launch '%s<<<1, 32>>>(", kernel->name);
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const struct ptx_variable *parameter = &kernel->parameters[i];
        fputs(i ? ", " : "", stderr);
        if (parameter->is_array)
            fprintf(stderr, "b8[%llu]", (unsigned long long)parameter->bytes);
        else if (ptx_type_bytes(parameter->type) == 8 && parameter->type != PTX_F64)
            fputs("f32[1024]=iota", stderr);
        else
            fputs("1024", stderr);
    }
    fputs(")'\n", stderr);
}

static bool check_shape(const struct ptx_run *run, const struct bankrun_limits *limits,
                        struct diag_list *diags) {
    const struct launch_spec *spec = &run->spec;
    static const uint32_t most_block[3] = {1024, 1024, 64};
    const uint32_t most_grid[3] = {limits->arch < 30 ? 65535 : INT32_MAX, 65535, 65535};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        threads *= spec->block[i]; // at most 2^42 before it is refused
        if (spec->block[i] > most_block[i]) {
            diag_add(diags, DIAG_ERROR, &run->launch_source, spec->block_range,
                     "a block has at most %u threads in %c", most_block[i], "xyz"[i]);
            return false;
        }
        if (spec->grid[i] > most_grid[i])
            diag_add(diags, DIAG_ERROR, &run->launch_source, spec->grid_range,
                     "a grid has at most %u blocks in %c", most_grid[i], "xyz"[i]);
    }
    if (threads > limits->threads_per_block)
        diag_add(diags, DIAG_ERROR, &run->launch_source, spec->block_range,
                 "the block has %llu threads; sm_%u takes at most %u", (unsigned long long)threads,
                 limits->arch, limits->threads_per_block);
    return diags->errors == 0;
}

static bool check_clusters(const struct ptx_run *run, const struct ptx_function *kernel,
                           struct diag_list *diags) {
    for (int i = 0; i < 3; i++)
        if (kernel->required_cluster[i] && run->spec.grid[i] % kernel->required_cluster[i])
            diag_add(diags, DIAG_ERROR, &run->launch_source, run->spec.grid_range,
                     "the grid's %u blocks in %c are no multiple of the cluster's %u",
                     run->spec.grid[i], "xyz"[i], kernel -> required_cluster[i]);
    return diags->errors == 0;
}

static bool check_shared(const struct ptx_run *run, const struct bankrun_limits *limits,
                         struct diag_list *diags) {
    uint64_t bytes = ir_shared_layout(run->function)->static_bytes + run->spec.shared_bytes;
    if (bytes <= limits->shared_block_bytes)
        return true;
    struct source_range range =
        run->spec.shared_bytes ? run->spec.shared_range : run->spec.kernel_range;
    diag_add(diags, DIAG_ERROR, &run->launch_source, range,
             "the block needs %llu bytes of shared memory; sm_%u has %u for one block",
             (unsigned long long)bytes, limits->arch, limits->shared_block_bytes);
    return false;
}

static int default_threads(void) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus))
        return 1;
    return CPU_COUNT(&cpus);
}

// Source to kernel. False: diags say why, or it was printed.
static bool load(struct ptx_run *run, struct diag_list *diags) {
    const struct cli_options *options = run->options;
    run->ptx = ptx_parse(run->source, diags);
    if (diags->errors)
        return false;
    if (!options->launch) {
        suggest_launch(run->source->name, run->ptx);
        return false;
    }
    run->launch_source = (struct source){"<launch>", options->launch, strlen(options->launch)};
    if (!launch_spec_parse(&run->launch_source, run->arena, &run->spec, diags))
        return false;
    const struct ptx_function *kernel =
        launch_spec_kernel(&run->spec, &run->launch_source, run->ptx, diags);
    if (!kernel || !launch_spec_fit(&run->spec, &run->launch_source, kernel, run->arena, diags) ||
        !check_shape(run, bankrun_limits_of(options->arch), diags) ||
        !check_clusters(run, kernel, diags))
        return false;
    run->ir = ir_build(run->ptx, diags);
    if (!run->ir)
        return false;
    run->threads = options->trace ? 1 : options->threads ? options->threads : default_threads();
    run->sim = sim_create(&(struct sim_config){.arch = options->arch,
                                               .threads = run->threads,
                                               .max_instructions = options->max_instructions,
                                               .sample = options->sample});
    run->module = sim_module_load(run->sim, run->ir, NULL, diags);
    run->kernel = run->module ? sim_module_kernel(run->module, kernel->name, diags) : NULL;
    if (!run->kernel)
        return false;
    run->function = sim_kernel_function(run->kernel);
    return check_shared(run, bankrun_limits_of(options->arch), diags);
}

static const struct ir_variable *parameter_variable(const struct ir_function *function,
                                                    size_t index) {
    for (uint32_t i = 0; i < function->variable_count; i++)
        if (function->variables[i]->ptx == &function->ptx->parameters[index])
            return function->variables[i];
    return NULL;
}

// Reads the file of an argument; sets its count where none was given. NULL: diags grew.
static char *read_values(const struct ptx_run *run, struct launch_argument *argument,
                         const struct ptx_variable *parameter, struct diag_list *diags) {
    char *data;
    size_t length;
    unsigned bytes = ptx_type_bytes(argument->type);
    if (!file_read(argument->path, &data, &length)) {
        diag_add(diags, DIAG_ERROR, &run->launch_source, argument->range, "%s: %s", argument->path,
                 strerror(errno));
        return NULL;
    }
    uint64_t wanted = argument->is_by_value ? parameter->bytes : argument->count * bytes;
    bool is_exact = argument->has_count || argument->is_by_value;
    if (is_exact ? length != wanted : length == 0 || length % bytes != 0) {
        if (is_exact)
            diag_add(diags, DIAG_ERROR, &run->launch_source, argument->range,
                     "%s has %zu bytes, the argument %llu", argument->path, length,
                     (unsigned long long)wanted);
        else
            diag_add(diags, DIAG_ERROR, &run->launch_source, argument->range,
                     "%s has %zu bytes, which are no elements of %u", argument->path, length,
                     bytes);
        free(data);
        return NULL;
    }
    argument->count = length / bytes;
    return data;
}

// Gives one argument its buffer, if it has one, and writes its bytes of the parameter block.
static bool bind(struct ptx_run *run, size_t index, struct diag_list *diags) {
    struct launch_argument *argument = &run->spec.arguments[index];
    const struct ptx_variable *parameter = &run->function->ptx->parameters[index];
    uint8_t *place = run->parameters + parameter_variable(run->function, index)->offset;
    char *file = NULL;
    if (argument->init == LAUNCH_FILE) {
        file = read_values(run, argument, parameter, diags);
        if (!file)
            return false;
    }
    uint64_t bytes = argument->count * ptx_type_bytes(argument->type);
    void *memory = place;
    if (argument->is_buffer && !argument->is_by_value) {
        memory = sim_alloc(run->sim, bytes, SIM_DEVICE);
        if (!memory) {
            diag_add(diags, DIAG_ERROR, &run->launch_source, argument->range,
                     "the device has no %llu bytes left for this buffer",
                     (unsigned long long)bytes);
            free(file);
            return false;
        }
        run->buffers[index] = memory;
        uint64_t address = (uint64_t)(uintptr_t)memory;
        memcpy(place, &address, sizeof address);
    }
    if (file)
        memcpy(memory, file, bytes);
    else
        launch_fill(argument, memory);
    free(file);
    return true;
}

static bool bind_all(struct ptx_run *run, struct diag_list *diags) {
    run->parameters = arena_alloc(run->arena, run->function->parameter_bytes + 8);
    run->buffers = ARENA_ARRAY(run->arena, void *, run->spec.argument_count + 1);
    for (size_t i = 0; i < run->spec.argument_count; i++)
        if (!bind(run, i, diags))
            return false;
    return true;
}

// The buffer that `ARG=FILE` names, by name or by position from 0; argument_count: none.
static size_t dumped_argument(const struct ptx_run *run, const char *dump) {
    const struct launch_spec *spec = &run->spec;
    size_t length = strcspn(dump, "="), at = 0;
    for (; at < spec->argument_count; at++) {
        char position[24];
        snprintf(position, sizeof position, "%zu", at);
        const char *name = spec->arguments[at].name ? spec->arguments[at].name : position;
        bool is_meant = (strlen(name) == length && !memcmp(dump, name, length)) ||
                        (strlen(position) == length && !memcmp(dump, position, length));
        if (is_meant && run->buffers[at])
            break;
    }
    return at;
}

static bool check_dumps(const struct ptx_run *run) {
    for (size_t i = 0; i < run->options->dumps.length; i++) {
        const char *dump = run->options->dumps.data[i];
        if (dumped_argument(run, dump) == run->spec.argument_count) {
            cli_error("--dump %s: the launch has no buffer '%.*s'", dump, (int)strcspn(dump, "="),
                      dump);
            return false;
        }
    }
    return true;
}

static bool write_dumps(const struct ptx_run *run) {
    for (size_t i = 0; i < run->options->dumps.length; i++) {
        const char *dump = run->options->dumps.data[i];
        size_t at = dumped_argument(run, dump);
        const struct launch_argument *argument = &run->spec.arguments[at];
        size_t name = strcspn(dump, "=");
        const char *path = dump + name + 1;
        if (!strcmp(path, "-")) {
            printf("%.*s: ", (int)name, dump);
            launch_print_values(argument->type, run->buffers[at], argument->count, stdout);
            putchar('\n');
        } else if (!file_write(path, run->buffers[at],
                               argument->count * ptx_type_bytes(argument->type))) {
            cli_error("%s: %s", path, strerror(errno));
            return false;
        }
    }
    return true;
}

static struct sim *volatile interrupted; // what a signal stops

static void on_interrupt(int signal) {
    (void)signal;
    if (interrupted)
        sim_interrupt(interrupted);
}

static bool show_progress(void *context, uint64_t blocks_done, uint64_t blocks,
                          uint64_t instructions) {
    progress_update(context, blocks_done, blocks, instructions);
    return true;
}

static void launch(struct ptx_run *run, const struct access_observer *observer,
                   struct sim_result *result) {
    struct progress progress;
    progress_begin(&progress, options_show_progress(run->options) ? stderr : NULL,
                   run->function->name);
    struct sim_launch launch = {.dynamic_shared_bytes = run->spec.shared_bytes,
                                .parameters = run->parameters,
                                .observer = observer,
                                .progress = show_progress,
                                .progress_context = &progress};
    memcpy(launch.grid, run->spec.grid, sizeof launch.grid);
    memcpy(launch.block, run->spec.block, sizeof launch.block);
    memcpy(launch.cluster, run->function->ptx->required_cluster, sizeof launch.cluster);
    interrupted = run->sim;
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND}, old;
    sigaction(SIGINT, &stop, &old);
    sim_launch(run->kernel, &launch, result);
    sigaction(SIGINT, &old, NULL);
    interrupted = NULL;
    progress_end(&progress);
}

// Sets *compiled where it is wanted. False: it cannot be had.
static bool read_compiled(const struct ptx_run *run, struct profile_compiled **compiled) {
    *compiled = NULL;
    if (!run->options->as_compiled)
        return true;
    struct diag_list diags = {0};
    const char features = run->ptx->target_suffix;
    char *listing =
        toolchain_disassemble(run->source->text, run->source->length,
                              features ? run->ptx->target : run->options->arch, features, &diags);
    if (listing)
        *compiled = profile_compiled_parse(listing);
    for (size_t i = 0; i < diags.count; i++)
        cli_error("--as compiled: %s", diags.items[i].message);
    diag_free(&diags);
    free(listing);
    return *compiled != NULL;
}

// Launches, and saves what was counted in the profile.
static int launch_and_record(struct ptx_run *run, struct profile *profile) {
    struct profile_compiled *compiled;
    if (!read_compiled(run, &compiled))
        return CLI_USAGE;
    profile->is_as_compiled = compiled != NULL;
    struct profile_launch_info info = {.kernel = run->function,
                                       .layout = ir_shared_layout(run->function),
                                       .dynamic_shared_bytes = run->spec.shared_bytes,
                                       .workers = (unsigned)run->threads,
                                       .arch = run->options->arch,
                                       .trace = run->trace,
                                       .may_sample = run->options->blocks != NULL,
                                       .compiled = compiled};
    memcpy(info.grid, run->spec.grid, sizeof info.grid);
    memcpy(info.block, run->spec.block, sizeof info.block);
    struct profile_recorder *recorder = profile_record(&info);
    struct sim_result result = {0};
    launch(run, run->options->no_count ? NULL : profile_observer(recorder), &result);
    struct profile_launch_result counted = {.blocks_run = result.blocks_run,
                                            .instructions = result.instructions,
                                            .thread_instructions = result.thread_instructions,
                                            .fault = result.fault ? result.message : NULL,
                                            .is_sample = result.is_sample};
    profile_finish(recorder, profile, &counted);
    profile_compiled_free(compiled);
    int status = CLI_OK;
    if (result.fault) {
        cli_error("%s", result.message ? result.message : "the launch ended in a fault");
        status = result.fault == SIM_FAULT_STOPPED ? 128 + SIGINT : CLI_FAULT;
    }
    sim_result_free(&result);
    return status;
}

static int execute(struct ptx_run *run) {
    char *argv[] = {(char *)run->source->name, (char[]){"--launch"}, (char *)run->options->launch};
    struct profile *profile = profile_create(run->options->arch, argv, sizeof argv / sizeof *argv);
    int status = launch_and_record(run, profile);
    fflush(stdout); // what the kernel printed comes first
    if (!write_dumps(run))
        status = CLI_USAGE;
    fflush(stdout);
    int report_status =
        run->options->no_count ? CLI_OK : write_report(profile, run->options, stderr);
    profile_free(profile);
    return status ? status : report_status;
}

static bool start_trace(struct ptx_run *run) {
    const char *path = run->options->trace_output;
    size_t length = path ? strlen(path) : 0;
    if (!run->options->trace)
        return true;
    if (path && strcmp(path, "-")) {
        run->trace_file = fopen(path, "we");
        if (!run->trace_file) {
            cli_error("%s: %s", path, strerror(errno));
            return false;
        }
    }
    FILE *out = run->trace_file ? run->trace_file : path ? stdout : stderr;
    run->trace = profile_trace_create(run->options->trace, out,
                                      length > 4 && !strcmp(path + length - 4, ".csv"));
    return run->trace != NULL;
}

static void end_trace(struct ptx_run *run, bool has_run) {
    if (run->trace && has_run && !profile_trace_has_matched(run->trace))
        cli_error("--trace %s: no shared-memory access of that line was made", run->options->trace);
    profile_trace_free(run->trace);
    if (run->trace_file)
        fclose(run->trace_file);
}

int run_ptx(const struct source *source, const struct cli_options *options) {
    struct ptx_run run = {.options = options, .source = source, .arena = arena_create()};
    struct diag_list diags = {0};
    int status = CLI_USAGE;
    bool is_ready = load(&run, &diags) && bind_all(&run, &diags);
    print_diags(&diags, options);
    is_ready = is_ready && check_dumps(&run) && start_trace(&run);
    if (is_ready)
        status = execute(&run);
    end_trace(&run, is_ready);
    if (run.module)
        sim_module_unload(run.module, NULL);
    sim_destroy(run.sim);
    ir_free(run.ir);
    ptx_module_free(run.ptx);
    arena_destroy(run.arena);
    return status;
}

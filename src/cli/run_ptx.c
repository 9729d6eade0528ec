// Runs one launch of a PTX module, which may be made of a CUDA source: buffers in, kernel, profile
// and dumps out.
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/launch_spec.h"
#include "compiled/code.h"
#include "profile/as.h"
#include "run/launch.h"
#include "run/limits.h"
#include "run/module.h"
#include "run/refused.h"
#include "run/trace.h"

struct ptx_run {
    const struct cli_options *options;
    const struct source *source; // of the module
    const char *name;            // of the file
    struct source launch_source; // of the launch specification
    struct arena *arena;
    struct launch_spec spec;
    struct run_module module;
    struct sim *sim;
    struct run_launch launch;
    struct profile *profile;
    const struct ir_function *function;
    void **buffers; // one for each argument, NULL for scalars; owned by the sim
    struct run_trace trace;
};

// An example of --launch for the first kernel.
static void suggest_launch(const char *path, const struct ptx_module *ptx) {
    const struct ptx_function *kernel = NULL;
    for (size_t i = 0; i < ptx->function_count && !kernel; i++)
        if (run_is_kernel(&ptx->functions[i]))
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

// What of the specification a limit is about.
static struct source_range range_of(const struct launch_spec *spec, enum run_limit limit) {
    switch (limit) {
    case RUN_GRID_EXTENT:
    case RUN_CLUSTER_REMAINDER:
        return spec->grid_range;
    case RUN_BLOCK_EXTENT:
    case RUN_BLOCK_THREADS:
    case RUN_KERNEL_THREADS:
    case RUN_KERNEL_BLOCK:
        return spec->block_range;
    case RUN_SHARED:
        return spec->shared_bytes ? spec->shared_range : spec->kernel_range;
    case RUN_DYNAMIC_SHARED:
    case RUN_COOPERATIVE:
    case RUN_CLUSTER_MISSING:
    case RUN_CLUSTER_REQUIRED:
    case RUN_CLUSTER_BLOCKS:
        break;
    }
    return spec->kernel_range;
}

static void explain_refusal(const struct ptx_run *run, const struct run_refused *refused,
                            const struct run_refusal *refusal, struct diag_list *diags) {
    const struct source_range range = range_of(&run->spec, refusal->limit);
    char *text = run_refusal_text(refusal, refused->limits, run->function->name);
    char *cure = run_refusal_cure(refusal, refused);
    diag_add(diags, DIAG_ERROR, &run->launch_source, range, "%s", text);
    if (cure)
        diag_add(diags, DIAG_NOTE, &run->launch_source, range, "cure: %s", cure);
    free(text);
    free(cure);
}

// A refused launch is in the profile, as those of programs are.
static bool check_limits(struct ptx_run *run, struct diag_list *diags) {
    const struct run_limits limits = run_limits_of(run->options->arch);
    const uint64_t static_bytes = sim_kernel_layout(run->launch.kernel)->static_bytes;
    const struct run_refused refused = {.symbol = run->function->name,
                                        .kernel = run->function,
                                        .limits = &limits,
                                        .launch = &run->launch.sim,
                                        .dynamic_bytes = run->launch.sim.dynamic_shared_bytes,
                                        .static_bytes = static_bytes};
    struct run_refusal refusals[RUN_MOST_REFUSALS];
    const size_t count =
        run_check(&limits, &run->launch.sim, run->function, static_bytes, refusals);
    for (size_t i = 0; i < count; i++)
        explain_refusal(run, &refused, &refusals[i], diags);
    if (count)
        run_add_refused(run->profile, &refused);
    return count == 0;
}

// Which kernel to launch. NULL: diags grew.
static const struct ptx_function *read_launch(struct ptx_run *run, struct diag_list *diags) {
    const struct source *source = &run->launch_source;
    run->launch_source =
        (struct source){"<launch>", run->options->launch, strlen(run->options->launch)};
    if (!launch_spec_parse(source, run->arena, &run->spec, diags))
        return NULL;
    const struct ptx_function *kernel =
        launch_spec_kernel(&run->spec, source, run->module.ptx, diags);
    return kernel && launch_spec_fit(&run->spec, source, kernel, run->arena, diags) ? kernel : NULL;
}

static struct sim *volatile interrupted; // what a signal stops
static volatile sig_atomic_t interrupted_by;

static void describe_launch(struct ptx_run *run) {
    const struct cli_options *options = run->options;
    const struct launch_spec *spec = &run->spec;
    run->function = sim_kernel_function(run->launch.kernel);
    run->launch.arch = options->arch;
    run->launch.proves_blocks = options->sample.is_proved;
    run->launch.stop = &interrupted_by;
    run->launch.progress = options_show_progress(options) ? stderr : NULL;
    struct sim_launch *sim = &run->launch.sim;
    memcpy(sim->grid, spec->grid, sizeof sim->grid);
    memcpy(sim->block, spec->block, sizeof sim->block);
    memcpy(sim->cluster, run->function->ptx->required_cluster, sizeof sim->cluster);
    sim->dynamic_shared_bytes = spec->shared_bytes;
}

// Source to kernel. False: diags say why, or it was printed.
static bool load(struct ptx_run *run, struct diag_list *diags) {
    const struct cli_options *options = run->options;
    if (!run_module_parse(&run->module, run->source, diags))
        return false;
    if (!options->launch) {
        suggest_launch(run->name, run->module.ptx);
        return false;
    }
    const struct ptx_function *kernel = read_launch(run, diags);
    if (!kernel)
        return false;
    // The order of a trace's lines is the same in every run with one thread only.
    char *cache = environment_cache_folder(options);
    sim_compiled_code_at(cache);
    free(cache);
    run->sim = sim_create(&(struct sim_config){
        .arch = options->arch,
        .threads = options->trace ? 1 : options->threads,
        .max_instructions = options->max_instructions,
        .engine = (enum sim_engine)(options->engine - CLI_ENGINE_AUTO),
        .lets_pass = options->lets_pass,
        .fill = options->fill,
        .tracks_undefined = options->checks & profile_check_bit(PROFILE_CHECK_INIT),
        .output = stdout,
        .sample = options->sample});
    if (!run_module_load(&run->module, run->sim, diags))
        return false;
    run->launch.kernel = sim_module_kernel(run->module.sim, kernel->name, diags);
    if (!run->launch.kernel)
        return false;
    describe_launch(run);
    return check_limits(run, diags);
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
static bool bind(struct ptx_run *run, size_t index, uint8_t *parameters, struct diag_list *diags) {
    struct launch_argument *argument = &run->spec.arguments[index];
    const struct ptx_variable *parameter = &run->function->ptx->parameters[index];
    uint8_t *place = parameters + run_parameter_offset(run->function, index);
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
    sim_define(run->sim, memory, bytes);
    free(file);
    return true;
}

static bool bind_all(struct ptx_run *run, struct diag_list *diags) {
    uint8_t *parameters = arena_alloc(run->arena, run->function->parameter_bytes + 8);
    run->launch.sim.parameters = parameters;
    run->buffers = ARENA_ARRAY(run->arena, void *, run->spec.argument_count + 1);
    for (size_t i = 0; i < run->spec.argument_count; i++)
        if (!bind(run, i, parameters, diags))
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

static void on_interrupt(int signal) {
    interrupted_by = signal;
    if (interrupted)
        sim_interrupt(interrupted);
}

// The launch, which a signal that asks for the end stops; a second one of its kind ends bankrun.
static void launch(const struct ptx_run *run, struct sim_result *result) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    enum { ENDS = sizeof ends / sizeof *ends };
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND}, old[ENDS];
    interrupted = run->sim;
    for (int i = 0; i < ENDS; i++)
        if (sigaction(ends[i], NULL, &old[i]) == 0 && old[i].sa_handler == SIG_DFL)
            sigaction(ends[i], &stop, NULL);
    run_launch(&run->launch, result);
    for (int i = 0; i < ENDS; i++)
        sigaction(ends[i], &old[i], NULL);
    interrupted = NULL;
}

// Sets *compiled where it is wanted. False: it cannot be had.
static bool read_compiled(const struct ptx_run *run, struct compiled_code **compiled) {
    const bool is_auto = run->options->may_be_written;
    *compiled = NULL;
    if (!run->options->as_compiled)
        return true;
    struct diag_list diags = {0};
    char *cache = environment_cache_folder(run->options);
    char *listing = run_list_code(run->module.ptx, run->source, run->options->arch, cache, &diags);
    free(cache);
    *compiled = listing ? compiled_code_parse(listing) : NULL;
    free(listing);
    if (*compiled)
        profile_note_compiled(run->profile, compiled_code_maker(*compiled));
    else if (is_auto && diags.count)
        profile_note_written(run->profile, diags.items[0].message);
    for (size_t i = 0; i < diags.count && !is_auto; i++)
        cli_error("--as compiled: %s", diags.items[i].message);
    diag_free(&diags);
    return *compiled || is_auto;
}

// Launches, and saves what was counted in the profile.
static int launch_and_record(struct ptx_run *run) {
    struct compiled_code *compiled;
    if (!read_compiled(run, &compiled))
        return CLI_USAGE;
    if (run->options->as_reason)
        profile_note_written(run->profile, run->options->as_reason);
    run->profile->is_uncounted = run->options->only_checks;
    run->profile->checks = run->options->checks;
    run->launch.schedule = run->options->schedule;
    run->launch.compiled = compiled;
    run->launch.trace = run->trace.trace;
    run->launch.profile = run->options->no_count ? NULL : run->profile;
    struct sim_result result = {0};
    launch(run, &result);
    compiled_code_free(compiled);
    int status = CLI_OK;
    for (size_t i = 0; i < result.passed_count; i++)
        cli_error("let pass: %s", result.passed[i].first.message);
    if (result.fault) {
        cli_error("%s", result.message ? result.message : "the launch ended in a fault");
        status = result.fault == SIM_FAULT_STOPPED ? 128 + interrupted_by : CLI_FAULT;
    }
    sim_result_free(&result);
    return status;
}

static int execute(struct ptx_run *run) {
    int status = launch_and_record(run);
    fflush(stdout); // what the kernel printed comes first
    if (!write_dumps(run))
        status = CLI_USAGE;
    fflush(stdout);
    int report_status =
        run->options->no_count ? CLI_OK : write_run_report(run->profile, run->options);
    return status ? status : report_status;
}

static bool start_trace(struct ptx_run *run) {
    const struct cli_options *options = run->options;
    bool is_open =
        !options->trace || run_trace_open(&run->trace, options->trace, options->trace_output);
    if (!is_open)
        cli_error("%s: %s", options->trace_output, strerror(errno));
    return is_open;
}

static bool end_trace(struct ptx_run *run) {
    const struct cli_options *options = run->options;
    if (run->trace.trace && !profile_trace_has_matched(run->trace.trace))
        cli_error("--trace %s: no shared-memory access of that line was made", options->trace);
    bool is_written = run_trace_close(&run->trace);
    if (!is_written)
        cli_error("%s: not all of the trace could be written",
                  options->trace_output ? options->trace_output : "the trace");
    return is_written;
}

static struct profile *begin_profile(const char *name, const struct cli_options *options) {
    char *argv[] = {(char *)name, (char[]){"--launch"}, (char *)options->launch};
    return profile_create(options->arch, argv, options->launch ? sizeof argv / sizeof *argv : 1);
}

// What was refused was printed already; files and formats for machines hold it, too.
static void report_refused(const struct ptx_run *run) {
    const struct cli_options *options = run->options;
    if (run->profile->refused_count && !options->no_count &&
        (options->output || options->format != REPORT_TEXT))
        write_run_report(run->profile, options);
}

int run_ptx(const struct source *source, const char *name, const struct cli_options *options) {
    struct ptx_run run = {.options = options,
                          .source = source,
                          .name = name,
                          .arena = arena_create(),
                          .profile = begin_profile(name, options)};
    struct diag_list diags = {0};
    int status = CLI_USAGE;
    bool is_ready = load(&run, &diags) && bind_all(&run, &diags);
    print_diags(&diags, options);
    if (is_ready && check_dumps(&run) && start_trace(&run)) {
        status = execute(&run);
        if (!end_trace(&run) && status == CLI_OK)
            status = CLI_USAGE;
    }
    report_refused(&run);
    profile_free(run.profile);
    run_module_free(&run.module);
    sim_destroy(run.sim);
    arena_destroy(run.arena);
    return status;
}

// Runs a CUDA program as a child process that loads our CUDA runtime, and takes over the profile
// that the runtime makes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/collect.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/environment.h"
#include "toolchain/elf_info.h"
#include "toolchain/libraries.h"

// A check that saw nothing has not passed.
static int report_nothing(const char *name, const struct cli_options *options) {
    cli_error("%s left no profile: it used no device, or ended before it did", name);
    int status = CLI_OK;
    if (output_is_read(options)) {
        char *argv[] = {(char *)name};
        struct profile *nothing = profile_create(options->arch, argv, 1);
        nothing->is_as_compiled = options->as_compiled;
        status = write_run_report(nothing, options);
        profile_free(nothing);
    }
    return options->fail_on_fault ? CLI_FAILED_RUN : status;
}

// Reports what was handed over, under the name that the user gave.
static int report(struct collection *collection, const char *path, const char *name,
                  const struct cli_options *options) {
    for (size_t i = 0; i < collection->profiles.length; i++) {
        struct profile *process = collection->profiles.data[i];
        if (process->program_count > 0 && !strcmp(process->program[0], path)) {
            free(process->program[0]); // of a source it is the compiled program's path
            process->program[0] = base_strdup(name);
        }
    }
    struct profile *profile = collect_one(collection, NULL, options);
    int status = profile ? write_run_report(profile, options) : report_nothing(name, options);
    profile_free(profile);
    return status;
}

static void only_me(void *handover) {
    if (handover)
        handover_only_me(handover);
}

// Runs the executable with our libraries.
static int run_with_profile(const char *path, char **argv, const char *name,
                            struct environment_libraries *libraries,
                            const struct toolchain_program *program,
                            const struct cli_options *options) {
    struct handover *handover;
    if (!collect_prepare(options, &handover))
        return CLI_USAGE;
    struct child child = {.prepare = only_me, .context = handover, .name = name};
    struct collection collection = {0};
    environment_use_libraries(libraries,
                              program->has_rpath && program->runtime[0] ? program->runtime : NULL);
    environment_tell_packages(libraries, options);
    environment_set_options(options);
    int status = child_run(path, argv, &child), report_status = status < 0 ? CLI_USAGE : CLI_OK;
    if (status >= 0 && !options->no_count) {
        collect(handover, &child, options, &collection);
        report_status = report(&collection, path, name, options);
    }
    if (collection.has_failed && report_status == CLI_OK)
        report_status = CLI_USAGE;
    collection_free(&collection);
    handover_free(handover);
    return status > 0 ? status : report_status;
}

// Runs the executable `path`. `name` is what the user called the program.
static int run_executable(const char *path, char **argv, const char *name,
                          const struct cli_options *options) {
    struct diag_list diags = {0};
    struct toolchain_program program = {0};
    bool is_read = toolchain_inspect(path, &program, &diags);
    print_diags(&diags, options);
    if (!is_read)
        return CLI_USAGE;
    if (program.kind == TOOLCHAIN_NO_CUDA) // but what it starts may use CUDA, or a library of it
        return run_command(path, argv, options);
    const char *problem = toolchain_program_problem(program.kind);
    if (problem) {
        cli_error("%s %s", name, problem);
        return CLI_USAGE;
    }
    struct environment_libraries libraries;
    const char *library = program.runtime[0] ? program.runtime : "libcuda.so.1";
    if (!environment_find_libraries(&libraries, library, name))
        return CLI_USAGE;
    int status = run_with_profile(path, argv, name, &libraries, &program, options);
    environment_release_libraries(&libraries);
    return status;
}

// What stands behind the source is the program's, and none of the compiler's.
static void hint_at_flags(char *const *argv) {
    static const char *const flags[] = {"-I", "-D", "-L", "-l", "-std=", "-O", "-isystem", NULL};
    for (size_t i = 1; argv[i]; i++)
        for (size_t f = 0; flags[f]; f++)
            if (!strncmp(argv[i], flags[f], strlen(flags[f]))) {
                cli_error("%s stands behind %s, and so is an argument of the program: flags of the "
                          "compiler stand before it",
                          argv[i], argv[0]);
                return;
            }
}

// Static libraries of CUDA hold machine code alone, which would fail at the first call, far from
// here.
static bool links_static_library(const struct cli_options *options) {
    char name[64];
    for (size_t i = 0; i < options->nvcc_flags.length; i++) {
        const char *flag = options->nvcc_flags.data[i], *end = strstr(flag, "_static");
        if (!end || strncmp(flag, "-l", 2) != 0)
            continue;
        snprintf(name, sizeof name, "lib%.*s", (int)(end - flag - 2), flag + 2);
        if (!library_is_machine_code(name))
            continue;
        cli_error("%s exists only as machine code, and a static library cannot be replaced: link "
                  "-l%s%s",
                  flag, name + 3,
                  library_is_computed(name) ? ", which --libraries cpu computes" : "");
        return true;
    }
    return false;
}

// Compiles argv[0] and runs what came out; the program sees its own path as argv[0].
static int run_source(char **argv, const struct cli_options *options) {
    struct toolchain_build build = {0};
    int status = CLI_USAGE;
    if (links_static_library(options))
        return status;
    if (cuda_source_compile(argv[0], false, options, &build)) {
        char *source = argv[0];
        argv[0] = build.path;
        status = run_executable(build.path, argv, source, options);
        argv[0] = source;
    } else {
        hint_at_flags(argv);
    }
    toolchain_build_remove(&build);
    return status;
}

int run_program(enum cli_kind kind, char **argv, const struct cli_options *options) {
    if (kind == CLI_KIND_CUDA)
        return run_source(argv, options);
    return run_executable(argv[0], argv, argv[0], options);
}

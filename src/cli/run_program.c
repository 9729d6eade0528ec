// Runs a CUDA program as a child process that loads our CUDA runtime, and reads the profile that
// the runtime writes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/child.h"
#include "cli/commands.h"
#include "toolchain/compile.h"
#include "toolchain/elf_info.h"

// The folder of the running bankrun.
static bool own_folder(struct strbuf *folder) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || length == (ssize_t)sizeof path)
        return false;
    while (length > 0 && path[length - 1] != '/')
        length--;
    strbuf_append(folder, path, (size_t)length);
    return true;
}

// Where the runtime library lies, beside bankrun in a build folder or as it was installed. Caller
// frees; NULL: nowhere.
static char *library_folder(const char *runtime) {
    static const char *const places[] = {"", "../" BANKRUN_LIBDIR "/bankrun/"};
    struct strbuf own = {0};
    char *found = NULL;
    if (own_folder(&own))
        for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
            struct strbuf path = {0};
            strbuf_printf(&path, "%s%s%s", strbuf_string(&own), places[i], runtime);
            if (access(strbuf_string(&path), R_OK) == 0) {
                path.length -= strlen(runtime) + 1; // the slash goes too
                path.data[path.length] = '\0';
                found = strbuf_take(&path);
            }
            strbuf_free(&path);
        }
    strbuf_free(&own);
    return found;
}

// Puts a text before or behind what the environment variable has.
static void extend_variable(const char *name, const char *text, bool in_front) {
    const char *old = getenv(name);
    bool has_old = old && *old;
    struct strbuf value = {0};
    if (has_old && !in_front)
        strbuf_printf(&value, "%s:", old);
    strbuf_puts(&value, text);
    if (has_old && in_front)
        strbuf_printf(&value, ":%s", old);
    setenv(name, strbuf_string(&value), 1);
    strbuf_free(&value);
}

static void set_number(const char *name, unsigned long long number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", number);
    setenv(name, text, 1);
}

// The program may change its folder before its first launch: paths are made absolute.
static void set_trace(const struct cli_options *options) {
    char folder[4096];
    struct strbuf path = {0};
    if (!options->trace)
        return;
    setenv("BANKRUN_TRACE", options->trace, 1);
    if (!options->trace_output)
        return;
    bool is_relative = options->trace_output[0] != '/' && strcmp(options->trace_output, "-");
    if (is_relative && getcwd(folder, sizeof folder))
        strbuf_printf(&path, "%s/", folder);
    strbuf_puts(&path, options->trace_output);
    setenv("BANKRUN_TRACE_OUTPUT", strbuf_string(&path), 1);
    strbuf_free(&path);
}

// The environment is the child's: bankrun itself reads none of it any more.
static void set_environment(const struct cli_options *options, const char *folder,
                            const struct toolchain_program *program, const char *profile) {
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", options->arch);
    extend_variable("LD_LIBRARY_PATH", folder, true);
    if (program->has_rpath) {
        struct strbuf library = {0};
        strbuf_printf(&library, "%s/%s", folder, program->runtime);
        extend_variable("LD_PRELOAD", strbuf_string(&library), false);
        strbuf_free(&library);
    }
    setenv("BANKRUN_PROFILE", options->no_count ? "" : profile, 1);
    setenv("BANKRUN_ARCH", arch, 1);
    set_number("BANKRUN_THREADS", options->trace ? 1 : (unsigned long long)options->threads);
    set_trace(options);
    set_number("BANKRUN_MAX_INSTRUCTIONS", options->max_instructions);
    setenv("BANKRUN_PROGRESS", options_show_progress(options) ? "1" : "0", 1);
    setenv("BANKRUN_QUIET", options->quiet ? "1" : "0", 1);
}

// Reads what the runtime wrote and reports it, under the name that the user gave.
static int report(const char *path, const char *name, const struct cli_options *options) {
    if (access(path, R_OK) != 0) {
        cli_error("%s left no profile: it ended before the CUDA runtime could write one", name);
        return CLI_OK;
    }
    struct diag_list diags = {0};
    struct profile *profile = profile_read(path, &diags);
    print_diags(&diags, options);
    if (!profile)
        return CLI_USAGE;
    if (profile->program_count > 0) { // of a source it has the compiled program's path
        free(profile->program[0]);
        profile->program[0] = base_strdup(name);
    }
    int status = write_report(profile, options, stderr);
    profile_free(profile);
    return status;
}

static const char *temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

// Runs the executable with the runtime of `folder` and a profile in a private folder.
static int run_with_profile(const char *path, char **argv, const char *name, const char *folder,
                            const struct toolchain_program *program,
                            const struct cli_options *options) {
    struct strbuf private = {0}, profile = {0};
    strbuf_printf(&private, "%s/bankrun-XXXXXX", temporary_folder());
    if (!mkdtemp(private.data)) {
        cli_error("%s: cannot make a folder: %s", temporary_folder(), strerror(errno));
        strbuf_free(&private);
        return CLI_USAGE;
    }
    strbuf_printf(&profile, "%s/profile.json", private.data);
    set_environment(options, folder, program, profile.data);
    int status = child_run(path, argv);
    int report_status = status < 0          ? CLI_USAGE
                        : options->no_count ? CLI_OK
                                            : report(profile.data, name, options);
    unlink(profile.data);
    rmdir(private.data);
    strbuf_free(&profile);
    strbuf_free(&private);
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
    const char *problem = toolchain_program_problem(program.kind);
    if (problem) {
        cli_error("%s %s", name, problem);
        return CLI_USAGE;
    }
    char *folder = library_folder(program.runtime);
    if (!folder) {
        cli_error("%s needs %s, which lies neither beside bankrun nor in ../" BANKRUN_LIBDIR
                  "/bankrun",
                  name, program.runtime);
        return CLI_USAGE;
    }
    int status = run_with_profile(path, argv, name, folder, &program, options);
    free(folder);
    return status;
}

// The compiler that tools/get-nvcc.sh puts beside bankrun. Caller frees; NULL: it is not there.
static char *fetched_compiler(void) {
    struct strbuf path = {0};
    if (own_folder(&path)) {
        strbuf_puts(&path, "nvcc");
        if (access(path.data, X_OK) == 0)
            return strbuf_take(&path);
    }
    strbuf_free(&path);
    return NULL;
}

// Where compiled programs are kept. Caller frees; NULL: there is no home.
static char *cache_folder(void) {
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct strbuf path = {0};
    if (caches && *caches == '/')
        strbuf_printf(&path, "%s/bankrun", caches);
    else if (home && *home == '/')
        strbuf_printf(&path, "%s/.cache/bankrun", home);
    return path.data ? strbuf_take(&path) : NULL;
}

// Compiles argv[0] and runs what came out; the program sees its own path as argv[0].
static int run_source(char **argv, const struct cli_options *options) {
    char *fetched = fetched_compiler(), *cache = options->no_cache ? NULL : cache_folder();
    struct toolchain_options compile = {.source = argv[0],
                                        .arch = options->arch,
                                        .flags = (char *const *)options->nvcc_flags.data,
                                        .flag_count = options->nvcc_flags.length,
                                        .compiler = options->nvcc,
                                        .last_compiler = fetched,
                                        .temp_folder = temporary_folder(),
                                        .cache_folder = cache};
    struct toolchain_build build = {0};
    struct diag_list diags = {0};
    enum toolchain_status compiled = toolchain_compile(&compile, &build, &diags);
    free(fetched);
    free(cache);
    print_diags(&diags, options);
    int status = CLI_USAGE;
    if (compiled == TOOLCHAIN_OK) {
        char *source = argv[0];
        argv[0] = build.path;
        status = run_executable(build.path, argv, source, options);
        argv[0] = source;
    } else if (compiled == TOOLCHAIN_REFUSED) {
        cli_error("%s was not compiled: the compiler ended with status %d", argv[0],
                  build.exit_code);
    }
    toolchain_build_remove(&build);
    return status;
}

int run_program(enum cli_kind kind, char **argv, const struct cli_options *options) {
    if (kind == CLI_KIND_CUDA)
        return run_source(argv, options);
    return run_executable(argv[0], argv, argv[0], options);
}

#include "toolchain/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "toolchain/cache.h"
#include "toolchain/inputs.h"
#include "toolchain/packages.h"
#include "toolchain/process.h"
#include "toolchain/tools.h"

extern char **environ;

static const char usual_place[] = TOOLCHAIN_USUAL_FOLDER "nvcc";

typedef VEC(char *) argument_list;

static void push(argument_list *arguments, const char *text) {
    vec_push(arguments, base_strdup(text));
}

static void free_arguments(argument_list *arguments) {
    for (size_t i = 0; i < arguments->length; i++)
        free(arguments->data[i]);
    vec_free(arguments);
}

unsigned toolchain_clamp_arch(const char *list, unsigned arch) {
    static const char prefix[] = "compute_";
    unsigned below = 0, lowest = 0;
    for (const char *at = list; (at = strstr(at, prefix)); at += strlen(prefix)) {
        unsigned known = (unsigned)strtoul(at + strlen(prefix), NULL, 10);
        if (known <= arch && known > below)
            below = known;
        if (known && (!lowest || known < lowest))
            lowest = known;
    }
    return below ? below : lowest;
}

enum { CANDIDATES = 3 };

// Where to look for a compiler, in order; returns how many places there are.
static size_t list_candidates(const struct toolchain_options *options,
                              const char *candidates[CANDIDATES]) {
    candidates[0] = options->compiler ? options->compiler : "nvcc";
    candidates[1] = usual_place;
    candidates[2] = options->last_compiler;
    return options->compiler ? 1 : options->last_compiler ? 3 : 2;
}

// Asks the compiler what it can make. Returns the compiler's name, or NULL after a message.
static const char *find_compiler(const struct toolchain_options *options, unsigned *arch,
                                 struct diag_list *diags) {
    const char *candidates[CANDIDATES];
    size_t count = list_candidates(options, candidates);
    for (size_t i = 0; i < count; i++) {
        char *argv[] = {(char *)candidates[i], (char *)"--list-gpu-arch", NULL};
        struct strbuf list = {0};
        int exit_code = 0;
        int error = process_read(argv, environ, &list, &exit_code);
        *arch = error ? 0 : toolchain_clamp_arch(strbuf_string(&list), options->arch);
        strbuf_free(&list);
        if (*arch)
            return candidates[i];
        if (!error) {
            diag_error(diags,
                       "%s does not say which architectures it compiles for "
                       "(--list-gpu-arch, exit status %d): CUDA 11 or later is needed",
                       candidates[i], exit_code);
            return NULL;
        }
    }
    diag_error(diags,
               "%s was not found: .cu files need the CUDA compiler (no GPU, no driver). "
               "pip install 'bankrun[nvcc]' brings it, tools/get-nvcc.sh in bankrun's sources "
               "fetches it, and so do NVIDIA's packages: "
               "https://developer.nvidia.com/cuda-downloads",
               candidates[0]);
    return NULL;
}

// Skipping the device linker saves a fifth of the time; only relocatable device code needs it.
static bool wants_device_link(const struct toolchain_options *options) {
    for (size_t i = 0; i < options->flag_count; i++) {
        const char *flag = options->flags[i];
        if (strncmp(flag, "-rdc", 4) == 0 || strcmp(flag, "-dc") == 0 ||
            strncmp(flag, "--relocatable-device-code", 25) == 0 ||
            strcmp(flag, "--device-c") == 0 || strcmp(flag, "-dlto") == 0)
            return true;
    }
    return false;
}

static void command_line(const struct toolchain_options *options, const char *compiler,
                         const struct toolchain_build *build, const char *depfile,
                         argument_list *arguments) {
    char target[64], features[2] = "";
    if (build->arch == options->arch)
        features[0] = options->features;
    snprintf(target, sizeof target, "arch=compute_%u%s,code=compute_%u%s", build->arch, features,
             build->arch, features);
    const char *fixed[] = {compiler, "-cudart",   "shared", "-gencode",
                           target,   "-lineinfo", "-o",     build->path};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        push(arguments, fixed[i]);
    struct strbuf source = {0}; // a name that begins with a dash is no option
    strbuf_printf(&source, "%s%s", options->source[0] == '-' ? "./" : "", options->source);
    vec_push(arguments, strbuf_take(&source));
    if (options->to_ptx)
        push(arguments, "-ptx");
    else if (!wants_device_link(options))
        push(arguments, "-nodlink");
    for (size_t i = 0; i < options->flag_count; i++)
        push(arguments, options->flags[i]);
    if (depfile) {
        push(arguments, "-MD");
        push(arguments, "-MF");
        push(arguments, depfile);
    }
    vec_push(arguments, NULL);
}

// ---- The cache ------------------------------------------------------------------------------

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// Libraries, objects and files of flags are no part of the list of what a compilation read. A
// folder is none of them, but what `-I` in a word of its own is about.
static bool keeps_list_complete(const char *flag) {
    static const char *const prefixes[] = {
        "-l",        "-L",       "-M",    "-Xlinker", "--linker",   "--lib", "-optf",
        "--options", "-Xnvlink", "-dlto", "-config",  "--generate", "@"};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (strncmp(flag, prefixes[k], strlen(prefixes[k])) == 0)
            return false;
    return flag[0] == '-' || access(flag, F_OK) != 0 || is_folder(flag);
}

// The compiler's own variables hold flags, too.
static bool variable_keeps_list_complete(const char *name) {
    const char *value = getenv(name);
    char *text = base_strdup(value ? value : ""), *rest;
    bool keeps = true;
    for (char *flag = strtok_r(text, " \t\n\"'", &rest); keeps && flag;
         flag = strtok_r(NULL, " \t\n\"'", &rest))
        keeps = keeps_list_complete(flag);
    free(text);
    return keeps;
}

static bool lists_inputs(const struct toolchain_options *options) {
    bool keeps = variable_keeps_list_complete("NVCC_PREPEND_FLAGS") &&
                 variable_keeps_list_complete("NVCC_APPEND_FLAGS");
    for (size_t i = 0; keeps && i < options->flag_count; i++)
        keeps = keeps_list_complete(options->flags[i]);
    return keeps;
}

static bool is_cacheable(const struct toolchain_options *options) {
    return options->cache_folder && lists_inputs(options);
}

// The command is asked for with the architecture that is wanted: which one the compiler makes of
// it is its own affair, and to ask it would take as long as running the program.
static void open_cache(const struct toolchain_options *options, struct toolchain_cache *cache) {
    *cache = (struct toolchain_cache){0};
    if (!is_cacheable(options))
        return;
    struct toolchain_build asked = {.arch = options->arch, .path = (char *)""};
    const char *candidates[CANDIDATES];
    size_t count = list_candidates(options, candidates);
    for (size_t i = 0; i < count && !cache->folder; i++) {
        argument_list arguments = {0};
        command_line(options, candidates[i], &asked, NULL, &arguments);
        toolchain_cache_open(cache, options->cache_folder, candidates[i], arguments.data);
        free_arguments(&arguments);
    }
}

// ---- Compiling ------------------------------------------------------------------------------

// The program keeps the name of its source: programs print their argv[0].
static bool make_folder(const struct toolchain_options *options, struct toolchain_build *build,
                        struct diag_list *diags) {
    const char *parent = options->temp_folder ? options->temp_folder : "/tmp";
    struct strbuf text = {0};
    build->folder = file_private_folder(parent);
    if (!build->folder) {
        diag_error(diags, "%s: cannot make a folder: %s", parent, strerror(errno));
        return false;
    }
    const char *name = text_file_name(options->source);
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    strbuf_printf(&text, "%s/%.*s", build->folder, (int)length, name);
    build->path = strbuf_take(&text);
    return true;
}

// As what nvcc hands to the linker: a folder of libraries.
static void push_libraries(argument_list *arguments, const char *folder) {
    arguments->length--; // the NULL
    push(arguments, "-L");
    push(arguments, folder);
    vec_push(arguments, NULL);
}

// Starts the compiler and waits for it. Returns errno of the start.
static int run_compiler(const struct toolchain_options *options, const char *compiler,
                        const char *depfile, struct toolchain_build *build) {
    argument_list arguments = {0};
    struct toolchain_packages_link link = {0};
    command_line(options, compiler, build, depfile, &arguments);
    if (!options->to_ptx)
        toolchain_packages_link(&link, compiler, build->folder);
    if (link.libraries)
        push_libraries(&arguments, link.libraries);
    if (link.runtime)
        push_libraries(&arguments, build->folder);
    pid_t child;
    // What the compiler prints is about the compilation: standard output belongs to the program.
    int error = process_start(arguments.data, environ, STDERR_FILENO, -1, &child);
    if (!error)
        build->exit_code = process_wait(child);
    toolchain_packages_unlink(&link);
    free_arguments(&arguments);
    return error;
}

// Runs the compiler. `depfile`: where it lists what it read; NULL: nowhere.
static enum toolchain_status compile(const struct toolchain_options *options, const char *depfile,
                                     struct toolchain_build *build, struct diag_list *diags) {
    const char *compiler = find_compiler(options, &build->arch, diags);
    if (!compiler)
        return TOOLCHAIN_NO_COMPILER;
    int error = run_compiler(options, compiler, depfile, build);
    if (error) {
        diag_error(diags, "%s: %s", compiler, strerror(error));
        return TOOLCHAIN_SYSTEM;
    }
    if (build->exit_code == 0 && access(build->path, options->to_ptx ? R_OK : X_OK) == 0)
        return TOOLCHAIN_OK;
    if (build->exit_code == 0)
        diag_error(diags, "%s wrote no %s: do not give it flags that change the kind of output",
                   compiler, options->to_ptx ? "PTX" : "program");
    return TOOLCHAIN_REFUSED;
}

// Has the preprocessor say where it looks for headers, and which program it is. Of nothing, as C++:
// then it reads none.
static bool ask_preprocessor(const struct toolchain_options *options, const char *compiler,
                             struct strbuf *answer) {
    static const char *const fixed[] = {"-E", "-x", "c++", "/dev/null", "-Xcompiler", "-v"};
    argument_list arguments = {0};
    int exit_code = 0;
    push(&arguments, compiler);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        push(&arguments, fixed[i]);
    for (size_t i = 0; i < options->flag_count; i++)
        push(&arguments, options->flags[i]);
    vec_push(&arguments, NULL);
    int error = process_read_errors(arguments.data, environ, answer, &exit_code);
    free_arguments(&arguments);
    return !error && exit_code == 0;
}

static void keep(const struct toolchain_options *options, const struct toolchain_cache *cache,
                 const struct toolchain_build *build, const char *depfile) {
    char *rule;
    size_t length;
    if (!file_read_regular(depfile, &rule, &length))
        return;
    struct strbuf search = {0}, list = {0};
    if (ask_preprocessor(options, cache->compiler, &search) &&
        inputs_list(rule, strbuf_string(&search), cache->compiler, &list))
        toolchain_cache_store(cache, build->path, strbuf_string(&list));
    strbuf_free(&list);
    strbuf_free(&search);
    free(rule);
}

// Compiles and keeps what came out.
static enum toolchain_status compile_and_keep(const struct toolchain_options *options,
                                              const struct toolchain_cache *cache,
                                              struct toolchain_build *build,
                                              struct diag_list *diags) {
    struct strbuf depfile = {0};
    if (!lists_inputs(options)) // or is told to list them elsewhere
        return compile(options, NULL, build, diags);
    strbuf_printf(&depfile, "%s.d", build->path);
    enum toolchain_status status = compile(options, depfile.data, build, diags);
    // It ends with 1 where another program failed, with 2 where its own front end did.
    build->may_lack = build->exit_code == 1 && access(depfile.data, R_OK) == 0;
    if (status == TOOLCHAIN_OK && cache->folder)
        keep(options, cache, build, depfile.data);
    unlink(depfile.data);
    strbuf_free(&depfile);
    return status;
}

enum toolchain_status toolchain_compile(const struct toolchain_options *options,
                                        struct toolchain_build *build, struct diag_list *diags) {
    *build = (struct toolchain_build){0};
    if (access(options->source, R_OK) != 0) {
        diag_error(diags, "%s: %s", options->source, strerror(errno));
        return TOOLCHAIN_SYSTEM;
    }
    if (!make_folder(options, build, diags))
        return TOOLCHAIN_SYSTEM;
    struct toolchain_cache cache;
    open_cache(options, &cache);
    build->is_cached = toolchain_cache_load(&cache, build->path);
    build->arch = options->arch;
    enum toolchain_status status = TOOLCHAIN_OK;
    if (!build->is_cached)
        status = compile_and_keep(options, &cache, build, diags);
    toolchain_cache_close(&cache);
    return status;
}

void toolchain_build_remove(struct toolchain_build *build) {
    if (build->path)
        unlink(build->path);
    if (build->folder)
        rmdir(build->folder);
    free(build->path);
    free(build->folder);
    *build = (struct toolchain_build){0};
}

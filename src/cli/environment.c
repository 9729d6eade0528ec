#include "cli/environment.h"
#include "cli/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "toolchain/packages.h"

bool environment_own_folder(struct strbuf *folder) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || length == (ssize_t)sizeof path)
        return false;
    while (length > 0 && path[length - 1] != '/')
        length--;
    strbuf_append(folder, path, (size_t)length);
    return true;
}

char *environment_library_folder(const char *library) {
    static const char *const places[] = {"", "../" BANKRUN_LIBDIR "/bankrun/"};
    struct strbuf own = {0};
    char *found = NULL;
    if (environment_own_folder(&own))
        for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
            struct strbuf path = {0};
            strbuf_printf(&path, "%s%s%s", strbuf_string(&own), places[i], library);
            if (access(strbuf_string(&path), R_OK) == 0) {
                path.length -= strlen(library) + 1; // the slash goes too
                path.data[path.length] = '\0';
                found = strbuf_take(&path);
            }
            strbuf_free(&path);
        }
    strbuf_free(&own);
    return found;
}

// Whether the dynamic linker reads the path as it is, in LD_PRELOAD and in LD_LIBRARY_PATH: blanks,
// colons and semicolons end a path there, a dollar begins a name like $ORIGIN.
static bool is_plain(const char *path) {
    return !strpbrk(path, " \t\n\v\f\r:;$");
}

// Has a link stand for the folder.
static bool link_libraries(struct environment_libraries *libraries) {
    const char *temporary = environment_temporary_folder();
    struct strbuf path = {0};
    libraries->private = file_private_folder(is_plain(temporary) ? temporary : "/tmp");
    if (!libraries->private)
        return false;
    strbuf_printf(&path, "%s/lib", libraries->private);
    bool is_linked = symlink(libraries->folder, path.data) == 0;
    free(libraries->folder);
    libraries->folder = strbuf_take(&path);
    return is_linked;
}

bool environment_find_libraries(struct environment_libraries *libraries, const char *library,
                                const char *name) {
    *libraries = (struct environment_libraries){.folder = environment_library_folder(library)};
    if (!libraries->folder) {
        cli_error("%s needs %s, which lies neither beside bankrun nor in ../" BANKRUN_LIBDIR
                  "/bankrun",
                  name, library);
        return false;
    }
    if (is_plain(libraries->folder) || link_libraries(libraries))
        return true;
    cli_error("%s: no link to bankrun's libraries can be made: %s", name, strerror(errno));
    environment_release_libraries(libraries);
    return false;
}

void environment_release_libraries(struct environment_libraries *libraries) {
    if (libraries->private) {
        unlink(libraries->folder);
        rmdir(libraries->private);
    }
    file_remove_folder(libraries->kept);
    free(libraries->folder);
    free(libraries->private);
    free(libraries->kept);
    *libraries = (struct environment_libraries){0};
}

// A process that is not told where it hands over what it counts would seem to have counted nothing.
static void set_variable(const char *name, const char *value) {
    if (setenv(name, value, 1) != 0)
        base_out_of_memory(0);
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
    set_variable(name, strbuf_string(&value));
    strbuf_free(&value);
}

void environment_use_packages(void) {
    struct strbuf own = {0};
    char *tools = environment_own_folder(&own) ? toolchain_packages_find(own.data) : NULL;
    if (tools && !strchr(tools, ':')) {
        if (!getenv("PATH"))
            set_variable("PATH", "/bin:/usr/bin"); // which is meant then
        extend_variable("PATH", tools, false);
    }
    free(tools);
    strbuf_free(&own);
}

static void set_number(const char *name, unsigned long long number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", number);
    set_variable(name, text);
}

// The program may change its folder before its first launch: paths are made absolute.
static void set_trace(const struct cli_options *options) {
    char folder[4096];
    struct strbuf path = {0};
    if (!options->trace)
        return;
    set_variable("BANKRUN_TRACE", options->trace);
    if (!options->trace_output)
        return;
    bool is_relative = options->trace_output[0] != '/' && strcmp(options->trace_output, "-");
    if (is_relative && getcwd(folder, sizeof folder))
        strbuf_printf(&path, "%s/", folder);
    strbuf_puts(&path, options->trace_output);
    set_variable("BANKRUN_TRACE_OUTPUT", strbuf_string(&path));
    strbuf_free(&path);
}

// Puts a library of ours behind what the variable names.
static void load_by(const char *variable, const char *folder, const char *library) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", folder, library);
    extend_variable(variable, strbuf_string(&path), false);
    strbuf_free(&path);
}

void environment_use_libraries(const struct environment_libraries *libraries,
                               const char *preloaded) {
    extend_variable("LD_LIBRARY_PATH", libraries->folder, true);
    load_by("LD_AUDIT", libraries->folder, "libbankrun-audit.so");
    load_by("LD_PRELOAD", libraries->folder, "libbankrun-inject.so");
    if (preloaded)
        load_by("LD_PRELOAD", libraries->folder, preloaded);
}

void environment_set_options(const struct cli_options *options) {
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", options->arch);
    set_variable("BANKRUN_ARCH", arch);
    set_number("BANKRUN_DEVICES", options->devices ? (unsigned)options->devices : 1);
    set_number("BANKRUN_THREADS", options->trace ? 1 : (unsigned long long)options->threads);
    set_trace(options);
    set_number("BANKRUN_MAX_INSTRUCTIONS", options->max_instructions);
    set_variable("BANKRUN_BLOCKS", options->blocks ? options->blocks : "");
    set_variable("BANKRUN_ON_FAULT", options->lets_pass ? "continue" : "stop");
    set_variable("BANKRUN_ENGINE", engine_word(options));
    set_variable("BANKRUN_LIBRARIES", options->computes_libraries ? "cpu" : "");
    set_variable("BANKRUN_FILL", options->fill_text ? options->fill_text : "");
    set_variable("BANKRUN_AS", !options->as_compiled     ? "written"
                               : options->may_be_written ? "auto"
                                                         : "compiled");
    char *cache = environment_cache_folder(options);
    set_variable("BANKRUN_CACHE", cache ? cache : "");
    free(cache);
    set_number("BANKRUN_CHECK", options->checks);
    set_variable("BANKRUN_SCHEDULE", options->schedule_text ? options->schedule_text : "");
    set_variable("BANKRUN_COUNT", options->only_checks ? "0" : "1");
    set_variable("BANKRUN_PROGRESS", options_show_progress(options) ? "1" : "0");
    set_variable("BANKRUN_QUIET", options->quiet ? "1" : "0");
}

void environment_set_handover(const struct handover *handover, bool is_wanted) {
    char *name = handover ? handover_name(handover) : base_strdup("");
    set_variable(HANDOVER_VARIABLE, is_wanted ? name : "");
    set_variable(HANDOVER_PRESENCE, is_wanted ? "" : name);
    free(name);
}

const char *environment_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

char *environment_cache_folder(const struct cli_options *options) {
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct strbuf path = {0};
    if (options->no_cache)
        return NULL;
    if (caches && *caches == '/')
        strbuf_printf(&path, "%s/bankrun", caches);
    else if (home && *home == '/')
        strbuf_printf(&path, "%s/.cache/bankrun", home);
    return path.data ? strbuf_take(&path) : NULL;
}

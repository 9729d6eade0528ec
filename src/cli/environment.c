#include "cli/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

char *environment_libraries(const char *library, const char *name) {
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
    if (!found)
        cli_error("%s needs %s, which lies neither beside bankrun nor in ../" BANKRUN_LIBDIR
                  "/bankrun",
                  name, library);
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

static void preload(const char *folder, const char *library) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", folder, library);
    extend_variable("LD_PRELOAD", strbuf_string(&path), false);
    strbuf_free(&path);
}

void environment_use_libraries(const char *folder, const char *preloaded) {
    extend_variable("LD_LIBRARY_PATH", folder, true);
    preload(folder, "libbankrun-inject.so");
    if (preloaded)
        preload(folder, preloaded);
}

void environment_set_options(const struct cli_options *options) {
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", options->arch);
    setenv("BANKRUN_ARCH", arch, 1);
    set_number("BANKRUN_DEVICES", options->devices ? (unsigned)options->devices : 1);
    set_number("BANKRUN_THREADS", options->trace ? 1 : (unsigned long long)options->threads);
    set_trace(options);
    set_number("BANKRUN_MAX_INSTRUCTIONS", options->max_instructions);
    setenv("BANKRUN_BLOCKS", options->blocks ? options->blocks : "", 1);
    setenv("BANKRUN_AS", options->as_compiled ? "compiled" : "written", 1);
    setenv("BANKRUN_PROGRESS", options_show_progress(options) ? "1" : "0", 1);
    setenv("BANKRUN_QUIET", options->quiet ? "1" : "0", 1);
}

const char *environment_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

char *environment_private_folder(void) {
    struct strbuf private = {0};
    strbuf_printf(&private, "%s/bankrun-XXXXXX", environment_temporary_folder());
    if (mkdtemp(private.data))
        return strbuf_take(&private);
    cli_error("%s: cannot make a folder: %s", environment_temporary_folder(), strerror(errno));
    strbuf_free(&private);
    return NULL;
}

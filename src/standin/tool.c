#include "standin/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "toolchain/carrier.h"
#include "toolchain/device_code.h"
#include "toolchain/link.h"
#include "toolchain/process.h"

extern char **environ;

bool tool_fail(const char *name, const char *format, ...) {
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s fatal   : ", name);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return false;
}

const char *tool_path(const char *name) {
    const char *path = getenv("BANKRUN_TOOL");
    if (!path || !strchr(path, '/')) {
        tool_fail(name,
                  "this is bankrun's stand-in for %s, which is started in the place of another",
                  name);
        exit(1);
    }
    return path;
}

// Where the tool looks for its folder by its own name, it is to find that.
static char **command(const char *name, argument_list *arguments) {
    VEC(char *) argv = {0};
    vec_push(&argv, (char *)tool_path(name));
    for (size_t i = 0; i < arguments->length; i++)
        vec_push(&argv, (char *)arguments->data[i]);
    vec_push(&argv, NULL);
    return argv.data;
}

_Noreturn void tool_become(const char *name, argument_list *arguments) {
    char **argv = command(name, arguments);
    execv(argv[0], argv);
    tool_fail(name, "%s cannot be started: %s", argv[0], strerror(errno));
    exit(1);
}

int tool_run(const char *name, argument_list *arguments) {
    char **argv = command(name, arguments);
    pid_t child;
    const int error = process_start(argv, environ, -1, -1, &child);
    if (error)
        tool_fail(name, "%s cannot be started: %s", argv[0], strerror(error));
    free(argv);
    return error ? 1 : process_wait(child);
}

static char *folder;

static void remove_folder(void) {
    file_remove_folder(folder);
}

const char *tool_folder(const char *name) {
    const char *temporary = getenv("TMPDIR");
    if (folder)
        return folder;
    folder = file_private_folder(temporary && *temporary ? temporary : "/tmp");
    if (!folder) {
        tool_fail(name, "no folder for temporary files can be made: %s", strerror(errno));
        exit(1);
    }
    atexit(remove_folder);
    return folder;
}

static bool write_into(const char *path, const char *data, size_t length) {
    FILE *file = fopen(path, "wb");
    bool is_good = file && fwrite(data, 1, length, file) == length;
    if (file && fclose(file) != 0)
        is_good = false;
    return is_good;
}

bool tool_write(const char *name, const char *path, const char *data, size_t length) {
    struct stat status;
    const bool is_special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    return (is_special ? write_into(path, data, length) : file_write(path, data, length)) ||
           tool_fail(name, "Could not open output file '%s': %s", path, strerror(errno));
}

// Of one input. Caller frees; NULL: it was said why not.
static char *ptx_of(const char *name, const char *path, unsigned arch) {
    struct diag_list diags = {0};
    char *data;
    size_t length;
    if (!file_read_regular(path, &data, &length)) {
        tool_fail(name, "Input file '%s' could not be opened: %s", path, strerror(errno));
        return NULL;
    }
    char *ptx = toolchain_device_ptx(data, length, path, arch, &diags);
    if (!ptx && diags.count)
        tool_fail(name, "%s", diags.items[0].message);
    else if (!ptx)
        tool_fail(name,
                  "bankrun links PTX, and '%s' holds none: compile it with nvcc under bankrun",
                  path);
    diag_free(&diags);
    free(data);
    return ptx;
}

bool tool_link(const char *name, char *const *inputs, size_t count, unsigned arch,
               const char *output) {
    VEC(char *) texts = {0};
    bool is_good = true;
    for (size_t i = 0; i < count && is_good; i++) {
        char *ptx = ptx_of(name, inputs[i], arch);
        is_good = ptx != NULL;
        if (ptx && *ptx)
            vec_push(&texts, ptx);
        else
            free(ptx);
    }
    if (is_good && !texts.length)
        is_good = tool_fail(name, "no input files");
    if (is_good) {
        size_t bytes;
        char *ptx = toolchain_link_ptx(texts.data, texts.length);
        char *carrier = toolchain_carrier_make(ptx, strlen(ptx), arch, &bytes);
        is_good = tool_write(name, output, carrier, bytes);
        free(carrier);
        free(ptx);
    }
    for (size_t i = 0; i < texts.length; i++)
        free(texts.data[i]);
    vec_free(&texts);
    return is_good;
}

unsigned tool_arch(const char *text) {
    return strncmp(text, "sm_", 3) == 0 ? (unsigned)strtoul(text + 3, NULL, 10) : 0;
}

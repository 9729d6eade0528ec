#include "toolchain/disassemble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "toolchain/process.h"

extern char **environ;

typedef VEC(char *) variable_list;

// The tools are no CUDA programs: nothing of what bankrun puts before a program's libraries is for
// them. Borrows the variables.
static variable_list own_environment(void) {
    variable_list kept = {0};
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0)
            vec_push(&kept, *variable);
    vec_push(&kept, NULL);
    return kept;
}

// Runs a tool of PATH or, when it is not there, of the toolkit's usual place. True: it ran, and
// *exit_code is its own.
static bool run_tool(char **argv, struct strbuf *output, int *exit_code) {
    variable_list variables = own_environment();
    int error = process_read(argv, variables.data, output, exit_code);
    if (error || *exit_code == 127) {
        struct strbuf usual = {0};
        strbuf_printf(&usual, "/usr/local/cuda/bin/%s", argv[0]);
        char *name = argv[0];
        argv[0] = usual.data;
        error = process_read(argv, variables.data, output, exit_code);
        argv[0] = name;
        strbuf_free(&usual);
    }
    vec_free(&variables);
    return !error && *exit_code != 127;
}

static void say_missing(const char *tool, struct diag_list *diags) {
    diag_error(diags,
               "%s was not found: what the compiled code accesses is read with ptxas and nvdisasm. "
               "Put the CUDA toolkit's bin folder into PATH; nvdisasm alone is also in the Python "
               "package nvidia-cuda-nvdisasm",
               tool);
}

bool toolchain_can_disassemble(struct diag_list *diags) {
    static const char *const tools[] = {"ptxas", "nvdisasm"};
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        char *argv[] = {(char *)tools[i], (char *)"--version", NULL};
        struct strbuf output = {0};
        int exit_code = 0;
        bool is_there = run_tool(argv, &output, &exit_code);
        strbuf_free(&output);
        if (!is_there) {
            say_missing(tools[i], diags);
            return false;
        }
    }
    return true;
}

struct folder { // private, with the two files that may be in it
    struct strbuf path, ptx, cubin;
};

static bool make_folder(struct folder *folder, struct diag_list *diags) {
    const char *temporary = getenv("TMPDIR");
    *folder = (struct folder){0};
    strbuf_printf(&folder->path, "%s/bankrun-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    bool is_made = mkdtemp(folder->path.data) != NULL;
    if (!is_made)
        diag_error(diags, "cannot make the folder %s: %s", folder->path.data, strerror(errno));
    strbuf_printf(&folder->ptx, "%s/code.ptx", folder->path.data);
    strbuf_printf(&folder->cubin, "%s/code.cubin", folder->path.data);
    return is_made;
}

static void remove_folder(struct folder *folder) {
    unlink(folder->ptx.data);
    unlink(folder->cubin.data);
    rmdir(folder->path.data);
    strbuf_free(&folder->ptx);
    strbuf_free(&folder->cubin);
    strbuf_free(&folder->path);
}

static bool write_to(const char *path, const char *data, size_t length, struct diag_list *diags) {
    bool is_written = file_write(path, data, length);
    if (!is_written)
        diag_error(diags, "cannot write %s: %s", path, strerror(errno));
    return is_written;
}

static bool assemble(struct folder *folder, const char *target, struct diag_list *diags) {
    char *argv[] = {
        (char *)"ptxas", (char *)"-arch",    (char *)target,   (char *)"--generate-line-info",
        (char *)"-o",    folder->cubin.data, folder->ptx.data, NULL};
    struct strbuf output = {0};
    int exit_code = 0;
    bool has_run = run_tool(argv, &output, &exit_code);
    if (!has_run)
        say_missing("ptxas", diags);
    else if (exit_code)
        diag_error(diags, "ptxas makes no code for %s of the program's PTX (exit status %d)",
                   target, exit_code);
    strbuf_free(&output);
    return has_run && exit_code == 0;
}

static char *list_code(struct folder *folder, struct diag_list *diags) {
    char *argv[] = {(char *)"nvdisasm", (char *)"-gi", (char *)"-c", folder->cubin.data, NULL};
    struct strbuf output = {0};
    int exit_code = 0;
    bool has_run = run_tool(argv, &output, &exit_code);
    if (!has_run)
        say_missing("nvdisasm", diags);
    else if (exit_code || !output.length)
        diag_error(diags, "nvdisasm does not read the program's machine code (exit status %d)",
                   exit_code);
    else
        return strbuf_take(&output);
    strbuf_free(&output);
    return NULL;
}

char *toolchain_disassemble(const char *ptx, size_t length, unsigned arch, char features,
                            struct diag_list *diags) {
    char target[16], *listing = NULL;
    snprintf(target, sizeof target, features ? "sm_%u%c" : "sm_%u", arch, features);
    struct folder folder;
    if (make_folder(&folder, diags) && write_to(folder.ptx.data, ptx, length, diags) &&
        assemble(&folder, target, diags))
        listing = list_code(&folder, diags);
    remove_folder(&folder);
    return listing;
}

char *toolchain_disassemble_code(const char *code, size_t length, struct diag_list *diags) {
    char *listing = NULL;
    struct folder folder;
    if (make_folder(&folder, diags) && write_to(folder.cubin.data, code, length, diags))
        listing = list_code(&folder, diags);
    remove_folder(&folder);
    return listing;
}

#define _GNU_SOURCE // memmem, strchrnul
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
#include "toolchain/cache.h"
#include "toolchain/inputs.h"
#include "toolchain/process.h"
#include "toolchain/tools.h"

extern char **environ;

typedef VEC(char *) variable_list;

// The tools are no CUDA programs: nothing of what bankrun puts before a program's libraries is for
// them. Borrows the variables.
static variable_list own_environment(void) {
    variable_list kept = {0};
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 && strncmp(*variable, "LD_AUDIT=", 9) != 0)
            vec_push(&kept, *variable);
    vec_push(&kept, NULL);
    return kept;
}

static char *usual_place(const char *tool) {
    struct strbuf path = {0};
    strbuf_printf(&path, TOOLCHAIN_USUAL_FOLDER "%s", tool);
    return strbuf_take(&path);
}

// Runs a tool of PATH or, when it is not there, of the toolkit's usual place. True: it ran, and
// *exit_code is its own.
static bool run_tool(char **argv, struct strbuf *output, int *exit_code) {
    variable_list variables = own_environment();
    int error = process_read_unseen(argv, variables.data, output, exit_code);
    if (error || *exit_code == 127) {
        char *name = argv[0], *usual = usual_place(name);
        argv[0] = usual;
        error = process_read_unseen(argv, variables.data, output, exit_code);
        argv[0] = name;
        free(usual);
    }
    vec_free(&variables);
    return !error && *exit_code != 127;
}

static void say_missing(const char *tool, struct diag_list *diags) {
    diag_error(diags, "%s was not found; it is in the CUDA toolkit's bin folder%s", tool,
               strcmp(tool, "nvdisasm") ? ""
                                        : ", and alone in the Python package nvidia-cuda-nvdisasm");
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
    else if (exit_code || !strstr(strbuf_string(&output), ".text."))
        diag_error(diags, "nvdisasm does not read the program's machine code (exit status %d)",
                   exit_code);
    else
        return strbuf_take(&output);
    strbuf_free(&output);
    return NULL;
}

// ---- What is wanted of a listing ------------------------------------------------------------

static bool has(const char *at, const char *end, const char *word) {
    return memmem(at, (size_t)(end - at), word, strlen(word)) != NULL;
}

// Accesses to shared memory, and what goes past them: labels, and branches on a condition.
static bool is_wanted(const char *at, const char *end) {
    return strncmp(at, ".text.", 6) == 0 || strncmp(at, ".L_", 3) == 0 || has(at, end, " LDS") ||
           has(at, end, " STS") || (has(at, end, " BRA ") && memchr(at, '@', (size_t)(end - at)));
}

// Most of a listing is other instructions. Places stand before the first access that is there, with
// an empty line before them, since other lines tell one place from the next.
static char *condense(const char *listing, const char *release) {
    struct strbuf kept = {0}, place = {0};
    strbuf_printf(&kept, "// by ptxas%s%s\n", release ? " " : "", release ? release : "");
    bool is_place = false;
    for (const char *at = listing, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        const bool was_place = is_place;
        is_place = has(at, end, "//## File ");
        if (is_place) {
            if (!was_place)
                place.length = 0;
            strbuf_append(&place, at, (size_t)(end - at));
            strbuf_puts(&place, "\n");
        } else if (is_wanted(at, end)) {
            if (strncmp(at, ".text.", 6) == 0)
                place.length = 0;
            if (place.length)
                strbuf_printf(&kept, "\n%s", strbuf_string(&place));
            place.length = 0;
            strbuf_append(&kept, at, (size_t)(end - at));
            strbuf_puts(&kept, "\n");
        }
    }
    strbuf_free(&place);
    return strbuf_take(&kept);
}

// "13.0" of "Cuda compilation tools, release 13.0, V13.0.88", which machine code of ptxas 13 holds,
// too. Caller frees; NULL: it is not there.
static char *release_in(const char *text, size_t length) {
    static const char before[] = "Cuda compilation tools, release ";
    const char *at = memmem(text, length, before, sizeof before - 1), *end = text + length;
    if (!at)
        return NULL;
    at += sizeof before - 1;
    size_t digits = 0;
    while (at + digits < end && ((at[digits] >= '0' && at[digits] <= '9') || at[digits] == '.'))
        digits++;
    return digits ? base_strndup(at, digits) : NULL;
}

static char *release_of_file(const char *path) {
    char *data = NULL, *release = NULL;
    size_t length;
    if (file_read_regular(path, &data, &length))
        release = release_in(data, length);
    free(data);
    return release;
}

static char *release_of_ptxas(void) {
    char *argv[] = {(char *)"ptxas", (char *)"--version", NULL};
    struct strbuf output = {0};
    int exit_code = 0;
    run_tool(argv, &output, &exit_code);
    char *release = release_in(strbuf_string(&output), output.length);
    strbuf_free(&output);
    return release;
}

// ---- The cache ------------------------------------------------------------------------------

static bool hash_tool(XXH3_state_t *hash, const char *tool, struct diag_list *diags) {
    char *usual = usual_place(tool);
    const bool is_there = inputs_hash_program(hash, tool) || inputs_hash_program(hash, usual);
    if (!is_there)
        say_missing(tool, diags);
    free(usual);
    return is_there;
}

// Of all that a listing follows from. `target` NULL: it is of machine code. NULL: a tool is
// missing, as diags say.
static XXH3_state_t *hash_of(const char *code, size_t length, const char *target,
                             struct diag_list *diags) {
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        base_out_of_memory(0);
    XXH3_128bits_reset(hash);
    inputs_hash_text(hash, "listing 3");
    inputs_hash_text(hash, target ? target : "");
    XXH3_128bits_update(hash, code, length);
    if (hash_tool(hash, "nvdisasm", diags) && (!target || hash_tool(hash, "ptxas", diags)))
        return hash;
    XXH3_freeState(hash);
    return NULL;
}

static char *make_listing(const char *code, size_t length, const char *target,
                          struct diag_list *diags) {
    char *listing = NULL;
    struct folder folder;
    if (make_folder(&folder, diags) &&
        write_to(target ? folder.ptx.data : folder.cubin.data, code, length, diags) &&
        (!target || assemble(&folder, target, diags)))
        listing = list_code(&folder, diags);
    char *release = listing ? release_of_file(folder.cubin.data) : NULL;
    if (listing && target && !release)
        release = release_of_ptxas();
    remove_folder(&folder);
    char *condensed = listing ? condense(listing, release) : NULL;
    free(release);
    free(listing);
    return condensed;
}

static char *find_or_make(const char *code, size_t length, const char *target,
                          const char *cache_folder, struct diag_list *diags) {
    XXH3_state_t *hash = hash_of(code, length, target, diags);
    char *listing = hash ? toolchain_cache_load_listing(cache_folder, hash) : NULL;
    if (hash && !listing) {
        listing = make_listing(code, length, target, diags);
        if (listing)
            toolchain_cache_store_listing(cache_folder, hash, listing, strlen(listing));
    }
    XXH3_freeState(hash);
    return listing;
}

char *toolchain_disassemble(const char *ptx, size_t length, unsigned arch, char features,
                            const char *cache_folder, struct diag_list *diags) {
    char target[16];
    snprintf(target, sizeof target, features ? "sm_%u%c" : "sm_%u", arch, features);
    return find_or_make(ptx, length, target, cache_folder, diags);
}

char *toolchain_disassemble_code(const char *code, size_t length, const char *cache_folder,
                                 struct diag_list *diags) {
    return find_or_make(code, length, NULL, cache_folder, diags);
}

// Linking at run time: what a program gives to nvJitLink is linked as PTX (toolchain/link.h), and
// so is what it gets. The program's own nvJitLink is asked for one thing: PTX of intermediate code
// that was compiled for linking (LTO).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "inject/inject.h"
#include "inject/library.h"
#include "toolchain/carrier.h"
#include "toolchain/device_code.h"
#include "toolchain/link.h"
#include "toolchain/registers.h"

enum result { SUCCESS, MISSING_ARCH = 2, INVALID_INPUT, INTERNAL = 6, NULL_INPUT = 10 };
enum { INPUT_LTO_IR = 3 };

typedef int (*create_function)(void **, uint32_t, const char **);
typedef int (*add_function)(void *, int, const void *, size_t, const char *);
typedef int (*link_function)(void *);
typedef int (*destroy_function)(void **);
typedef int (*size_function)(void *, size_t *);
typedef int (*text_function)(void *, char *);

struct link {
    int library;
    void *own;      // the library's, for intermediate code; NULL: not needed yet
    bool has_input; // of that
    unsigned arch, most_registers;
    VEC(const char *) options;
    VEC(char *) texts;
    char *ptx; // linked; NULL before
    struct strbuf errors;
};

static struct inject_libraries libraries;

// ---- The library's own ------------------------------------------------------------------------

// Its functions carry the version in their names, as the one that was looked for does.
static char endings[INJECT_LIBRARIES][16];

static void find(const struct link *link, const char *name, void *function) {
    struct strbuf full = {0};
    const char *ending = endings[link->library];
    strbuf_printf(&full, "%snvJitLink%s%s", *ending ? "__" : "", name, ending);
    inject_library_find(&libraries, link->library, full.data, function);
    strbuf_free(&full);
}

static void take_errors(struct link *link) {
    size_function size;
    text_function text;
    size_t bytes = 0;
    find(link, "GetErrorLogSize", &size);
    find(link, "GetErrorLog", &text);
    if (!link->own || !size || !text || size(link->own, &bytes) != SUCCESS || !bytes)
        return;
    char *log = base_alloc(bytes + 1);
    if (text(link->own, log) == SUCCESS)
        strbuf_printf(&link->errors, "%s\n", log);
    free(log);
}

// Makes it, once, to give PTX.
static int create_own(struct link *link) {
    create_function create;
    if (link->own)
        return SUCCESS;
    find(link, "Create", &create);
    VEC(const char *) options = {0};
    bool has_ptx = false;
    for (size_t i = 0; i < link->options.length; i++) {
        has_ptx |= strcmp(link->options.data[i], "-ptx") == 0;
        vec_push(&options, link->options.data[i]);
    }
    if (!has_ptx)
        vec_push(&options, "-ptx");
    int status =
        create ? create(&link->own, (uint32_t)options.length, options.data) : (int)INTERNAL;
    vec_free(&options);
    return status;
}

static int add_to_own(struct link *link, int type, const void *data, size_t bytes,
                      const char *name) {
    add_function add;
    int status = create_own(link);
    find(link, "AddData", &add);
    if (status == SUCCESS)
        status = add ? add(link->own, type, data, bytes, name) : (int)INTERNAL;
    if (status != SUCCESS)
        take_errors(link);
    link->has_input |= status == SUCCESS;
    return status;
}

// Links the intermediate code, and takes what comes out as one more text.
static int complete_own(struct link *link) {
    link_function complete;
    size_function size;
    text_function text;
    size_t bytes = 0;
    find(link, "Complete", &complete);
    find(link, "GetLinkedPtxSize", &size);
    find(link, "GetLinkedPtx", &text);
    int status = complete && size && text ? complete(link->own) : (int)INTERNAL;
    if (status == SUCCESS)
        status = size(link->own, &bytes);
    char *ptx = base_alloc(bytes + 1);
    if (status == SUCCESS)
        status = text(link->own, ptx);
    if (status == SUCCESS)
        vec_push(&link->texts, ptx);
    else
        free(ptx);
    if (status != SUCCESS)
        take_errors(link);
    return status;
}

// ---- What programs call -----------------------------------------------------------------------

static int create(int library, void **out, uint32_t count, const char **options) {
    if (!out || (count && !options))
        return NULL_INPUT;
    struct link *link = base_alloc(sizeof *link);
    link->library = library;
    for (uint32_t i = 0; i < count; i++) {
        const char *arch = strncmp(options[i], "-arch=", 6) == 0 ? strchr(options[i], '_') : NULL;
        if (arch)
            link->arch = (unsigned)strtoul(arch + 1, NULL, 10);
        const unsigned registers = toolchain_registers_of(options[i]);
        if (registers)
            link->most_registers = registers;
        vec_push(&link->options, base_strdup(options[i]));
    }
    *out = link;
    return link->arch ? SUCCESS : MISSING_ARCH;
}

#define CREATE(number)                                                                             \
    static int create_##number(void **out, uint32_t count, const char **options) {                 \
        return create(number, out, count, options);                                                \
    }
CREATE(0)
CREATE(1)
CREATE(2)
CREATE(3)
static const create_function creators[INJECT_LIBRARIES] = {create_0, create_1, create_2, create_3};

static int destroy(void **out) {
    if (!out || !*out)
        return NULL_INPUT;
    struct link *link = *out;
    destroy_function own;
    find(link, "Destroy", &own);
    if (link->own && own)
        own(&link->own);
    for (size_t i = 0; i < link->options.length; i++)
        free((char *)link->options.data[i]);
    for (size_t i = 0; i < link->texts.length; i++)
        free(link->texts.data[i]);
    vec_free(&link->options);
    vec_free(&link->texts);
    strbuf_free(&link->errors);
    free(link->ptx);
    free(link);
    *out = NULL;
    return SUCCESS;
}

static int add_data(void *handle, int type, const void *data, size_t bytes, const char *name) {
    struct link *link = handle;
    struct diag_list diags = {0};
    if (!link || !data || !bytes)
        return NULL_INPUT;
    if (type == INPUT_LTO_IR)
        return add_to_own(link, type, data, bytes, name);
    char *ptx = toolchain_device_ptx(data, bytes, name ? name : "<input>", link->arch, &diags);
    if (ptx && *ptx)
        vec_push(&link->texts, ptx);
    for (size_t i = 0; i < diags.count; i++)
        strbuf_printf(&link->errors, "bankrun: %s\n", diags.items[i].message);
    if (!ptx && !diags.count)
        strbuf_printf(&link->errors, "bankrun: %s holds machine code and no PTX\n",
                      name ? name : "an input");
    diag_free(&diags);
    bool is_good = ptx != NULL;
    if (ptx && !*ptx)
        free(ptx);
    return is_good ? SUCCESS : INVALID_INPUT;
}

static int add_file(void *handle, int type, const char *path) {
    struct link *link = handle;
    char *data;
    size_t bytes;
    if (!link || !path)
        return NULL_INPUT;
    if (!file_read(path, &data, &bytes)) {
        strbuf_printf(&link->errors, "bankrun: %s cannot be read\n", path);
        return INVALID_INPUT;
    }
    int status = add_data(link, type, data, bytes, path);
    free(data);
    return status;
}

static int complete(void *handle) {
    struct link *link = handle;
    if (!link)
        return NULL_INPUT;
    int status = link->has_input ? complete_own(link) : SUCCESS;
    if (status == SUCCESS && !link->texts.length) {
        strbuf_puts(&link->errors, "bankrun: nothing was given to be linked\n");
        status = INVALID_INPUT;
    }
    if (status == SUCCESS && !link->ptx)
        link->ptx = toolchain_limit_registers(
            toolchain_link_ptx(link->texts.data, link->texts.length), link->most_registers);
    return status;
}

static int ptx_size(void *handle, size_t *bytes) {
    const struct link *link = handle;
    if (!link || !bytes)
        return NULL_INPUT;
    *bytes = link->ptx ? strlen(link->ptx) + 1 : 0;
    return link->ptx ? SUCCESS : INVALID_INPUT;
}

static int ptx(void *handle, char *text) {
    const struct link *link = handle;
    if (!link || !text)
        return NULL_INPUT;
    if (link->ptx)
        memcpy(text, link->ptx, strlen(link->ptx) + 1);
    return link->ptx ? SUCCESS : INVALID_INPUT;
}

static char *carrier_of(const struct link *link, size_t *bytes) {
    return link->ptx ? toolchain_carrier_make(link->ptx, strlen(link->ptx), link->arch, bytes)
                     : NULL;
}

static int cubin_size(void *handle, size_t *bytes) {
    if (!handle || !bytes)
        return NULL_INPUT;
    char *carrier = carrier_of(handle, bytes);
    free(carrier);
    return carrier ? SUCCESS : INVALID_INPUT;
}

static int cubin(void *handle, char *code) {
    size_t bytes;
    if (!handle || !code)
        return NULL_INPUT;
    char *carrier = carrier_of(handle, &bytes);
    if (carrier)
        memcpy(code, carrier, bytes);
    bool is_there = carrier != NULL;
    free(carrier);
    return is_there ? SUCCESS : INVALID_INPUT;
}

static int error_size(void *handle, size_t *bytes) {
    const struct link *link = handle;
    if (!link || !bytes)
        return NULL_INPUT;
    *bytes = link->errors.length ? link->errors.length + 1 : 0;
    return SUCCESS;
}

static int error(void *handle, char *text) {
    const struct link *link = handle;
    if (!link || !text)
        return NULL_INPUT;
    if (link->errors.length)
        memcpy(text, link->errors.data, link->errors.length + 1);
    return SUCCESS;
}

static int info_size(void *handle, size_t *bytes) {
    if (!handle || !bytes)
        return NULL_INPUT;
    *bytes = 0;
    return SUCCESS;
}

static int info(void *handle, char *text) {
    return handle && text ? SUCCESS : NULL_INPUT;
}

// What is linked is PTX, and no intermediate code.
static int no_intermediate_code(void) {
    static bool was_said;
    if (!__atomic_exchange_n(&was_said, true, __ATOMIC_RELAXED))
        inject_note_missing("nvJitLinkGetLinkedLTOIR: not simulated (what is linked is PTX); ask "
                            "for PTX or a cubin");
    return INVALID_INPUT;
}

static int ir_size(void *handle, size_t *bytes) {
    return handle && bytes ? no_intermediate_code() : NULL_INPUT;
}

static int ir(void *handle, char *code) {
    return handle && code ? no_intermediate_code() : NULL_INPUT;
}

// ---- Linked with ------------------------------------------------------------------------------
// A program that is linked with nvJitLink has the names that the header of its version gives its
// functions.

static void *creator_of(void *found, const char *ending);

static int create_linked(const void *caller, const char *name, const char *ending, void **out,
                         uint32_t count, const char **options) {
    void *found = inject_library_next(caller, name);
    void *address = found ? creator_of(found, ending) : NULL;
    create_function function;
    memcpy(&function, &address, sizeof function);
    return function ? function(out, count, options) : INTERNAL;
}

#define INJECT_API __attribute__((visibility("default")))
#define LINKED_AS(name, function)                                                                  \
    extern __typeof__(function) name INJECT_API __attribute__((alias(#function)));
#define LINKED_NAMES(start, ending)                                                                \
    INJECT_API int start##nvJitLinkCreate##ending(void **out, uint32_t count,                      \
                                                  const char **options);                           \
    int start##nvJitLinkCreate##ending(void **out, uint32_t count, const char **options) {         \
        return create_linked(__builtin_return_address(0), #start "nvJitLinkCreate" #ending,        \
                             #ending, out, count, options);                                        \
    }                                                                                              \
    LINKED_AS(start##nvJitLinkDestroy##ending, destroy)                                            \
    LINKED_AS(start##nvJitLinkAddData##ending, add_data)                                           \
    LINKED_AS(start##nvJitLinkAddFile##ending, add_file)                                           \
    LINKED_AS(start##nvJitLinkComplete##ending, complete)                                          \
    LINKED_AS(start##nvJitLinkGetLinkedCubinSize##ending, cubin_size)                              \
    LINKED_AS(start##nvJitLinkGetLinkedCubin##ending, cubin)                                       \
    LINKED_AS(start##nvJitLinkGetLinkedPtxSize##ending, ptx_size)                                  \
    LINKED_AS(start##nvJitLinkGetLinkedPtx##ending, ptx)                                           \
    LINKED_AS(start##nvJitLinkGetLinkedLTOIRSize##ending, ir_size)                                 \
    LINKED_AS(start##nvJitLinkGetLinkedLTOIR##ending, ir)                                          \
    LINKED_AS(start##nvJitLinkGetErrorLogSize##ending, error_size)                                 \
    LINKED_AS(start##nvJitLinkGetErrorLog##ending, error)                                          \
    LINKED_AS(start##nvJitLinkGetInfoLogSize##ending, info_size)                                   \
    LINKED_AS(start##nvJitLinkGetInfoLog##ending, info)
LINKED_NAMES(, )
LINKED_NAMES(__, _12_0)
LINKED_NAMES(__, _12_1)
LINKED_NAMES(__, _12_2)
LINKED_NAMES(__, _12_3)
LINKED_NAMES(__, _12_4)
LINKED_NAMES(__, _12_5)
LINKED_NAMES(__, _12_6)
LINKED_NAMES(__, _12_7)
LINKED_NAMES(__, _12_8)
LINKED_NAMES(__, _12_9)
LINKED_NAMES(__, _13_0)
LINKED_NAMES(__, _13_1)
LINKED_NAMES(__, _13_2)
LINKED_NAMES(__, _13_3)
LINKED_NAMES(__, _13_4)
LINKED_NAMES(__, _13_5)
LINKED_NAMES(__, _13_6)
LINKED_NAMES(__, _13_7)
LINKED_NAMES(__, _13_8)
LINKED_NAMES(__, _13_9)

// ---- Looked for by name -----------------------------------------------------------------------

#define OURS(name, function)                                                                       \
    { name, (void (*)(void))function }
static const struct {
    const char *name;
    void (*function)(void);
} ours[] = {
    OURS("Destroy", destroy),
    OURS("AddData", add_data),
    OURS("AddFile", add_file),
    OURS("Complete", complete),
    OURS("GetLinkedCubinSize", cubin_size),
    OURS("GetLinkedCubin", cubin),
    OURS("GetLinkedPtxSize", ptx_size),
    OURS("GetLinkedPtx", ptx),
    OURS("GetLinkedLTOIRSize", ir_size),
    OURS("GetLinkedLTOIR", ir),
    OURS("GetErrorLogSize", error_size),
    OURS("GetErrorLog", error),
    OURS("GetInfoLogSize", info_size),
    OURS("GetInfoLog", info),
};

static void *creator_of(void *found, const char *ending) {
    void *function = NULL;
    int library = inject_library_of(&libraries, found);
    if (library >= 0) {
        snprintf(endings[library], sizeof *endings, "%s", ending);
        memcpy(&function, &creators[library], sizeof function);
    }
    return function;
}

// `nvJitLinkCreate`, or `__nvJitLinkCreate_12_9`, as its header has it.
void *inject_jitlink_symbol(const char *name, void *found) {
    void *function = NULL;
    name += strspn(name, "_") + strlen("nvJitLink");
    const char *ending = name + strcspn(name, "_");
    const size_t length = (size_t)(ending - name);
    if (length == strlen("Create") && memcmp(name, "Create", length) == 0)
        return creator_of(found, ending);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i].name) == length && memcmp(name, ours[i].name, length) == 0)
            memcpy(&function, &ours[i].function, sizeof function);
    return function;
}

// Compiling at run time: the program's NVRTC works as it is. These stand before some of its
// functions, so that what it makes has source lines and names source texts that are kept, and is
// PTX where the program asks for machine code.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "inject/inject.h"
#include "inject/library.h"
#include "toolchain/carrier.h"
#include "toolchain/registers.h"
#include "toolchain/sources.h"

#define INJECT_API __attribute__((visibility("default")))

typedef void *nvrtc_program;
typedef int (*create_function)(nvrtc_program *, const char *, const char *, int,
                               const char *const *, const char *const *);
typedef int (*compile_function)(nvrtc_program, int, const char *const *);
typedef int (*destroy_function)(nvrtc_program *);
typedef int (*size_function)(nvrtc_program, size_t *);
typedef int (*text_function)(nvrtc_program, char *);

enum {
    NVRTC_SUCCESS,
    NVRTC_INVALID_INPUT = 3,
    NVRTC_INVALID_PROGRAM = 4,
    NVRTC_INTERNAL_ERROR = 11
};

// What is known of a program of some NVRTC.
struct program {
    nvrtc_program handle;
    int library;
    char *name, *source;
    unsigned arch;           // of the machine code that was asked for; 0: PTX was
    unsigned most_registers; // that it may take; 0: no limit
    char *ptx;               // made when it is first asked for; NULL before
};

static struct inject_libraries libraries;
static VEC(struct program *) programs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct program *find_program(nvrtc_program handle) {
    struct program *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < programs.length && !found; i++)
        if (programs.data[i]->handle == handle)
            found = programs.data[i];
    pthread_mutex_unlock(&lock);
    return found;
}

static void free_program(struct program *program) {
    free(program->name);
    free(program->source);
    free(program->ptx);
    free(program);
}

static void forget_program(nvrtc_program handle) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < programs.length; i++)
        if (programs.data[i]->handle == handle) {
            free_program(programs.data[i]);
            programs.data[i] = programs.data[--programs.length];
            break;
        }
    pthread_mutex_unlock(&lock);
}

// ---- Creating ---------------------------------------------------------------------------------

static int create(int library, nvrtc_program *handle, const char *source, const char *name,
                  int count, const char *const *headers, const char *const *includes) {
    create_function real;
    inject_library_find(&libraries, library, "nvrtcCreateProgram", &real);
    int status = real ? real(handle, source, name, count, headers, includes) : NVRTC_INTERNAL_ERROR;
    if (status != NVRTC_SUCCESS)
        return status;
    struct program *program = base_alloc(sizeof *program);
    *program = (struct program){.handle = *handle,
                                .library = library,
                                .name = base_strdup(name && *name ? name : "default_program"),
                                .source = base_strdup(source)};
    pthread_mutex_lock(&lock);
    vec_push(&programs, program);
    pthread_mutex_unlock(&lock);
    return status;
}

// One for each library: the program that it makes is not there yet.
#define CREATE(number)                                                                             \
    static int create_##number(nvrtc_program *handle, const char *source, const char *name,        \
                               int count, const char *const *headers,                              \
                               const char *const *includes) {                                      \
        return create(number, handle, source, name, count, headers, includes);                     \
    }
CREATE(0)
CREATE(1)
CREATE(2)
CREATE(3)
static const create_function creators[INJECT_LIBRARIES] = {create_0, create_1, create_2, create_3};

INJECT_API int nvrtcCreateProgram(nvrtc_program *handle, const char *source, const char *name,
                                  int count, const char *const *headers,
                                  const char *const *includes);
INJECT_API int nvrtcCompileProgram(nvrtc_program handle, int count, const char *const *options);
INJECT_API int nvrtcDestroyProgram(nvrtc_program *handle);
INJECT_API int nvrtcGetPTXSize(nvrtc_program handle, size_t *bytes);
INJECT_API int nvrtcGetPTX(nvrtc_program handle, char *text);
INJECT_API int nvrtcGetCUBINSize(nvrtc_program handle, size_t *bytes);
INJECT_API int nvrtcGetCUBIN(nvrtc_program handle, char *code);

// Of a program that is linked with NVRTC.
int nvrtcCreateProgram(nvrtc_program *handle, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *includes) {
    void *found = inject_library_next(__builtin_return_address(0), "nvrtcCreateProgram");
    int library = found ? inject_library_of(&libraries, found) : -1;
    return library < 0 ? NVRTC_INTERNAL_ERROR
                       : create(library, handle, source, name, count, headers, includes);
}

int nvrtcDestroyProgram(nvrtc_program *handle) {
    struct program *program = handle ? find_program(*handle) : NULL;
    destroy_function real;
    if (!program)
        return NVRTC_INVALID_PROGRAM;
    inject_library_find(&libraries, program->library, "nvrtcDestroyProgram", &real);
    forget_program(*handle);
    return real ? real(handle) : NVRTC_INTERNAL_ERROR;
}

// ---- Compiling --------------------------------------------------------------------------------

// What stands behind the name and '=' of an option; "" where the next argument has it. NULL:
// another option.
static const char *value_of(const char *option, const char *name) {
    size_t length = strlen(name);
    while (*option == '-')
        option++;
    if (strncmp(option, name, length) != 0 || (option[length] && option[length] != '='))
        return NULL;
    return option[length] ? option + length + 1 : option + length;
}

static bool is_option(const char *option, const char *name) {
    const char *value = value_of(option, name);
    return value && !*value;
}

struct arguments {
    VEC(const char *) list;
    char *arch; // the option that stands in place of another; NULL: none
    bool has_lines, is_for_linking;
};

// `-arch=sm_90` becomes `-arch=compute_90`: machine code would be made for nobody.
static const char *without_machine_code(struct arguments *arguments, struct program *program,
                                        const char *option, const char *arch) {
    static const char prefix[] = "sm_";
    if (strncmp(arch, prefix, strlen(prefix)) != 0 || arguments->is_for_linking)
        return option;
    struct strbuf made = {0};
    program->arch = (unsigned)strtoul(arch + strlen(prefix), NULL, 10);
    strbuf_printf(&made, "%.*scompute_%s", (int)(arch - option), option, arch + strlen(prefix));
    free(arguments->arch);
    return arguments->arch = strbuf_take(&made);
}

static const char *arch_of(const char *option) {
    const char *arch = value_of(option, "arch");
    return arch ? arch : value_of(option, "gpu-architecture");
}

// `-maxrregcount=32`, or the number is the next argument.
static void read_registers(struct program *program, const char *option, const char *next) {
    struct strbuf whole = {0};
    if (is_option(option, "maxrregcount") && !strchr(option, '=') && next)
        strbuf_printf(&whole, "%s=%s", option, next);
    const unsigned most = toolchain_registers_of(whole.length ? whole.data : option);
    if (most)
        program->most_registers = most;
    strbuf_free(&whole);
}

static void read_arguments(struct arguments *arguments, struct program *program, int count,
                           const char *const *options) {
    bool arch_follows = false;
    for (int i = 0; options && i < count; i++) {
        arguments->has_lines |= is_option(options[i], "lineinfo") ||
                                is_option(options[i], "generate-line-info") ||
                                is_option(options[i], "G") || is_option(options[i], "device-debug");
        arguments->is_for_linking |=
            is_option(options[i], "dlto") || is_option(options[i], "dlink-time-opt");
        read_registers(program, options[i], i + 1 < count ? options[i + 1] : NULL);
    }
    for (int i = 0; options && i < count; i++) {
        const char *arch = arch_follows ? options[i] : arch_of(options[i]);
        arch_follows = arch && !*arch;
        vec_push(&arguments->list, arch && *arch
                                       ? without_machine_code(arguments, program, options[i], arch)
                                       : options[i]);
    }
    // What is linked as intermediate code must agree on whether and how it has lines.
    if (!arguments->has_lines && !arguments->is_for_linking)
        vec_push(&arguments->list, "-lineinfo");
}

int nvrtcCompileProgram(nvrtc_program handle, int count, const char *const *options) {
    struct program *program = find_program(handle);
    compile_function real;
    if (!program)
        return NVRTC_INVALID_PROGRAM;
    inject_library_find(&libraries, program->library, "nvrtcCompileProgram", &real);
    if (!real)
        return NVRTC_INTERNAL_ERROR;
    struct arguments arguments = {0};
    program->arch = program->most_registers = 0;
    free(program->ptx);
    program->ptx = NULL;
    read_arguments(&arguments, program, count, options);
    int status = real(handle, (int)arguments.list.length, arguments.list.data);
    vec_free(&arguments.list);
    free(arguments.arch);
    return status;
}

// ---- What was made ----------------------------------------------------------------------------

// NULL: *status says why.
static const char *ptx_of(struct program *program, int *status) {
    size_function size;
    text_function text;
    size_t bytes = 0;
    *status = program ? NVRTC_SUCCESS : NVRTC_INVALID_PROGRAM;
    if (!program || program->ptx)
        return program ? program->ptx : NULL;
    inject_library_find(&libraries, program->library, "nvrtcGetPTXSize", &size);
    inject_library_find(&libraries, program->library, "nvrtcGetPTX", &text);
    *status = size && text ? size(program->handle, &bytes) : NVRTC_INTERNAL_ERROR;
    if (*status != NVRTC_SUCCESS)
        return NULL;
    char *ptx = base_alloc(bytes + 1);
    *status = text(program->handle, ptx);
    if (*status == NVRTC_SUCCESS)
        program->ptx = toolchain_name_source(ptx, program->name, program->source);
    free(ptx);
    return program->ptx;
}

int nvrtcGetPTXSize(nvrtc_program handle, size_t *bytes) {
    int status;
    const char *ptx = ptx_of(find_program(handle), &status);
    if (ptx && !bytes)
        return NVRTC_INVALID_INPUT;
    if (ptx)
        *bytes = strlen(ptx) + 1;
    return status;
}

int nvrtcGetPTX(nvrtc_program handle, char *text) {
    int status;
    const char *ptx = ptx_of(find_program(handle), &status);
    if (ptx && !text)
        return NVRTC_INVALID_INPUT;
    if (ptx)
        memcpy(text, ptx, strlen(ptx) + 1);
    return status;
}

// Machine code, as far as the program sees. Of a program that is compiled for an architecture of
// PTX NVRTC has none.
static char *code_of(nvrtc_program handle, size_t *bytes, int *status) {
    struct program *program = find_program(handle);
    *bytes = 0;
    if (program && !program->arch) {
        *status = NVRTC_SUCCESS;
        return NULL;
    }
    const char *ptx = ptx_of(program, status);
    if (!ptx)
        return NULL;
    char *limited = toolchain_limit_registers(base_strdup(ptx), program->most_registers);
    char *carrier = toolchain_carrier_make(limited, strlen(limited), program->arch, bytes);
    free(limited);
    return carrier;
}

int nvrtcGetCUBINSize(nvrtc_program handle, size_t *bytes) {
    int status;
    if (!bytes)
        return NVRTC_INVALID_INPUT;
    free(code_of(handle, bytes, &status));
    return status;
}

int nvrtcGetCUBIN(nvrtc_program handle, char *code) {
    int status;
    size_t bytes;
    char *made = code ? code_of(handle, &bytes, &status) : NULL;
    if (!code)
        return NVRTC_INVALID_INPUT;
    if (made)
        memcpy(code, made, bytes);
    free(made);
    return status;
}

// ---- Looked for by name -----------------------------------------------------------------------

#define OURS(name)                                                                                 \
    { #name, (void (*)(void))name }
static const struct {
    const char *name;
    void (*function)(void);
} ours[] = {
    OURS(nvrtcCompileProgram), OURS(nvrtcDestroyProgram), OURS(nvrtcGetPTXSize),
    OURS(nvrtcGetPTX),         OURS(nvrtcGetCUBINSize),   OURS(nvrtcGetCUBIN),
};

void *inject_nvrtc_symbol(const char *name, void *found) {
    void *function = NULL;
    if (strcmp(name, "nvrtcCreateProgram") == 0) {
        int library = inject_library_of(&libraries, found);
        if (library >= 0)
            memcpy(&function, &creators[library], sizeof function);
        return function;
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i].name) == 0)
            memcpy(&function, &ours[i].function, sizeof function);
    return function;
}

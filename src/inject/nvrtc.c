// Compiling at run time: the program's NVRTC works as it is. These stand before three of its
// functions, so that what it makes has source lines, and is PTX where the program asks for machine
// code.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "inject/inject.h"

#define INJECT_API __attribute__((visibility("default")))

typedef void *nvrtc_program;
typedef int (*compile_function)(nvrtc_program, int, const char *const *);
typedef int (*size_function)(nvrtc_program, size_t *);
typedef int (*text_function)(nvrtc_program, char *);

enum { NVRTC_INTERNAL_ERROR = 11 };

// Sets a pointer to the program's own function.
static void find(const char *name, void *function) {
    void *address = dlsym(RTLD_NEXT, name);
    memcpy(function, &address, sizeof address);
}

static bool is_option(const char *text, const char *name) {
    while (*text == '-')
        text++;
    return strcmp(text, name) == 0;
}

INJECT_API int nvrtcCompileProgram(nvrtc_program program, int count, const char *const *options);
INJECT_API int nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes);
INJECT_API int nvrtcGetCUBIN(nvrtc_program program, char *code);

int nvrtcCompileProgram(nvrtc_program program, int count, const char *const *options) {
    compile_function real;
    find("nvrtcCompileProgram", &real);
    const char **more = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *more);
    if (!real || !more) {
        free(more);
        return NVRTC_INTERNAL_ERROR;
    }
    bool has_lines = false;
    int used = 0;
    for (int i = 0; options && i < count; i++) {
        has_lines |= is_option(options[i], "lineinfo") ||
                     is_option(options[i], "generate-line-info") || is_option(options[i], "G");
        more[used++] = options[i];
    }
    if (!has_lines)
        more[used++] = "-lineinfo";
    int status = real(program, used, more);
    free(more);
    return status;
}

int nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes) {
    size_function real;
    find("nvrtcGetPTXSize", &real);
    return real ? real(program, bytes) : NVRTC_INTERNAL_ERROR;
}

int nvrtcGetCUBIN(nvrtc_program program, char *code) {
    text_function real;
    find("nvrtcGetPTX", &real);
    return real ? real(program, code) : NVRTC_INTERNAL_ERROR;
}

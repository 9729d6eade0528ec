// Libraries that exist only as machine code, for who loads them late (dlsym): cuDNN and cuBLAS. JAX
// will not begin without a handle of each, whatever it goes on to do, and their own functions that
// make one fail here. What asks for versions and texts is the library's own; a handle is ours, and
// whoever calls more than that is refused by name.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "inject/inject.h"
#include "inject/library.h"

enum { SUCCESS = 0, CUDNN_BAD_PARAM = 2000, CUDNN_NOT_SUPPORTED = 3000, CUBLAS_NOT_SUPPORTED = 15 };

struct handle {
    void *stream;
};

static int create(struct handle **handle) {
    if (!handle)
        return CUDNN_BAD_PARAM;
    *handle = base_alloc(sizeof **handle);
    return SUCCESS;
}

static int destroy(struct handle *handle) {
    free(handle);
    return SUCCESS;
}

static int set_stream(struct handle *handle, void *stream) {
    if (!handle)
        return CUDNN_BAD_PARAM;
    handle->stream = stream;
    return SUCCESS;
}

static int get_stream(const struct handle *handle, void **stream) {
    if (!handle || !stream)
        return CUDNN_BAD_PARAM;
    *stream = handle->stream;
    return SUCCESS;
}

// ---- Refusing ---------------------------------------------------------------------------------
// Each name has a function of its own, which knows its number and no more.

enum { NAMES = 512 }; // cuDNN 9 has 270, XLA knows 100 of cuBLAS

#define USED __attribute__((used, visibility("hidden")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *names[NAMES];
static bool was_said[NAMES];

static bool is_of_cublas(const char *name) {
    return strncmp(name, "cublas", strlen("cublas")) == 0;
}

// Descriptions of products that XLA asks for as one way of several: without them it takes another.
static bool is_description(const char *name) {
    return strncmp(name, "cublasLt", strlen("cublasLt")) == 0 && strstr(name, "Create");
}

USED int inject_coded_refuse(unsigned number);
int inject_coded_refuse(unsigned number) {
    pthread_mutex_lock(&lock);
    bool is_new = !was_said[number];
    was_said[number] = true;
    pthread_mutex_unlock(&lock);
    const bool is_blas = is_of_cublas(names[number]);
    if (is_new && !is_description(names[number]))
        inject_note(
            "%s: %s exists only as machine code, which bankrun does not run: the call fails%s",
            names[number], is_blas ? "cuBLAS" : "cuDNN",
            is_blas ? " (bankrun --libraries cpu has it computed by OpenBLAS)" : "");
    return is_blas ? CUBLAS_NOT_SUPPORTED : CUDNN_NOT_SUPPORTED;
}

USED void inject_coded_refusals(void); // the first of them; each has 16 bytes
#if defined __x86_64__
__asm__(".p2align 4\n"
        "inject_coded_refusals:\n"
        ".set number, 0\n"
        ".rept 512\n"
        "    .p2align 4\n"
        "    mov $number, %edi\n"
        "    jmp inject_coded_refuse\n"
        "    .set number, number + 1\n"
        ".endr\n");
#elif defined __aarch64__
__asm__(".p2align 4\n"
        "inject_coded_refusals:\n"
        ".set number, 0\n"
        ".rept 512\n"
        "    .p2align 4\n"
        "    mov w0, #number\n"
        "    b inject_coded_refuse\n"
        "    .set number, number + 1\n"
        ".endr\n");
#else
void inject_coded_refusals(void) {
    abort();
}
#endif

// NULL: too many names.
static void *refusal_of(const char *name) {
    uintptr_t found = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < NAMES && !found; i++) {
        if (!names[i])
            names[i] = base_strdup(name);
        if (strcmp(names[i], name) == 0)
            found = (uintptr_t)inject_coded_refusals + 16 * (uintptr_t)i;
    }
    pthread_mutex_unlock(&lock);
    return (void *)found;
}

// ---- Who is asked -----------------------------------------------------------------------------

static void *address_of(void (*function)(void)) {
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

static bool ends_with(const char *name, const char *end) {
    const size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

// As it is with `bankrun --libraries cpu`.
static bool is_computed(void *function) {
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname &&
           strncmp(text_file_name(info.dli_fname), "libbankrun-", strlen("libbankrun-")) == 0;
}

void *inject_coded_symbol(const char *name, void *found) {
    static const struct {
        const char *name;
        void (*function)(void);
    } ours[] = {
        {"cudnnCreate", (void (*)(void))create},
        {"cudnnDestroy", (void (*)(void))destroy},
        {"cudnnSetStream", (void (*)(void))set_stream},
        {"cudnnGetStream", (void (*)(void))get_stream},
        {"cublasCreate_v2", (void (*)(void))create},
        {"cublasDestroy_v2", (void (*)(void))destroy},
        {"cublasSetStream_v2", (void (*)(void))set_stream},
        {"cublasGetStream_v2", (void (*)(void))get_stream},
        {"cublasLtCreate", (void (*)(void))create},
        {"cublasLtDestroy", (void (*)(void))destroy},
    };
    if (is_computed(found))
        return NULL;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i].name) == 0)
            return address_of(ours[i].function);
    if (ends_with(name, "Version") || strcmp(name, "cublasGetVersion_v2") == 0 ||
        ends_with(name, "VersionCheck") || ends_with(name, "String") ||
        ends_with(name, "StatusName") || strcmp(name, "cudnnGetProperty") == 0 ||
        strcmp(name, "cublasGetProperty") == 0)
        return NULL;
    return refusal_of(name);
}

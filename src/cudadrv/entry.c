// How programs find the driver's functions by name and version.
#define _GNU_SOURCE // RTLD_NOLOAD, dladdr
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cudadrv/cudadrv.h"
#include "toolchain/libraries.h"

enum { LONGEST_NAME = 128 };
enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 }; // flags of cuGetProcAddress
enum { IS_FOUND, IS_NOT_FOUND, IS_TOO_NEW };       // CUdriverProcAddressQueryResult
enum { BY_DEFAULT, BY_LEGACY_STREAM, BY_PER_THREAD_STREAM, SOURCES }; // cudaEnableDefault, ...

// Functions of which there are several, with the versions of CUDA that brought them: the first is
// NAME, the next NAME_v2, ...
struct history {
    const char *name;
    int versions[4];
};

static const struct history histories[] = {
#define X(name, ...) {#name, {__VA_ARGS__}},
#include "cudadrv/history.def"
#undef X
};

// Which one a program of this version means: 0 for NAME, 1 for NAME_v2, ... -1: it is newer.
static int variant_of(const char *name, int version) {
    for (size_t i = 0; i < sizeof histories / sizeof *histories; i++) {
        if (strcmp(histories[i].name, name) != 0)
            continue;
        int variant = -1;
        for (int v = 0; v < 4 && histories[i].versions[v]; v++)
            if (histories[i].versions[v] <= version)
                variant = v;
        return variant;
    }
    return 0;
}

static void *own_library(void) {
    static const char anchor;
    static _Atomic(void *) library;
    Dl_info info;
    if (!library && dladdr(&anchor, &info))
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

static void *find(const char *name, int variant, bool is_per_thread) {
    static const char *const endings[] = {"_ptsz", "_ptds", ""};
    char base[LONGEST_NAME], symbol[LONGEST_NAME + 8];
    if (variant == 0)
        snprintf(base, sizeof base, "%s", name);
    else
        snprintf(base, sizeof base, "%s_v%d", name, variant + 1);
    for (int i = is_per_thread ? 0 : 2; i < 3; i++) {
        snprintf(symbol, sizeof symbol, "%s%s", base, endings[i]);
        void *function = dlsym(own_library(), symbol);
        if (function)
            return function;
    }
    return NULL;
}

static cu_result look_up(const char *name, void **function, int version, uint64_t flags,
                         int *status) {
    if (!name || !function || flags > PER_THREAD_STREAM || strncmp(name, "cu", 2) != 0 ||
        strlen(name) > LONGEST_NAME - 8)
        return cudaErrorInvalidValue;
    int variant = variant_of(name, version);
    *function = variant < 0 ? NULL : find(name, variant, flags == PER_THREAD_STREAM);
    if (status)
        *status = variant < 0 ? IS_TOO_NEW : *function ? IS_FOUND : IS_NOT_FOUND;
    // The newer call says how it went in `status`, and is not an error then.
    return *function ? cudaSuccess : (cu_result)CUDADRV_NOT_FOUND;
}

CUDART_API cu_result cuGetProcAddress_v2(const char *name, void **function, int version,
                                         uint64_t flags, int *status) {
    return look_up(name, function, version, flags, status);
}

CUDART_API cu_result cuGetProcAddress(const char *name, void **function, int version,
                                      uint64_t flags) {
    return look_up(name, function, version, flags, NULL);
}

// Whether the code at the address belongs to a library of the toolkit that goes on without, like
// NVRTC.
static bool only_asks(const void *address) {
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname || library_is_machine_code(info.dli_fname))
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libnv", 5) == 0;
}

static void say_why(const void *caller) {
    Dl_info info;
    const char *name = dladdr(caller, &info) && info.dli_fname ? info.dli_fname : "the program";
    if (library_is_machine_code(name))
        cuda_note("%s exists only as machine code, which bankrun does not run: calls of "
                  "it fail",
                  name);
    else
        cuda_note("%s asks the driver for undocumented tables, as the static CUDA runtime does: "
                  "build it with nvcc -cudart shared",
                  name);
}

// The tables have no names and no documents. A static CUDA runtime cannot work without them: that
// of a program is replaced when it starts, one that comes with a library later is not.
CUDART_API cu_result cuGetExportTable(const void **table, const void *id) {
    static atomic_flag was_said = ATOMIC_FLAG_INIT;
    const void *caller = __builtin_return_address(0);
    (void)id;
    if (!only_asks(caller) && !atomic_flag_test_and_set(&was_said))
        say_why(caller);
    if (table)
        *table = NULL;
    return cudaErrorNotSupported;
}

// ---- The runtime's way to the same ------------------------------------------------------------

static enum cuda_error entry_point(const char *name, void **function, int version,
                                   unsigned long long flags, int *status) {
    if (flags >= SOURCES)
        return cudaErrorInvalidValue;
    if (cuda_version() < 12000) // whose call has no such parameter
        status = NULL;
    cu_result error = look_up(name, function, version, flags, status);
    return error == (cu_result)CUDADRV_NOT_FOUND ? cudaSuccess : error;
}

CUDART_API enum cuda_error cudaGetDriverEntryPoint(const char *name, void **function,
                                                   unsigned long long flags, int *status) {
    return cuda_record(entry_point(name, function, cuda_version(), flags, status));
}

CUDART_API enum cuda_error cudaGetDriverEntryPoint_ptsz(const char *name, void **function,
                                                        unsigned long long flags, int *status) {
    return cuda_record(entry_point(name, function, cuda_version(),
                                   flags == BY_DEFAULT ? BY_PER_THREAD_STREAM : flags, status));
}

CUDART_API enum cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                            unsigned version,
                                                            unsigned long long flags, int *status) {
    return cuda_record(entry_point(name, function, (int)version, flags, status));
}

CUDART_API enum cuda_error cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function,
                                                                 unsigned version,
                                                                 unsigned long long flags,
                                                                 int *status) {
    return cuda_record(entry_point(name, function, (int)version,
                                   flags == BY_DEFAULT ? BY_PER_THREAD_STREAM : flags, status));
}

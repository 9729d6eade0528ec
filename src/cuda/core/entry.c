#define _GNU_SOURCE // RTLD_NOLOAD, dladdr
#include "cuda/core/entry.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 128 };
enum { IS_FOUND, IS_NOT_FOUND, IS_TOO_NEW }; // CUdriverProcAddressQueryResult

// Functions of which there are several, with the versions of CUDA that brought them: the first is
// NAME, the next NAME_v2, ...
struct history {
    const char *name;
    int versions[4];
};

static const struct history histories[] = {
#define X(name, ...) {#name, {__VA_ARGS__}},
#include "cuda/core/history.def"
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

enum cuda_error cuda_entry_point(const char *name, void **function, int version, uint64_t flags,
                                 int *status) {
    if (!name || !function || flags > CUDA_ENTRY_PER_THREAD || strncmp(name, "cu", 2) != 0 ||
        strlen(name) > LONGEST_NAME - 8)
        return cudaErrorInvalidValue;
    int variant = variant_of(name, version);
    *function = variant < 0 ? NULL : find(name, variant, flags == CUDA_ENTRY_PER_THREAD);
    if (status)
        *status = variant < 0 ? IS_TOO_NEW : *function ? IS_FOUND : IS_NOT_FOUND;
    // The newer call says how it went in `status`, and is not an error then.
    return *function ? cudaSuccess : cudaErrorSymbolNotFound;
}

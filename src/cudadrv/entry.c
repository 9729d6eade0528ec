// How programs find the driver's functions.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "cuda/core/entry.h"
#include "cudadrv/cudadrv.h"
#include "toolchain/libraries.h"

CUDA_API cu_result cuGetProcAddress_v2(const char *name, void **function, int version,
                                       uint64_t flags, int *status) {
    return cuda_entry_point(name, function, version, flags, status);
}

CUDA_API cu_result cuGetProcAddress(const char *name, void **function, int version,
                                    uint64_t flags) {
    return cuda_entry_point(name, function, version, flags, NULL);
}

// Whether the code at the address belongs to a library of the toolkit that goes on without, like
// NVRTC, or to a part of cuDNN, which asks as it is loaded: its functions are refused by name.
static bool only_asks(const void *address) {
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *file = slash ? slash + 1 : info.dli_fname;
    return strncmp(file, "libcudnn_", 9) == 0 ||
           (strncmp(file, "libnv", 5) == 0 && !library_is_machine_code(file));
}

static void say_why(const void *caller) {
    Dl_info info;
    const char *name = dladdr(caller, &info) && info.dli_fname ? info.dli_fname : "the program";
    if (library_is_machine_code(name))
        cuda_note("%s exists only as machine code, which bankrun does not run: calls of "
                  "it fail%s",
                  name, library_is_computed(name) ? " (--libraries cpu computes them)" : "");
    else if (library_is_of_python(name))
        cuda_note(
            "%s has the static CUDA runtime in it, without symbols, which asks the driver for "
            "undocumented tables: bankrun cannot replace it; %s",
            name, library_way_out(name));
    else
        cuda_note("%s asks the driver for undocumented tables, as the static CUDA runtime does: "
                  "build it with nvcc -cudart shared",
                  name);
}

// Each library has a runtime of its own, and is named once.
static bool is_first_of_its_object(const void *address) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const void *said[64];
    Dl_info info;
    const void *base = dladdr(address, &info) && info.dli_fbase ? info.dli_fbase : &lock;
    bool is_first = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (said[i] == base)
            break;
        if (!said[i]) {
            said[i] = base;
            is_first = true;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return is_first;
}

// The tables have no names and no documents. A static CUDA runtime cannot work without them: that
// of a program is replaced when it starts, one that comes with a library later is not.
CUDA_API cu_result cuGetExportTable(const void **table, const void *id) {
    const void *caller = __builtin_return_address(0);
    (void)id;
    if (!only_asks(caller) && is_first_of_its_object(caller))
        say_why(caller);
    if (table)
        *table = NULL;
    return cudaErrorNotSupported;
}

// How programs find the driver's functions.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
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

// The tables have no names and no documents. A static CUDA runtime cannot work without them: that
// of a program is replaced when it starts, one that comes with a library later is not.
CUDA_API cu_result cuGetExportTable(const void **table, const void *id) {
    static atomic_flag was_said = ATOMIC_FLAG_INIT;
    const void *caller = __builtin_return_address(0);
    (void)id;
    if (!only_asks(caller) && !atomic_flag_test_and_set(&was_said))
        say_why(caller);
    if (table)
        *table = NULL;
    return cudaErrorNotSupported;
}

#include "toolchain/libraries.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

bool library_is_of_python(const char *path) {
    return path && (strstr(path, "/site-packages/") || strstr(path, "/dist-packages/"));
}

// What to do about a static CUDA runtime in a library of a package. Whoever has it from PyPI did
// not build it.
const char *library_way_out(const char *path) {
    static const struct {
        const char *part, *words; // of the path
    } packages[] = {
        {"/warp/bin/", "Warp allocates and copies by it; built from its sources with build_lib.py "
                       "--use-dynamic-cuda it loads the runtime as a library, and runs"},
        {"/cuda/bindings/", "use cuda.bindings.driver, which does without"},
    };
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strstr(path, packages[i].part))
            return packages[i].words;
    return "what the package does by the driver API alone works, and all of it where it is built "
           "to "
           "load the runtime as a library (libcudart.so)";
}

static bool begins_with(const char *path, const char *const *prefixes) {
    const char *name = text_file_name(path);
    for (const char *const *prefix = prefixes; name && *prefix; prefix++)
        if (strncmp(name, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

bool library_is_computed(const char *path) {
    static const char *const prefixes[] = {"libcublas", "libcufft", "libcurand", NULL};
    return begins_with(path, prefixes);
}

bool library_is_machine_code(const char *path) {
    static const char *const prefixes[] = {"libcublas",   "libcudnn",    "libcufft", "libcurand",
                                           "libcusolver", "libcusparse", "libnccl",  "libnpp",
                                           "libnvjpeg",   "libcutensor", "libcudss", "libcufile",
                                           "libnvshmem",  NULL};
    return begins_with(path, prefixes);
}

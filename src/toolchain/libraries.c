#include "toolchain/libraries.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

bool library_is_of_python(const char *path) {
    return path && (strstr(path, "/site-packages/") || strstr(path, "/dist-packages/"));
}

bool library_is_machine_code(const char *path) {
    static const char *const prefixes[] = {"libcublas",   "libcudnn",    "libcufft", "libcurand",
                                           "libcusolver", "libcusparse", "libnccl",  "libnpp",
                                           "libnvjpeg",   "libcutensor", "libcudss", "libcufile",
                                           "libnvshmem",  NULL};
    const char *name = text_file_name(path);
    for (const char *const *prefix = prefixes; name && *prefix; prefix++)
        if (strncmp(name, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

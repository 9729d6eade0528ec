#define _GNU_SOURCE // dl_iterate_phdr
#include "inject/cupti.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "inject/inject.h"

enum { SUCCESS = 0, INVALID_PARAMETER = 1 };

// LIBRARY/../include/cupti_version.h, in packages as in toolkits.
static uint32_t version_beside(const char *library) {
    const int folder = (int)(text_file_name(library) - library);
    char path[4096], line[256];
    uint32_t version = 0;
    snprintf(path, sizeof path, "%.*s../include/cupti_version.h", folder, library);
    FILE *file = fopen(path, "r");
    while (file && !version && fgets(line, sizeof line, file))
        if (sscanf(line, "#define CUPTI_API_VERSION %u", &version) != 1)
            version = 0;
    if (file)
        fclose(file);
    return version;
}

static int look(struct dl_phdr_info *info, size_t size, void *version) {
    (void)size;
    const char *path = info->dlpi_name;
    if (!path || !strchr(path, '/') || strncmp(text_file_name(path), "libcupti.", 9) != 0)
        return 0;
    *(uint32_t *)version = version_beside(path);
    return 1;
}

int inject_cupti_version(uint32_t *version) {
    uint32_t found = 0;
    if (!version)
        return INVALID_PARAMETER;
    dl_iterate_phdr(look, &found);
    if (!found) {
        inject_note_missing("cuptiGetVersion: not simulated: cupti_version.h does not lie beside "
                            "the library");
        return CUPTI_NOT_SUPPORTED;
    }
    *version = found;
    return SUCCESS;
}

int inject_cupti_text(int result, const char **text) {
    if (!text)
        return INVALID_PARAMETER;
    *text = result == SUCCESS               ? "CUPTI_SUCCESS"
            : result == CUPTI_NOT_SUPPORTED ? "CUPTI_ERROR_NOT_SUPPORTED"
                                            : "an error of CUPTI";
    return SUCCESS;
}

int inject_cupti_last_error(void) {
    return SUCCESS;
}

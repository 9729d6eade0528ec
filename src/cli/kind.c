// What kind of input a file is.
#define _GNU_SOURCE // memmem
#include <ctype.h>
#include <string.h>

#include "cli/commands.h"

static bool has_ending(const char *path, const char *const *endings) {
    const char *dot = strrchr(path, '.');
    for (; dot && *endings; endings++)
        if (!strcmp(dot, *endings))
            return true;
    return false;
}

// Skips blanks and comments.
static size_t skip_blanks(const char *data, size_t length, size_t at) {
    while (at < length) {
        if (isspace((unsigned char)data[at])) {
            at++;
        } else if (at + 1 < length && data[at] == '/' && data[at + 1] == '/') {
            while (at < length && data[at] != '\n')
                at++;
        } else if (at + 1 < length && data[at] == '/' && data[at + 1] == '*') {
            const char *end = memmem(data + at + 2, length - at - 2, "*/", 2);
            at = end ? (size_t)(end - data) + 2 : length;
        } else {
            break;
        }
    }
    return at;
}

static bool starts_with(const char *data, size_t length, size_t at, const char *text) {
    return length - at >= strlen(text) && !memcmp(data + at, text, strlen(text));
}

enum cli_kind cli_kind_of(const char *path, const char *data, size_t length) {
    if (starts_with(data, length, 0, "\177ELF"))
        return CLI_KIND_ELF;
    size_t at = skip_blanks(data, length, 0);
    if (starts_with(data, length, at, ".version"))
        return CLI_KIND_PTX;
    if (starts_with(data, length, at, "{") && memmem(data, length, "\"bankrun\"", 9))
        return CLI_KIND_PROFILE;
    if (has_ending(path, (const char *const[]){".ptx", NULL}))
        return CLI_KIND_PTX; // broken, which the parser says better
    if (has_ending(path, (const char *const[]){".cu", ".cpp", ".cxx", ".cc", ".C", NULL}))
        return CLI_KIND_CUDA;
    return CLI_KIND_OTHER;
}

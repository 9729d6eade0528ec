// A program that takes the place of `fatbinary` in the processes that bankrun follows: images that
// are carriers are given to NVIDIA's as the PTX that they hold.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "standin/tool.h"
#include "toolchain/carrier.h"

static const char name[] = "fatbinary";

// A file of the carrier's PTX; NULL: it is none, or does not exist. Does not return where it is
// half.
static char *ptx_file(const char *path, size_t number) {
    char *data, *made = NULL;
    size_t length, ptx_length;
    if (!file_read_regular(path, &data, &length))
        return NULL;
    if (length >= TOOLCHAIN_CARRIER_SIGN && toolchain_is_carrier(data)) {
        struct strbuf file = {0};
        if (!toolchain_carrier_is_whole(data, length)) {
            tool_fail(name, "'%s' is cut off", path);
            exit(1);
        }
        strbuf_printf(&file, "%s/%zu.ptx", tool_folder(name), number);
        const char *ptx = toolchain_carrier_ptx(data, &ptx_length);
        if (!tool_write(name, file.data, ptx, ptx_length))
            exit(1);
        made = strbuf_take(&file);
    }
    free(data);
    return made;
}

// Where `file=` of an image stands, which `profile=` ends with, too.
static const char *find_file(const char *argument) {
    const char *at = argument;
    while ((at = strstr(at, "file=")) && at > argument && at[-1] != ',' && at[-1] != '=')
        at++;
    return at;
}

// "--image3=kind=elf,sm=90,file=a.cubin", "--image=profile=sm_90,file=a.cubin": the same of PTX.
static const char *as_ptx(const char *argument, size_t number) {
    const char *file = find_file(argument);
    char *path = file ? base_strndup(file + 5, strcspn(file + 5, ",")) : NULL;
    char *ptx = path ? ptx_file(path, number) : NULL;
    struct strbuf made = {0};
    for (const char *at = argument; ptx && *at;) {
        if (strncmp(at, "kind=elf", 8) == 0) {
            strbuf_puts(&made, "kind=ptx");
            at += 8;
        } else if (strncmp(at, "profile=sm_", 11) == 0) {
            strbuf_puts(&made, "profile=compute_");
            at += 11;
        } else if (at == file) {
            strbuf_printf(&made, "file=%s", ptx);
            at += 5 + strlen(path);
        } else {
            strbuf_append(&made, at++, 1);
        }
    }
    free(ptx);
    free(path);
    return made.data ? strbuf_take(&made) : argument;
}

int main(int count, char **argv) {
    argument_list arguments = {0};
    tool_path(name);
    for (int i = 1; i < count; i++) {
        const bool is_image =
            strncmp(argv[i], "--image", 7) == 0 || strncmp(argv[i], "-image", 6) == 0 ||
            strncmp(argv[i], "profile=", 8) == 0 || strncmp(argv[i], "kind=", 5) == 0;
        vec_push(&arguments, is_image ? as_ptx(argv[i], (size_t)i) : argv[i]);
    }
    return tool_run(name, &arguments);
}

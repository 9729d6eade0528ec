#define _GNU_SOURCE // memmem, strchrnul
#include "profile/compiled.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"

struct kernel {
    char *name;
    VEC(struct compiled_line) lines;
};

struct profile_compiled {
    VEC(struct kernel *) kernels;
    struct map by_name;
};

uint64_t profile_compiled_file(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char *at = slash ? slash + 1 : path; at && *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    return hash;
}

static struct kernel *add_kernel(struct profile_compiled *compiled, const char *name,
                                 size_t length) {
    struct kernel *kernel = map_get(&compiled->by_name, name, length);
    if (kernel)
        return kernel;
    kernel = base_alloc(sizeof *kernel);
    kernel->name = base_strndup(name, length);
    vec_push(&compiled->kernels, kernel);
    map_put(&compiled->by_name, kernel->name, length, kernel);
    return kernel;
}

static void add_access(struct kernel *kernel, uint64_t file, uint32_t line, enum site_op op,
                       unsigned width) {
    for (size_t i = kernel->lines.length; i-- > 0;) { // mostly the last one again
        struct compiled_line *known = &kernel->lines.data[i];
        if (known->line == line && known->file == file) {
            known->widths[op] |= (uint8_t)width;
            known->bytes[op] += width;
            return;
        }
    }
    struct compiled_line added = {.file = file, .line = line};
    added.widths[op] = (uint8_t)width;
    added.bytes[op] = width;
    vec_push(&kernel->lines, added);
}

// `//## File "/src/a.cu", line 12`: true, and where that is.
static bool read_place(const char *at, const char *end, uint64_t *file, uint32_t *line) {
    static const char before[] = "//## File \"", between[] = "\", line ";
    const char *start = memmem(at, (size_t)(end - at), before, sizeof before - 1);
    if (!start)
        return false;
    start += sizeof before - 1;
    const char *stop = memmem(start, (size_t)(end - start), between, sizeof between - 1);
    if (!stop)
        return false;
    char *path = base_strndup(start, (size_t)(stop - start));
    *file = profile_compiled_file(path);
    free(path);
    *line = (uint32_t)strtoul(stop + sizeof between - 1, NULL, 10);
    return true;
}

// The width of LDS.64, STS.U8, LDS: the suffix says it, without one it is 32 bits.
static unsigned width_of(const char *suffixes, const char *end) {
    while (suffixes < end && *suffixes == '.') {
        suffixes++;
        const char *digits = suffixes + (*suffixes == 'U' || *suffixes == 'S');
        char *rest;
        unsigned long bits = strtoul(digits, &rest, 10);
        bool is_width = rest > digits && (bits == 8 || bits == 16 || bits == 64 || bits == 128);
        if (is_width && (*rest == '.' || *rest == ' '))
            return (unsigned)bits / 8;
        while (suffixes < end && *suffixes != '.' && *suffixes != ' ')
            suffixes++;
    }
    return 4;
}

// `/*0180*/  @P0 LDS.64 R12, [R8] ;`
static void read_instruction(const char *at, const char *end, struct kernel *kernel, uint64_t file,
                             uint32_t line) {
    static const char *const names[] = {[SITE_LOAD] = " LDS", [SITE_STORE] = " STS"};
    for (enum site_op op = SITE_LOAD; op <= SITE_STORE; op++) {
        const char *found = memmem(at, (size_t)(end - at), names[op], 4);
        if (found && (found[4] == '.' || found[4] == ' '))
            add_access(kernel, file, line, op, width_of(found + 4, end));
    }
}

struct profile_compiled *profile_compiled_parse(const char *listing) {
    static const char section[] = ".text.";
    struct profile_compiled *compiled = base_alloc(sizeof *compiled);
    struct kernel *kernel = NULL;
    uint64_t file = 0;
    uint32_t line = 0;
    for (const char *at = listing, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        if (strncmp(at, section, sizeof section - 1) == 0 && end[-1] == ':') {
            at += sizeof section - 1;
            kernel = add_kernel(compiled, at, (size_t)(end - 1 - at));
            line = 0;
            file = 0;
        } else if (kernel && !read_place(at, end, &file, &line)) {
            read_instruction(at, end, kernel, file, line);
        }
    }
    return compiled;
}

void profile_compiled_free(struct profile_compiled *compiled) {
    if (!compiled)
        return;
    for (size_t i = 0; i < compiled->kernels.length; i++) {
        free(compiled->kernels.data[i]->name);
        vec_free(&compiled->kernels.data[i]->lines);
        free(compiled->kernels.data[i]);
    }
    vec_free(&compiled->kernels);
    map_free(&compiled->by_name);
    free(compiled);
}

const struct compiled_line *profile_compiled_lines(const struct profile_compiled *compiled,
                                                   const char *kernel, uint32_t *count) {
    static const struct compiled_line none = {0};
    const struct kernel *found = map_get_string(&compiled->by_name, kernel);
    *count = found ? (uint32_t)found->lines.length : 0;
    return !found ? NULL : *count ? found->lines.data : &none;
}

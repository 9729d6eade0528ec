#define _GNU_SOURCE // memmem, strchrnul
#include "compiled/code.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"

struct kernel {
    char *name;
    VEC(struct compiled_line) lines;
    VEC(struct compiled_access) accesses;
    VEC(struct compiled_branch) branches; // with `end` 0: their label has not come yet
};

struct compiled_code {
    char *maker; // NULL: unknown
    VEC(struct kernel *) kernels;
    struct map by_name;
};

static uint64_t hash_of(const char *at, const char *end) {
    return hash_bytes(at, (size_t)(end - at));
}

uint64_t compiled_file(const char *path) {
    const char *name = path ? text_file_name(path) : "";
    return hash_of(name, name + strlen(name));
}

uint64_t compiled_place(uint64_t inner, uint64_t file, uint32_t line) {
    uint64_t hash = (inner ^ (file + line)) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 31;
}

static struct kernel *add_kernel(struct compiled_code *compiled, const char *name, size_t length) {
    struct kernel *kernel = map_get(&compiled->by_name, name, length);
    if (kernel)
        return kernel;
    kernel = base_alloc(sizeof *kernel);
    kernel->name = base_strndup(name, length);
    vec_push(&compiled->kernels, kernel);
    map_put(&compiled->by_name, kernel->name, length, kernel);
    return kernel;
}

struct location { // of the instructions that follow in a listing
    uint64_t place, file;
    uint32_t line;
    bool is_complete; // what was inlined by it has been read
};

static void add_access(struct kernel *kernel, const struct location *at, enum site_op op,
                       unsigned width) {
    for (size_t i = kernel->lines.length; i-- > 0;) { // mostly the last one again
        struct compiled_line *known = &kernel->lines.data[i];
        if (known->line == at->line && known->file == at->file) {
            known->widths[op] |= (uint8_t)width;
            known->bytes[op] += width;
            return;
        }
    }
    struct compiled_line added = {.file = at->file, .line = at->line};
    added.widths[op] = (uint8_t)width;
    added.bytes[op] = width;
    vec_push(&kernel->lines, added);
}

// `//## File "/src/a.cu", line 12`: true, and where that is. More of them behind it say what it was
// inlined by.
static bool read_place(const char *at, const char *end, struct location *location) {
    static const char before[] = "//## File \"", between[] = "\", line ";
    const char *start = memmem(at, (size_t)(end - at), before, sizeof before - 1);
    if (!start)
        return false;
    start += sizeof before - 1;
    const char *stop = memmem(start, (size_t)(end - start), between, sizeof between - 1);
    if (!stop)
        return false;
    char *path = base_strndup(start, (size_t)(stop - start));
    uint64_t file = compiled_file(path);
    free(path);
    uint32_t line = (uint32_t)strtoul(stop + sizeof between - 1, NULL, 10);
    if (location->is_complete)
        *location = (struct location){.file = file, .line = line};
    location->place = compiled_place(location->place, file, line);
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

// `[R8]`, `[R8+UR4+0x10]`, `[R8.X4+-0x4]`: the offset behind the last plus sign, what is before it.
static void read_address(const char *at, const char *end, struct compiled_access *access) {
    const char *open = memchr(at, '[', (size_t)(end - at));
    const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
    if (!close)
        return;
    const char *offset = close;
    for (const char *plus = open; plus < close; plus++)
        if (plus[0] == '+' && (plus[1] == '-' || plus[1] == '0'))
            offset = plus;
    if (open[1] == '0') // no register
        offset = open;
    access->base = hash_of(open, offset);
    access->offset = offset < close ? strtoll(offset + 1, NULL, 0) : 0;
}

// `/*0180*/  @P0 LDS.64 R12, [R8] ;`
static void read_instruction(const char *at, const char *end, struct kernel *kernel,
                             const struct location *location) {
    static const char *const names[] = {[SITE_LOAD] = " LDS", [SITE_STORE] = " STS"};
    for (enum site_op op = SITE_LOAD; op <= SITE_STORE; op++) {
        const char *found = memmem(at, (size_t)(end - at), names[op], 4);
        if (!found || (found[4] != '.' && found[4] != ' '))
            continue;
        struct compiled_access access = {.place = location->place, .op = op};
        access.width = (uint8_t)width_of(found + 4, end);
        read_address(found, end, &access);
        vec_push(&kernel->accesses, access);
        add_access(kernel, location, op, access.width);
    }
}

// `/*0190*/  @P3 BRA `(.L_x_16) ;`
static void read_branch(const char *at, const char *end, struct kernel *kernel,
                        const struct location *location) {
    const char *guard = memchr(at, '@', (size_t)(end - at));
    const char *found = guard ? memmem(guard, (size_t)(end - guard), " BRA ", 5) : NULL;
    const char *label = found ? memmem(found, (size_t)(end - found), "`(", 2) : NULL;
    const char *close = label ? memchr(label, ')', (size_t)(end - label)) : NULL;
    if (close)
        vec_push(&kernel->branches,
                 (struct compiled_branch){.place = location->place,
                                          .target = hash_of(label + 2, close),
                                          .first = (uint32_t)kernel->accesses.length});
}

// `.L_x_16:` ends what branches to it go past.
static void read_label(const char *at, const char *end, struct kernel *kernel) {
    const uint64_t label = hash_of(at, end - 1);
    for (size_t i = 0; i < kernel->branches.length; i++)
        if (!kernel->branches.data[i].end && kernel->branches.data[i].target == label)
            kernel->branches.data[i].end = (uint32_t)kernel->accesses.length;
}

struct compiled_code *compiled_code_parse(const char *listing) {
    static const char section[] = ".text.", by[] = "// by ";
    struct compiled_code *compiled = base_alloc(sizeof *compiled);
    struct kernel *kernel = NULL;
    struct location location = {.is_complete = true};
    for (const char *at = listing, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        if (strncmp(at, section, sizeof section - 1) == 0 && end[-1] == ':') {
            at += sizeof section - 1;
            kernel = add_kernel(compiled, at, (size_t)(end - 1 - at));
            location = (struct location){.is_complete = true};
        } else if (!kernel && !compiled->maker && strncmp(at, by, sizeof by - 1) == 0) {
            at += sizeof by - 1;
            compiled->maker = base_strndup(at, (size_t)(end - at));
        } else if (kernel && *at == '.' && end[-1] == ':') {
            read_label(at, end, kernel);
        } else if (kernel) {
            bool is_place = read_place(at, end, &location);
            location.is_complete = !is_place;
            if (!is_place) {
                read_instruction(at, end, kernel, &location);
                read_branch(at, end, kernel, &location);
            }
        }
    }
    return compiled;
}

void compiled_code_free(struct compiled_code *compiled) {
    if (!compiled)
        return;
    for (size_t i = 0; i < compiled->kernels.length; i++) {
        free(compiled->kernels.data[i]->name);
        vec_free(&compiled->kernels.data[i]->lines);
        vec_free(&compiled->kernels.data[i]->accesses);
        vec_free(&compiled->kernels.data[i]->branches);
        free(compiled->kernels.data[i]);
    }
    vec_free(&compiled->kernels);
    map_free(&compiled->by_name);
    free(compiled->maker);
    free(compiled);
}

const char *compiled_code_maker(const struct compiled_code *compiled) {
    return compiled->maker ? compiled->maker : "ptxas";
}

const struct compiled_line *compiled_code_lines(const struct compiled_code *compiled,
                                                const char *kernel, uint32_t *count) {
    static const struct compiled_line none = {0};
    const struct kernel *found = map_get_string(&compiled->by_name, kernel);
    *count = found ? (uint32_t)found->lines.length : 0;
    return !found ? NULL : *count ? found->lines.data : &none;
}

const struct compiled_access *compiled_code_accesses(const struct compiled_code *compiled,
                                                     const char *kernel, uint32_t *count) {
    const struct kernel *found = map_get_string(&compiled->by_name, kernel);
    *count = found ? (uint32_t)found->accesses.length : 0;
    return *count ? found->accesses.data : NULL;
}

const struct compiled_branch *compiled_code_branches(const struct compiled_code *compiled,
                                                     const char *kernel, uint32_t *count) {
    const struct kernel *found = map_get_string(&compiled->by_name, kernel);
    *count = found ? (uint32_t)found->branches.length : 0;
    return *count ? found->branches.data : NULL;
}

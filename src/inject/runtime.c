// The static CUDA runtime inside of a program: found by symbols, replaced function by function.
#define _GNU_SOURCE // memmem
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/map.h"
#include "inject/functions.h"
#include "inject/inject.h"
#include "inject/lazy.h"

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool has(const inject_functions *list, const char *name) {
    for (size_t i = 0; i < list->length; i++)
        if (strcmp(list->data[i].name, name) == 0)
            return true;
    return false;
}

// The names that came and went tell the version.
static const char *library_of(const inject_functions *list) {
    if (has(list, "cudaGetDeviceProperties_v2"))
        return "libcudart.so.12";
    return has(list, "cudaThreadSynchronize") ? "libcudart.so.11.0" : "libcudart.so.13";
}

// ---- Our library ------------------------------------------------------------------------------

// What a library exports; it is not loaded for that. False: it is not there.
static bool add_exports(struct map *names, const char *path) {
    struct elf_file elf;
    inject_functions list = {0};
    char *data = inject_map_file(path, &elf);
    if (!data)
        return false;
    inject_functions_read(&elf, SHT_DYNSYM, 0, &list);
    for (size_t i = 0; i < list.length; i++) {
        const char *name = base_strdup(list.data[i].name);
        map_put(names, name, strlen(name), (void *)(uintptr_t)name);
    }
    vec_free(&list);
    munmap(data, elf.length);
    return true;
}

static void free_exports(struct map *names) {
    for (size_t i = 0; i < names->capacity; i++)
        free(names->entries[i].value);
    map_free(names);
}

// ---- Replacing --------------------------------------------------------------------------------

static bool replace_all(const inject_functions *list, const struct map *exports,
                        struct inject_lazy_library *library) {
    VEC(size_t) chosen = {0};
    for (size_t i = 0; i < list->length; i++) {
        const char *name = list->data[i].name;
        if ((starts_with(name, "cuda") || starts_with(name, "__cuda")) &&
            map_get_string(exports, name))
            vec_push(&chosen, i);
    }
    if (!chosen.length)
        return false;
    uintptr_t first = list->data[chosen.data[0]].address;
    uintptr_t last = list->data[chosen.data[chosen.length - 1]].address + 32;
    bool is_good = inject_protect(first, last, PROT_READ | PROT_WRITE);
    for (size_t i = 0; is_good && i < chosen.length; i++) {
        const struct inject_function *function = &list->data[chosen.data[i]];
        is_good = inject_jump_through((void *)function->address,
                                      inject_functions_room(list, chosen.data[i]),
                                      inject_lazy_new(library, function->name));
        if (!is_good)
            inject_note("the static CUDA runtime's %s leaves no room for a jump", function->name);
    }
    if (!inject_protect(first, last, PROT_READ | PROT_EXEC))
        is_good = false;
    vec_free(&chosen);
    return is_good;
}

// With ours of its version in the folder.
static bool replace_with(const inject_functions *list, const char *folder) {
    struct inject_lazy_library *library = base_alloc(sizeof *library);
    struct map exports = {0};
    char path[4096], driver[4096];
    snprintf(path, sizeof path, "%s/%s", folder, library_of(list));
    snprintf(driver, sizeof driver, "%s/libcuda.so.1", folder);
    library->path = base_strdup(path);
    bool is_there = add_exports(&exports, path) && add_exports(&exports, driver);
    if (!is_there)
        inject_note("%s cannot be read", path);
    bool is_good = is_there && replace_all(list, &exports, library);
    free_exports(&exports);
    return is_good;
}

// Whether the static runtime may be in a library without device code: CuPy has it in one of its
// own. Its name tables are looked at, which is quick, and not each of its symbols.
static bool names_runtime(const struct elf_file *file) {
    static const char name[] = "cudaRuntimeGetVersion"; // may be the end of another
    const Elf64_Shdr *symbols = elf_section(file, ".symtab", 0);
    size_t length;
    bool is_outside;
    const char *names =
        symbols && symbols->sh_link < file->section_count
            ? elf_section_data(file, &file->sections[symbols->sh_link], &length, &is_outside)
            : NULL;
    return names && memmem(names, length, name, sizeof name);
}

static enum inject_runtime replace_in(const struct elf_file *file,
                                      const struct inject_object *object, const char *folder) {
    inject_functions list = {0};
    if (elf_needed(file, "libcudart.so"))
        return INJECT_NONE;
    inject_functions_read(file, SHT_SYMTAB, object->base, &list);
    bool has_runtime = has(&list, "__cudaRegisterFatBinary") && has(&list, "cudaMalloc");
    enum inject_runtime result = INJECT_NONE;
    if (!has_runtime && elf_section(file, ".nvFatBinSegment", 0) && !list.length)
        result = INJECT_STRIPPED;
    if (has_runtime)
        result = replace_with(&list, folder) ? INJECT_STATIC : INJECT_FAILED;
    vec_free(&list);
    return result;
}

enum inject_runtime inject_replace(const struct inject_object *object, const char *folder) {
    enum inject_runtime result = INJECT_NONE;
    struct elf_file elf;
    char *data = inject_map_file(object->path, &elf);
    if (!data)
        return INJECT_NONE;
    if (elf_section(&elf, ".nv_fatbin", 0) || names_runtime(&elf))
        result = replace_in(&elf, object, folder);
    munmap(data, elf.length);
    return result;
}

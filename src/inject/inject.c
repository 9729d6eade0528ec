// Runs before the program's own code.
#define _GNU_SOURCE // dl_iterate_phdr, dladdr
#include "inject/inject.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"
#include "toolchain/libraries.h"

// The auditing library calls what is here (audit.c). NULL: nobody wants to know.
extern __attribute__((visibility("default"))) void (*bankrun_when_loaded)(void);
void (*bankrun_when_loaded)(void);

struct objects {
    VEC(struct inject_object) list;
    char own_folder[4096], program[4096];
};

static void free_objects(struct objects *list) {
    for (size_t i = 1; i < list->list.length; i++)
        free((void *)(uintptr_t)list->list.data[i].path);
    vec_free(&list->list);
    free(list);
}

static bool is_runtime(const char *path, const char **name) {
    *name = text_file_name(path);
    return strncmp(*name, "libcudart.so.", strlen("libcudart.so.")) == 0;
}

static int collect(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct objects *objects = context;
    bool is_program = objects->list.length == 0; // which comes first, without a name
    const char *path = is_program ? objects->program : info->dlpi_name;
    vec_push(&objects->list, (struct inject_object){path ? path : "", info->dlpi_addr});
    return 0;
}

static bool find_folders(struct objects *objects) {
    static const char anchor;
    Dl_info info;
    ssize_t length = readlink("/proc/self/exe", objects->program, sizeof objects->program - 1);
    if (length <= 0 || !dladdr(&anchor, &info))
        return false;
    objects->program[length] = '\0';
    snprintf(objects->own_folder, sizeof objects->own_folder, "%s", info.dli_fname);
    char *slash = strrchr(objects->own_folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

// The runtime that was loaded is not ours: the program says itself where its libraries are.
// Preloading comes before that. Does not return where it works.
static void start_again(const char *own, const char *name, char **argv) {
    static const char guard[] = "BANKRUN_STARTED_AGAIN";
    const char *preloaded = getenv("LD_PRELOAD");
    char list[8192];
    if (getenv(guard)) {
        inject_note("%s loads a CUDA runtime of its own: bankrun does not see its kernels",
                    argv[0]);
        unsetenv(guard);
        return;
    }
    snprintf(list, sizeof list, "%s%s%s/%s", preloaded ? preloaded : "", preloaded ? ":" : "", own,
             name);
    setenv("LD_PRELOAD", list, 1);
    setenv(guard, "1", 1);
    execv("/proc/self/exe", argv);
    unsetenv(guard);
    inject_note("%s cannot be started with bankrun's CUDA runtime", argv[0]);
}

static void replace(const struct inject_object *object, const char *folder) {
    if (!strchr(object->path, '/')) // the kernel's own
        return;
    if (inject_refuse_coded(object) || library_is_machine_code(object->path))
        return; // said when it is called
    switch (inject_replace(object, folder)) {
    case INJECT_STRIPPED:
        if (library_is_of_python(object->path)) // said if that runtime is used: not all do
            break;
        inject_note("%s holds the static CUDA runtime without symbols, so bankrun cannot put "
                    "its own there: rebuild it with nvcc -cudart shared, or do not strip it",
                    object->path);
        break;
    case INJECT_FAILED:
        inject_note("%s: its static CUDA runtime cannot be replaced: %s", object->path,
                    library_is_of_python(object->path) ? library_way_out(object->path)
                                                       : "rebuild it with nvcc -cudart shared");
        break;
    case INJECT_NONE:
    case INJECT_STATIC:
        break;
    }
}

// Has the object's path and place been looked at?
static bool is_known(const struct objects *known, const struct inject_object *object) {
    for (size_t i = 0; i < known->list.length; i++)
        if (known->list.data[i].base == object->base &&
            strcmp(known->list.data[i].path, object->path) == 0)
            return true;
    return false;
}

static struct objects *objects; // that are loaded

// Further objects have been loaded, and none of their code has run. Called by the auditing library
// with the dynamic linker's lock held, from in the midst of its work.
static void look_again(void) {
    struct objects *now = base_alloc(sizeof *now);
    memcpy(now->own_folder, objects->own_folder, sizeof now->own_folder);
    memcpy(now->program, objects->program, sizeof now->program);
    dl_iterate_phdr(collect, now);
    for (size_t i = 0; i < now->list.length; i++)
        if (!is_known(objects, &now->list.data[i]))
            replace(&now->list.data[i], now->own_folder);
    for (size_t i = 0; i < now->list.length; i++) // whose names go with them
        now->list.data[i].path = i ? base_strdup(now->list.data[i].path) : now->program;
    free_objects(objects);
    objects = now;
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
    (void)argc;
    if (!environ) // the C library's own constructor comes later
        environ = environment;
    inject_find_exit();
    inject_find_tools();
    inject_find_files();
    inject_tell_replaced();
    struct objects *found = base_alloc(sizeof *found);
    if (!find_folders(found)) {
        free(found);
        return;
    }
    dl_iterate_phdr(collect, found);
    const char *foreign = NULL;
    for (size_t i = 0; i < found->list.length; i++) {
        struct inject_object *object = &found->list.data[i];
        const char *name;
        size_t own = strlen(found->own_folder);
        if (is_runtime(object->path, &name) && *object->path == '/' &&
            (strncmp(object->path, found->own_folder, own) || object->path[own] != '/'))
            foreign = name;
        replace(object, found->own_folder);
        object->path = i ? base_strdup(object->path) : found->program;
    }
    if (foreign)
        start_again(found->own_folder, foreign, argv);
    else
        unsetenv("BANKRUN_STARTED_AGAIN");
    objects = found;
    bankrun_when_loaded = look_again;
}

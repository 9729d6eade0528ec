// Runs before the program's own code.
#define _GNU_SOURCE // dl_iterate_phdr, dladdr
#include "inject/inject.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/vec.h"
#include "toolchain/libraries.h"

struct objects {
    VEC(struct inject_object) list;
    char own_folder[4096], program[4096];
};

static bool is_runtime(const char *path, const char **name) {
    *name = text_file_name(path);
    return strncmp(*name, "libcudart.so.", strlen("libcudart.so.")) == 0;
}

static int collect(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct objects *objects = context;
    bool is_program = objects->list.length == 0; // which comes first, without a name
    const char *path = is_program ? objects->program : info->dlpi_name;
    if (path && *path == '/')
        vec_push(&objects->list, (struct inject_object){path, info->dlpi_addr});
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

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
    (void)argc;
    if (!environ) // the C library's own constructor comes later
        environ = environment;
    inject_find_exit();
    inject_tell_replaced();
    struct objects *objects = calloc(1, sizeof *objects);
    if (!objects || !find_folders(objects)) {
        free(objects);
        return;
    }
    dl_iterate_phdr(collect, objects);
    const char *foreign = NULL;
    for (size_t i = 0; i < objects->list.length; i++) {
        const struct inject_object *object = &objects->list.data[i];
        const char *name;
        size_t own = strlen(objects->own_folder);
        if (is_runtime(object->path, &name) &&
            (strncmp(object->path, objects->own_folder, own) || object->path[own] != '/'))
            foreign = name;
        if (library_is_machine_code(object->path))
            continue; // said when it is called
        switch (inject_replace(object, objects->own_folder)) {
        case INJECT_STRIPPED:
            inject_note("%s holds the static CUDA runtime without symbols, so bankrun cannot put "
                        "its own there: rebuild it with nvcc -cudart shared, or do not strip it",
                        object->path);
            break;
        case INJECT_FAILED:
            inject_note("%s: its static CUDA runtime cannot be replaced: rebuild it with nvcc "
                        "-cudart shared",
                        object->path);
            break;
        case INJECT_NONE:
        case INJECT_STATIC:
            break;
        }
    }
    if (foreign)
        start_again(objects->own_folder, foreign, argv);
    else
        unsetenv("BANKRUN_STARTED_AGAIN");
    vec_free(&objects->list);
    free(objects);
}

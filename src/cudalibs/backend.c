#include "cudalibs/backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void *library;
static const char *reason;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    library = dlopen(BACKEND_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        reason = BACKEND_LIBRARY " was not found (apt install libopenblas0-pthread)";
}

bool backend_is_there(const char **why) {
    pthread_once(&once, load);
    *why = reason;
    return library != NULL;
}

void *backend_find(const char *name) {
    pthread_once(&once, load);
    return library ? dlsym(library, name) : NULL;
}

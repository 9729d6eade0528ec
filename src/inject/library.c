// Who looks for functions of a compiler that is loaded late (dlsym) finds ours.
#define _GNU_SOURCE // dladdr, dlvsym
#include "inject/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "inject/inject.h"

int inject_library_of(struct inject_libraries *libraries, void *function) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int found = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < INJECT_LIBRARIES && found < 0; i++) {
        if (libraries->functions[i] == function)
            found = i;
        Dl_info info;
        if (libraries->functions[i] || found >= 0 || !dladdr(function, &info))
            continue;
        libraries->handles[i] = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        libraries->functions[i] = function;
        found = i;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void *inject_library_next(const void *caller, const char *name) {
    Dl_info info;
    void *object = dladdr(caller, &info) && info.dli_fname
                       ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    void *found = object ? inject_dlsym(object, name) : NULL;
    if (object)
        dlclose(object);
    return found ? found : inject_dlsym(RTLD_NEXT, name);
}

void inject_library_find(const struct inject_libraries *libraries, int library, const char *name,
                         void *function) {
    void *handle = libraries->handles[library];
    void *address = handle ? inject_dlsym(handle, name) : NULL;
    memcpy(function, &address, sizeof address);
}

// Inside the injected library: functions of a static runtime that have become jumps to ours. Which
// library ours is in is only loaded when the first of them is called: where they are replaced, in
// the midst of the dynamic linker's own work, nothing can be loaded.
#ifndef BANKRUN_INJECT_LAZY_H
#define BANKRUN_INJECT_LAZY_H

#include <stdbool.h>
#include <stddef.h>

struct inject_lazy_library {
    const char *path;
    void *handle; // NULL: not loaded yet
};

// One function. It is never freed: code leads here.
struct inject_lazy {
    const void *target; // where calls go
    struct inject_lazy_library *library;
    const char *name;
    struct inject_lazy *next;
};

// A function of the library that is looked up at its first call. Owned by the process.
struct inject_lazy *inject_lazy_new(struct inject_lazy_library *library, const char *name);

#endif

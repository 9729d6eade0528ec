// Inside the injected library: compilers that a program loads while it runs (NVRTC, nvJitLink).
// Several of one kind may be there, of different versions; each object that the program makes
// belongs to one.
#ifndef BANKRUN_INJECT_LIBRARY_H
#define BANKRUN_INJECT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { INJECT_LIBRARIES = 4 }; // of one kind; further ones are left alone

struct inject_libraries { // a zeroed struct knows none
    void *handles[INJECT_LIBRARIES], *functions[INJECT_LIBRARIES];
};

// The number of the library that `function` belongs to, which is kept loaded. -1: too many.
int inject_library_of(struct inject_libraries *libraries, void *function);

// The function of that name that the caller is linked with, behind ours. A library that was loaded
// for itself (RTLD_LOCAL), as Python does, has it for itself, too. NULL: there is none.
void *inject_library_next(const void *caller, const char *name);

// Sets a pointer to a library's function; NULL where it has none.
void inject_library_find(const struct inject_libraries *libraries, int library, const char *name,
                         void *function);

// What a program that looks for `name` gets instead of `found`; NULL: `found`.
void *inject_nvrtc_symbol(const char *name, void *found);
void *inject_jitlink_symbol(const char *name, void *found);

#endif

// _exit calls no destructor: our CUDA runtime hears of it here, and so knows this end from being
// killed. exit and quick_exit have their own way to it.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/inject.h"

#define INJECT_API __attribute__((visibility("default")))

INJECT_API extern void (*bankrun_at_exit)(void);
INJECT_API _Noreturn void _Exit(int status);

void (*bankrun_at_exit)(void); // the runtime sets it; NULL: there is none

static void (*next_exit)(int); // the C library's, or a sanitizer's

void inject_find_exit(void) {
    void *address = dlsym(RTLD_NEXT, "_exit");
    memcpy(&next_exit, &address, sizeof address);
}

// Must be safe in signal handlers and behind vfork.
INJECT_API _Noreturn void _exit(int status) {
    if (bankrun_at_exit)
        bankrun_at_exit();
    if (next_exit)
        next_exit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status) {
    _exit(status);
}

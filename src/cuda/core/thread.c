#include "cuda/core/thread.h"

#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local unsigned this_device;
static _Thread_local bool used_runtime, has_chosen;

void cuda_thread_uses_runtime(void) {
    used_runtime = true;
}

bool cuda_thread_used_runtime(void) {
    return used_runtime;
}

uint32_t cuda_thread_number(void) {
    static uint32_t last;
    static _Thread_local uint32_t own;
    if (syscall(SYS_gettid) == getpid())
        return 0;
    if (!own)
        own = ++last;
    return own;
}

unsigned cuda_thread_device(void) {
    return this_device;
}

void cuda_thread_use(unsigned device) {
    this_device = device;
    has_chosen = false;
}

void cuda_thread_choose(unsigned device) {
    this_device = device;
    has_chosen = used_runtime = true;
}

bool cuda_thread_has_chosen(void) {
    bool has = has_chosen;
    has_chosen = false;
    return has;
}

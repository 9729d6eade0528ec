#include "inject/lazy.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "inject/inject.h"

#define USED __attribute__((used, visibility("hidden")))

// What the code below calls.
USED const void *inject_lazy_find(struct inject_lazy *lazy);
// Where calls go at first: a register holds the record (inject_jump_through).
USED void inject_lazy_enter(void);

// Threads that come at the same time find the same.
const void *inject_lazy_find(struct inject_lazy *lazy) {
    struct inject_lazy_library *library = lazy->library;
    void *handle = __atomic_load_n(&library->handle, __ATOMIC_ACQUIRE);
    if (!handle) {
        handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
        __atomic_store_n(&library->handle, handle, __ATOMIC_RELEASE);
    }
    const void *target = handle ? inject_dlsym(handle, lazy->name) : NULL;
    if (!target) { // nothing that the program goes on to do would be right
        inject_note("%s of %s cannot be reached: %s", lazy->name, library->path,
                    handle ? "it is not there" : dlerror());
        _exit(2);
    }
    __atomic_store_n(&lazy->target, target, __ATOMIC_RELEASE);
    return target;
}

// No two threads come here at the same time: the dynamic linker's lock is held.
struct inject_lazy *inject_lazy_new(struct inject_lazy_library *library, const char *name) {
    static struct inject_lazy *all; // code that refers to them is none that a sanitizer looks at
    struct inject_lazy *lazy = base_alloc(sizeof *lazy);
    void (*enter)(void) = inject_lazy_enter;
    memcpy(&lazy->target, &enter, sizeof enter);
    lazy->library = library;
    lazy->name = base_strdup(name);
    lazy->next = all;
    all = lazy;
    return lazy;
}

// Keeps all that may hold arguments, and goes on to the function as if nobody had been in between.
#if defined __x86_64__
__asm__(".globl inject_lazy_enter\n"
        ".hidden inject_lazy_enter\n"
        ".type inject_lazy_enter, @function\n"
        "inject_lazy_enter:\n"
        "    .cfi_startproc\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rcx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    push %rax\n"
        "    .cfi_adjust_cfa_offset 56\n"
        "    sub $128, %rsp\n"
        "    .cfi_adjust_cfa_offset 128\n"
        "    movups %xmm0, (%rsp)\n"
        "    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n"
        "    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n"
        "    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n"
        "    movups %xmm7, 112(%rsp)\n"
        "    mov %r11, %rdi\n"
        "    call inject_lazy_find\n"
        "    mov %rax, %r11\n"
        "    movups (%rsp), %xmm0\n"
        "    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n"
        "    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n"
        "    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n"
        "    movups 112(%rsp), %xmm7\n"
        "    add $128, %rsp\n"
        "    .cfi_adjust_cfa_offset -128\n"
        "    pop %rax\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rcx\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -56\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        ".size inject_lazy_enter, . - inject_lazy_enter\n");
#elif defined __aarch64__
__asm__(".globl inject_lazy_enter\n"
        ".hidden inject_lazy_enter\n"
        ".type inject_lazy_enter, %function\n"
        "inject_lazy_enter:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-224]!\n"
        "    .cfi_def_cfa_offset 224\n"
        "    .cfi_offset x29, -224\n"
        "    .cfi_offset x30, -216\n"
        "    stp x0, x1, [sp, #16]\n"
        "    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n"
        "    stp x6, x7, [sp, #64]\n"
        "    str x8, [sp, #80]\n"
        "    stp q0, q1, [sp, #96]\n"
        "    stp q2, q3, [sp, #128]\n"
        "    stp q4, q5, [sp, #160]\n"
        "    stp q6, q7, [sp, #192]\n"
        "    mov x0, x17\n"
        "    bl inject_lazy_find\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x2, x3, [sp, #32]\n"
        "    ldp x4, x5, [sp, #48]\n"
        "    ldp x6, x7, [sp, #64]\n"
        "    ldr x8, [sp, #80]\n"
        "    ldp q0, q1, [sp, #96]\n"
        "    ldp q2, q3, [sp, #128]\n"
        "    ldp q4, q5, [sp, #160]\n"
        "    ldp q6, q7, [sp, #192]\n"
        "    ldp x29, x30, [sp], #224\n"
        "    br x16\n"
        "    .cfi_endproc\n"
        ".size inject_lazy_enter, . - inject_lazy_enter\n");
#else
void inject_lazy_enter(void) {
    abort(); // inject_jump_through refuses this machine
}
#endif

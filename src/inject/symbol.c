// dlsym(), before the C library's. Names of two compilers are looked at (library.h); all else goes
// on to the C library as if nobody had been in between: which object the call comes from decides
// what it means with RTLD_NEXT and RTLD_DEFAULT.
#define _GNU_SOURCE // dladdr, dlvsym
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inject/inject.h"
#include "inject/library.h"

// Sanitizers look for functions before they have set themselves up.
#define EARLY                                                                                      \
    __attribute__((used, visibility("hidden"), no_sanitize("address", "thread", "undefined")))

typedef void *(*dlsym_function)(void *, const char *);
static dlsym_function real;

// It has had two versions: where libdl was a library of its own, and since.
__attribute__((no_sanitize("address", "thread", "undefined"))) static dlsym_function
find_real(void) {
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !found; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    dlsym_function function;
    memcpy(&function, &found, sizeof found);
    if (!function)
        abort(); // nothing in this process could be looked for
    __atomic_store_n(&real, function, __ATOMIC_RELEASE);
    return function;
}

// Where the assembler below goes on to.
EARLY dlsym_function inject_real_dlsym(void);
dlsym_function inject_real_dlsym(void) {
    dlsym_function function = __atomic_load_n(&real, __ATOMIC_ACQUIRE);
    return function ? function : find_real();
}

void *inject_dlsym(void *handle, const char *name) {
    return inject_real_dlsym()(handle, name);
}

// What the program gets. In two registers, for the assembler below.
struct answer {
    void *address;
    uintptr_t is_given; // 0: whatever the C library says
};

static bool is_own(void *function) {
    static const char anchor;
    Dl_info own, its;
    return dladdr(&anchor, &own) && dladdr(function, &its) && own.dli_fbase == its.dli_fbase;
}

EARLY struct answer inject_symbol(void *handle, const char *name);
struct answer inject_symbol(void *handle, const char *name) {
    if (handle == RTLD_NEXT || !name || (name[0] != 'n' && name[0] != '_'))
        return (struct answer){NULL, false};
    const bool is_nvrtc = strncmp(name, "nvrtc", strlen("nvrtc")) == 0;
    const bool is_jitlink = strncmp(name, "nvJitLink", strlen("nvJitLink")) == 0 ||
                            strncmp(name, "__nvJitLink", strlen("__nvJitLink")) == 0;
    if (!is_nvrtc && !is_jitlink)
        return (struct answer){NULL, false};
    void *found = inject_dlsym(handle, name);
    if (found && is_own(found)) // which is not to seem to be NVRTC where that is not there
        found = inject_dlsym(RTLD_NEXT, name);
    if (!found)
        return (struct answer){NULL, true};
    void *ours = is_nvrtc ? inject_nvrtc_symbol(name, found) : inject_jitlink_symbol(name, found);
    return (struct answer){ours ? ours : found, true};
}

#if defined __x86_64__
__asm__(".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    push %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call inject_symbol\n"
        "    test %rdx, %rdx\n"
        "    jnz 1f\n"
        "    call inject_real_dlsym\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_adjust_cfa_offset 24\n"
        "1:  add $24, %rsp\n"
        "    .cfi_adjust_cfa_offset -24\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#elif defined __aarch64__
__asm__(".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-32]!\n"
        "    .cfi_def_cfa_offset 32\n"
        "    .cfi_offset x29, -32\n"
        "    .cfi_offset x30, -24\n"
        "    stp x0, x1, [sp, #16]\n"
        "    bl inject_symbol\n"
        "    cbnz x1, 1f\n"
        "    bl inject_real_dlsym\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    br x16\n"
        "1:  ldp x29, x30, [sp], #32\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#endif

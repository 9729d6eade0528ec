// What programs bring with them, and the runtime that they were built for: relocatable code, broken
// PTX, the libraries of each version.
#define _GNU_SOURCE // dladdr
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart_program.h"

// Two files of relocatable device code, one of which calls into the other.
static void test_relocatable_code(void **state) {
    (void)state;
    static const char caller[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                 ".extern .func (.param .b32 r) get;\n"
                                 ".visible .entry call(.param .u64 p)\n{\n"
                                 ".reg .b32 %r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
                                 "{\n.param .b32 r;\ncall.uni (r), get, ();\n"
                                 "ld.param.b32 %r1, [r];\n}\n"
                                 "st.global.u32 [%rd1], %r1; ret;\n}\n";
    static const char callee[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                 ".visible .func (.param .b32 r) get()\n{\n.reg .b32 %r<2>;\n"
                                 "mov.u32 %r1, 42; st.param.b32 [r], %r1; ret;\n}\n";
    static const char stub;
    void *parts[] = {container_of(caller, 1), container_of(callee, 1), NULL};
    static struct wrapper wrapper;
    static const uint32_t empty[] = {0xba55ed50, HEADER << 16 | 1, 0, 0};
    wrapper = (struct wrapper){0x466243b1, 2, (void *)(uintptr_t)empty, parts};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &stub, "call");
    __cudaRegisterFatBinaryEnd(handle);
    uint32_t *p, value = 0;
    OK(cudaMalloc((void **)&p, 4));
    void *arguments[] = {&p};
    OK(cudaLaunchKernel(&stub, DIM(1, 1, 1), DIM(1, 1, 1), arguments, 0, NULL));
    OK(cudaMemcpy(&value, p, 4, CUDA_DEVICE_TO_HOST));
    assert_int_equal(value, 42);
    OK(cudaFree(p));
    __cudaUnregisterFatBinary(handle);
    FAILS(cudaLaunchKernel(&stub, DIM(1, 1, 1), DIM(1, 1, 1), arguments, 0, NULL), 400);
}

static void test_broken_ptx(void **state) {
    (void)state;
    static struct wrapper wrapper;
    static const char stub;
    void **handle = register_text(&wrapper,
                                  ".version 8.0\n.target sm_80\n.address_size 64\n"
                                  ".visible .entry k()\n{\nnonsense.u32 %r1;\nret;\n}\n",
                                  1);
    register_kernel(handle, &stub, "k");
    __cudaRegisterFatBinaryEnd(handle);
    for (int i = 0; i < 2; i++)
        FAILS(cudaLaunchKernel(&stub, DIM(1, 1, 1), DIM(1, 1, 1), NULL, 0, NULL), 218);
    __cudaUnregisterFatBinary(handle);
}

// The libraries of the other versions lie beside the one that this test is linked with.
static void *open_version(const char *name) {
    Dl_info info;
    char path[4096];
    assert_true(dladdr((void *)(uintptr_t)cudaMalloc, &info) != 0);
    const char *slash = strrchr(info.dli_fname, '/');
    assert_non_null(slash);
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

// Sets a pointer to the function that a program finds which is linked with the library.
static void find_in(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    if (!address)
        fail_msg("%s: %s", name, dlerror());
    memcpy(function, &address, sizeof address);
}

struct runtime {
    error (*get_version)(int *);
    error (*properties)(void *, int);
    void **(*register_binary)(void *);
    void (*register_function)(void **, const char *, char *, const char *, int, void *, void *,
                              void *, void *, int *);
    error (*launch)(const void *, struct cuda_dim3, struct cuda_dim3, void **, size_t, cuda_stream);
};

static void expect_version(const char *name, int expected, error bad_block, size_t properties) {
    void *library = open_version(name);
    struct runtime runtime;
    find_in(library, "cudaRuntimeGetVersion", &runtime.get_version);
    find_in(library, "cudaGetDeviceProperties", &runtime.properties);
    find_in(library, "__cudaRegisterFatBinary", &runtime.register_binary);
    find_in(library, "__cudaRegisterFunction", &runtime.register_function);
    find_in(library, "cudaLaunchKernel", &runtime.launch);
    int version = 0;
    OK(runtime.get_version(&version));
    assert_int_equal(version, expected);
    char out[2048];
    memset(out, 0x5a, sizeof out);
    OK(runtime.properties(out, 0));
    assert_int_equal(out[properties], 0x5a);
    assert_int_not_equal(out[properties - 8], 0x5a);
    static struct wrapper wrapper;
    static const char stub;
    wrapper = (struct wrapper){0x466243b1, 1, container_of(ptx, 1), NULL};
    void **handle = runtime.register_binary(&wrapper);
    runtime.register_function(handle, &stub, NULL, "bounded", -1, NULL, NULL, NULL, NULL, NULL);
    OK(runtime.launch(&stub, DIM(1, 1, 1), DIM(64, 1, 1), NULL, 0, NULL));
    assert_int_equal(runtime.launch(&stub, DIM(1, 1, 1), DIM(1025, 1, 1), NULL, 0, NULL),
                     bad_block);
    assert_int_equal(runtime.launch(&stub, DIM(1, 1, 1), DIM(65, 1, 1), NULL, 0, NULL), 1);
    dlclose(library);
}

static void test_other_versions(void **state) {
    (void)state;
    // The one that was loaded last decides: the program itself loaded 13.
    expect_version("libcudart.so.13", 13000, cudaErrorInvalidValue, 1008);
    expect_version("libcudart.so.11.0", 11080, cudaErrorInvalidConfiguration, 728);
    expect_version("libcudart.so.12", 12090, cudaErrorInvalidConfiguration, 728);
    void *old = open_version("libcudart.so.11.0");
    assert_non_null(dlsym(old, "cudaThreadSynchronize"));
    assert_non_null(dlsym(old, "cudaBindTexture"));
    void *twelve = open_version("libcudart.so.12");
    assert_non_null(dlsym(twelve, "cudaGetDeviceProperties_v2"));
    assert_null(dlsym(twelve, "sim_create")); // what is ours stays hidden
    assert_null(dlsym(twelve, "profile_create"));
    dlclose(old);
    dlclose(twelve);
}

int main(void) {
    unsetenv("BANKRUN_PROFILE");
    unsetenv("BANKRUN_ARCH");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relocatable_code),
        cmocka_unit_test(test_broken_ptx),
        cmocka_unit_test(test_other_versions),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

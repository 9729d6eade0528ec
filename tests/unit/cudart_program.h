// What a program that calls the CUDA runtime API consists of: the declarations, and kernels as PTX
// in hand-made fat binaries.
#ifndef BANKRUN_TESTS_CUDART_PROGRAM_H
#define BANKRUN_TESTS_CUDART_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "cuda/core/abi.h"

// ---- The API, as a program's headers declare it ------------------------------------------------

typedef enum cuda_error error;
const char *cudaGetErrorName(error e);
const char *cudaGetErrorString(error e);
error cudaGetLastError(void);
error cudaPeekAtLastError(void);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name,
                              int external, size_t bytes, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared,
                                     cuda_stream stream);
error __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block, size_t *shared,
                                 void *stream);
error __cudaGetKernel(void **kernel, const void *stub);
error cudaLaunchKernel(const void *stub, struct cuda_dim3 grid, struct cuda_dim3 block,
                       void **arguments, size_t shared, cuda_stream stream);
error cudaLaunchCooperativeKernel(const void *stub, struct cuda_dim3 grid, struct cuda_dim3 block,
                                  void **arguments, size_t shared, cuda_stream stream);
error cudaLaunchKernelExC(const struct cuda_launch_config *config, const void *stub,
                          void **arguments);
error cudaMalloc(void **pointer, size_t bytes);
error cudaFree(void *pointer);
error cudaMallocHost(void **pointer, size_t bytes);
error cudaFreeHost(void *pointer);
error cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
error cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
error cudaMalloc3D(struct cuda_pitched *pitched, struct cuda_extent extent);
error cudaMallocAsync(void **pointer, size_t bytes, cuda_stream stream);
error cudaFreeAsync(void *pointer, cuda_stream stream);
error cudaDeviceGetDefaultMemPool(cuda_pool *pool, int device);
error cudaMemPoolGetAttribute(cuda_pool pool, int attribute, void *value);
error cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
error cudaHostUnregister(void *pointer);
error cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
error cudaPointerGetAttributes(struct cuda_pointer_attributes *out, const void *pointer);
error cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cuda_stream stream);
error cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height, int kind);
error cudaMemcpy3D(const struct cuda_memcpy_3d *parameters);
error cudaMemset(void *pointer, int value, size_t bytes);
error cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                         int kind);
error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
error cudaGetSymbolAddress(void **address, const void *symbol);
error cudaGetSymbolSize(size_t *bytes, const void *symbol);
error cudaDeviceSynchronize(void);
error cudaDeviceReset(void);
error cudaGetDeviceCount(int *count);
error cudaDeviceGetAttribute(int *value, int attribute, int device);
error cudaGetDeviceProperties(void *out, int device);
error cudaRuntimeGetVersion(int *version);
error cudaSetDevice(int device);
error cudaStreamCreate(cuda_stream *stream);
error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int priority);
error cudaStreamGetPriority(cuda_stream stream, int *priority);
error cudaStreamDestroy(cuda_stream stream);
error cudaStreamQuery(cuda_stream stream);
error cudaStreamSynchronize(cuda_stream stream);
error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags);
error cudaLaunchHostFunc(cuda_stream stream, cuda_host_function function, void *data);
error cudaEventCreate(cuda_event *event);
error cudaEventCreateWithFlags(cuda_event *event, unsigned flags);
error cudaEventDestroy(cuda_event event);
error cudaEventRecord(cuda_event event, cuda_stream stream);
error cudaEventQuery(cuda_event event);
error cudaEventElapsedTime(float *milliseconds, cuda_event start, cuda_event end);
error cudaFuncGetAttributes(struct cuda_function_attributes *out, const void *stub);
error cudaFuncSetAttribute(const void *stub, int attribute, int value);
error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int threads,
                                                    size_t shared);
error cudaImportExternalMemory(void *memory, const void *description);

// ---- Kernels ------------------------------------------------------------------------------

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 5;\n"
                          ".visible .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0};\n"
                          ".visible .global .attribute(.managed) .align 4 .u32 both = 7;\n"
                          // *p = a + b * counter, with a gap between the parameters
                          ".visible .entry store(.param .u64 p, .param .u8 a, .param .u32 b)\n{\n"
                          ".reg .b16 %rs<2>; .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
                          "ld.param.u64 %rd1, [p]; ld.param.u8 %rs1, [a];\n"
                          "ld.param.u32 %r1, [b]; ld.global.u32 %r2, [counter];\n"
                          "cvt.u32.u16 %r3, %rs1; mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                          "st.global.u32 [%rd1], %r4; ret;\n}\n"
                          ".visible .entry bump_both()\n{\n"
                          ".reg .b32 %r<3>;\nld.global.u32 %r1, [both]; add.u32 %r2, %r1, 1;\n"
                          "st.global.u32 [both], %r2; ret;\n}\n"
                          ".visible .entry trap_it()\n{\ntrap;\nret;\n}\n"
                          ".extern .shared .align 4 .b8 dynamic[];\n"
                          ".visible .entry shares()\n{\n.shared .align 4 .b8 fixed[40960];\n"
                          ".reg .b32 %r<2>;\nmov.u32 %r1, 3; st.shared.u32 [fixed], %r1;\n"
                          "ld.shared.u32 %r1, [dynamic]; ret;\n}\n"
                          ".visible .entry bounded()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
                          ".visible .entry shares_dynamic()\n{\n"
                          ".reg .b32 %r<2>;\nld.shared.u32 %r1, [dynamic]; ret;\n}\n";

enum { HEADER = 16, ENTRY = 64 };

struct wrapper {
    uint32_t magic, version;
    void *data, *extra;
};

// A container with one plain entry. It lives as long as the process.
static inline void *container_of(const char *text, unsigned kind) {
    static _Alignas(8) uint8_t room[1 << 16];
    static size_t used;
    size_t payload = (strlen(text) + 8) / 8 * 8;
    uint8_t *data = room + used;
    used += HEADER + ENTRY + payload;
    assert_true(used <= sizeof room);
    const uint32_t header[] = {0xba55ed50, HEADER << 16 | 1, (uint32_t)(ENTRY + payload), 0};
    const uint32_t entry[] = {0x1010000 | kind, ENTRY, (uint32_t)payload, 0, 0, 0, 0, 80};
    memcpy(data, header, sizeof header);
    memcpy(data + HEADER, entry, sizeof entry);
    memcpy(data + HEADER + ENTRY, text, strlen(text));
    return data;
}

static inline void **register_text(struct wrapper *wrapper, const char *text, unsigned kind) {
    *wrapper = (struct wrapper){0x466243b1, 1, container_of(text, kind), NULL};
    return __cudaRegisterFatBinary(wrapper);
}

static inline void register_kernel(void **handle, const char *stub, const char *name) {
    __cudaRegisterFunction(handle, stub, (char *)(uintptr_t)name, name, -1, NULL, NULL, NULL, NULL,
                           NULL);
}

// Host stubs and shadows: only their addresses count.
static const char store, bump_both, trap_it, shares, bounded, shares_dynamic, missing, no_image;
static char counter, table;
static void *both;
static void **module;

static inline int set_up(void **state) {
    (void)state;
    static struct wrapper good, code_only;
    module = register_text(&good, ptx, 1);
    register_kernel(module, &store, "store");
    register_kernel(module, &bump_both, "bump_both");
    register_kernel(module, &trap_it, "trap_it");
    register_kernel(module, &shares, "shares");
    register_kernel(module, &bounded, "bounded");
    register_kernel(module, &shares_dynamic, "shares_dynamic");
    register_kernel(module, &missing, "missing");
    __cudaRegisterVar(module, &counter, (char *)(uintptr_t) "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterVar(module, &table, (char *)(uintptr_t) "table", "table", 0, 16, 1, 0);
    __cudaRegisterManagedVar(module, &both, (char *)(uintptr_t) "both", "both", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
    void **other = register_text(&code_only, "\177ELF", 2);
    register_kernel(other, &no_image, "store");
    __cudaRegisterFatBinaryEnd(other);
    return 0;
}

#define DIM(...) ((struct cuda_dim3){__VA_ARGS__})
#define OK(call) assert_int_equal(call, cudaSuccess)
// A call that fails: the error is also the last one, once.
#define FAILS(call, code)                                                                          \
    do {                                                                                           \
        assert_int_equal(call, code);                                                              \
        assert_int_equal(cudaPeekAtLastError(), code);                                             \
        assert_int_equal(cudaGetLastError(), code);                                                \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)

static inline error launch_store(void *p, uint8_t a, uint32_t b) {
    void *arguments[] = {&p, &a, &b};
    return cudaLaunchKernel(&store, DIM(1, 1, 1), DIM(1, 1, 1), arguments, 0, NULL);
}

#endif

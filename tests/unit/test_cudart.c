// The CUDA runtime API, called as a program calls it. The expected codes were seen on a device of
// compute capability 9.0 under the real runtimes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudart_program.h"

static void test_error_texts(void **state) {
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(700), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString(9), "invalid configuration argument");
    assert_string_equal(cudaGetErrorName(999), "cudaErrorUnknown");
    assert_string_equal(cudaGetErrorName(57), "unrecognized error code");
    assert_string_equal(cudaGetErrorString(12345), "unrecognized error code");
}

static void test_launch(void **state) {
    (void)state;
    uint32_t *p, value = 0;
    OK(cudaMalloc((void **)&p, 4));
    OK(launch_store(p, 200, 3));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&value, p, 4, CUDA_DEVICE_TO_HOST));
    assert_int_equal(value, 200 + 3 * 5);
    uint32_t ten = 10;
    OK(cudaMemcpyToSymbol(&counter, &ten, 4, 0, CUDA_HOST_TO_DEVICE));
    // The two halves of <<<>>>, and a kernel handle in place of the stub.
    assert_int_equal(__cudaPushCallConfiguration(DIM(2, 1, 1), DIM(3, 1, 1), 0, NULL), 0);
    struct cuda_dim3 grid, block;
    size_t shared = 9;
    cuda_stream stream;
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.x * 10 + block.x, 23);
    assert_int_equal(shared, 0);
    void *kernel;
    OK(__cudaGetKernel(&kernel, &store));
    uint8_t a = 1;
    uint32_t b = 4;
    void *arguments[] = {&p, &a, &b};
    OK(cudaLaunchKernel(kernel, grid, block, arguments, shared, stream));
    OK(cudaMemcpy(&value, p, 4, CUDA_DEFAULT));
    assert_int_equal(value, 41);
    OK(cudaFree(p));
    FAILS(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 52);
}

struct launch_case {
    const void *stub;
    struct cuda_dim3 grid, block;
    size_t shared;
    error expected;
};

static void test_launch_limits(void **state) {
    (void)state;
    const struct launch_case cases[] = {
        {&bump_both, {1, 1, 1}, {1025, 1, 1}, 0, 1},
        {&bump_both, {1, 1, 1}, {1, 1, 65}, 0, 1},
        {&bump_both, {1, 1, 1}, {32, 32, 2}, 0, 1},
        {&bump_both, {0, 1, 1}, {1, 1, 1}, 0, 1},
        {&bump_both, {1, 1, 1}, {1, 0, 1}, 0, 1},
        {&bump_both, {1, 65536, 1}, {1, 1, 1}, 0, 1},
        {&bump_both, {1, 1, 65536}, {1, 1, 1}, 0, 1},
        {&bump_both, {0x80000000, 1, 1}, {1, 1, 1}, 0, 1},
        {&bump_both, {1, 1, 1}, {1, 1, 64}, 0, 0},
        {&bump_both, {1, 65535, 1}, {1, 1, 1}, 0, 0},
        {&shares_dynamic, {1, 1, 1}, {32, 1, 1}, 49152, 0},
        {&shares_dynamic, {1, 1, 1}, {32, 1, 1}, 49153, 1},
        {&shares, {1, 1, 1}, {32, 1, 1}, 8192, 0},
        {&shares, {1, 1, 1}, {32, 1, 1}, 8193, 1},
        {&bounded, {1, 1, 1}, {64, 1, 1}, 0, 0},
        {&bounded, {1, 1, 1}, {65, 1, 1}, 0, 1},
        {NULL, {1, 1, 1}, {1, 1, 1}, 0, 98},
        {&counter, {1, 1, 1}, {1, 1, 1}, 0, 400},
        {&missing, {1, 1, 1}, {1, 1, 1}, 0, 98},
        {&no_image, {1, 1, 1}, {1, 1, 1}, 0, 209},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct launch_case *c = &cases[i];
        error got = cudaLaunchKernel(c->stub, c->grid, c->block, NULL, c->shared, NULL);
        if (got != c->expected)
            fail_msg("case %zu gave %d, not %d", i, got, c->expected);
        assert_int_equal(cudaGetLastError(), c->expected);
        OK(cudaDeviceSynchronize());
    }
}

static void test_shared_opt_in(void **state) {
    (void)state;
    struct cuda_function_attributes attributes;
    OK(cudaFuncGetAttributes(&attributes, &shares));
    assert_int_equal(attributes.shared_bytes, 40960);
    assert_int_equal(attributes.const_bytes, 16); // its module's, which it does not read
    assert_int_equal(attributes.max_dynamic_shared, 8192);
    assert_int_equal(attributes.max_threads, 1024);
    assert_int_equal(attributes.ptx_version, 80);
    assert_int_equal(attributes.binary_version, 90);
    assert_int_equal(attributes.carveout, -1);
    assert_true(attributes.registers > 0);
    FAILS(cudaFuncSetAttribute(&shares, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, 187 * 1024 + 1), 1);
    FAILS(cudaFuncSetAttribute(&shares, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, -1), 1);
    FAILS(cudaFuncSetAttribute(&shares, 3, 1), 1);
    FAILS(cudaFuncSetAttribute(&counter, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, 1), 400);
    OK(cudaFuncSetAttribute(&shares, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, 187 * 1024));
    OK(cudaLaunchKernel(&shares, DIM(1, 1, 1), DIM(32, 1, 1), NULL, 187 * 1024, NULL));
    OK(cudaFuncSetAttribute(&shares, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, 1024));
    FAILS(cudaLaunchKernel(&shares, DIM(1, 1, 1), DIM(32, 1, 1), NULL, 2048, NULL), 1);
    OK(cudaFuncGetAttributes(&attributes, &bounded));
    assert_int_equal(attributes.max_threads, 64);
    FAILS(cudaFuncGetAttributes(NULL, &bounded), 1);
    FAILS(cudaFuncGetAttributes(&attributes, NULL), 98);
}

static void expect_occupancy(const void *stub, int threads, size_t shared, int expected) {
    int blocks = -5;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, threads, shared));
    assert_int_equal(blocks, expected);
}

static void test_occupancy(void **state) {
    (void)state;
    expect_occupancy(&bump_both, 33, 0, 32);
    expect_occupancy(&bump_both, 96, 0, 21);
    expect_occupancy(&bump_both, 640, 0, 3);
    expect_occupancy(&bump_both, 1024, 0, 2);
    expect_occupancy(&bump_both, 1025, 0, 0);
    expect_occupancy(&bump_both, 64, 49153, 0);
    expect_occupancy(&shares, 64, 0, 5);
    int blocks;
    FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &bump_both, 0, 0), 1);
    FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &counter, 32, 0), 400);
    FAILS(cudaLaunchCooperativeKernel(&bump_both, DIM(132 * 16 + 1, 1, 1), DIM(128, 1, 1), NULL, 0,
                                      NULL),
          720);
    OK(cudaLaunchCooperativeKernel(&bump_both, DIM(4, 1, 1), DIM(1, 1, 1), NULL, 0, NULL));
    FAILS(cudaLaunchCooperativeKernel(&bump_both, DIM(1, 1, 1), DIM(2048, 1, 1), NULL, 0, NULL), 1);
}

static void test_launch_attributes(void **state) {
    (void)state;
    struct cuda_launch_attribute attribute = {.id = CUDA_LAUNCH_CLUSTER,
                                              .value.cluster = {2, 1, 1}};
    struct cuda_launch_config config = {
        {4, 1, 1}, {1, 1, 1}, 0, NULL, &attribute, 1,
    };
    config.grid.x = 3;
    FAILS(cudaLaunchKernelExC(&config, &bump_both, NULL), 912);
    config.grid.x = 16;
    attribute.value.cluster[0] = 16;
    FAILS(cudaLaunchKernelExC(&config, &bump_both, NULL), 912);
    attribute.value.cluster[0] = 0;
    FAILS(cudaLaunchKernelExC(&config, &bump_both, NULL), 912);
    attribute.id = 99;
    FAILS(cudaLaunchKernelExC(&config, &bump_both, NULL), 1);
    attribute.id = CUDA_LAUNCH_COOPERATIVE;
    attribute.value.cooperative = 1;
    config.grid.x = 132 * 33;
    FAILS(cudaLaunchKernelExC(&config, &bump_both, NULL), 720);
    attribute.id = CUDA_LAUNCH_IGNORE;
    OK(cudaLaunchKernelExC(&config, &bump_both, NULL));
    FAILS(cudaLaunchKernelExC(NULL, &bump_both, NULL), 1);
}

// Which memory may be which side of which direction. d: device, p: pinned, h: pageable.
static void test_copy_directions(void **state) {
    (void)state;
    static const struct {
        char to, from;
        const char *codes; // for kinds 0 to 4: '.' fine, '1' invalid
    } cases[] = {
        {'d', 'h', "..11."}, {'h', 'd', ".1.1."}, {'h', 'h', ".111."}, {'d', 'd', "....."},
        {'p', 'h', "..11."}, {'h', 'p', ".1.1."}, {'p', 'd', "....."}, {'d', 'p', "....."},
    };
    char *device, *pinned, pageable[64] = {0};
    OK(cudaMalloc((void **)&device, 64));
    OK(cudaMallocHost((void **)&pinned, 64));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *to = cases[i].to == 'd' ? device : cases[i].to == 'p' ? pinned : pageable;
        char *from = cases[i].from == 'd' ? device : cases[i].from == 'p' ? pinned : pageable;
        for (int kind = 0; kind <= 4; kind++) {
            error expected = cases[i].codes[kind] == '.' ? cudaSuccess : cudaErrorInvalidValue;
            // From host to host directly, a device is not asked.
            if (cudaMemcpy(to + 32, from, 4, kind) != expected)
                fail_msg("%c to %c, kind %d", cases[i].from, cases[i].to, kind);
            assert_int_equal(cudaGetLastError(), expected);
        }
    }
    FAILS(cudaMemcpy(device, pageable, 4, 7), 21);
    OK(cudaMemcpy(NULL, NULL, 0, 7));
    FAILS(cudaMemcpy(NULL, pageable, 4, CUDA_HOST_TO_DEVICE), 1);
    FAILS(cudaMemcpy(device, pageable, 65, CUDA_HOST_TO_DEVICE), 1);
    FAILS(cudaMemcpy(pageable, device + 62, 4, CUDA_DEVICE_TO_HOST), 1);
    FAILS(cudaMemset(device + 62, 0, 4), 1);
    FAILS(cudaMemset(pageable, 0, 4), 1);
    OK(cudaMemset(pinned, 3, 64));
    OK(cudaMemset(NULL, 0, 0));
    assert_int_equal(pinned[63], 3);
    OK(cudaFree(device));
    OK(cudaFreeHost(pinned));
}

static void test_rows_and_slices(void **state) {
    (void)state;
    char *device, host[60], back[60] = {0};
    size_t pitch;
    for (int i = 0; i < 60; i++)
        host[i] = (char)i;
    OK(cudaMallocPitch((void **)&device, &pitch, 100, 10));
    assert_int_equal(pitch, 512);
    OK(cudaMemset2D(device, pitch, 7, 100, 10));
    OK(cudaMemcpy2D(device, pitch, host, 6, 6, 10, CUDA_HOST_TO_DEVICE));
    assert_int_equal(device[3 * 512 + 5], 3 * 6 + 5);
    assert_int_equal(device[3 * 512 + 6], 7);
    OK(cudaMemcpy2D(back, 6, device, pitch, 6, 10, CUDA_DEVICE_TO_HOST));
    assert_memory_equal(host, back, 60);
    FAILS(cudaMemcpy2D(device, pitch, host, 5, 6, 1, CUDA_HOST_TO_DEVICE), 12);
    FAILS(cudaMemcpy2D(device, pitch, host, 6, 6, 11, CUDA_HOST_TO_DEVICE), 1);
    OK(cudaMemcpy2D(device, pitch, host, 6, 0, 11, CUDA_HOST_TO_DEVICE));
    FAILS(cudaMemset2D(device, pitch, 0, 513, 10), 1);
    OK(cudaFree(device));
    struct cuda_pitched box;
    OK(cudaMalloc3D(&box, (struct cuda_extent){5, 3, 4}));
    assert_int_equal(box.pitch, 512);
    struct cuda_memcpy_3d copy = {
        .source = {host, 5, 5, 3},
        .target = box,
        .extent = {5, 3, 4},
        .kind = CUDA_HOST_TO_DEVICE,
    };
    OK(cudaMemcpy3D(&copy));
    assert_int_equal(((char *)box.pointer)[(2 * 3 + 1) * 512 + 4], 2 * 15 + 1 * 5 + 4);
    // A part of it, with offsets on both sides.
    struct cuda_memcpy_3d part = {
        .source = box,
        .source_position = {1, 1, 2},
        .target = {back, 5, 5, 3},
        .target_position = {2, 0, 0},
        .extent = {2, 2, 2},
        .kind = CUDA_DEVICE_TO_HOST,
    };
    memset(back, 0, sizeof back);
    OK(cudaMemcpy3D(&part));
    assert_int_equal(back[2], host[2 * 15 + 5 + 1]);
    assert_int_equal(back[15 + 5 + 3], host[3 * 15 + 10 + 2]);
    assert_int_equal(back[4], 0);
    FAILS(cudaMemcpy3D(NULL), 1);
    OK(cudaFree(box.pointer));
}

static void test_allocation_errors(void **state) {
    (void)state;
    void *p = &p, *host;
    char local[4];
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    FAILS(cudaMalloc(NULL, 4), 1);
    FAILS(cudaMalloc(&p, (size_t)1 << 50), 2);
    OK(cudaFree(NULL));
    FAILS(cudaFree(local), 1);
    OK(cudaMalloc(&p, 1000));
    FAILS(cudaFree((char *)p + 4), 1);
    FAILS(cudaFreeHost(p), 1);
    OK(cudaFree(p));
    FAILS(cudaFree(p), 1);
    OK(cudaMallocHost(&host, 64));
    FAILS(cudaFree(host), 1);
    OK(cudaFreeHost(host));
    FAILS(cudaFreeHost(host), 1);
    FAILS(cudaMallocManaged(&p, 4, 7), 1);
    OK(cudaHostRegister(local, 4, 0));
    FAILS(cudaHostRegister(local, 4, 0), 712);
    OK(cudaHostGetDevicePointer(&p, local, 0));
    assert_ptr_equal(p, local);
    FAILS(cudaFreeHost(local), 1);
    OK(cudaHostUnregister(local));
    FAILS(cudaHostUnregister(local), 713);
    FAILS(cudaHostGetDevicePointer(&p, local, 0), 1);
}

static void expect_pointer(const void *pointer, int type, bool has_device, bool has_host) {
    struct cuda_pointer_attributes attributes;
    OK(cudaPointerGetAttributes(&attributes, pointer));
    assert_int_equal(attributes.type, type);
    assert_int_equal(attributes.device, type ? 0 : -2);
    assert_ptr_equal(attributes.device_pointer, has_device ? pointer : NULL);
    assert_ptr_equal(attributes.host_pointer, has_host ? pointer : NULL);
}

static void test_pointer_attributes(void **state) {
    (void)state;
    char *device, *host, *managed, local;
    OK(cudaMalloc((void **)&device, 100));
    OK(cudaMallocHost((void **)&host, 100));
    OK(cudaMallocManaged((void **)&managed, 100, 1));
    expect_pointer(&local, CUDA_MEMORY_UNREGISTERED, false, true);
    expect_pointer(device + 99, CUDA_MEMORY_DEVICE, true, false);
    expect_pointer(device + 100, CUDA_MEMORY_UNREGISTERED, false, true);
    expect_pointer(host + 50, CUDA_MEMORY_HOST, true, true);
    expect_pointer(managed, CUDA_MEMORY_MANAGED, true, true);
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
    OK(cudaFree(managed));
}

static void test_pools(void **state) {
    (void)state;
    void *p;
    cuda_pool pool;
    uint64_t used = 77, most = 0;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync(&p, 100, NULL));
    OK(cudaMemPoolGetAttribute(pool, 7, &used));
    assert_int_equal(used, 100);
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolGetAttribute(pool, 7, &used));
    OK(cudaMemPoolGetAttribute(pool, 8, &most));
    assert_int_equal(used, 0);
    assert_int_equal(most, 100);
    FAILS(cudaMemPoolGetAttribute(pool, 9, &used), 1);
    FAILS(cudaDeviceGetDefaultMemPool(&pool, 1), 101);
    OK(cudaMallocAsync(&p, 100, NULL));
    OK(cudaFree(p));
}

static void test_symbols(void **state) {
    (void)state;
    uint32_t values[4] = {9, 8, 7, 6}, back[4] = {0};
    size_t bytes;
    void *address;
    OK(cudaMemcpyFromSymbol(back, &table, 8, 0, CUDA_DEVICE_TO_HOST));
    assert_int_equal(back[0] * 10 + back[1], 12); // as initialised
    OK(cudaMemcpyToSymbol(&table, values, 16, 0, CUDA_HOST_TO_DEVICE));
    OK(cudaMemcpyFromSymbol(back, &table, 4, 12, CUDA_DEVICE_TO_HOST));
    assert_int_equal(back[0], 6);
    FAILS(cudaMemcpyToSymbol(&table, values, 20, 0, CUDA_HOST_TO_DEVICE), 1);
    FAILS(cudaMemcpyToSymbol(&table, values, 4, 16, CUDA_HOST_TO_DEVICE), 1);
    FAILS(cudaMemcpyToSymbol(&table, values, 4, 0, CUDA_DEVICE_TO_HOST), 21);
    FAILS(cudaMemcpyFromSymbol(back, &table, 4, 0, CUDA_HOST_TO_DEVICE), 21);
    FAILS(cudaMemcpyToSymbol(values, values, 4, 0, CUDA_HOST_TO_DEVICE), 13);
    FAILS(cudaMemcpyToSymbol(NULL, values, 4, 0, CUDA_HOST_TO_DEVICE), 13);
    OK(cudaGetSymbolSize(&bytes, &table));
    assert_int_equal(bytes, 16);
    FAILS(cudaGetSymbolAddress(&address, values), 13);
    // A managed variable: the program finds it through its slot, the API also by its address.
    assert_true(__cudaInitModule(module));
    assert_non_null(both);
    uint32_t before = *(volatile uint32_t *)both;
    OK(cudaLaunchKernel(&bump_both, DIM(1, 1, 1), DIM(1, 1, 1), NULL, 0, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(*(volatile uint32_t *)both, before + 1);
    OK(cudaGetSymbolAddress(&address, both));
    assert_ptr_equal(address, both);
}

static void count_call(void *data) {
    ++*(int *)data;
}

static void test_streams_and_events(void **state) {
    (void)state;
    cuda_stream stream;
    cuda_event first, second, untimed;
    float milliseconds = -1;
    int calls = 0, priority;
    OK(cudaStreamCreateWithPriority(&stream, 0, -99));
    OK(cudaStreamGetPriority(stream, &priority));
    assert_int_equal(priority, -5);
    OK(cudaLaunchHostFunc(stream, count_call, &calls));
    assert_int_equal(calls, 1);
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&second));
    OK(cudaEventCreateWithFlags(&untimed, 2));
    FAILS(cudaEventCreateWithFlags(&untimed, 0x77), 1);
    OK(cudaEventQuery(first));
    FAILS(cudaEventElapsedTime(&milliseconds, first, second), 400);
    OK(cudaEventRecord(first, stream));
    usleep(2000);
    OK(cudaEventRecord(second, NULL));
    OK(cudaEventRecord(untimed, CUDA_STREAM_PER_THREAD));
    OK(cudaEventElapsedTime(&milliseconds, first, second));
    assert_true(milliseconds >= 2 && milliseconds < 60000);
    FAILS(cudaEventElapsedTime(&milliseconds, first, untimed), 400);
    OK(cudaStreamWaitEvent(stream, first, 0));
    FAILS(cudaStreamWaitEvent(stream, first, 9), 1);
    FAILS(cudaEventRecord(NULL, stream), 400);
    OK(cudaStreamDestroy(stream));
    FAILS(cudaStreamDestroy(stream), 400);
    FAILS(cudaStreamQuery(stream), 400);
    FAILS(cudaStreamDestroy(NULL), 400);
    OK(cudaStreamSynchronize(CUDA_STREAM_LEGACY));
    OK(cudaEventDestroy(first));
    FAILS(cudaEventRecord(first, NULL), 400);
    FAILS(cudaEventDestroy(first), 400);
    FAILS(cudaMemcpyAsync(NULL, NULL, 4, CUDA_DEFAULT, NULL), 1);
}

static void test_device(void **state) {
    (void)state;
    int value;
    OK(cudaGetDeviceCount(&value));
    assert_int_equal(value, 1);
    FAILS(cudaSetDevice(1), 101);
    OK(cudaDeviceGetAttribute(&value, 16, 0));
    assert_int_equal(value, 132);
    FAILS(cudaDeviceGetAttribute(&value, 0, 0), 1);
    FAILS(cudaDeviceGetAttribute(&value, 148, 0), 1);
    FAILS(cudaDeviceGetAttribute(&value, 16, 1), 101);
    char properties[2048];
    memset(properties, 0x5a, sizeof properties);
    OK(cudaGetDeviceProperties(properties, 0));
    assert_non_null(strstr(properties, "sm_90"));
    assert_int_equal(properties[1008], 0x5a); // CUDA 13's structure has 1008 bytes
    assert_int_equal(properties[1007], 0);
    FAILS(cudaGetDeviceProperties(NULL, 0), 1);
    FAILS(cudaGetDeviceProperties(properties, 1), 101);
    OK(cudaRuntimeGetVersion(&value));
    assert_int_equal(value, 13000);
    FAILS(cudaImportExternalMemory(NULL, NULL), cudaErrorNotSupported);
}

// A fault shows at the next call that waits, stays for all calls that need the device, and goes
// with a reset.
static void test_sticky_fault(void **state) {
    (void)state;
    uint32_t *p, value;
    int count;
    cuda_event event;
    OK(cudaMalloc((void **)&p, 4));
    OK(cudaEventCreate(&event));
    OK(launch_store((void *)0x10, 1, 1)); // writes to where nothing is
    OK(cudaGetLastError());
    OK(cudaEventRecord(event, NULL));
    OK(launch_store(p, 1, 1)); // queued behind the fault: never runs
    FAILS(cudaDeviceSynchronize(), 700);
    FAILS(cudaDeviceSynchronize(), 700);
    FAILS(cudaMemcpy(&value, p, 4, CUDA_DEVICE_TO_HOST), 700);
    FAILS(cudaMalloc((void **)&p, 4), 700);
    FAILS(cudaFree(p), 700);
    FAILS(launch_store(p, 1, 1), 700);
    FAILS(cudaEventQuery(event), 700);
    FAILS(cudaLaunchKernel(NULL, DIM(1, 1, 1), DIM(1, 1, 1), NULL, 0, NULL), 98);
    OK(cudaGetDeviceCount(&count));
    OK(cudaSetDevice(0));
    OK(cudaRuntimeGetVersion(&count));
    OK(cudaDeviceReset());
    FAILS(cudaFree(p), 1); // went with the reset
    FAILS(cudaEventQuery(event), 400);
    OK(cudaMalloc((void **)&p, 4));
    OK(launch_store(p, 3, 1));
    OK(cudaMemcpy(&value, p, 4, CUDA_DEVICE_TO_HOST));
    assert_int_equal(value, 3 + 5); // variables have their first values again
    OK(launch_store((char *)p + 2, 1, 1));
    FAILS(cudaStreamSynchronize(NULL), 716);
    OK(cudaDeviceReset());
    OK(cudaLaunchKernel(&trap_it, DIM(1, 1, 1), DIM(1, 1, 1), NULL, 0, NULL));
    FAILS(cudaDeviceSynchronize(), 719);
    OK(cudaDeviceReset());
}

static void *fail_in_thread(void *context) {
    void *p;
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    *(error *)context = cudaMalloc(&p, (size_t)1 << 50);
    return NULL;
}

static void test_last_error_of_threads(void **state) {
    (void)state;
    pthread_t thread;
    error other = cudaSuccess;
    assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &other), 0);
    pthread_join(thread, NULL);
    assert_int_equal(other, cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
}

// A child made by fork cannot use the device that its parent uses.
static void test_fork(void **state) {
    (void)state;
    void *p;
    int status;
    OK(cudaMalloc(&p, 4));
    pid_t child = fork();
    if (child == 0)
        _exit(cudaMalloc(&p, 4) == cudaErrorInitializationError && cudaSetDevice(0) == 0 ? 7 : 8);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    OK(cudaFree(p));
}

int main(void) {
    unsetenv("BANKRUN_PROFILE");
    unsetenv("BANKRUN_ARCH");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_texts),
        cmocka_unit_test(test_launch),
        cmocka_unit_test(test_launch_limits),
        cmocka_unit_test(test_shared_opt_in),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_launch_attributes),
        cmocka_unit_test(test_copy_directions),
        cmocka_unit_test(test_rows_and_slices),
        cmocka_unit_test(test_allocation_errors),
        cmocka_unit_test(test_pointer_attributes),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_streams_and_events),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_sticky_fault),
        cmocka_unit_test(test_last_error_of_threads),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

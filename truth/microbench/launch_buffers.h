// Buffers of known contents on the device, through the driver, and hashes of what is left in them:
// for ptx_launch.c and cute_launch.c.
#include <cuda.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(CUresult result, const char *what) {
    const char *name = "?";
    if (!result)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(1);
}

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

// Small multiples of 1/4, whose products are summed without rounding in any order.
static uint32_t number(const char *type, uint32_t random) {
    static const uint16_t halves[8] = {0xbc00, 0xba00, 0xb800, 0xb400, 0, 0x3400, 0x3800, 0x3c00};
    const float value = ((float)(random % 8) - 4) / 4;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (strcmp(type, "fp16") == 0)
        return halves[random % 8];
    if (strcmp(type, "bf16") == 0)
        return bits >> 16;
    return strcmp(type, "fp32") == 0 ? bits : random % 8;
}

static size_t size_of(const char *type) {
    if (strcmp(type, "i8") == 0)
        return 1;
    return strstr(type, "16") ? 2 : 4;
}

static CUdeviceptr make_buffer(const char *type, size_t count, const char *fill, size_t *bytes) {
    const size_t size = size_of(type);
    const uint32_t below = strncmp(fill, "below", 5) == 0 ? (uint32_t)atoi(fill + 5) : 0;
    const int is_empty = !strcmp(fill, "zeros") || !strcmp(fill, "scratch");
    uint8_t *data = calloc(count, size);
    uint32_t state = 1;
    CUdeviceptr buffer;
    for (size_t i = 0; i < count && !is_empty; i++) {
        const uint32_t random = next(&state);
        const uint32_t value = below                     ? random % below
                               : !strcmp(fill, "random") ? random
                                                         : number(type, random);
        memcpy(data + i * size, &value, size);
    }
    *bytes = count * size;
    check(cuMemAlloc(&buffer, *bytes), "cuMemAlloc");
    check(cuMemcpyHtoD(buffer, data, *bytes), "cuMemcpyHtoD");
    free(data);
    return buffer;
}

static uint64_t hash(const uint8_t *data, size_t bytes) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ data[i]) * 1099511628211u;
    return h;
}

static void start_device(void) {
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

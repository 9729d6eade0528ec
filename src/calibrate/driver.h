// The functions of the CUDA driver that are used, found in libcuda.so.1 at run time.
#ifndef BANKRUN_CALIBRATE_DRIVER_H
#define BANKRUN_CALIBRATE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct driver { // each returns 0, or an error number that cuGetErrorName knows
    void *library;
    int (*cuInit)(unsigned flags);
    int (*cuDriverGetVersion)(int *version);
    int (*cuDeviceGetCount)(int *count);
    int (*cuDeviceGet)(int *device, int ordinal);
    int (*cuDeviceGetName)(char *name, int length, int device);
    int (*cuDeviceGetAttribute)(int *value, int attribute, int device);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuDevicePrimaryCtxRelease)(int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuModuleLoadData)(void **module, const void *image);
    int (*cuModuleUnload)(void *module);
    int (*cuModuleGetFunction)(void **function, void *module, const char *name);
    int (*cuMemAlloc)(uint64_t *address, size_t bytes);
    int (*cuMemFree)(uint64_t address);
    int (*cuMemcpyHtoD)(uint64_t to, const void *from, size_t bytes);
    int (*cuMemcpyDtoH)(void *to, uint64_t from, size_t bytes);
    int (*cuLaunchKernel)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, void *stream, void **parameters, void **extra);
    int (*cuCtxSynchronize)(void);
    int (*cuGetErrorName)(int error, const char **name);
};

// Attributes of a device.
enum {
    DRIVER_MULTIPROCESSORS = 16,
    DRIVER_MAJOR = 75,
    DRIVER_MINOR = 76,
};

// False: there is no driver, or it lacks a function; diags say so.
bool calibrate_load_driver(struct driver *driver, struct diag_list *diags);
void calibrate_unload_driver(struct driver *driver);

#endif

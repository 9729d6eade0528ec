// Loads the CUDA driver, so that bankrun itself needs none to start.
#include "calibrate/driver.h"

#include <dlfcn.h>
#include <string.h>

// Names as the library exports them: newer versions of a function have a suffix.
static const struct {
    size_t at;
    const char *symbol;
} functions[] = {
#define FUNCTION(member, symbol)                                                                   \
    { offsetof(struct driver, member), symbol }
    FUNCTION(cuInit, "cuInit"),
    FUNCTION(cuDriverGetVersion, "cuDriverGetVersion"),
    FUNCTION(cuDeviceGetCount, "cuDeviceGetCount"),
    FUNCTION(cuDeviceGet, "cuDeviceGet"),
    FUNCTION(cuDeviceGetName, "cuDeviceGetName"),
    FUNCTION(cuDeviceGetAttribute, "cuDeviceGetAttribute"),
    FUNCTION(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"),
    FUNCTION(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"),
    FUNCTION(cuCtxSetCurrent, "cuCtxSetCurrent"),
    FUNCTION(cuModuleLoadData, "cuModuleLoadData"),
    FUNCTION(cuModuleUnload, "cuModuleUnload"),
    FUNCTION(cuModuleGetFunction, "cuModuleGetFunction"),
    FUNCTION(cuMemAlloc, "cuMemAlloc_v2"),
    FUNCTION(cuMemFree, "cuMemFree_v2"),
    FUNCTION(cuMemcpyHtoD, "cuMemcpyHtoD_v2"),
    FUNCTION(cuMemcpyDtoH, "cuMemcpyDtoH_v2"),
    FUNCTION(cuLaunchKernel, "cuLaunchKernel"),
    FUNCTION(cuCtxSynchronize, "cuCtxSynchronize"),
    FUNCTION(cuGetErrorName, "cuGetErrorName"),
#undef FUNCTION
};

bool calibrate_load_driver(struct driver *driver, struct diag_list *diags) {
    *driver = (struct driver){.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!driver->library) {
        diag_error(diags, "no GPU to measure: the CUDA driver (libcuda.so.1) is not installed");
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(driver->library, functions[i].symbol);
        if (!symbol) {
            diag_error(diags, "the CUDA driver (libcuda.so.1) is too old: it has no %s",
                       functions[i].symbol);
            calibrate_unload_driver(driver);
            return false;
        }
        memcpy((char *)driver + functions[i].at, &symbol, sizeof symbol);
    }
    return true;
}

void calibrate_unload_driver(struct driver *driver) {
    if (driver->library)
        dlclose(driver->library);
    driver->library = NULL;
}

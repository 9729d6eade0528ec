// Measures on the first GPU of the machine, through the driver alone.
#include <stdlib.h>

#include "calibrate/calibrate.h"
#include "calibrate/driver.h"

struct calibrate_gpu {
    struct driver driver;
    int device, cuda;
    unsigned arch, multiprocessors;
    bool is_retained;
    char name[128];
};

// True: no error.
static bool check(const struct calibrate_gpu *gpu, int error, const char *what,
                  struct diag_list *diags) {
    const char *name = NULL;
    if (!error)
        return true;
    gpu->driver.cuGetErrorName(error, &name);
    diag_error(diags, "%s: %s", what, name ? name : "unknown error");
    return false;
}

static unsigned attribute(const struct calibrate_gpu *gpu, int which) {
    int value = 0;
    return gpu->driver.cuDeviceGetAttribute(&value, which, gpu->device) ? 0 : (unsigned)value;
}

static bool start(struct calibrate_gpu *gpu, struct diag_list *diags) {
    const struct driver *driver = &gpu->driver;
    int count = 0, error = driver->cuInit(0);
    if (!error)
        error = driver->cuDeviceGetCount(&count);
    if (error == 100 || (!error && count == 0)) { // CUDA_ERROR_NO_DEVICE
        diag_error(diags, "no GPU to measure: the CUDA driver finds none");
        return false;
    }
    void *context = NULL;
    if (!check(gpu, error, "no GPU to measure: the CUDA driver does not start", diags) ||
        !check(gpu, driver->cuDeviceGet(&gpu->device, 0), "cuDeviceGet", diags) ||
        !check(gpu, driver->cuDevicePrimaryCtxRetain(&context, gpu->device),
               "the GPU cannot be used", diags))
        return false;
    gpu->is_retained = true;
    driver->cuDeviceGetName(gpu->name, sizeof gpu->name, gpu->device);
    driver->cuDriverGetVersion(&gpu->cuda);
    gpu->arch = 10 * attribute(gpu, DRIVER_MAJOR) + attribute(gpu, DRIVER_MINOR);
    gpu->multiprocessors = attribute(gpu, DRIVER_MULTIPROCESSORS);
    return check(gpu, driver->cuCtxSetCurrent(context), "cuCtxSetCurrent", diags);
}

struct calibrate_gpu *calibrate_open_gpu(struct diag_list *diags) {
    struct calibrate_gpu *gpu = base_alloc(sizeof *gpu);
    if (calibrate_load_driver(&gpu->driver, diags) && start(gpu, diags))
        return gpu;
    calibrate_close_gpu(gpu);
    return NULL;
}

void calibrate_close_gpu(struct calibrate_gpu *gpu) {
    if (!gpu)
        return;
    if (gpu->is_retained)
        gpu->driver.cuDevicePrimaryCtxRelease(gpu->device);
    calibrate_unload_driver(&gpu->driver);
    free(gpu);
}

unsigned calibrate_gpu_arch(const struct calibrate_gpu *gpu) {
    return gpu->arch;
}

const char *calibrate_gpu_name(const struct calibrate_gpu *gpu) {
    return gpu->name;
}

unsigned calibrate_gpu_cuda(const struct calibrate_gpu *gpu) {
    return (unsigned)gpu->cuda;
}

// As many blocks at a time as there are multiprocessors, so that each has one to itself.
static bool launch_all(struct calibrate_gpu *gpu, void *kernel, uint64_t patterns, uint64_t cycles,
                       size_t count, struct diag_list *diags) {
    for (size_t first = 0; first < count; first += gpu->multiprocessors) {
        size_t blocks = count - first < gpu->multiprocessors ? count - first : gpu->multiprocessors;
        uint64_t in = patterns + first * sizeof(struct calibrate_pattern);
        uint64_t out = cycles + first * sizeof(uint32_t);
        void *parameters[] = {&in, &out};
        if (!check(gpu,
                   gpu->driver.cuLaunchKernel(kernel, (unsigned)blocks, 1, 1, CALIBRATE_WARPS * 32,
                                              1, 1, CALIBRATE_SHARED_BYTES, NULL, parameters, NULL),
                   "cuLaunchKernel", diags) ||
            !check(gpu, gpu->driver.cuCtxSynchronize(), "the measuring kernel", diags))
            return false;
    }
    return true;
}

static bool run_kernel(struct calibrate_gpu *gpu, void *kernel,
                       const struct calibrate_pattern *patterns, size_t count, uint32_t *total,
                       struct diag_list *diags) {
    const struct driver *driver = &gpu->driver;
    uint64_t in = 0, out = 0;
    size_t bytes = count * sizeof *patterns;
    bool is_done =
        check(gpu, driver->cuMemAlloc(&in, bytes), "cuMemAlloc", diags) &&
        check(gpu, driver->cuMemAlloc(&out, count * sizeof *total), "cuMemAlloc", diags) &&
        check(gpu, driver->cuMemcpyHtoD(in, patterns, bytes), "cuMemcpyHtoD", diags) &&
        launch_all(gpu, kernel, in, out, count, diags) &&
        check(gpu, driver->cuMemcpyDtoH(total, out, count * sizeof *total), "cuMemcpyDtoH", diags);
    if (in)
        driver->cuMemFree(in);
    if (out)
        driver->cuMemFree(out);
    return is_done;
}

static bool measure(void *context, const struct calibrate_instruction *instruction,
                    const struct calibrate_pattern *patterns, size_t count, double *cycles,
                    struct diag_list *diags) {
    struct calibrate_gpu *gpu = context;
    struct strbuf ptx = {0};
    void *module = NULL, *kernel = NULL;
    uint32_t *total = base_alloc(count * sizeof *total);
    calibrate_write_ptx(instruction, gpu->arch, &ptx);
    bool is_done = check(gpu, gpu->driver.cuModuleLoadData(&module, strbuf_string(&ptx)),
                         instruction->name, diags) &&
                   check(gpu, gpu->driver.cuModuleGetFunction(&kernel, module, "measure"),
                         "cuModuleGetFunction", diags) &&
                   run_kernel(gpu, kernel, patterns, count, total, diags);
    for (size_t i = 0; i < count && is_done; i++)
        cycles[i] = (double)total[i] / (CALIBRATE_WARPS * CALIBRATE_COPIES);
    if (module)
        gpu->driver.cuModuleUnload(module);
    strbuf_free(&ptx);
    free(total);
    return is_done;
}

struct calibrate_meter calibrate_gpu_meter(struct calibrate_gpu *gpu) {
    return (struct calibrate_meter){measure, gpu};
}

// What CuTe DSL has of its own in place of the CUDA runtime: libcute_dsl_runtime.so, whose
// functions are those of the runtime and the driver with a line in front of their names. Code that
// the package compiles for the host calls them. The package's own has the static runtime in it;
// this one goes to ours. What is not here is looked for in vain by the package's linker, which
// names it: cudaGetDeviceProperties, which differs between versions, and what belongs to JAX.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#if defined __x86_64__
#define JUMP(name) "    jmp " name "@PLT\n"
#elif defined __aarch64__
#define JUMP(name) "    b " name "\n"
#else
#error "no jump for this machine"
#endif

#define SAME_AS(name, target)                                                                      \
    __asm__(".text\n"                                                                              \
            ".globl " name "\n"                                                                    \
            ".type " name ", %function\n" name ":\n" JUMP(target) ".size " name ", . - " name      \
                                                                  "\n");
#define FORWARD(name) SAME_AS("_" name, name)

FORWARD("cuDeviceGet")
FORWARD("cuKernelGetAttribute")
FORWARD("cuLibraryGetGlobal")
FORWARD("cuLibraryGetKernel")
FORWARD("cuLibraryGetKernelCount")
FORWARD("cuLibraryGetManaged")
FORWARD("cuLibraryGetModule")
FORWARD("cuLibraryGetUnifiedFunction")
FORWARD("cuLibraryLoadData")
FORWARD("cuLibraryLoadFromFile")
FORWARD("cuLibraryUnload")
FORWARD("cuTensorMapEncodeTiled")
FORWARD("cudaDeviceGetAttribute")
FORWARD("cudaDeviceSynchronize")
FORWARD("cudaEventCreate")
FORWARD("cudaEventDestroy")
FORWARD("cudaEventElapsedTime")
FORWARD("cudaEventRecord")
FORWARD("cudaFree")
FORWARD("cudaFreeAsync")
FORWARD("cudaFreeHost")
FORWARD("cudaFuncSetAttribute")
FORWARD("cudaGetDevice")
FORWARD("cudaGetDeviceCount")
FORWARD("cudaGraphDestroy")
FORWARD("cudaGraphExecDestroy")
FORWARD("cudaGraphInstantiate")
FORWARD("cudaGraphLaunch")
FORWARD("cudaKernelSetAttributeForDevice")
FORWARD("cudaLaunchKernel")
SAME_AS("_cudaLaunchKernelEx", "cudaLaunchKernelExC")
FORWARD("cudaLibraryGetGlobal")
FORWARD("cudaLibraryGetKernel")
FORWARD("cudaLibraryGetKernelCount")
FORWARD("cudaLibraryGetManaged")
FORWARD("cudaLibraryGetUnifiedFunction")
FORWARD("cudaLibraryLoadData")
FORWARD("cudaLibraryLoadFromFile")
FORWARD("cudaLibraryUnload")
FORWARD("cudaMalloc")
FORWARD("cudaMallocAsync")
FORWARD("cudaMallocHost")
FORWARD("cudaMallocManaged")
FORWARD("cudaMemcpy")
FORWARD("cudaMemcpyAsync")
FORWARD("cudaMemset")
FORWARD("cudaMemsetAsync")
FORWARD("cudaOccupancyMaxActiveBlocksPerMultiprocessor")
FORWARD("cudaProfilerStart")
FORWARD("cudaProfilerStop")
FORWARD("cudaSetDevice")
FORWARD("cudaStreamAddCallback")
FORWARD("cudaStreamBeginCapture")
FORWARD("cudaStreamCreate")
FORWARD("cudaStreamDestroy")
FORWARD("cudaStreamEndCapture")
FORWARD("cudaStreamSynchronize")
FORWARD("cudaStreamWaitEvent")

// ---- TVM FFI: what its calls need beside ----------------------------------------------------

// What the package makes of an error is a Python exception of this kind, with a message of this
// form.
#define KIND "CUDADialectError"
#define PREFIX "CUDA Error Code: "
#define HANDED_OUT __attribute__((visibility("default")))

enum { FAILED = -1, DIGITS = 12 };

// Two of those above.
extern int32_t _cudaGetDeviceCount(int *count);
extern int32_t _cudaLibraryUnload(void *library);

typedef void (*raise_parts)(const char *kind, const char *const *parts, int32_t count);
typedef void (*raise_text)(const char *kind, const char *text);

HANDED_OUT void CuteDSLRT_TVMFFISetRaisedCudaError(raise_parts raise, int32_t code);
HANDED_OUT int32_t cuda_dialect_init_library_once(void **library, int32_t (*load)(void **),
                                                  int32_t (*load_to_device)(void **, int32_t),
                                                  raise_text raise);
HANDED_OUT void cuda_dialect_unload_library_once(void **library);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void CuteDSLRT_TVMFFISetRaisedCudaError(raise_parts raise, int32_t code) {
    char digits[DIGITS];
    const char *const parts[] = {PREFIX, digits};
    snprintf(digits, sizeof digits, "%d", code);
    raise(KIND, parts, sizeof parts / sizeof *parts);
}

static int32_t load_library(void **library, int32_t (*load)(void **),
                            int32_t (*load_to_device)(void **, int32_t)) {
    int devices = 0;
    int32_t status = _cudaGetDeviceCount(&devices);
    if (!status)
        status = load(library);
    for (int32_t device = 0; !status && device < devices; device++)
        status = load_to_device(library, device);
    if (status && *library)
        _cudaLibraryUnload(*library);
    return status;
}

// `library` is the caller's, and NULL until it is loaded.
int32_t cuda_dialect_init_library_once(void **library, int32_t (*load)(void **),
                                       int32_t (*load_to_device)(void **, int32_t),
                                       raise_text raise) {
    void *made = NULL;
    int32_t status = 0;
    if (__atomic_load_n(library, __ATOMIC_ACQUIRE))
        return 0;
    pthread_mutex_lock(&lock);
    if (!*library && !(status = load_library(&made, load, load_to_device)))
        __atomic_store_n(library, made, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    if (!status)
        return 0;
    char text[sizeof PREFIX + DIGITS];
    snprintf(text, sizeof text, PREFIX "%d", status);
    raise(KIND, text);
    return FAILED;
}

void cuda_dialect_unload_library_once(void **library) {
    pthread_mutex_lock(&lock);
    if (*library)
        _cudaLibraryUnload(*library);
    *library = NULL;
    pthread_mutex_unlock(&lock);
}

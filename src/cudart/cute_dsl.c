// What CuTe DSL has of its own in place of the CUDA runtime: libcute_dsl_runtime.so, whose
// functions are those of the runtime and the driver with a line in front of their names. Code that
// the package compiles for the host calls them. The package's own has the static runtime in it;
// this one goes to ours. What is not here is looked for in vain by the package's linker, which
// names it: cudaGetDeviceProperties, which differs between versions, and what belongs to TVM FFI
// and JAX.
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

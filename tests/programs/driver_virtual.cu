// Virtual memory management: an array that spans chunks, memory that is mapped twice, and what is
// refused.
// bankrun: -lcuda
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <cuda.h>
#include <cuda_runtime.h>

#define OK(call) check(call, #call)
static void check(CUresult result, const char *call) {
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    printf("%s: %s\n", call, name);
    exit(1);
}
static void show(const char *what, CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    printf("%s: %s\n", what, name);
}

__global__ void fill(int *p, size_t n, int value) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = value + i % 1000;
}

int main() {
    cudaFree(0);
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t granule;
    OK(cuMemGetAllocationGranularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    int supported = 0;
    OK(cuDeviceGetAttribute(&supported,
                            CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    printf("supported: %d\n", supported);

    CUdeviceptr area, second;
    CUmemGenericAllocationHandle chunk[2], same;
    OK(cuMemAddressReserve(&area, 4 * granule, 0, 0, 0));
    show("odd size", cuMemCreate(&chunk[0], granule + 1, &properties, 0));
    for (int i = 0; i < 2; i++) {
        OK(cuMemCreate(&chunk[i], granule, &properties, 0));
        OK(cuMemMap(area + i * granule, granule, 0, chunk[i], 0));
    }
    show("mapped already", cuMemMap(area, granule, 0, chunk[0], 0));
    show("not reserved", cuMemMap(area + 4 * granule, granule, 0, chunk[0], 0));
    OK(cuMemSetAccess(area, 2 * granule, &access, 1));
    show("not mapped", cuMemSetAccess(area, 3 * granule, &access, 1));

    // A kernel and a copy that run over both chunks.
    size_t n = 2 * granule / sizeof(int);
    int *p = (int *)area, *host = (int *)malloc(2 * granule);
    fill<<<4, 128>>>(p, n, 7);
    cudaMemcpy(host, p, 2 * granule, cudaMemcpyDeviceToHost);
    printf("filled: %d %d, %s\n", host[0], host[n - 1], cudaGetErrorName(cudaGetLastError()));
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, p);
    printf("device memory: %d\n", attributes.type == cudaMemoryTypeDevice);

    // The second chunk at another place.
    OK(cuMemAddressReserve(&second, granule, 0, 0, 0));
    OK(cuMemMap(second, granule, 0, chunk[1], 0));
    OK(cuMemSetAccess(second, granule, &access, 1));
    int value = 0;
    OK(cuMemcpyDtoH(&value, second, sizeof value));
    printf("the same memory: %d\n", value == host[n / 2]);
    OK(cuMemsetD32(second, 99, 1));
    OK(cuMemcpyDtoH(&value, area + granule, sizeof value));
    printf("seen at both places: %d\n", value);

    int file;
    OK(cuMemExportToShareableHandle(&file, chunk[1], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemImportFromShareableHandle(&same, (void *)(intptr_t)file,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    OK(cuMemUnmap(second, granule));
    OK(cuMemMap(second, granule, 0, same, 0));
    OK(cuMemSetAccess(second, granule, &access, 1));
    OK(cuMemcpyDtoH(&value, second, sizeof value));
    printf("imported: %d\n", value);

    unsigned long long flags;
    OK(cuMemGetAccess(&flags, &properties.location, area));
    printf("flags: %llu\n", flags);
    show("still mapped", cuMemAddressFree(area, 4 * granule));
    OK(cuMemUnmap(second, granule));
    OK(cuMemAddressFree(second, granule));
    OK(cuMemRelease(same));
    OK(cuMemRelease(chunk[1])); // its mapping keeps it
    OK(cuMemcpyDtoH(&value, area + granule, sizeof value));
    printf("released, still there: %d\n", value);
    OK(cuMemUnmap(area + granule, granule));
    OK(cuMemRelease(chunk[0]));
    show("released twice", cuMemRelease(chunk[0]));

    // Beyond what is mapped now.
    show("beyond", cuMemsetD8(area, 0, granule + 1));
    show("unmapped", cuMemsetD8(area + granule, 0, 1));
    show("mapped", cuMemsetD8(area, 0, granule));
    return 0;
}

// Device and kernel attributes: the structure and the single values say the same.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(96) bounded(float *p) {
    __shared__ float s[96];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[95 - threadIdx.x];
}

static int differences;

static void compare(const char *what, long long field, cudaDeviceAttr attribute) {
    int value = -1;
    cudaError_t error = cudaDeviceGetAttribute(&value, attribute, 0);
    if (error == cudaSuccess && value == field)
        return;
    printf("%s: %lld in the structure, %d alone (%s)\n", what, field, value,
           cudaGetErrorName(error));
    differences++;
}

#define SAME(field, attribute) compare(#field, (long long)p.field, cudaDevAttr##attribute)

int main() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    SAME(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    SAME(regsPerBlock, MaxRegistersPerBlock);
    SAME(warpSize, WarpSize);
    SAME(memPitch, MaxPitch);
    SAME(maxThreadsPerBlock, MaxThreadsPerBlock);
    SAME(maxThreadsDim[0], MaxBlockDimX);
    SAME(maxThreadsDim[2], MaxBlockDimZ);
    SAME(maxGridSize[0], MaxGridDimX);
    SAME(maxGridSize[2], MaxGridDimZ);
    SAME(totalConstMem, TotalConstantMemory);
    SAME(major, ComputeCapabilityMajor);
    SAME(minor, ComputeCapabilityMinor);
    SAME(textureAlignment, TextureAlignment);
    SAME(texturePitchAlignment, TexturePitchAlignment);
    SAME(multiProcessorCount, MultiProcessorCount);
    SAME(canMapHostMemory, CanMapHostMemory);
    SAME(maxTexture1D, MaxTexture1DWidth);
    SAME(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
    SAME(maxTexture3D[2], MaxTexture3DDepth);
    SAME(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers);
    SAME(maxSurface1D, MaxSurface1DWidth);
    SAME(maxSurface2DLayered[2], MaxSurface2DLayeredLayers);
    SAME(surfaceAlignment, SurfaceAlignment);
    SAME(concurrentKernels, ConcurrentKernels);
    SAME(asyncEngineCount, AsyncEngineCount);
    SAME(unifiedAddressing, UnifiedAddressing);
    SAME(memoryBusWidth, GlobalMemoryBusWidth);
    SAME(l2CacheSize, L2CacheSize);
    SAME(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
    SAME(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    SAME(streamPrioritiesSupported, StreamPrioritiesSupported);
    SAME(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    SAME(managedMemory, ManagedMemory);
    SAME(concurrentManagedAccess, ConcurrentManagedAccess);
    SAME(cooperativeLaunch, CooperativeLaunch);
    SAME(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    SAME(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    SAME(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
    SAME(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
    SAME(hostRegisterSupported, HostRegisterSupported);
    SAME(memoryPoolsSupported, MemoryPoolsSupported);
    SAME(clusterLaunch, ClusterLaunch);
    SAME(hostNumaId, HostNumaId);
    printf("%d differences\n", differences);
    printf("compute capability %d.%d, %d multiprocessors\n", p.major, p.minor,
           p.multiProcessorCount);
    printf("shared memory %zu, %zu with opt-in, %zu a multiprocessor\n", p.sharedMemPerBlock,
           p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor);

    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, bounded);
    printf("kernel: %zu shared, %zu const, %zu local, %d threads, ptx %d, %d dynamic, carveout %d\n",
           a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock,
           a.ptxVersion, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout);
    for (int threads = 32; threads <= 1024; threads *= 2) {
        int blocks = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, threads, 40000);
        printf("%d threads and 40000 bytes: %d blocks\n", threads, blocks);
    }
    int smallest_grid = 0, best_block = 0, value;
    cudaOccupancyMaxPotentialBlockSize(&smallest_grid, &best_block, bounded, 0, 0);
    printf("best block %d\n", best_block);
    cudaError_t error = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)0, 0);
    printf("no attribute: %s\n", cudaGetErrorName(error));
    return differences != 0;
}

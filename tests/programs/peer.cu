// Peer access: kernels that touch another device's memory, and copies, which need no permission.
// bankrun: --devices 2
// stderr: of device 1, to which device 0 has no access
// gpu: no, it wants two devices
#include <cstdio>
#include <cstring>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        cudaGetLastError();                                                                        \
        printf("  %-62s %s\n", #call, cudaGetErrorName(error));                                    \
    } while (0)

__global__ void add(int *at, int value) {
    at[threadIdx.x] += value;
}
__global__ void add_atomically(int *at) {
    atomicAdd(at, 1);
}

static int devices;

static void questions() {
    printf("questions\n");
    int can = -1;
    SHOW(cudaDeviceCanAccessPeer(&can, 0, 1));
    printf("  %d\n", can);
    SHOW(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("  %d\n", can);
    SHOW(cudaDeviceCanAccessPeer(&can, 0, devices));
    SHOW(cudaDeviceCanAccessPeer(NULL, 0, 1));
    for (int attribute = cudaDevP2PAttrPerformanceRank;
         attribute <= cudaDevP2PAttrCudaArrayAccessSupported; attribute++) {
        int value = -1;
        cudaError_t error = cudaDeviceGetP2PAttribute(&value, (cudaDeviceP2PAttr)attribute, 0, 1);
        printf("  attribute %d: %s, %d\n", attribute, cudaGetErrorName(error), value);
    }
    SHOW(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
    SHOW(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, devices));
    SHOW(cudaDeviceGetP2PAttribute(&can, (cudaDeviceP2PAttr)77, 0, 1));
    SHOW(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1));
}

static void permission() {
    printf("permission\n");
    cudaSetDevice(0);
    SHOW(cudaDeviceDisablePeerAccess(1));
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaDeviceEnablePeerAccess(devices, 0));
    SHOW(cudaDeviceEnablePeerAccess(1, 1));
    SHOW(cudaDeviceEnablePeerAccess(1, 0));
    SHOW(cudaDeviceEnablePeerAccess(1, 0));
    SHOW(cudaDeviceDisablePeerAccess(0));
    SHOW(cudaDeviceDisablePeerAccess(devices));
}

static void kernels() {
    printf("kernels\n");
    int *there, *later, host[32];
    cudaSetDevice(1);
    cudaMalloc(&there, sizeof host);
    cudaMemset(there, 0, sizeof host);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    add<<<1, 32>>>(there, 3);
    add_atomically<<<4, 32>>>(there);
    SHOW(cudaDeviceSynchronize());
    cudaSetDevice(1);
    cudaMalloc(&later, sizeof host); // allocated after the permission: reachable, too
    cudaMemset(later, 0, sizeof host);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    add<<<1, 32>>>(later, 5);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMemcpy(host, there, sizeof host, cudaMemcpyDeviceToHost));
    printf("  %d %d\n", host[0], host[31]);
    SHOW(cudaMemcpy(host, later, sizeof host, cudaMemcpyDefault));
    printf("  %d %d\n", host[0], host[31]);
    cudaFree(there);
    cudaFree(later);
}

static void copies() {
    printf("copies\n");
    int *a, *b, host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaSetDevice(0);
    cudaMalloc(&a, sizeof host);
    cudaSetDevice(1);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof host);
    SHOW(cudaMemcpyPeer(b, 1, a, 0, sizeof host));
    memset(host, 0, sizeof host);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    printf("  %d\n", host[63]);
    SHOW(cudaMemcpyPeer(b, 0, a, 1, sizeof host));
    SHOW(cudaMemcpyPeer(b, 1, a, devices, sizeof host));
    SHOW(cudaMemcpyPeer(b, -1, a, 0, sizeof host));
    SHOW(cudaMemcpyPeer(b, 1, NULL, 0, sizeof host));
    SHOW(cudaMemcpyPeer(b, 1, host, 0, sizeof host));
    SHOW(cudaMemcpyPeer(b, 1, a, 0, 0));
    SHOW(cudaMemcpyPeerAsync(b, 1, a, 0, sizeof host, 0));
    SHOW(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(b, a, sizeof host, cudaMemcpyDefault));
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, 64, 16, 4);
    p.dstPtr = make_cudaPitchedPtr(b, 64, 16, 4);
    p.srcDevice = 0;
    p.dstDevice = 1;
    p.extent = make_cudaExtent(64, 4, 1);
    SHOW(cudaMemcpy3DPeer(&p));
    SHOW(cudaMemcpy3DPeerAsync(&p, 0));
    p.srcDevice = devices;
    SHOW(cudaMemcpy3DPeer(&p));
    SHOW(cudaDeviceSynchronize());
    cudaFree(a);
    cudaFree(b);
}

static void pools() {
    printf("pools\n");
    int *there, host = -1;
    cudaMemPool_t pool;
    cudaMemAccessFlags flags;
    cudaMemLocation here = {};
    cudaMemAccessDesc access = {};
    here.type = cudaMemLocationTypeDevice;
    cudaSetDevice(1);
    cudaMallocAsync((void **)&there, sizeof *there, 0);
    cudaMemsetAsync(there, 0, sizeof *there, 0);
    cudaDeviceSynchronize();
    cudaDeviceGetDefaultMemPool(&pool, 1);
    SHOW(cudaMemPoolGetAccess(&flags, pool, &here));
    printf("  access %d\n", (int)flags);
    access.location = here;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    SHOW(cudaMemPoolSetAccess(pool, &access, 1));
    SHOW(cudaMemPoolGetAccess(&flags, pool, &here));
    printf("  access %d\n", (int)flags);
    cudaSetDevice(0);
    add<<<1, 1>>>(there, 9);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMemcpy(&host, there, sizeof host, cudaMemcpyDefault));
    printf("  %d\n", host);
    SHOW(cudaDeviceSetMemPool(0, pool));
    SHOW(cudaDeviceSetMemPool(1, pool));
    access.location.id = 1;
    access.flags = cudaMemAccessFlagsProtNone;
    SHOW(cudaMemPoolSetAccess(pool, &access, 1));
    access.location.id = 0;
    SHOW(cudaMemPoolSetAccess(pool, &access, 1));
    SHOW(cudaFreeAsync(there, 0));
    SHOW(cudaDeviceSynchronize());
}

static void without_permission() {
    printf("without permission\n");
    int *there;
    cudaSetDevice(1);
    cudaMalloc(&there, 64);
    cudaSetDevice(0);
    SHOW(cudaDeviceDisablePeerAccess(1));
    SHOW(cudaDeviceDisablePeerAccess(1));
    cudaProfilerStop(); // the report would show an address, which is another one in each run
    add<<<1, 1>>>(there, 1);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaDeviceEnablePeerAccess(1, 0));
    SHOW(cudaSetDevice(1));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaMemset(there, 0, 64));
    SHOW(cudaFree(there));
}

int main() {
    cudaGetDeviceCount(&devices);
    questions();
    permission();
    kernels();
    copies();
    pools();
    without_permission();
    return 0;
}

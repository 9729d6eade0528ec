// Several devices: which one a thread works on, and what each has of its own. A stream, an event, a
// variable, a texture, an attribute of a kernel and a limit are a device's; memory of the host and
// managed memory are everybody's, and so is a fault.
// bankrun: --devices 2
// stderr: devices\.cu:30: write of 4 bytes at 0x10
// gpu: no, it wants two devices
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <thread>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        cudaGetLastError();                                                                        \
        printf("  %-58s %s\n", #call, cudaGetErrorName(error));                                    \
    } while (0)

__device__ int counter;
__constant__ int factor;
__managed__ int total;

__global__ void count(int *out) {
    counter += 1 + factor;
    if (threadIdx.x == 0 && out)
        *out = counter;
}
__global__ void write_nowhere(int *at) {
    *at = 1;
}
__global__ void add_to_total(int value) {
    total += value;
}
__global__ void fetch(cudaTextureObject_t image, float *out) {
    *out = tex1Dfetch<float>(image, 1);
}
__global__ void dynamic(int *out) {
    extern __shared__ int words[];
    words[threadIdx.x] = threadIdx.x;
    *out = words[0];
}

static void nothing(void *) {}

static int devices;

static void which() {
    printf("which one\n");
    int device = -1, before = -1;
    SHOW(cudaSetDevice(devices));
    SHOW(cudaSetDevice(-1));
    cudaGetDevice(&device);
    SHOW(cudaSetDevice(1));
    cudaGetDevice(&before);
    std::thread other([] {
        int own;
        cudaGetDevice(&own);
        printf("  a new thread begins with device %d\n", own);
        cudaSetDevice(1);
    });
    other.join();
    printf("  device %d, then %d\n", device, before);
    cudaDeviceProp a, b;
    char id_a[32], id_b[32];
    cudaGetDeviceProperties(&a, 0);
    cudaGetDeviceProperties(&b, 1);
    cudaDeviceGetPCIBusId(id_a, sizeof id_a, 0);
    cudaDeviceGetPCIBusId(id_b, sizeof id_b, 1);
    int found = -1;
    SHOW(cudaDeviceGetByPCIBusId(&found, id_b));
    printf("  same name %d, same id %d, same uuid %d, found again %d\n",
           strcmp(a.name, b.name) == 0, strcmp(id_a, id_b) == 0,
           memcmp(&a.uuid, &b.uuid, sizeof a.uuid) == 0, found);
    SHOW(cudaGetDeviceProperties(&a, devices));
}

static void variables() {
    printf("variables\n");
    for (int d = 0; d < 2; d++) {
        int value = 10 * d, got = -1, *out;
        cudaSetDevice(d);
        cudaMalloc(&out, sizeof *out);
        cudaMemcpyToSymbol(factor, &value, sizeof value);
        for (int i = 0; i <= d; i++)
            count<<<1, 1>>>(out);
        add_to_total<<<1, 1>>>(d + 1);
        cudaMemcpy(&got, out, sizeof got, cudaMemcpyDefault);
        printf("  device %d counted to %d\n", d, got);
        cudaDeviceSynchronize();
        cudaFree(out);
    }
    printf("  together %d\n", total);
}

static void streams() {
    printf("streams and events\n");
    cudaStream_t s[2];
    cudaEvent_t e[2];
    int *memory[2], number;
    float elapsed;
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaStreamCreate(&s[d]);
        cudaEventCreate(&e[d]);
        cudaMalloc(&memory[d], 256);
    }
    cudaSetDevice(0);
    count<<<1, 1, 0, s[1]>>>(NULL);
    SHOW(cudaGetLastError());
    SHOW(cudaEventRecord(e[0], s[1]));
    SHOW(cudaEventRecord(e[1], s[1]));
    SHOW(cudaEventRecord(e[1], 0));
    SHOW(cudaEventRecord(e[0], s[0]));
    SHOW(cudaStreamWaitEvent(s[0], e[1], 0));
    SHOW(cudaStreamWaitEvent(s[1], e[0], 0));
    SHOW(cudaStreamSynchronize(s[1]));
    SHOW(cudaEventSynchronize(e[1]));
    SHOW(cudaEventQuery(e[1]));
    SHOW(cudaEventElapsedTime(&elapsed, e[0], e[1]));
    SHOW(cudaMemcpyAsync(memory[0], memory[1], 256, cudaMemcpyDefault, s[1]));
    SHOW(cudaMemcpyAsync(memory[0], memory[1], 256, cudaMemcpyDeviceToDevice, s[1]));
    SHOW(cudaMemsetAsync(memory[0], 0, 256, s[1]));
    SHOW(cudaMemsetAsync(memory[1], 0, 256, s[1]));
    SHOW(cudaMemsetAsync(memory[1], 0, 256, s[0]));
    SHOW(cudaMemset(memory[1], 0, 256));
    SHOW(cudaLaunchHostFunc(s[1], nothing, NULL));
    SHOW(cudaStreamGetDevice(s[1], &number));
    printf("  its device: %d\n", number);
    SHOW(cudaStreamDestroy(s[1]));
    SHOW(cudaEventDestroy(e[1]));
    SHOW(cudaFree(memory[1]));
    SHOW(cudaStreamDestroy(s[0]));
    SHOW(cudaEventDestroy(e[0]));
    SHOW(cudaFree(memory[0]));
}

static void pointers() {
    printf("pointers\n");
    void *device, *pinned, *managed, *registered = malloc(4096);
    cudaSetDevice(1);
    cudaMalloc(&device, 64);
    cudaMallocHost(&pinned, 64);
    cudaMallocManaged(&managed, 64);
    cudaHostRegister(registered, 4096, 0);
    cudaSetDevice(0);
    void *all[] = {device, pinned, managed, registered};
    for (void *pointer : all) {
        cudaPointerAttributes attributes;
        cudaPointerGetAttributes(&attributes, pointer);
        printf("  type %d of device %d\n", attributes.type, attributes.device);
    }
    int value = 7;
    SHOW(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(pinned, device, sizeof value, cudaMemcpyDefault));
    printf("  copied %d\n", *(int *)pinned);
    count<<<1, 1>>>((int *)pinned);
    count<<<1, 1>>>((int *)managed);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaFreeHost(pinned));
    SHOW(cudaFree(managed));
    SHOW(cudaHostUnregister(registered));
    SHOW(cudaFree(device));
    free(registered);
}

static void settings() {
    printf("settings\n");
    int *out;
    size_t limit[2];
    cudaSetDevice(1);
    cudaMalloc(&out, sizeof *out);
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20);
    cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    dynamic<<<1, 32, 65536>>>(out);
    SHOW(cudaGetLastError());
    SHOW(cudaDeviceSynchronize());
    cudaDeviceGetLimit(&limit[1], cudaLimitPrintfFifoSize);
    cudaSetDevice(0);
    cudaDeviceGetLimit(&limit[0], cudaLimitPrintfFifoSize);
    dynamic<<<1, 32, 65536>>>(out);
    SHOW(cudaGetLastError());
    printf("  limits are the same: %d\n", limit[0] == limit[1]);
    cudaFree(out);
}

static void textures() {
    printf("textures\n");
    cudaTextureObject_t texture[2];
    float *values[2], *out[2];
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMallocManaged(&out[d], sizeof(float));
        cudaMalloc(&values[d], 512);
        float host[2] = {0, 1.5f + d};
        cudaMemcpy(values[d], host, sizeof host, cudaMemcpyHostToDevice);
        cudaResourceDesc resource = {};
        cudaTextureDesc description = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = values[d];
        resource.res.linear.desc = cudaCreateChannelDesc<float>();
        resource.res.linear.sizeInBytes = sizeof host;
        cudaCreateTextureObject(&texture[d], &resource, &description, NULL);
        fetch<<<1, 1>>>(texture[d], out[d]);
        cudaDeviceSynchronize();
        printf("  device %d fetched %g\n", d, *out[d]);
    }
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaDestroyTextureObject(texture[d]);
        cudaFree(values[d]);
        cudaFree(out[d]);
    }
}

// What breaks one device keeps the process from using the others, and nothing mends a real one.
static void errors() {
    printf("a fault\n");
    int *mine, *out, value = -1;
    cudaSetDevice(0);
    cudaMalloc(&out, sizeof *out);
    cudaSetDevice(1);
    cudaMalloc(&mine, sizeof *mine);
    write_nowhere<<<1, 1>>>((int *)0x10);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMalloc(&mine, 4));
    SHOW(cudaSetDevice(0));
    SHOW(cudaDeviceSynchronize());
    count<<<1, 1>>>(out);
    SHOW(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    SHOW(cudaSetDevice(1));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaDeviceReset());
}

int main() {
    cudaGetDeviceCount(&devices);
    printf("at least two: %d\n", devices >= 2);
    which();
    variables();
    streams();
    pointers();
    settings();
    textures();
    errors();
    return 0;
}

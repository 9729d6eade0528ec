// Host memory that was registered, or was to be: what is not mapped cannot be registered, and what
// the program takes away or protects later is a fault of the kernel that uses it, not a crash.
// stderr: read of 4 bytes at 0x[0-9a-f]+: inside the host memory that was registered at 0x[0-9a-f]+ and is no longer mapped
// stderr: write of 4 bytes at 0x[0-9a-f]+: inside the host memory that was registered at 0x[0-9a-f]+ and may only be read
#include <cstdint>
#include <cstdio>
#include <sys/mman.h>

__global__ void add(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x] + 1;
}

static const size_t bytes = 1 << 16;

// At a place of its own, so that messages say the same in every run.
static int *map_ints(uintptr_t place) {
    void *memory = mmap(reinterpret_cast<void *>(place), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<int *>(memory);
}

static void run(const char *what, int *to, const int *from) {
    add<<<1, 32>>>(to, from);
    printf("%s: %s\n", what, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main() {
    int on_stack = 0, *device;
    printf("too much: %s\n", cudaGetErrorString(cudaHostRegister(&on_stack, 1ul << 36, 0)));
    printf("nothing there: %s\n",
           cudaGetErrorString(cudaHostRegister(reinterpret_cast<void *>(4096), 4096, 0)));
    cudaGetLastError();
    int *host = map_ints(0x7ea000000000), *kept = map_ints(0x7ea000100000);
    printf("register: %s\n", cudaGetErrorString(cudaHostRegister(host, bytes, 0)));
    printf("register: %s\n", cudaGetErrorString(cudaHostRegister(kept, bytes, 0)));
    cudaMalloc(&device, bytes);
    host[3] = 41;
    run("mapped", kept, host);
    printf("kept[3] is %d\n", kept[3]);
    mprotect(kept, bytes, PROT_READ);
    run("read only, read", device, kept);
    run("read only, written", kept, host);
    cudaDeviceReset();
    cudaMalloc(&device, bytes);
    printf("register again: %s\n", cudaGetErrorString(cudaHostRegister(host, bytes, 0)));
    munmap(host, bytes);
    run("unmapped", device, host);
    return 0;
}

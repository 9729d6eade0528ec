// A fault in a kernel: when the program sees it, with which code, and what still works then.
// stderr: errors_sticky\.cu:21: write of 4 bytes at 0x10
// stderr: errors_sticky\.cu:26: misaligned write of 4 bytes
// stderr: errors_sticky\.cu:31: the kernel executed a trap
// stderr: Assertion `value == 3` failed
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        cudaError_t last = cudaGetLastError();                                                     \
        printf("  %-56s %s%s\n", #call, cudaGetErrorName(error),                                   \
               last == error ? "" : ", but the last error differs");                               \
    } while (0)

__global__ void write_nowhere(int *p) {
    *(volatile int *)(size_t)0x10 = 1;
    if (p)
        *p = 2;
}
__global__ void write_misaligned(int *p) {
    *(volatile int *)((char *)p + 2) = 1;
    if (p)
        *p = 2;
}
__global__ void trap_it(int *p) {
    asm volatile("trap;");
    if (p)
        *p = 2;
}
__global__ void assert_it(int *p) {
    int value = *p;
    assert(value == 3);
    *p = 2;
}
__global__ void fine(int *p) {
    *p += 1;
}

static void run(const char *name, void (*kernel)(int *)) {
    int *p, *q, host = 0, count = 0;
    cudaEvent_t event;
    printf("%s\n", name);
    cudaMalloc(&p, 64);
    cudaMemset(p, 0, 64);
    cudaEventCreate(&event);
    kernel<<<1, 1>>>(p);
    printf("  the launch itself: %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMalloc(&q, 4));
    SHOW(cudaFree(p));
    SHOW(cudaEventRecord(event));
    fine<<<1, 1>>>(p);
    printf("  another launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaGetDeviceCount(&count));
    SHOW(cudaSetDevice(0));
    printf("  %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaGetLastError();
    SHOW(cudaDeviceReset());
    fflush(stdout);
}

// Each fault has a process of its own: on a real device nothing mends the first one's.
static void run_apart(const char *name, void (*kernel)(int *)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run(name, kernel);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main() {
    run_apart("misaligned address", write_misaligned);
    run_apart("trap", trap_it);
    run_apart("assertion", assert_it);
    run_apart("illegal address", write_nowhere);
    int *p, value = 0;
    cudaMalloc(&p, sizeof *p);
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    fine<<<1, 1>>>(p);
    printf("no fault: %s", cudaGetErrorName(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost)));
    printf(", %d\n", value);
    cudaFree(p);
}

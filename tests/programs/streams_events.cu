// Streams run in order, events lie between, host functions run in their place.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *p, int value) {
    atomicAdd(p, value);
}

static void CUDART_CB host_function(void *data) {
    *(int *)data = 1;
}

static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *data) {
    *(int *)data = status == cudaSuccess ? 2 : -1;
}

static void show(const char *what, cudaError_t error) {
    cudaGetLastError();
    printf("%-28s %s\n", what, cudaGetErrorName(error));
}

int main() {
    cudaStream_t streams[3];
    int *p, value = 0, flag = 0, flag2 = 0, priority = 1, lowest, highest;
    unsigned flags;
    cudaMalloc(&p, sizeof *p);
    cudaMemset(p, 0, sizeof *p);
    cudaStreamCreate(&streams[0]);
    cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking);
    cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    cudaStreamCreateWithPriority(&streams[2], cudaStreamDefault, highest - 10);
    cudaStreamGetPriority(streams[2], &priority);
    cudaStreamGetFlags(streams[1], &flags);
    printf("priority %s, flags %u\n", priority == highest ? "highest" : "other", flags);

    cudaEvent_t first, last, untimed;
    cudaEventCreate(&first);
    cudaEventCreate(&last);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    cudaEventRecord(first);
    for (int i = 0; i < 30; i++)
        add<<<2, 32, 0, streams[i % 3]>>>(p, i);
    cudaEventRecord(untimed, streams[1]);
    cudaStreamWaitEvent(streams[0], untimed, 0);
    cudaLaunchHostFunc(streams[0], host_function, &flag);
    cudaStreamAddCallback(streams[0], callback, &flag2, 0);
    cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, streams[0]);
    cudaDeviceSynchronize();
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
    cudaEventRecord(last);
    printf("sum %d, host function %d, callback %d\n", value, flag, flag2);
    show("synchronize", cudaEventSynchronize(last));
    float milliseconds = -1;
    show("elapsed", cudaEventElapsedTime(&milliseconds, first, last));
    printf("time is %s\n", milliseconds >= 0 && milliseconds < 1e5 ? "plausible" : "wrong");
    show("elapsed without timing", cudaEventElapsedTime(&milliseconds, first, untimed));
    show("query event", cudaEventQuery(last));
    show("query stream", cudaStreamQuery(streams[1]));
    show("query default stream", cudaStreamQuery(cudaStreamPerThread));
    for (int i = 0; i < 3; i++)
        show("destroy", cudaStreamDestroy(streams[i]));
    show("destroy the default", cudaStreamDestroy(0));
    show("record nothing", cudaEventRecord(NULL));
    show("bad flags", cudaStreamCreateWithFlags(&streams[0], 77));
    cudaEventDestroy(first);
    cudaEventDestroy(last);
    cudaEventDestroy(untimed);
    cudaFree(p);
}

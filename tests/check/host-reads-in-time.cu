// finds: nothing
#include <cstdio>
#include <thread>

static int *seen;

static void look(void *data) {
    seen[1] = ((int *)data)[5]; // in the stream's order
}

int main() {
    const int n = 4000;
    int *a, *from, *to, pageable[n];
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaMalloc(&a, n * sizeof(int));
    cudaMallocHost(&from, n * sizeof(int));
    cudaMallocHost(&to, n * sizeof(int));
    cudaMallocHost(&seen, 8);
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    for (int i = 0; i < n; i++)
        from[i] = i;
    cudaMemcpyAsync(a, from, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(to, a, n / 2 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    to[n - 1] = from[3]; // other bytes
    cudaLaunchHostFunc(stream, look, to);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    cudaStreamSynchronize(other); // and so with all that is before the event
    from[0] = to[0];
    cudaMemcpyAsync(to, a, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        continue;
    to[1] = 0;
    cudaMemcpyAsync(to, a, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(pageable, a, sizeof pageable, cudaMemcpyDeviceToHost);
    to[1] = pageable[1];
    cudaMemcpyAsync(to, a, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(pageable, a, sizeof pageable, cudaMemcpyDeviceToHost, stream);
    std::thread([&] { printf("%d\n", to[2] + pageable[2]); }).join();
    cudaFree(a);
    cudaFreeHost(from);
    cudaFreeHost(to);
    cudaFreeHost(seen);
}

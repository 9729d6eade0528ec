// A main thread that calls pthread_exit: the process goes on until its last thread has ended, and
// ends then. Threads that the runtime made do not keep it.
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

__global__ void column(int *out) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x;
    out[threadIdx.x] = tile[threadIdx.x][0];
}

static pthread_t main_thread;

static void *work(void *out) {
    pthread_join(main_thread, NULL);
    usleep(100 * 1000);
    column<<<1, 32>>>((int *)out);
    printf("the last thread: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return NULL;
}

int main() {
    int *out;
    pthread_t thread;
    cudaMalloc(&out, 32 * sizeof *out);
    column<<<1, 32>>>(out);
    printf("the main thread: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    main_thread = pthread_self();
    pthread_create(&thread, NULL, work, out);
    pthread_exit(0);
}

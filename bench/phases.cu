// cuda.cu with a watch: stderr has the milliseconds from the first allocation to the launch, of the launch, and of
// the copy back.
#include <cstdio>
#include <ctime>

static double begun, launched, ended, copied;

static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static cudaError_t at(double *place, cudaError_t error) {
    *place = now();
    return error;
}

#define cudaMalloc(to, bytes) (begun = begun ? begun : now(), cudaMalloc(to, bytes))
// Zeros of new memory need not be written; what the launch writes first would count as its own work.
#define cudaMemset(to, value, bytes) at(&launched, cudaMemset(to, value + 1, bytes))
#define cudaDeviceSynchronize() at(&ended, cudaDeviceSynchronize())
#define cudaMemcpy(to, from, bytes, kind) at(&copied, cudaMemcpy(to, from, bytes, kind))
#define main run_bench
#include "cuda.cu"
#undef main

int main(int argc, char **argv) {
    int status = run_bench(argc, argv);
    fprintf(stderr, "%.0f %.0f %.0f\n", launched - begun, ended - launched, copied - ended);
    return status;
}

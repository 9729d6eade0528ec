// What several threads write is a race, unless all write the same.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int found;
    if (in[threadIdx.x] % 5 == 0)
        found = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = found;
}
// finds: race write-write 7 7

__global__ void good(const int *in, int *out) {
    __shared__ int found;
    if (in[threadIdx.x] % 5 == 0)
        found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}

// Memory is read again behind it.
#define IN_MEMORY asm volatile("" ::: "memory")

// Who has written it reads what it wrote, whoever was last.
__global__ void bad_reader(const int *in, int *out) {
    __shared__ int first;
    first = threadIdx.x / 32;
    IN_MEMORY;
    out[threadIdx.x] = first;
}
// finds: race read-write 27 29
// finds: race write-write 27 27

__global__ void good_reader(const int *in, int *out) {
    __shared__ const int *from;
    __shared__ int any;
    from = in;
    any = 0;
    IN_MEMORY;
    if (!any)
        out[threadIdx.x] = from[threadIdx.x];
}

int main() {
    launch(bad, 1, 96);
    launch(good, 1, 96);
    launch(bad_reader, 1, 96);
    launch(good_reader, 1, 96);
}

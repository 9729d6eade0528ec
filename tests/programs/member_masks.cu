// Masks of members that differ from lane to lane: fine while each lane is among its own members,
// an illegal instruction where one is not.
// gpu: no, a process cannot go on after a fault there
#include <cstdio>
#include <cuda_runtime.h>

enum { BALLOT, SHUFFLE, BARRIER, KINDS };
static const char *const names[] = {"ballot", "shuffle", "barrier"};

__global__ void talk(unsigned *out, int kind, unsigned own) {
    unsigned lane = threadIdx.x;
    unsigned members = ((1u << lane) - 1) | own << lane; // the lanes below, and itself or not
    if (kind == BALLOT)
        out[lane] = __ballot_sync(members, lane % 3 != 0);
    else if (kind == SHUFFLE)
        out[lane] = __shfl_sync(members, lane * 7, lane);
    else
        __syncwarp(members);
}

int main() {
    for (unsigned own = 1; own < 2; own--) { // 1, then 0
        for (int kind = 0; kind < KINDS; kind++) {
            unsigned *out;
            cudaMallocManaged(&out, 32 * sizeof *out);
            talk<<<1, 32>>>(out, kind, own);
            cudaError_t error = cudaDeviceSynchronize();
            printf("%s, lane %s its mask: %s\n", names[kind], own ? "in" : "not in",
                   cudaGetErrorString(error));
            cudaDeviceReset();
            if (error != (own ? cudaSuccess : cudaErrorIllegalInstruction))
                return 1;
        }
    }
    return 0;
}

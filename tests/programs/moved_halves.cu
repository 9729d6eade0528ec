// Halves of words at a distance of 66 bytes, which begin at another half in some blocks: lanes that
// have a bank each in one block are two in a bank in the next.
#include <cstdio>

static const int BLOCKS = 60;

__global__ void columns(int *out, int flip) {
    __shared__ short tile[32 * 33 + 4];
    const int t = threadIdx.x;
    tile[((t ^ flip) & 31) * 33 + blockIdx.x % 3] = (short)t;
    __syncwarp();
    out[blockIdx.x * 32 + t] = tile[t * 33 + blockIdx.x % 3];
}

int main() {
    int *out, wrong = 0;
    cudaMallocManaged((void **)&out, BLOCKS * 32 * sizeof *out);
    columns<<<BLOCKS, 32>>>(out, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < BLOCKS * 32; i++)
        wrong += out[i] != i % 32;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

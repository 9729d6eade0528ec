// cp.async of which some lanes read nothing: these may name any source, an odd one or none at all.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void copy_half(const unsigned char *in, unsigned *out) {
    __shared__ uint4 words[32];
    unsigned lane = threadIdx.x, to = (unsigned)__cvta_generic_to_shared(words + lane);
    int bytes = lane % 2 ? 16 : 0;
    const unsigned char *from = lane % 2 ? in + 16 * lane : lane ? in + lane + 1 : nullptr;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;\n"
                 "cp.async.wait_all;" ::"r"(to),
                 "l"(from), "r"(bytes)
                 : "memory");
    __syncwarp();
    uint4 word = words[lane];
    out[lane] = word.x | word.y | word.z | word.w;
}

int main() {
    unsigned char *in;
    unsigned *out, sums[32], wrong = 0;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, sizeof sums);
    cudaMemset(in, 1, 512);
    copy_half<<<1, 32>>>(in, out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += sums[i] != (i % 2 ? 0x01010101u : 0);
    printf("%s, %u wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return wrong != 0;
}

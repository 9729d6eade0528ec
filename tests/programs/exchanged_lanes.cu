// Lanes whose places are those of others: an index that is exclusively ored with a constant, as
// butterflies have it, of three widths, by some lanes and by all, in shared and global memory.
#include <cstdio>

static const int THREADS = 64, BLOCKS = 8;

__host__ __device__ static int first_word(int t) {
    return 3 * t + 1;
}

__global__ void exchange(int *out, const int *in) {
    __shared__ int words[THREADS];
    __shared__ double wide[THREADS];
    __shared__ short narrow[THREADS];
    const int t = threadIdx.x;
    words[t] = first_word(t);
    wide[t] = 0.5 * t;
    narrow[t ^ 30] = (short)(5 * t);
    __syncthreads();
    int sum = words[t ^ 1] + 2 * words[t ^ 21] + 3 * words[t ^ 63] + narrow[t ^ 6] +
              (int)(2 * wide[t ^ 17]);
    if (t & 3)
        sum += words[t ^ 10] - narrow[t ^ 12];
    __syncthreads();
    if ((t & 5) == 1)
        words[t ^ 22] = sum;
    if (t > 40 && t < 60)
        wide[t ^ 3] = sum;
    __syncthreads();
    const int at = (blockIdx.x * THREADS + t) ^ 9;
    out[at] = words[t] + (int)wide[t] + in[at ^ 4];
}

static void expect(int *out, const int *in) {
    static int words[THREADS], sums[THREADS];
    static double wide[THREADS];
    static short narrow[THREADS];
    for (int t = 0; t < THREADS; t++) {
        words[t] = first_word(t);
        wide[t] = 0.5 * t;
        narrow[t ^ 30] = (short)(5 * t);
    }
    for (int t = 0; t < THREADS; t++)
        sums[t] = words[t ^ 1] + 2 * words[t ^ 21] + 3 * words[t ^ 63] + narrow[t ^ 6] +
                  (int)(2 * wide[t ^ 17]) + (t & 3 ? words[t ^ 10] - narrow[t ^ 12] : 0);
    for (int t = 0; t < THREADS; t++) {
        if ((t & 5) == 1)
            words[t ^ 22] = sums[t];
        if (t > 40 && t < 60)
            wide[t ^ 3] = sums[t];
    }
    for (int i = 0; i < BLOCKS * THREADS; i++)
        out[i ^ 9] = words[i % THREADS] + (int)wide[i % THREADS] + in[i ^ 9 ^ 4];
}

int main() {
    static int in[BLOCKS * THREADS], out[BLOCKS * THREADS], expected[BLOCKS * THREADS];
    int *device_in, *device_out, wrong = 0;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        in[i] = 7 * i;
    cudaMalloc((void **)&device_in, sizeof in);
    cudaMalloc((void **)&device_out, sizeof out);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    exchange<<<BLOCKS, THREADS>>>(device_out, device_in);
    cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
    expect(expected, in);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        wrong += out[i] != expected[i];
    printf("%d wrong, %d\n", wrong, out[77]);
    return wrong != 0;
}

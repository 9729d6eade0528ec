// Values that go through memory of the thread's own, and into and out of functions that are called.
// bankrun: --block 256

__global__ void indexed(float *out, const float *in, int n) {
    __shared__ float s[8192];
    const unsigned t = threadIdx.x;
    volatile unsigned step[4];
    step[0] = t;
    step[1] = 2 * t;
    step[2] = n;
    step[3] = 32 * t;
    s[step[0]] = in[t];                  // prove: proved free
    s[step[1]] = in[t];                  // prove: proved 2-way
    s[step[3]] = in[t];                  // prove: proved 32-way
    s[step[(t & 1) * 3] % 8192] = in[t]; // prove: proved 17-way
    step[n & 3] = n;                     // any of them
    s[step[1] % 8192] = in[t];           // prove: not proved | loaded from memory
    __syncthreads();
    out[t] = s[t]; // prove: proved free
}

// What only some rounds, or only one way, wrote.
__global__ void rewritten(float *out, const float *in, int n) {
    __shared__ float s[8192];
    const unsigned t = threadIdx.x;
    unsigned own[4]; // by numbers that compilers do not know, so that it stays in memory
    own[0] = own[1] = own[2] = own[3] = t;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[own[t & 1]] = in[t];              // prove: proved free
        s[own[2 + (t & 1)] % 8192] = in[t]; // prove: not proved | loaded from memory
        own[3 - (t & 1)] = in[i];
    }
    if (n > 3)
        own[t & 1] = 4 * t;
    s[own[t & 1]] = in[t]; // prove: depends on s | 4-way
    __syncthreads();
    out[t] = s[t]; // prove: proved free
}

__device__ __noinline__ unsigned scaled(unsigned a, unsigned by) {
    return a * by + 1;
}

__device__ __noinline__ unsigned either(unsigned a, int n) {
    if (n > 4)
        return 2 * a;
    return a;
}

__device__ __noinline__ unsigned counted(unsigned a, const unsigned *list) {
    for (unsigned i = 0;; i++)
        if (list[i])
            return a * i;
}

__device__ __noinline__ void filled(volatile unsigned *to, unsigned a) {
    to[0] = 4 * a;
}

__device__ __noinline__ void placed(float *s, unsigned at, float v) {
    s[at] = v; // prove: proved 2-way
}

__global__ void called(float *out, const float *in, int n, const unsigned *list) {
    __shared__ float s[8192];
    const unsigned t = threadIdx.x;
    s[scaled(t, 4)] = in[t];            // prove: proved 4-way
    s[either(t, n)] = in[t];            // prove: depends on s | 2-way
    s[counted(t, list) % 8192] = in[t]; // prove: at most 32-way | changes from round to round
    unsigned own[2];
    filled(own, t);
    s[own[0]] = in[t]; // prove: proved 4-way
    placed(s, 2 * t, in[t]);
    __syncthreads();
    out[t] = s[t]; // prove: proved free
}

// Index expressions whose degrees are known from theory, and what cannot be known without inputs.
#define SHAPE __launch_bounds__(256)

__global__ void SHAPE strides(float *out, const float *in) {
    __shared__ float s[256 * 32];
    const unsigned t = threadIdx.x;
    s[t] = in[t];          // prove: proved free
    s[2 * t] = in[t];      // prove: proved 2-way
    s[3 * t] = in[t];      // prove: proved free
    s[8 * t] = in[t];      // prove: proved 8-way
    s[32 * t] = in[t];     // prove: proved 32-way
    s[255 - t] = in[t];    // prove: proved free
    s[t / 2] = in[t];      // prove: proved free
    s[t % 32 * 4] = in[t]; // prove: proved 4-way
    __syncthreads();
    out[t] = s[5 * t] + s[6 * t]; // prove: proved free / proved 2-way
}

// Squares and triangular numbers: no stride, but the same for every warp.
__global__ void SHAPE squares(float *out, const float *in) {
    __shared__ float s[8192];
    const unsigned t = threadIdx.x;
    s[t * t % 8192] = in[t];           // prove: proved 8-way
    s[t * (t + 1) / 2 % 8192] = in[t]; // prove: proved free
    __syncthreads();
    out[t] = s[t]; // prove: proved free
}

__global__ void SHAPE swizzle(float *out, const float *in) {
    __shared__ float s[32][32];
    const unsigned t = threadIdx.x, row = t / 32, lane = t % 32;
    s[row][lane ^ row] = in[t]; // prove: proved free
    __syncthreads();
    out[t] = s[lane][row ^ lane]; // prove: proved free
    out[t + 256] = s[lane][row];  // prove: proved 32-way
}

__global__ void __launch_bounds__(1024) tiles(float *out, const float *in) {
    __shared__ float s[32][32], padded[32][33];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[32 * y + x];      // prove: proved free
    padded[y][x] = in[32 * y + x]; // prove: proved free
    __syncthreads();
    out[32 * y + x] = s[x][y];             // prove: proved 32-way
    out[32 * y + x + 1024] = padded[x][y]; // prove: proved free
}

// One number that is the same for all lanes decides, and is not known.
__global__ void SHAPE strided_by_parameter(float *out, const float *in, int stride) {
    extern __shared__ float dynamic[];
    const unsigned t = threadIdx.x;
    dynamic[t * stride] = in[t];           // prove: at most 32-way, by s | 8-way for s mod 16 = 8; 4-way for s mod 8 = 4; 2-way for s mod 4 = 2; free for odd s; s: depends on a parameter of the kernel
    dynamic[t * (4 * stride)] = in[t];     // prove: at most 32-way, by s | 4-way for odd s
    dynamic[t * (2 * stride + 1)] = in[t]; // prove: proved free
    __syncthreads();
    out[t] = dynamic[t + stride]; // prove: proved free
}

// Sums over loops of which nobody knows how long they are.
__global__ void SHAPE sums(float *out, int n) {
    extern __shared__ float dynamic[];
    const unsigned t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += dynamic[32 * i + t % 32]; // prove: proved free
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += dynamic[i + 32 * t]; // prove: proved 32-way
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += dynamic[i]; // prove: proved free
#pragma unroll 1
    for (int i = 1; i < n; i += 2)
        sum += dynamic[i * t]; // prove: proved free
    out[t] = sum;
}

// The loop is as long as it is: each round is looked at.
__global__ void SHAPE rounds(float *out, const float *in) {
    __shared__ float s[512];
    const unsigned t = threadIdx.x;
    s[t] = in[t]; // prove: proved free
#pragma unroll 1
    for (unsigned step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (2 * step * t < 256)
            s[2 * step * t] = t; // prove: proved 1, 2, 4, 8-way | round by round: 2, 4, 8, 8, 8, 4, 2, 1
    }
    __syncthreads();
    out[t] = s[t]; // prove: proved free
}

// The stride is what the loop counts, up to all banks.
__global__ void __launch_bounds__(1024) doubled(float *out) {
    __shared__ float s[8192];
    const unsigned t = threadIdx.x;
#pragma unroll 1
    for (unsigned step = 1; step < 32; step *= 2) {
        s[2 * step * t % 8192] = t; // prove: proved 2, 4, 8, 16, 32-way | round by round: 2, 4, 8, 16, 32
        __syncthreads();
    }
#pragma unroll 1
    for (unsigned step = 1; step < 64; step *= 2)
        s[t % 32 * (step & 5)] = t; // prove: proved 1, 4-way | round by round: 1, 1, 4, 1, 1, 1
#pragma unroll 1
    for (unsigned step = 0; step < 20; step++)
        s[t % 32 * (step & 2)] = t; // prove: proved 1, 2-way
    out[t] = s[t]; // prove: proved free
}

__global__ void SHAPE indirect(float *out, const int *index) {
    __shared__ float s[256];
    const unsigned t = threadIdx.x;
    s[t] = t; // prove: proved free
    __syncthreads();
    const int at = index[t];
    out[t] = s[at];             // prove: not proved | index loaded from memory, line
    out[t] += s[index[0]];      // prove: proved free
    out[t] += s[index[0] + t];  // prove: proved free
}

// Who takes part depends on inputs: fewer lanes never cost more.
__global__ void SHAPE guarded(float *out, const float *in, int n) {
    __shared__ float s[512];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n)
        s[2 * t] = in[i]; // prove: proved 2-way | where all lanes take part
    if (t < 16)
        s[2 * t + 1] = in[i]; // prove: proved free
    if (t % 2)
        s[2 * t] = in[i]; // prove: proved 2-way
    __syncthreads();
    if (i < n)
        out[i] = s[t]; // prove: proved free
}

__global__ void SHAPE widths(float4 *out, const float4 *in, const char *bytes) {
    __shared__ float4 wide[512];
    __shared__ double doubles[512];
    __shared__ char narrow[2048];
    const unsigned t = threadIdx.x;
    wide[t] = in[t];          // prove: proved free
    wide[2 * t] = in[t];      // prove: proved 2-way
    narrow[t] = bytes[t];     // prove: proved free
    narrow[8 * t] = bytes[t]; // prove: proved 2-way
    doubles[t] = bytes[t];    // prove: proved free
    doubles[2 * t] = t;       // prove: proved 2-way
    __syncthreads();
    out[t] = wide[t ^ 1];                // prove: proved free
    out[t].x = narrow[t + 1] + doubles[t]; // prove: proved free
}

// Rows of 16 bytes: of 64 bytes each, one after the other, and moved by a row in each four.
__global__ void SHAPE matrices(unsigned *out) {
    __shared__ uint4 rows[256 * 4];
    const unsigned t = threadIdx.x, lane = t % 32;
    for (unsigned i = t; i < 1024; i += 256)
        rows[i] = make_uint4(i, i, i, i); // prove: proved free
    __syncthreads();
    unsigned a, b, c, d;
    const uint4 *at = &rows[lane * 4], *moved = &rows[lane * 4 + (lane / 2) % 4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"((unsigned)__cvta_generic_to_shared(at))); // prove: proved 4-way
    out[t] = a + b + c + d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"((unsigned)__cvta_generic_to_shared(moved))); // prove: proved free
    out[t] += a + b + c + d;
}

__global__ void SHAPE atomics(int *out, const int *in) {
    __shared__ int bins[64];
    const unsigned t = threadIdx.x;
    if (t < 64)
        bins[t] = 0; // prove: proved free
    __syncthreads();
    atomicAdd(&bins[t % 32], in[t]);     // prove: proved free
    atomicAdd(&bins[in[t] & 63], in[t]); // prove: not proved | index loaded from memory
    __syncthreads();
    if (t < 64)
        out[t] = bins[t]; // prove: proved free
}

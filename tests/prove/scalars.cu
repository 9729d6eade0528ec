// Numbers in shared memory that one thread stores for all. Between two barriers nobody writes them:
// then all threads read one number, whatever it is.
// bankrun: --block 256

__global__ void queue(int *out, int *counter, const int *in) {
    __shared__ int base, s[1024];
    const int t = threadIdx.x;
    if (t == 0)
        base = atomicAdd(counter, 256);
    __syncthreads();
    const int at = (base & 3) * 256 + t;
    s[at] = in[t];
    __syncthreads();
    out[t] = s[at ^ 1];
}
// races: free

__global__ void queue_unordered(int *out, int *counter, const int *in) {
    __shared__ int base, s[1024];
    const int t = threadIdx.x;
    if (t == 0)
        base = atomicAdd(counter, 256);
    const int at = (base & 3) * 256 + t;
    s[at] = in[t];
    __syncthreads();
    out[t] = s[at ^ 1];
}
// races: not proved: unless something other than a barrier orders

// How many rounds there are is such a number.
__global__ void until_settled(int *out, const int *in) {
    __shared__ int changed, s[256];
    const int t = threadIdx.x;
    s[t] = in[t];
    do {
        __syncthreads();
        if (t == 0)
            changed = 0;
        __syncthreads();
        const int next = s[(t + 1) % 256];
        __syncthreads();
        if (next > s[t]) {
            s[t] = next;
            changed = 1;
        }
        __syncthreads();
    } while (changed);
    out[t] = s[t];
}
// races: free

// The next round clears it while others still look at it.
__global__ void until_settled_too_early(int *out, const int *in) {
    __shared__ int changed, s[256];
    const int t = threadIdx.x;
    s[t] = in[t];
    do {
        if (t == 0)
            changed = 0;
        __syncthreads();
        const int next = s[(t + 1) % 256];
        __syncthreads();
        if (next > s[t]) {
            s[t] = next;
            changed = 1;
        }
        __syncthreads();
    } while (changed);
    out[t] = s[t];
}
// races: not proved: where both come there

__global__ void tiles_of_a_counter(int *out, int *counter, int n) {
    __shared__ int tile, s[256];
    const int t = threadIdx.x;
    for (;;) {
        if (t == 0)
            tile = atomicAdd(counter, 1);
        __syncthreads();
        const int now = tile;
        if (now >= n)
            break;
        s[(now + t) & 255] = now;
        __syncthreads();
        out[now * 256 + t] = s[(now + t + 1) & 255];
    }
}
// races: free

// Of two rounds: the one's number need not be the other's.
__global__ void one_round_late(int *out, const int *in, int n) {
    __shared__ int at, s[1024];
    const int t = threadIdx.x;
    int last = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        if (t == 0)
            at = in[i];
        __syncthreads();
        const int now = (at & 3) * 256;
        s[last + t] = i;
        sum += s[now + (t ^ 1)];
        last = now;
        __syncthreads();
    }
    out[t] = sum;
}
// races: not proved: they may touch the same bytes

// Two numbers that are loaded in one interval, the writes of both before it.
__global__ void two_numbers(int *out, const int *in) {
    __shared__ int2 pair;
    __shared__ int s[1024];
    const int t = threadIdx.x;
    if (t == 32)
        pair = make_int2(in[0], in[1]);
    __syncthreads();
    const int2 mine = pair;
    s[(mine.x & 1) * 256 + t] = t;
    out[t] = s[512 + (mine.y & 1) * 256 + (t ^ 1)];
}
// races: free

__global__ void one_of_two_numbers(int *out, const int *in) {
    __shared__ int2 pair;
    __shared__ int s[1024];
    const int t = threadIdx.x;
    if (t == 32)
        pair = make_int2(in[0], in[1]);
    __syncthreads();
    const int2 mine = pair;
    s[(mine.x & 1) * 256 + t] = t;
    out[t] = s[(mine.y & 1) * 256 + (t ^ 1)];
}
// races: not proved: index is loaded from memory

// Somebody may write it by another name.
__global__ void overwritten(int *out, const int *in) {
    __shared__ int s[1024];
    const int t = threadIdx.x;
    if (t == 0)
        s[512] = in[0];
    __syncthreads();
    const int at = (s[512] & 1) * 256;
    s[(in[t] & 511) + at] = t;
    __syncthreads();
    out[t] = s[t];
}
// races: not proved: index is loaded from memory

// Each thread reads what it has added to.
__global__ void counted(int *out) {
    __shared__ int count, s[1024];
    const int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    const int at = *(volatile int *)&count & 3;
    s[at + t] = t;
    __syncthreads();
    out[t] = s[t];
}
// races: not proved: index is loaded from memory

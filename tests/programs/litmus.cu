// Threads that wait for each other: every kernel ends with the right result, whatever the number
// of host threads, because each lane, warp and block that could go on does.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

enum { BLOCKS = 96, THREADS = 128, ALL = BLOCKS * THREADS };

// One lock that every lane of every block takes: lanes of one warp take it one after another.
__global__ void spin_lock(int *lock, int *count) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)count = *(volatile int *)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The same lock as textbooks write it: the winner leaves the loop before it unlocks, and others of
// its warp still spin. Volta and later let it go on.
__global__ void textbook_lock(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// Tickets: each block waits for its turn, in the order in which the tickets were drawn.
__global__ void tickets(unsigned *next, volatile unsigned *serving, unsigned *order) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*serving != mine)
            __nanosleep(20);
        order[mine] = *serving;
        __threadfence();
        *serving = mine + 1;
    }
}

// Message passing: if the flag is seen, the data behind it is, too. Even blocks write for odd ones.
__global__ void message(int *data, int *flags, int *wrong) {
    int pair = blockIdx.x / 2;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[pair]);
    if (blockIdx.x % 2 == 0) {
        data[pair * THREADS + threadIdx.x] = pair + (int)threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0)
            flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        if (data[pair * THREADS + threadIdx.x] != pair + (int)threadIdx.x)
            atomicAdd(wrong, 1);
    }
}

// A block that waits for a later one: both are resident on a GPU.
__global__ void backwards(volatile int *flags, int *sum) {
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (flags[blockIdx.x + 1] == 0)
                ;
        atomicAdd(sum, (int)blockIdx.x);
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

// One pass over the data: a block adds up what the blocks before it found so far, and waits for
// those that have found nothing yet (decoupled look-back).
__global__ void look_back(const int *in, int *out, unsigned *ticket,
                          volatile unsigned long long *state) {
    __shared__ int values[THREADS];
    __shared__ unsigned tile;
    __shared__ int before;
    if (threadIdx.x == 0)
        tile = atomicAdd(ticket, 1);
    __syncthreads();
    int i = (int)(tile * THREADS + threadIdx.x);
    values[threadIdx.x] = in[i];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int other = (int)threadIdx.x >= step ? values[threadIdx.x - step] : 0;
        __syncthreads();
        values[threadIdx.x] += other;
        __syncthreads();
    }
    const unsigned long long own = 1ull << 32, whole = 2ull << 32;
    if (threadIdx.x == 0) {
        int total = values[THREADS - 1], sum = 0;
        state[tile] = (tile ? own : whole) | (unsigned)total;
        for (int t = (int)tile - 1; t >= 0; t--) {
            unsigned long long seen;
            do
                seen = state[t];
            while (seen >> 32 == 0);
            sum += (int)(unsigned)seen;
            if (seen >> 32 == 2)
                break;
        }
        if (tile)
            state[tile] = whole | (unsigned)(sum + total);
        before = sum;
    }
    __syncthreads();
    out[i] = before + values[threadIdx.x];
}

// Warps that produce and warps that consume, with named barriers of 64 threads each.
__global__ void producer_consumer(int *out, int rounds) {
    __shared__ volatile int buffer[2][32];
    int lane = (int)threadIdx.x % 32, sum = 0;
    for (int round = 0; round < rounds; round++) {
        int slot = round % 2;
        if (threadIdx.x < 32) {
            if (round >= 2)
                asm volatile("bar.sync %0, 64;" ::"r"(3 + slot) : "memory"); // it is empty
            buffer[slot][lane] = round * 32 + lane;
            __threadfence_block();
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + slot) : "memory"); // it is full
        } else {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + slot) : "memory");
            sum += buffer[slot][31 - lane];
            if (round + 2 < rounds)
                asm volatile("bar.arrive %0, 64;" ::"r"(3 + slot) : "memory");
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}

// Lanes of one warp that took different ways hand a value on, in an order that the code does not
// suggest: the lane with the highest number goes first.
__global__ void relay(int *out) {
    __shared__ volatile int turn;
    if (threadIdx.x == 0)
        turn = 31;
    __syncwarp();
    int lane = (int)threadIdx.x;
    if (lane % 2 == 0) {
        while (turn != lane)
            ;
        out[lane] = 31 - turn;
        turn = lane - 1;
    } else {
        while (turn != lane)
            ;
        out[lane] = turn + 100;
        turn = lane - 1;
    }
    __syncwarp();
    if (lane == 0)
        out[32] = turn;
}

// Store buffering: with sequential consistency at least one of two sees the other's store.
__global__ void store_buffering(int *x, int *y, int *seen, int rounds) {
    int first = blockIdx.x == 0;
    for (int r = (int)threadIdx.x; r < rounds; r += (int)blockDim.x) {
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(first ? x[r] : y[r]);
        cuda::atomic_ref<int, cuda::thread_scope_device> other(first ? y[r] : x[r]);
        mine.store(1, cuda::memory_order_seq_cst);
        seen[r * 2 + first] = other.load(cuda::memory_order_seq_cst);
    }
}

static int failures;

static void check(const char *name, bool good) {
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        printf("%s: %s\n", name, cudaGetErrorString(error));
    printf("%-18s %s\n", name, good && error == cudaSuccess ? "PASS" : "FAIL");
    failures += !good || error != cudaSuccess;
}

static int *zeros(int count) {
    int *p;
    cudaMallocManaged(&p, count * sizeof(int));
    for (int i = 0; i < count; i++)
        p[i] = 0;
    return p;
}

static void check_locks() {
    int *lock = zeros(2), *count = zeros(2);
    spin_lock<<<8, THREADS>>>(lock, count);
    cudaDeviceSynchronize();
    check("spin lock", count[0] == 8 * THREADS);
    textbook_lock<<<8, THREADS>>>(lock + 1, count + 1);
    cudaDeviceSynchronize();
    check("textbook lock", count[1] == 8 * THREADS);
    unsigned *next = (unsigned *)zeros(2), *order = (unsigned *)zeros(BLOCKS);
    tickets<<<BLOCKS, 32>>>(next, next + 1, order);
    cudaDeviceSynchronize();
    bool good = next[1] == BLOCKS;
    for (unsigned i = 0; i < BLOCKS; i++)
        good &= order[i] == i;
    check("tickets", good);
}

static void check_messages() {
    int *data = zeros(ALL), *flags = zeros(BLOCKS), *wrong = zeros(1);
    message<<<BLOCKS, THREADS>>>(data, flags, wrong);
    cudaDeviceSynchronize();
    check("message", *wrong == 0);
    int *late = zeros(BLOCKS), *sum = zeros(1);
    backwards<<<BLOCKS, 32>>>(late, sum);
    cudaDeviceSynchronize();
    check("backwards", *sum == BLOCKS * (BLOCKS - 1) / 2);
    int *x = zeros(256), *y = zeros(256), *seen = zeros(512);
    store_buffering<<<2, 64>>>(x, y, seen, 256);
    cudaDeviceSynchronize();
    bool good = true;
    for (int r = 0; r < 256; r++)
        good &= seen[r * 2] || seen[r * 2 + 1];
    check("store buffering", good);
}

static void check_look_back() {
    int *in = zeros(ALL), *out = zeros(ALL);
    unsigned *ticket = (unsigned *)zeros(1);
    unsigned long long *state = (unsigned long long *)zeros(BLOCKS * 2);
    for (int i = 0; i < ALL; i++)
        in[i] = i % 7;
    look_back<<<BLOCKS, THREADS>>>(in, out, ticket, state);
    cudaDeviceSynchronize();
    bool good = true;
    for (int i = 0, sum = 0; i < ALL; i++)
        good &= out[i] == (sum += in[i]);
    check("look-back", good);
}

static void check_warps() {
    int *out = zeros(32), *lanes = zeros(33), rounds = 9;
    producer_consumer<<<1, 64>>>(out, rounds);
    cudaDeviceSynchronize();
    bool good = true;
    for (int lane = 0; lane < 32; lane++)
        good &= out[lane] == rounds * (31 - lane) + 32 * rounds * (rounds - 1) / 2;
    check("producer/consumer", good);
    relay<<<1, 32>>>(lanes);
    cudaDeviceSynchronize();
    good = lanes[32] == -1;
    for (int lane = 0; lane < 32; lane++)
        good &= lanes[lane] == (lane % 2 ? lane + 100 : 31 - lane);
    check("relay", good);
}

int main() {
    check_locks();
    check_messages();
    check_look_back();
    check_warps();
    return failures != 0;
}

/* bankrun_emulate.h: the part of CUDA that bankrun.cuh offers to host C++ under -DBANKRUN_EMULATE.
 *
 * A launch starts a thread for each thread of a block; they run the blocks one after the other.
 * Shared variables are static, which blocks that take turns can share. */
#ifndef BANKRUN_EMULATE_H
#define BANKRUN_EMULATE_H

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

struct uint3 {
    unsigned x, y, z;
};

template <class T> struct alignas(2 * sizeof(T)) bankrun_two { T x, y; };
template <class T> struct alignas(16) bankrun_four { T x, y, z, w; };
typedef bankrun_two<float> float2;
typedef bankrun_two<int> int2;
typedef bankrun_two<unsigned> uint2;
typedef bankrun_two<double> double2;
typedef bankrun_four<float> float4;
typedef bankrun_four<int> int4;
typedef bankrun_four<unsigned> uint4;

inline float2 make_float2(float x, float y) {
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}

static thread_local uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
enum { warpSize = 32 };

/* Threads that wait for each other; those that have left are not waited for. */
class bankrun_barrier {
  public:
    void reset(unsigned threads) {
        members = threads;
        waiting = 0;
    }
    void wait() {
        std::unique_lock<std::mutex> lock(mutex);
        unsigned long long now = turn;
        waiting++;
        if (!open_if_complete())
            opened.wait(lock, [&] { return turn != now; });
    }
    void leave() {
        std::lock_guard<std::mutex> lock(mutex);
        members--;
        open_if_complete();
    }

  private:
    bool open_if_complete() {
        if (waiting < members || waiting == 0)
            return members == 0;
        waiting = 0;
        turn++;
        opened.notify_all();
        return true;
    }
    std::mutex mutex;
    std::condition_variable opened;
    unsigned members = 0, waiting = 0;
    unsigned long long turn = 0;
};

struct bankrun_launch {
    bankrun_barrier block, warps[32];
    std::vector<unsigned char> shared;
};

static bankrun_launch bankrun_now;
static thread_local unsigned bankrun_thread;   /* in the block */
static thread_local unsigned bankrun_barriers; /* passed in this block */

inline void __syncthreads() {
    bankrun_now.block.wait();
    bankrun_barriers++;
}

inline void __syncwarp(unsigned = ~0u) {
    bankrun_now.warps[bankrun_thread / 32].wait();
}

#define BANKRUN_DYNAMIC_SHARED(type, name) type *name = (type *)bankrun_now.shared.data()

template <class T> T atomicAdd(T *at, T value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
inline unsigned atomicInc(unsigned *at, unsigned limit) {
    unsigned old = *at;
    while (!__atomic_compare_exchange_n(at, &old, old >= limit ? 0 : old + 1, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    return old;
}
template <class T> T atomicExch(T *at, T value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
template <class T> T atomicCAS(T *at, T expected, T value) {
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

template <class T> cudaError_t cudaMalloc(T **memory, size_t bytes) {
    *memory = (T *)malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void *memory) {
    free(memory);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
    memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    memset(to, value, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
inline const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "out of memory";
}

#ifdef BANKRUN
static void bankrun_end_of_block();
#else
static inline void bankrun_end_of_block() {}
#endif

/* Runs a block with a thread for each of its threads. */
template <class Body> void bankrun_run_block(const uint3 &block, unsigned threads, Body body) {
    bankrun_now.block.reset(threads);
    for (unsigned first = 0; first < threads; first += 32)
        bankrun_now.warps[first / 32].reset(threads - first < 32 ? threads - first : 32);
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < threads; thread++) {
        running.emplace_back([=] {
            bankrun_thread = thread;
            blockIdx = block;
            threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y,
                         thread / blockDim.x / blockDim.y};
            body();
            bankrun_now.block.leave();
            bankrun_now.warps[thread / 32].leave();
        });
    }
    for (std::thread &thread : running)
        thread.join();
    bankrun_end_of_block();
}

template <class Body> void bankrun_run(dim3 grid, dim3 block, size_t shared, Body body) {
    gridDim = grid;
    blockDim = block;
    bankrun_now.shared.assign(shared, 0);
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++)
                bankrun_run_block({x, y, z}, block.x * block.y * block.z, body);
}

#define BANKRUN_LAUNCH(kernel, grid, block, shared_bytes, ...)                                     \
    bankrun_run(grid, block, shared_bytes, [=] { kernel(__VA_ARGS__); })

#endif

// Letters: how blocks of fast::scan2d send each other sums, and wait for them.
#ifndef FAST_SCAN2D_LETTERS_CUH
#define FAST_SCAN2D_LETTERS_CUH

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace fast {

typedef unsigned long long sum_t;

enum {
    SCAN_TAGS = 63,      // of launches, in turn
    SCAN_BITS = 26,      // of a value below its tag in 32 bits: 1024 pixels, and a few
    SCAN_LONG_BITS = 58, // in 64 bits
};

// Lets the next kernel in the stream begin where there is room, if it was launched so.
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until the kernel in front has ended, and all that it wrote can be read.
__device__ inline void wait_for_former() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Looks at a letter if so; what was read before stays as it is if not.
__device__ inline void look_if(uint4 &words, const unsigned *at, bool is_so) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.u32 p, %5, 0;\n"
                 "@p ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];\n"
                 "}"
                 : "+r"(words.x), "+r"(words.y), "+r"(words.z), "+r"(words.w)
                 : "l"(at), "r"(unsigned(is_so))
                 : "memory");
}
__device__ inline void look_if(sum_t &word, const sum_t *at, bool is_so) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.u32 p, %2, 0;\n"
                 "@p ld.relaxed.gpu.global.u64 %0, [%1];\n"
                 "}"
                 : "+l"(word)
                 : "l"(at), "r"(unsigned(is_so))
                 : "memory");
}
__device__ inline void send(unsigned *at, unsigned value, unsigned tag) {
    value |= tag << SCAN_BITS;
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ inline void send(sum_t *at, sum_t value, unsigned tag) {
    value |= sum_t(tag) << SCAN_LONG_BITS;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}
__device__ inline bool has_tag(const uint4 &v, unsigned tag) {
    tag <<= SCAN_BITS;
    return ((v.x ^ tag) | (v.y ^ tag) | (v.z ^ tag) | (v.w ^ tag)) >> SCAN_BITS == 0;
}
__device__ inline bool has_tag(sum_t word, unsigned tag) {
    return word >> SCAN_LONG_BITS == tag;
}
// A letter that says nothing.
__device__ inline uint4 empty_letter(uint4, unsigned tag) {
    tag <<= SCAN_BITS;
    return {tag, tag, tag, tag};
}
__device__ inline sum_t empty_letter(sum_t, unsigned tag) {
    return sum_t(tag) << SCAN_LONG_BITS;
}
__device__ inline void add(uint4 &a, const uint4 &b) {
    a = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ inline void add(sum_t &a, sum_t b) {
    a += b;
}
// Takes the tags of count words off their sum, which may have wrapped on the way.
__device__ inline uint4 untagged(const uint4 &v, unsigned count, unsigned tag) {
    unsigned tags = count * (tag << SCAN_BITS);
    return {v.x - tags, v.y - tags, v.z - tags, v.w - tags};
}
__device__ inline sum_t untagged(sum_t v, unsigned count, unsigned tag) {
    return v - count * (sum_t(tag) << SCAN_LONG_BITS);
}

// The sum of what stands at at[n * stride], n = from, from + step, ... < count, for each lane.
// Loads are asked for N at a time, so that many are on their way when the first is looked at. All
// lanes of a warp work together: else shuffles behind a loop would be slow.
template <class T, class Word, int N> struct scan_letters {
    const Word *at;
    unsigned stride, from, step, count;
    T words[N];

    // Asks for the first N.
    __device__ void ask(unsigned tag) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            words[i] = empty_letter(T(), tag);
            look_if(words[i], at + size_t(from + i * step) * stride, from + i * step < count);
        }
    }
    // Takes them and those that follow; what is missing is looked for at once.
    __device__ T take(unsigned tag) {
        T sum = {};
        while (true) {
            bool is_missing[N], is_any = false;
#pragma unroll
            for (int i = 0; i < N; i++) {
                is_missing[i] = !has_tag(words[i], tag);
                is_any |= is_missing[i];
            }
            if (__any_sync(~0u, is_any)) {
#pragma unroll
                for (int i = 0; i < N; i++)
                    look_if(words[i], at + size_t(from + i * step) * stride, is_missing[i]);
                continue;
            }
#pragma unroll
            for (int i = 0; i < N; i++)
                add(sum, words[i]);
            sum = untagged(sum, N, tag);
            from += N * step;
            if (!__any_sync(~0u, from < count))
                return sum;
            ask(tag);
        }
    }
};
} // namespace fast

#endif

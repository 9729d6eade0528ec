// What the kernels of fast::scan2d share: how blocks tell each other sums, and the squares of
// pixels.
#ifndef FAST_SCAN2D_LETTERS_CUH
#define FAST_SCAN2D_LETTERS_CUH

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace fast {

typedef unsigned long long sum_t;

enum {
    SCAN_MOST = 32768,   // pixels of a line: sums along one fit 32 bits
    SCAN_TAGS = 63,      // of scans with one plan, in turn
    SCAN_BITS = 26,      // of a value below its tag in 32 bits: 1024 pixels, and a few
    SCAN_LONG_BITS = 58, // in 64 bits
    SCAN_SECTOR = 4,     // sums of 32 bytes
};

struct scan_state {
    unsigned scans, blocks; // that are over: scans, and blocks of this scan
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

// Sums from block to block.
__device__ inline void look(uint4 &words, const unsigned *at) {
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(at)
                 : "memory");
}
__device__ inline void look(sum_t &word, const sum_t *at) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
}
// The same if so; words stays as it is if not.
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
__device__ inline void send(unsigned *at, const uint4 &value, unsigned tag) {
    tag <<= SCAN_BITS;
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at),
                 "r"(value.x | tag), "r"(value.y | tag), "r"(value.z | tag), "r"(value.w | tag)
                 : "memory");
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

// The sum of what stands at at[n * stride], n = from, from + step, ... < count. Loads are asked for
// N at a time, so that many are on their way when the first is looked at.
template <class T, class Word, int N> struct scan_letters {
    const Word *at;
    unsigned stride, from, step, count;
    T words[N];

    __device__ void ask() {
#pragma unroll
        for (int i = 0; i < N; i++)
            if (from + i * step < count)
                look(words[i], at + size_t(from + i * step) * stride);
    }
    // By all lanes of a warp together: looks for all that are missing at once.
    __device__ T take_together(unsigned tag) {
        T sum = {};
        while (__any_sync(~0u, from < count)) {
            bool is_missing[N], is_any = false;
#pragma unroll
            for (int i = 0; i < N; i++) {
                words[i] = empty_letter(T(), tag);
                is_missing[i] = from + i * step < count;
            }
            do {
                is_any = false;
#pragma unroll
                for (int i = 0; i < N; i++)
                    look_if(words[i], at + size_t(from + i * step) * stride, is_missing[i]);
#pragma unroll
                for (int i = 0; i < N; i++) {
                    is_missing[i] = !has_tag(words[i], tag);
                    is_any |= is_missing[i];
                }
            } while (__any_sync(~0u, is_any));
#pragma unroll
            for (int i = 0; i < N; i++)
                add(sum, words[i]);
            sum = untagged(sum, N, tag);
            from += N * step;
        }
        return sum;
    }
    __device__ T take(unsigned tag) { // looks for one at a time: looking costs bandwidth
        T sum = {};
        unsigned taken = 0;
        while (true) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (from + i * step >= count)
                    continue;
                while (!has_tag(words[i], tag))
                    look(words[i], at + size_t(from + i * step) * stride);
                add(sum, words[i]);
                taken++;
            }
            from += N * step;
            if (from >= count)
                return untagged(sum, taken, tag);
            ask();
        }
    }
};

// Adds the squares of four columns of pixels, from four lines.
__device__ inline void add_columns(uint4 &sums, unsigned a, unsigned b, unsigned c, unsigned d) {
    unsigned ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
    unsigned x = __byte_perm(ab, cd, 0x5410), y = __byte_perm(ab, cd, 0x7632);
    ab = __byte_perm(a, b, 0x7362);
    cd = __byte_perm(c, d, 0x7362);
    unsigned z = __byte_perm(ab, cd, 0x5410), w = __byte_perm(ab, cd, 0x7632);
    sums = {__dp4a(x, x, sums.x), __dp4a(y, y, sums.y), __dp4a(z, z, sums.z), __dp4a(w, w, sums.w)};
}

} // namespace fast

#endif

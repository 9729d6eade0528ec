// Accesses without a state space (generic addresses that lie in shared memory), and shuffles.
#include "bench.h"

#define GENERIC "{ .reg .u64 g; cvt.u64.u32 g, %1; cvta.shared.u64 g, g; "
OP(load_4, unsigned a;
   asm volatile(GENERIC "ld.u32 %0, [g]; }" : "=r"(a) : "r"(shared + again) : "memory"); sink += a;)
OP(load_8, unsigned long long a;
   asm volatile(GENERIC "ld.u64 %0, [g]; }" : "=l"(a) : "r"(shared + again) : "memory");
   sink += (unsigned)a + (unsigned)(a >> 32);)
OP(load_16, unsigned a, b, c, d;
   asm volatile("{ .reg .u64 g; cvt.u64.u32 g, %4; cvta.shared.u64 g, g; "
                "ld.v4.u32 {%0, %1, %2, %3}, [g]; }"
                : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared + again) : "memory");
   sink += a + b + c + d;)
#define TO_GENERIC "{ .reg .u64 g; cvt.u64.u32 g, %0; cvta.shared.u64 g, g; "
OP(store_4, asm volatile(TO_GENERIC "st.u32 [g], %1; }" ::"r"(shared + again), "r"(value)
                         : "memory");)
OP(store_8, asm volatile(TO_GENERIC "st.v2.u32 [g], {%1, %1}; }" ::"r"(shared + again), "r"(value)
                         : "memory");)
OP(store_16, asm volatile(TO_GENERIC "st.v4.u32 [g], {%1, %1, %1, %1}; }" ::"r"(shared + again),
                          "r"(value) : "memory");)
OP(add_4, unsigned a; asm volatile(GENERIC "atom.add.u32 %0, [g], %2; }"
                                   : "=r"(a) : "r"(shared), "r"(value) : "memory");)
OP(add_f32, float a; asm volatile(GENERIC "atom.add.f32 %0, [g], %2; }"
                                  : "=f"(a) : "r"(shared), "f"((float)value) : "memory");)
OP(cas_8, unsigned long long a;
   asm volatile(GENERIC "atom.cas.b64 %0, [g], %2, %2; }"
                : "=l"(a) : "r"(shared), "l"((unsigned long long)value) : "memory");)
// Loops: does asking for the address's space cost them what it costs add.f32?
#define GENERIC_64(id, op)                                                                   \
    OP(id, unsigned long long a; asm volatile(GENERIC op " %0, [g], %2; }" : "=l"(a)         \
                                              : "r"(shared), "l"((unsigned long long)value) \
                                              : "memory");)
GENERIC_64(add_8, "atom.add.u64")
GENERIC_64(min_8, "atom.min.u64")
GENERIC_64(xor_8, "atom.xor.b64")
GENERIC_64(exch_8, "atom.exch.b64")
OP(add_f64, double a; asm volatile(GENERIC "atom.add.f64 %0, [g], %2; }"
                                   : "=d"(a) : "r"(shared), "d"((double)value) : "memory");)
OP(add_f16x2, unsigned a;
   asm volatile(GENERIC "atom.add.noftz.f16x2 %0, [g], %2; }"
                : "=r"(a) : "r"(shared), "r"(0x3c003c00u) : "memory");)
OP(add_f16, unsigned short a;
   asm volatile(GENERIC "atom.add.noftz.f16 %0, [g], %2; }"
                : "=h"(a) : "r"(shared), "h"((unsigned short)0x3c00) : "memory");)
OP(cas_4, unsigned a; asm volatile(GENERIC "atom.cas.b32 %0, [g], %2, %2; }"
                                   : "=r"(a) : "r"(shared), "r"(value) : "memory");)
OP(red_f32, asm volatile(TO_GENERIC "red.add.f32 [g], %1; }" ::"r"(shared), "f"((float)value)
                         : "memory");)

// The lane comes from the offset, a multiple of 4; all lanes take part.
#define SHUFFLE(id, mode, clamp)                                                             \
    OP(id, unsigned a; asm volatile("shfl.sync." mode ".b32 %0, %1, %2, " clamp ", 0xffffffff;" \
                                    : "=r"(a) : "r"(value), "r"(shared / 4 % 32)); sink += a;)
SHUFFLE(shuffle_idx, "idx", "31")
SHUFFLE(shuffle_up, "up", "0")
SHUFFLE(shuffle_down, "down", "31")
SHUFFLE(shuffle_bfly, "bfly", "31")

static const operation operations[] = {
    ROW("ld.u32", load_4, true),           ROW("ld.u64", load_8, true),
    ROW("ld.v4.u32", load_16, true),       ROW("st.u32", store_4, false),
    ROW("st.v2.u32", store_8, false),      ROW("st.v4.u32", store_16, false),
    ROW("atom.add.u32", add_4, true),      ROW("atom.add.f32", add_f32, true),
    ROW("atom.add.u64", add_8, true),      ROW("atom.min.u64", min_8, true),
    ROW("atom.xor.b64", xor_8, true),      ROW("atom.exch.b64", exch_8, true),
    ROW("atom.add.f64", add_f64, true),    ROW("atom.add.f16x2", add_f16x2, true),
    ROW("atom.add.f16", add_f16, true),    ROW("atom.cas.b32", cas_4, true),
    ROW("red.add.f32", red_f32, true),
    ROW("atom.cas.b64", cas_8, true),      ROW("shfl.sync.idx.b32", shuffle_idx, false),
    ROW("shfl.sync.up.b32", shuffle_up, false),
    ROW("shfl.sync.down.b32", shuffle_down, false),
    ROW("shfl.sync.bfly.b32", shuffle_bfly, false),
};
MAIN(operations)

// Shared atomics of every type: which have a native form, and what the others cost.
#include "bench.h"

#define ATOMIC_32(id, op)                                                                    \
    OP(id, unsigned old; asm volatile("atom.shared." op " %0, [%1], %2;"                     \
                                      : "=r"(old) : "r"(shared), "r"(value) : "memory");)
#define ATOMIC_64(id, op)                                                                    \
    OP(id, unsigned long long old;                                                           \
       asm volatile("atom.shared." op " %0, [%1], %2;"                                       \
                    : "=l"(old) : "r"(shared), "l"((unsigned long long)value) : "memory");)
#define REDUCE_64(id, op)                                                                    \
    OP(id, asm volatile("red.shared." op " [%0], %1;" ::"r"(shared),                         \
                        "l"((unsigned long long)value) : "memory");)

ATOMIC_32(add_s32, "add.s32")
ATOMIC_32(min_s32, "min.s32")
ATOMIC_32(max_s32, "max.s32")
ATOMIC_32(min_u32, "min.u32")
ATOMIC_32(and_b32, "and.b32")
ATOMIC_32(or_b32, "or.b32")
ATOMIC_32(xor_b32, "xor.b32")
ATOMIC_32(inc_u32, "inc.u32")
ATOMIC_32(dec_u32, "dec.u32")
ATOMIC_64(exch_b64, "exch.b64")
ATOMIC_64(add_u64, "add.u64")
ATOMIC_64(min_u64, "min.u64")
ATOMIC_64(max_u64, "max.u64")
ATOMIC_64(min_s64, "min.s64")
ATOMIC_64(max_s64, "max.s64")
ATOMIC_64(and_b64, "and.b64")
ATOMIC_64(or_b64, "or.b64")
ATOMIC_64(xor_b64, "xor.b64")
REDUCE_64(red_add_u64, "add.u64")
REDUCE_64(red_max_s64, "max.s64")

OP(add_f32, float old; asm volatile("atom.shared.add.f32 %0, [%1], %2;"
                                    : "=f"(old) : "r"(shared), "f"((float)value) : "memory");)
OP(red_add_f32, asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(shared), "f"((float)value)
                             : "memory");)
OP(add_f64, double old; asm volatile("atom.shared.add.f64 %0, [%1], %2;"
                                     : "=d"(old) : "r"(shared), "d"((double)value) : "memory");)
OP(red_add_f64, asm volatile("red.shared.add.f64 [%0], %1;" ::"r"(shared), "d"((double)value)
                             : "memory");)
// Ones: larger sums of halves would stop changing.
OP(add_f16x2, unsigned old;
   asm volatile("atom.shared.add.noftz.f16x2 %0, [%1], %2;"
                : "=r"(old) : "r"(shared), "r"(value < 100000 ? 0x3c003c00u : 0) : "memory");)
OP(add_bf16x2, unsigned old;
   asm volatile("atom.shared.add.noftz.bf16x2 %0, [%1], %2;"
                : "=r"(old) : "r"(shared), "r"(value < 100000 ? 0x3f803f80u : 0) : "memory");)
OP(add_f16, unsigned short old;
   asm volatile("atom.shared.add.noftz.f16 %0, [%1], %2;"
                : "=h"(old) : "r"(shared), "h"((unsigned short)0x3c00) : "memory");)
OP(add_bf16, unsigned short old;
   asm volatile("atom.shared.add.noftz.bf16 %0, [%1], %2;"
                : "=h"(old) : "r"(shared), "h"((unsigned short)0x3f80) : "memory");)
OP(cas_b16, unsigned short old;
   asm volatile("atom.shared.cas.b16 %0, [%1], %2, %3;"
                : "=h"(old) : "r"(shared), "h"((unsigned short)0), "h"((unsigned short)value)
                : "memory");)
OP(cas_b128, asm volatile("{ .reg .b128 old, want, put; mov.b128 want, {%1, %1};"
                          "mov.b128 put, {%2, %1}; atom.shared.cas.b128 old, [%0], want, put; }"
                          ::"r"(shared), "l"(0ull), "l"((unsigned long long)value) : "memory");)
OP(exch_b128, asm volatile("{ .reg .b128 old, put; mov.b128 put, {%1, %1};"
                           "atom.shared.exch.b128 old, [%0], put; }"
                           ::"r"(shared), "l"((unsigned long long)value) : "memory");)

static const operation operations[] = {
    ROW("atom.shared.add.s32", add_s32, true),
    ROW("atom.shared.min.s32", min_s32, true),
    ROW("atom.shared.max.s32", max_s32, true),
    ROW("atom.shared.min.u32", min_u32, true),
    ROW("atom.shared.and.b32", and_b32, true),
    ROW("atom.shared.or.b32", or_b32, true),
    ROW("atom.shared.xor.b32", xor_b32, true),
    ROW("atom.shared.inc.u32", inc_u32, true),
    ROW("atom.shared.dec.u32", dec_u32, true),
    ROW("atom.shared.exch.b64", exch_b64, true),
    ROW("atom.shared.add.u64", add_u64, true),
    ROW("atom.shared.min.u64", min_u64, true),
    ROW("atom.shared.max.u64", max_u64, true),
    ROW("atom.shared.min.s64", min_s64, true),
    ROW("atom.shared.max.s64", max_s64, true),
    ROW("atom.shared.and.b64", and_b64, true),
    ROW("atom.shared.or.b64", or_b64, true),
    ROW("atom.shared.xor.b64", xor_b64, true),
    ROW("red.shared.add.u64", red_add_u64, true),
    ROW("red.shared.max.s64", red_max_s64, true),
    ROW("atom.shared.add.f32", add_f32, true),
    ROW("red.shared.add.f32", red_add_f32, true),
    ROW("atom.shared.add.f64", add_f64, true),
    ROW("red.shared.add.f64", red_add_f64, true),
    ROW("atom.shared.add.f16x2", add_f16x2, true),
    ROW("atom.shared.add.bf16x2", add_bf16x2, true),
    ROW("atom.shared.add.f16", add_f16, true),
    ROW("atom.shared.add.bf16", add_bf16, true),
    ROW("atom.shared.cas.b16", cas_b16, true),
    ROW("atom.shared.cas.b128", cas_b128, true),
    ROW("atom.shared.exch.b128", exch_b128, true),
};
MAIN(operations)

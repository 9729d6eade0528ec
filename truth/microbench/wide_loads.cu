// Wide loads of half a warp with few different words.
#include "bench.h"

OP(load_8, unsigned long long a;
   asm volatile("ld.shared.u64 %0, [%1];" : "=l"(a) : "r"(shared + again) : "memory");
   sink += (unsigned)a + (unsigned)(a >> 32);)
OP(load_4_4, unsigned a, b;
   asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(shared + again)
                : "memory");
   sink += a + b;)
OP(load_16, unsigned a, b, c, d;
   asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared + again) : "memory");
   sink += a + b + c + d;)
OP(load_8_8, unsigned long long a, b;
   asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "r"(shared + again)
                : "memory");
   sink += (unsigned)a + (unsigned)(a >> 32) + (unsigned)b + (unsigned)(b >> 32);)

static const operation operations[] = {
    ROW("ld.shared.u64", load_8, true),
    ROW("ld.shared.v2.u32", load_4_4, true),
    ROW("ld.shared.v4.u32", load_16, true),
    ROW("ld.shared.v2.u64", load_8_8, true),
};
MAIN(operations)

// What x86 machines have, for those who pick lane code: the build and the simulator.
#pragma once

#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>

static inline bool machine_has_avx2(void) {
    // Not every compiler's __builtin_cpu_supports knows the name of F16C.
    unsigned a, b, c, d;
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static inline bool machine_has_avx512(void) {
    return machine_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq");
}
#endif

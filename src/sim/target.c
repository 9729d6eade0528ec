// Picks the lane code for the machine that this process runs on.
#include "sim/sim_internal.h"

#if defined(SIM_X86_TARGETS)
#include <cpuid.h>

// Not every compiler's __builtin_cpu_supports knows the name.
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

const struct sim_target *sim_target_pick(void) {
#if defined(SIM_X86_TARGETS)
    __builtin_cpu_init();
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && has_f16c();
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return sim_target_avx512();
    if (has_avx2)
        return sim_target_avx2();
#endif
    return sim_target_base();
}

// Picks the lane code for the machine that this process runs on, among what was compiled.
#include "sim/machine.h"
#include "sim/sim_internal.h"

const struct sim_target *sim_target_pick(void) {
#if defined(SIM_AVX512)
    if (machine_has_avx512())
        return sim_target_avx512();
#endif
#if defined(SIM_AVX2)
    if (machine_has_avx2())
        return sim_target_avx2();
#endif
    return sim_target_base();
}

const char *sim_lanes(const char **widest) {
#if defined(__x86_64__)
    *widest = machine_has_avx512() ? "avx512" : machine_has_avx2() ? "avx2" : "base";
#elif defined(__aarch64__)
    return *widest = "neon"; // which each machine of this kind has, the plain one among them
#else
    *widest = sim_target_pick()->name;
#endif
    return sim_target_pick()->name;
}

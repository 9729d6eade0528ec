// Picks the lane code for the machine that this process runs on, among what was compiled.
#include <string.h>

#include "sim/machine.h"
#include "sim/sim_internal.h"

static const char *most; // NULL: no limit

__attribute__((unused)) static bool may_use(const char *lanes) {
    static const char *const narrow_first[] = {"base", "avx2", "avx512"};
    for (unsigned i = 0; most && i < sizeof narrow_first / sizeof *narrow_first; i++) {
        if (!strcmp(narrow_first[i], lanes))
            return true;
        if (!strcmp(narrow_first[i], most))
            return false;
    }
    return true;
}

const struct sim_target *sim_target_pick(void) {
#if defined(SIM_AVX512)
    if (machine_has_avx512() && may_use("avx512"))
        return sim_target_avx512();
#endif
#if defined(SIM_AVX2)
    if (machine_has_avx2() && may_use("avx2"))
        return sim_target_avx2();
#endif
    return sim_target_base();
}

void sim_limit_lanes(const char *lanes) {
    most = lanes && (!strcmp(lanes, "base") || !strcmp(lanes, "avx2")) ? lanes : NULL;
}

const char *sim_lanes_most(void) {
    const char *widest;
    sim_lanes(&widest);
    return most && !may_use(widest) ? most : NULL;
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
